"""Copulas: how the systems' scores on a topic go together, whatever their margins."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.random import Generator

from truerank._support.registry import Registry
from truerank._support.types import Matrix
from truerank.errors import InputError
from truerank.simulation.correlation import DECIMALS, cholesky, correlated_normals, nearest_correlation
from truerank.simulation.kendall import kendall_matrix


class Copula(Protocol):
    """A distribution on the unit cube with uniform margins."""

    family: ClassVar[str]

    @property
    def dimension(self) -> int:
        """d, how many uniforms a draw has."""
        ...

    def uniforms(self, k: int, rng: Generator) -> Matrix:
        """k draws, k × d, the same digits on any number of threads."""
        ...

    def parameters(self) -> dict[str, Any]:
        """What rebuilds the copula, fit for JSON."""
        ...


@dataclass(frozen=True)
class CopulaFamily:
    """A family of copulas.

    Attributes:
        name: what users type.
        label: what users read.
        fit: from n × d scores, a generator (for ties) and options to a copula.
        rebuild: from what `parameters()` gave to the copula.
    """

    name: str
    label: str
    fit: Callable[..., Copula]
    rebuild: Callable[[dict[str, Any]], Copula]


COPULAS: Registry[CopulaFamily] = Registry("copula")


@dataclass(frozen=True)
class GaussianCopula:
    """The copula of a multivariate normal.

    Attributes:
        correlations: d × d, positive definite.
    """

    correlations: Matrix
    family: ClassVar[str] = "gaussian"

    @classmethod
    def fit(cls, values: Matrix, rng: Generator | None = None) -> GaussianCopula:
        """Correlations ``sin(π τ_b / 2)``, moved to the nearest positive definite matrix.

        For a Gaussian copula τ = 2/π·arcsin ρ. Inverting τ_b uses only the untied pairs of topics, so
        ties do not weaken it; breaking ties at random would. With more systems than topics the
        matrix of sines is far from valid and the nearest one is what makes it so; there is no further
        shrinkage. A constant column is independent of all others. O(n²d² + d³).
        """
        del rng  # nothing here is random; other families break ties by it
        tau = np.nan_to_num(kendall_matrix(values))
        np.fill_diagonal(tau, 1.0)
        return cls(nearest_correlation(np.sin(np.pi / 2 * tau)))

    @cached_property
    def _root(self) -> Matrix:
        return cholesky(self.correlations)

    @property
    def dimension(self) -> int:
        """How many uniforms a draw has."""
        return len(self.correlations)

    def uniforms(self, k: int, rng: Generator) -> Matrix:
        """k draws, k × d. O(k·d²)."""
        from scipy.special import ndtr

        return ndtr(correlated_normals(self._root, k, rng))

    def parameters(self) -> dict[str, Any]:
        """The correlations below the diagonal, row by row."""
        return {"correlations": lower_triangle(self.correlations)}

    @classmethod
    def rebuild(cls, parameters: dict[str, Any]) -> GaussianCopula:
        """The copula with those parameters."""
        return cls(from_lower_triangle(parameters["correlations"]))


def lower_triangle(matrix: Matrix) -> list[float]:
    """The part below the diagonal, row by row."""
    return np.round(matrix[np.tril_indices(len(matrix), -1)], DECIMALS).tolist()


def from_lower_triangle(values: list[float]) -> Matrix:
    """The symmetric matrix with a unit diagonal that :func:`lower_triangle` came from."""
    d = round((1 + np.sqrt(1 + 8 * len(values))) / 2) if values else 1
    if d * (d - 1) // 2 != len(values):
        raise InputError(f"{len(values)} correlations are no triangle of a matrix")
    matrix = np.eye(d)
    matrix[np.tril_indices(d, -1)] = values
    return matrix + np.tril(matrix, -1).T


COPULAS.register(CopulaFamily("gaussian", "Gaussian", GaussianCopula.fit, GaussianCopula.rebuild))
