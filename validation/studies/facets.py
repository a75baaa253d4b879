"""Levels that all topics share: do intervals hold on new levels?"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from truerank._support.seeds import stream
from truerank._support.types import Vector
from truerank.errors import InputError
from truerank.experiments.shared import simulated
from truerank.experiments.shared.summaries import averaged, over_populations
from truerank.experiments.study import Clock, Results, Row, Summary, Task, declared, every, option, tables
from truerank.reliability.estimators import eb
from truerank.reliability.means import Means, plain_means
from truerank.reliability.means.facet_means import FacetParts, facet_means
from truerank.repeats import Facet
from validation.studies import noisy_populations
from validation.studies.noisy_populations import Context, Noisy

WAYS = ("topics", "rows", "moderated")


@dataclass(frozen=True)
class FacetsParameters:
    """Populations made here, and score tables with levels added to what is fitted to them."""

    trials: int = option(300, "Collections of each cell.", grows=True, least=1)
    topics: tuple[int, ...] = option((50,), "Sizes of the collections.", least=3)
    levels: tuple[int, ...] = option((2, 3, 5), "Levels of the facet.", least=2)
    variances: tuple[str, ...] = option(
        ("0", "0.05", "0.3"), "Variance of systems × levels, over that of systems × topics."
    )
    unequal: float = option(0.7, "Standard deviation of the logarithm of the systems' variances.")
    level: float = option(0.95, "Of the intervals.")

    def __post_init__(self) -> None:
        """Refuse what makes no sense."""
        if not all(float(one) >= 0 for one in self.variances):
            raise InputError("variances must be 0 or more")


def load(sources: Any, parameters: Any) -> Mapping[str, Noisy]:
    """Normal scores, and one population for each score table."""
    found = noisy_populations.load(sources, parameters)
    return {name: one for name, one in found.items() if one.kind != "binary"}


def work(context: Context, task: Task, seed: int, clock: Clock) -> list[Row]:
    """One collection, by topics alone, and with the levels as rows or moderated."""
    n, f = int(task["topics"]), int(task["levels"])
    rng = stream(seed, "facets")
    population = context.data[str(task["data"])]
    truths = population.truths(1.0, rng)
    unit = population.topic_deviation if population.kind == "table" else 1.0
    m = len(truths.means)
    with clock.measure("simulation"):
        spread = context.parameters.unequal
        own = float(task["variance"]) * np.exp(rng.normal(0, spread, m) - spread**2 / 2)
        levels = unit * np.sqrt(own) * rng.normal(0, 1, (1, f, m))
        cells = truths.cells(n, seed, rng)[:, None, :] + levels + unit * rng.normal(0, 1, (n, f, m))
    order, truth, swapped = simulated.against_truth(cells.mean(axis=(0, 1)), truths.means)
    facet = Facet("level", tuple(map(str, range(f))), cells[:, :, order])
    found = []
    for way in WAYS:
        with clock.measure(way):
            means = _means(facet, way)
            found.append({"way": way} | _row(means, truth, swapped, context.parameters.level))
    return found


def _means(facet: Facet, way: str) -> Means:
    if way == "topics":
        plain = plain_means(facet.values.mean(axis=1))
        parts = FacetParts.of(facet.values)
        return replace(
            plain, effective=min(plain.effective, max(parts.system_topic / parts.by_topic * parts.topics, 2))
        )
    return facet_means(facet, way == "moderated")[0]


def _row(means: Means, truth: Vector, swapped: Any, level: float) -> Row:
    from scipy.special import stdtrit

    upper = np.triu_indices(len(truth), 1)
    true = truth[upper[0]] - truth[upper[1]]
    half = stdtrit(means.degrees[upper], (1 + level) / 2) * means.deviations[upper]
    wrong = eb.posterior(means).probabilities()[upper]
    estimate, actual = 1 - 2 * float(wrong.mean()), 1 - 2 * float(swapped[upper].mean())
    return {
        "covered": float(np.mean(np.abs(means.differences[upper] - true) <= half)),
        "half_width": float(half.mean()),
        "estimate": estimate,
        "actual": actual,
        "bias": estimate - actual if math.isfinite(estimate) else math.nan,
    }


def summarize(results: Results) -> Summary:
    """Coverage, width and bias in each cell, averaged over populations and in each."""
    if not results.finished:
        return Summary(())
    cell = ["variance", "topics", "levels", "way"]
    values = ["covered", "half_width", "actual", "estimate", "bias"]
    found = results.moments(["data", *cell], values)
    errors = {f"{name}_se": (name, "se") for name in ("covered", "bias")}
    average = over_populations(found, cell, averaged(values) | errors)
    return Summary(tables("facets", {"average": average, "cells": found}))


PARTS = noisy_populations.PARTS | {
    "load": load,
    "grid": every(variance="variances", topics="topics", levels="levels"),
}

EXPERIMENT = declared("facets", FacetsParameters, work, summarize, 20, PARTS)
