"""Two facets that all topics share, both a sample: do intervals hold on new topics and new levels?"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.random import Generator

from truerank._support.seeds import stream
from truerank._support.types import Vector
from truerank.errors import InputError
from truerank.experiments.experiment import Row, Summary, Task, declared, every, option, tables
from truerank.experiments.store import Results
from truerank.experiments.studies import simulated
from truerank.reliability.estimators import TopicSample
from truerank.reliability.means import Means, means_of
from truerank.reliability.pair.comparing import few_levels, pair_scores, pairs_of
from truerank.reliability.pair.contrast import interval
from truerank.reliability.predictive import Predictive
from truerank.reliability.standings import standings
from truerank.repeats import Facets
from truerank.scores import ScoreMatrix
from validation.ledger.statements import true_ranks
from validation.studies import noisy_populations
from validation.studies.noisy_populations import Context, Noisy

WAYS = ("topics", "facets")
PAIRS = 5  # pairs of systems of a collection that a gate compares
# Systems, standard deviation of their true means over that of systems × topics, and systems of a family.
SYSTEMS, SPREAD, FAMILY = 20, 0.5, 5
# Variances of system × topic, × first facet, × second, × each with topics, × both facets, and the rest.
MID = (1.0, 0.1, 0.1, 0.5, 0.5, 0.1, 1.0)

# The last five are as `mid`: successes; t with 3 degrees of freedom; correlations of .7 within families, of
# facet effects or of all; facet effects of one system that are three times larger.
STRUCTURES = {
    "mid": MID,
    "small": (1.0, 0.02, 0.02, 0.3, 0.3, 0.02, 1.0),
    "onebig": (1.0, 0.3, 0.02, 0.5, 0.3, 0.05, 1.0),
    "inter": (1.0, 0.05, 0.05, 0.3, 0.3, 0.3, 1.0),
    "zero": (1.0, 0.0, 0.0, 0.5, 0.5, 0.0, 1.0),
    **dict.fromkeys(("binary", "heavy", "family", "aligned", "odd"), MID),
}


@dataclass(frozen=True)
class FacetsParameters:
    """Populations made here."""

    trials: int = option(150, "Collections of each cell.", grows=True, least=1)
    structures: tuple[str, ...] = option(tuple(STRUCTURES), "What varies, and how.")
    sizes: tuple[str, ...] = option(
        ("20x2x2", "20x2x5", "20x3x3", "20x5x5", "50x2x2", "50x2x3", "50x3x3", "50x3x5", "50x5x5"),
        "Topics and levels of both facets.",
    )
    level: float = option(0.95, "Of the intervals.")
    draws: int = option(2_000, "Joint draws behind the rank ranges.", least=500)

    def __post_init__(self) -> None:
        """Refuse what does not exist."""
        if not set(self.structures) <= set(STRUCTURES):
            raise InputError(f"structures are {', '.join(STRUCTURES)}")


def load(sources: Any, parameters: Any) -> Mapping[str, Noisy]:
    """One population: what differs is the structure."""
    return {"normal": noisy_populations.load(sources, parameters)["normal"]}


def collection(structure: str, n: int, f: int, g: int, rng: Generator) -> tuple[np.ndarray, Vector]:
    """n × f × g × m scores, and the true means."""
    m = SYSTEMS
    theta = rng.normal(0, SPREAD, m)
    unequal = np.exp(rng.normal(0, 0.35, m)) if structure == "heavy" else np.ones(m)
    odd = np.where(np.arange(m) == rng.integers(m), 3.0, 1.0) if structure == "odd" else np.ones(m)
    x = np.broadcast_to(theta, (n, f, g, m)).copy()
    shapes = ((n, 1, 1), (1, f, 1), (1, 1, g), (n, f, 1), (n, 1, g), (1, f, g), (n, f, g))
    for shape, variance in zip(shapes, STRUCTURES[structure], strict=True):
        facet = shape[0] == 1
        if structure == "heavy":
            effects = rng.standard_t(3, (*shape, m)) / math.sqrt(3) * unequal
        else:
            effects = rng.normal(0, 1, (*shape, m))
        if structure == "aligned" or (structure == "family" and facet):
            shared = rng.normal(0, 1, (*shape, m // FAMILY)).repeat(FAMILY, axis=-1)
            effects = math.sqrt(0.7) * shared + math.sqrt(0.3) * effects
        x += math.sqrt(variance) * effects * (odd if facet else 1.0)
    if structure != "binary":
        return x, theta
    from scipy.special import ndtr

    return (x > 0) * 1.0, ndtr(theta / math.sqrt(sum(STRUCTURES[structure])))


def work(context: Context, task: Task, seed: int) -> list[Row]:
    """One collection, by topics alone, and with the facets as samples."""
    rng = stream(seed, "facets")
    n, f, g = map(int, str(task["size"]).split("x"))
    x, truth = collection(str(task["structure"]), n, f, g, rng)
    order, truth, swapped = simulated.against_truth(x.mean(axis=(0, 1, 2)), truth)
    x = x[..., order]
    t, first, second = np.indices((n, f, g)).reshape(3, -1)
    names = tuple(tuple(map(str, range(size))) for size in (f, g))
    facets = Facets(("f", "g"), names, t, (first, second), x.reshape(-1, SYSTEMS))
    scores = replace(ScoreMatrix.build(facets.table()), facets=facets)
    found = []
    for way in WAYS:
        means = means_of(scores, "topics" if way == "topics" else "topics,f,g")
        row = _row(means, truth, swapped, seed, context.parameters)
        found.append({"way": way} | row | _gates(scores, way, truth, seed, context.parameters.level))
    return found


def _gates(scores: ScoreMatrix, way: str, truth: Vector, seed: int, level: float) -> Row:
    """How often a gate's interval leaves the true difference out, by the whole table and by the two alone."""
    rng = stream(seed, "gates")
    asked = "topics" if way == "topics" else "topics,f,g"
    if few_levels(scores, asked):
        return {"gate": math.nan, "gate_alone": math.nan}
    rng = stream(seed, "gates")
    pairs = [rng.choice(SYSTEMS, 2, replace=False).tolist() for _ in range(PAIRS)]

    def wrong(alone: bool) -> float:
        found = []
        for a, b in pairs:
            both = pair_scores(scores, scores.systems[a], scores.systems[b])
            contrast = pairs_of(both, scores.select([a, b]) if alone else scores, asked)[0].contrast
            low, high = interval(contrast, level)
            found.append(not low <= truth[b] - truth[a] <= high)
        return float(np.mean(found))

    return {"gate": wrong(alone=False), "gate_alone": wrong(alone=True)}


