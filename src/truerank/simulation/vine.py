"""Regular vine copulas, through pyvinecopulib."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.random import Generator

from truerank._support.imports import COPULAS
from truerank._support.types import Matrix
from truerank.errors import InputError, unknown_name
from truerank.simulation.copulas import CopulaFamily

BATCH = 256  # topics drawn at a time
CRITERIA = ("loglik", "aic", "bic", "mbic", "mbicv")


@dataclass(frozen=True)
class VineCopula:
    """An R-vine: a tree-wise product of copulas of two systems each (Dißmann and others 2013).

    Used by Urbano & Nagler (2018); see docs/methods/simulation.md.
    """

    vine: dict[str, Any]  # structure and pair copulas, as pyvinecopulib writes them to JSON
    family: ClassVar[str] = "vine"

    @classmethod
    def fit(
        cls,
        values: Matrix,
        rng: Generator,
        families: Sequence[str] | None = None,
        truncation: int | None = None,
        selection: str = "aic",
        threads: int = 1,
    ) -> VineCopula:
        """Select trees, families and parameters from pseudo-observations rank/(n + 1).

        Ties get random order under `rng`, as pyvinecopulib has no ties: the more ties, the weaker the
        dependence of the model. On 88 systems × 48 topics a full vine takes half a minute, one truncated at
        three trees a few seconds. `families` are pair copulas by pyvinecopulib's names, by default all of
        them; trees after the `truncation` are independent.

        Raises:
            InputError: a single column, or a truncation or number of threads below 1.
            UnknownNameError: an unknown family or criterion.
        """
        import pyvinecopulib

        if values.shape[1] < 2:
            raise InputError("a vine needs at least two different systems; use the gaussian copula")
        if threads < 1 or (truncation is not None and truncation < 1):
            raise InputError("threads and truncation must be 1 or more")
        if selection not in CRITERIA:
            raise unknown_name("criterion", selection, CRITERIA)
        known = _pair_copulas()
        options: dict[str, Any] = {"selection_criterion": selection, "num_threads": threads}
        if families is not None:
            for name in families:
                if name not in known:
                    raise unknown_name("pair copula", name, known)
            options["family_set"] = [known[name] for name in families]
        if truncation is not None:
            options["trunc_lvl"] = truncation
        vine = pyvinecopulib.Vinecop.from_data(
            np.asfortranarray(pseudo_observations(values, rng)),
            controls=pyvinecopulib.FitControlsVinecop(**options),
        )
        return cls(json.loads(vine.to_json()))

    @cached_property
    def _vine(self) -> Any:
        import pyvinecopulib

        return pyvinecopulib.Vinecop.from_json(json.dumps(self.vine))

    @property
    def dimension(self) -> int:
        """How many uniforms a draw has."""
        return int(self._vine.dim)

    def uniforms(self, k: int, rng: Generator) -> Matrix:
        """k draws, k × d: independent uniforms through the inverse Rosenblatt transform."""
        draws = []
        # In whole batches and without pyvinecopulib's threads, because the last bit of a draw depends on how
        # many rows are transformed together.
        for _ in range(-(-k // BATCH)):
            independent = np.clip(rng.random((BATCH, self._vine.dim)), 1e-12, 1 - 1e-12)
            draws.append(self._vine.inverse_rosenblatt(np.asfortranarray(independent)))
        return np.concatenate(draws)[:k]

    def parameters(self) -> dict[str, Any]:
        """The vine."""
        return {"vine": self.vine}

    @classmethod
    def rebuild(cls, parameters: dict[str, Any]) -> VineCopula:
        """The copula with those parameters."""
        copula = cls(parameters["vine"])
        copula._vine  # noqa: B018 -- builds and so checks it
        return copula


def _pair_copulas() -> dict[str, Any]:
    """pyvinecopulib's pair copulas by name."""
    import pyvinecopulib

    members: Any = pyvinecopulib.BicopFamily
    return dict(members.__members__)


def pseudo_observations(values: Matrix, rng: Generator) -> Matrix:
    """Ranks divided by n + 1, ties in random order; n × d in (0, 1)."""
    n, d = values.shape
    observations = np.empty((n, d))
    for s in range(d):
        order = np.lexsort(np.stack([rng.random(n), values[:, s]]))
        observations[order, s] = np.arange(1, n + 1) / (n + 1)
    return observations


VINE = CopulaFamily(
    "vine",
    "R-vine",
    fit=VineCopula.fit,
    rebuild=VineCopula.rebuild,
    needs=COPULAS,
    references=("urbano-nagler-2018", "dissmann-2013"),
)
