"""The copula simulator: a margin for each system and a copula between them (Urbano & Nagler 2018)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.random import Generator

from truerank._support.seeds import stream
from truerank._support.types import Matrix, Vector
from truerank.errors import InputError
from truerank.scores import TIE, ScoreMatrix
from truerank.simulation.copulas import COPULAS, Copula, CopulaFamily, distinct_columns
from truerank.simulation.margin_families import (
    DEFAULT_SHAPES,
    FAMILIES,
    fit_margin,
    margin_from_json,
    margin_to_json,
)
from truerank.simulation.margins import Margin, with_mean
from truerank.simulation.model import (
    ABOUT,
    Origin,
    SimulationModel,
    Simulator,
    check_unit_range,
    choose_support,
    common,
)

FEWEST_TOPICS = 3


@dataclass(frozen=True)
class CopulaModel(SimulationModel):
    """Margins joined by a copula (Urbano & Nagler 2018; docs/methods/simulation.md).

    :func:`fit_copula` makes one.

    Attributes:
        systems: m names.
        measure: what the scores are.
        origin: the fit that it comes from.
        margins: one for each system, m.
        copula: over the d ≤ m distinct systems.
        dimensions: for each system the column of the copula that it takes, 0 … d − 1. Systems with the
            same score on every topic share one, and so stay identical.

    Example:
        Two systems that are equally good, whatever the topics of a sample say:

        >>> from truerank.simulation import load_embedded
        >>> model = load_embedded("web2010-ap").with_margin("sys2", "sys1")
        >>> bool(model.true_means[0] == model.true_means[1])
        True
        >>> means = model.sample(topics=50, seed=1).means
        >>> bool(means[0] == means[1])
        False
    """

    systems: tuple[str, ...]
    measure: str
    origin: Origin
    margins: tuple[Margin, ...]
    copula: Copula
    dimensions: tuple[int, ...]
    simulator: ClassVar[str] = "copula"

    @cached_property
    def true_means(self) -> Vector:
        return np.array([margin.mean for margin in self.margins])

    def draw(self, topics: int, rng: Generator) -> Matrix:
        """New topics from the copula, through the margins' quantile functions. O(topics·m²)."""
        uniforms = np.ascontiguousarray(self.copula.uniforms(topics, rng).T)
        scores = np.empty((len(self.margins), topics))
        for s, (margin, d) in enumerate(zip(self.margins, self.dimensions, strict=True)):
            scores[s] = margin.quantile(uniforms[d])
        return np.ascontiguousarray(np.clip(scores.T, 0.0, 1.0))

    def with_means(self, means: Mapping[str, float]) -> Self:
        margins = list(self.margins)
        for system, mean in means.items():
            s = self.index(system)
            try:
                margins[s] = with_mean(margins[s], float(mean))
            except InputError as error:
                raise InputError(f"system {system!r}: {error}") from None
        return replace(self, margins=tuple(margins), origin=self.origin.with_means(means))

    def with_margin(self, system: str, margin: Margin | str) -> Self:
        s = self.index(system)
        margins = list(self.margins)
        margins[s] = self.margins[self.index(margin)] if isinstance(margin, str) else margin
        source = f"that of {margin}" if isinstance(margin, str) else margin.family
        origin = self.origin.changed(f"margin of {system}: {source}")
        return replace(self, margins=tuple(margins), origin=origin)

    def body(self) -> dict[str, Any]:
        return {
            "margins": [margin_to_json(margin) for margin in self.margins],
            "copula": {"family": self.copula.family, **self.copula.parameters()},
            "dimensions": list(self.dimensions),
        }

    @classmethod
    def read(cls, model: dict[str, Any]) -> CopulaModel:
        copula = dict(model["copula"])
        family = COPULAS.find(str(copula.pop("family")))
        return cls(
            **common(model),
            margins=tuple(margin_from_json(margin) for margin in model["margins"]),
            copula=family.rebuild(copula),
            dimensions=tuple(model["dimensions"]),
        )


def fit_copula(
    scores: ScoreMatrix,
    *,
    seed: int = 0,
    copula: str = "gaussian",
    margins: str | Sequence[str] | None = None,
    criterion: str = "aic",
    shapes: str = DEFAULT_SHAPES,
    support: str | Sequence[float] | None = "auto",
    means: str | Mapping[str, float] = "observed",
    families: Sequence[str] | None = None,
    truncation: int | None = None,
    threads: int = 1,
) -> CopulaModel:
    """Fit a margin to each system and a copula to all (Urbano & Nagler 2018)."""
    check_unit_range(scores)
    if scores.n < FEWEST_TOPICS:
        raise InputError(f"a copula model needs at least {FEWEST_TOPICS} topics, not {scores.n}; add topics")
    if isinstance(means, str) and means not in ("observed", "fitted"):
        raise InputError(f"means must be 'observed', 'fitted' or wanted means by system, not {means!r}")
    joint = COPULAS.find(copula)
    of_vines = {"families": families, "truncation": truncation}
    own = _own_options(joint, of_vines, {"selection": criterion, "threads": threads})
    points = choose_support(scores, support)
    chosen = _families(margins, points)
    first, dimensions = distinct_columns(scores.values)
    distinct: list[Margin] = []
    for s in first:
        margin = fit_margin(scores.values[:, s], chosen, criterion, points, shapes)
        mean = float(scores.means[s])
        move = means != "fitted" and abs(margin.mean - mean) > TIE
        distinct.append(with_mean(margin, mean) if move else margin)
    options = {
        "copula": copula,
        "margins": margins,
        "criterion": criterion,
        "shapes": shapes,
        "support": "continuous" if points is None else points.tolist(),
        **of_vines,
    }
    model = CopulaModel(
        systems=scores.systems,
        measure=scores.measure,
        origin=Origin.of(scores, seed, options),
        margins=tuple(distinct[d] for d in dimensions),
        copula=joint.fit(scores.values[:, first], stream(seed, "copula", "ties"), **own),
        dimensions=tuple(dimensions.tolist()),
    )
    return model.with_means(means) if isinstance(means, Mapping) else model


def _own_options(joint: CopulaFamily, given: Mapping[str, Any], common: Mapping[str, Any]) -> dict[str, Any]:
    """The options given for this copula, and the common ones that it takes."""
    own = {name: value for name, value in given.items() if value is not None}
    for name in own:
        if name not in joint.options:
            takers = " or ".join(repr(item.name) for item in COPULAS.values() if name in item.options)
            raise InputError(f"the {joint.label} copula takes no {name}; choose the copula {takers}")
    return own | {name: value for name, value in common.items() if name in joint.options}


def _families(given: str | Sequence[str] | None, points: Vector | None) -> list[str]:
    """The names of the families to choose from; empty for all that fit the support."""
    chosen = [given] if isinstance(given, str) else list(given or ())
    for name in chosen:
        if FAMILIES.find(name).discrete and points is None:
            raise InputError(
                f"{name!r} needs a finite support and these scores look continuous; give a support"
            )
    return chosen


COPULA = Simulator("copula", fit=fit_copula, read=CopulaModel.read, **ABOUT["copula"])