def _row(means: Means, truth: Vector, swapped: Any, seed: int, parameters: FacetsParameters) -> Row:
    """Do the intervals of pairs hold, and all rank ranges together? How far off is the expected τ?"""
    from scipy.special import stdtrit

    upper = np.triu_indices(len(truth), 1)
    best, worst = true_ranks(truth)
    true = truth[upper[0]] - truth[upper[1]]
    half = stdtrit(means.degrees[upper], (1 + parameters.level) / 2) * means.deviations[upper]
    predictive = Predictive(TopicSample.of(means, seed=seed), draws=parameters.draws)
    wrong = predictive.fit("eb").probabilities
    bands = standings(predictive.rank_draws("eb"), wrong, parameters.level).bands
    estimate, actual = 1 - 2 * float(wrong[upper].mean()), 1 - 2 * float(swapped[upper].mean())
    return {
        "covered": float(np.mean(np.abs(means.differences[upper] - true) <= half)),
        "half_width": float(half.mean()),
        "ranks": float(np.all((bands.joint_low <= worst) & (bands.joint_high >= best))),
        "rank_width": float((bands.joint_high - bands.joint_low + 1).mean()),
        "estimate": estimate,
        "actual": actual,
        "bias": estimate - actual if math.isfinite(estimate) else math.nan,
    }


def summarize(results: Results) -> Summary:
    """Coverage, width and bias in each cell, and over all sizes."""
    if not results.finished:
        return Summary(())
    values = [
        "covered",
        "half_width",
        "ranks",
        "rank_width",
        "gate",
        "gate_alone",
        "actual",
        "estimate",
        "bias",
    ]
    found = results.moments(["structure", "size", "way"], values)
    average = results.moments(["structure", "way"], values)
    return Summary(tables("facets", {"average": average, "cells": found}))


PARTS = noisy_populations.PARTS | {"load": load, "grid": every(structure="structures", size="sizes")}

EXPERIMENT = declared("facets", FacetsParameters, work, summarize, 20, PARTS)
