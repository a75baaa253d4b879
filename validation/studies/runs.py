"""Several runs per topic: are variances and the share of run noise right?"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from truerank._support.seeds import stream
from truerank._support.types import Matrix, Vector
from truerank.errors import InputError
from truerank.experiments.experiment import Row, Summary, Task, declared, every, option, tables
from truerank.experiments.store import Results
from truerank.experiments.studies import simulated
from truerank.planning.beliefs import after_pilot
from truerank.reliability.estimators import eb
from truerank.reliability.means import Means, means_of
from truerank.reliability.means.means import plain_means
from truerank.reliability.means.run_noise import RunNoise, run_noise
from truerank.repeats import Repeats
from truerank.scores import ScoreMatrix
from validation.studies import noisy_populations
from validation.studies.noisy_populations import Context, Noisy, Truths
from validation.studies.populations import averaged, over_populations

NEW_TOPICS = 100  # topics of the planned collection of one run each
PAIRS = 10  # pairs of equal systems behind false alarms, in each trial


@dataclass(frozen=True)
class RunsParameters:
    """Populations made here, or score tables with runs added to what is fitted to them."""

    trials: int = option(300, "Collections of each cell.", grows=True, least=1)
    topics: tuple[int, ...] = option((20, 100), "Sizes of the collections.", least=3)
    runs: tuple[int, ...] = option((2, 5), "Runs of a topic.", least=2)
    ratios: tuple[str, ...] = option(("0.5", "1", "4"), "Variance of a run over that of topics.")
    level: float = option(0.95, "Of the interval of the share.")
    systems: int = option(0, "Systems drawn from each score table in every trial; 0 takes all.", least=0)
    unequal: float = option(
        0.0, "Standard deviation of the logarithm of run variances over systems of tables.", least=0
    )

    def __post_init__(self) -> None:
        """Refuse what makes no sense."""
        if not all(float(ratio) > 0 for ratio in self.ratios):
            raise InputError("ratios must be above 0")


def work(context: Context, task: Task, seed: int) -> list[Row]:
    """One collection: what is said of it, and what other runs and other topics show."""
    n, k = int(task["topics"]), int(task["runs"])
    rng = stream(seed, "runs")
    p = context.parameters
    truths = context.data[str(task["data"])].truths(float(task["ratio"]), rng, p.systems, p.unequal)
    cells = truths.cells(n, seed, rng)
    scores = of_runs(truths.runs(cells, k, rng))
    order, _, swapped = simulated.against_truth(scores.means, truths.means)
    ranked = scores.select(order)
    means, noise = means_of(ranked), run_noise(ranked, plain_means(ranked.values))
    assert noise is not None
    d = (scores.means - truths.means)[order]
    upper = np.triu_indices(len(order), 1)
    low, high = noise.interval(p.level)
    true_share = _true_share(truths, k)
    found: Row = {
        "squared": float(np.mean((d[upper[0]] - d[upper[1]]) ** 2)),
        "variance": float(np.mean(means.deviations[upper] ** 2)),
        "share": noise.share,
        "true_share": true_share,
        "covered": float(low <= true_share <= high),
    }
    found |= _actual(truths, n, seed, rng)
    found |= {"tau_actual": 1 - 2 * float(swapped[upper].mean())}
    found |= _estimates(means, noise, n)
    return [found | _alarms(truths, n, k, rng)]


def of_runs(runs: Matrix) -> ScoreMatrix:
    """A matrix of n × m × K runs."""
    scores = ScoreMatrix.build(runs.mean(axis=2))
    k = runs.shape[2]
    counts = np.full(scores.values.shape, k, dtype=np.intp)
    return replace(scores, repeats=Repeats(counts, runs.var(axis=2, ddof=1) / k))


def _true_share(truths: Truths, k: int) -> float:
    """φ of the population: q/K over 1 + q/K."""
    return truths.ratio / k / (1 + truths.ratio / k)


def _actual(truths: Truths, n: int, seed: int, rng: Any) -> Row:
    """τ of new collections with the truth."""
    new = truths.cells(n, seed + 1, rng).mean(axis=0)
    one_run = truths.runs(truths.cells(NEW_TOPICS, seed + 2, rng), 1, rng).mean(axis=(0, 2))
    return {
        "endless_actual": agreement(truths.means, new),
        "one_run_actual": agreement(truths.means, one_run),
    }


def agreement(first: Vector, second: Vector) -> float:
    """τ between two rankings without ties; a tie counts as half."""
    upper = np.triu_indices(len(first), 1)
    signs = np.sign(first[upper[0]] - first[upper[1]]) * np.sign(second[upper[0]] - second[upper[1]])
    return float(signs.mean())


def _estimates(means: Means, noise: RunNoise, n: int) -> Row:
    """What is said of this collection and of others, beside the same with n effective topics."""
    upper = np.triu_indices(len(means.theta), 1)
    found = eb.posterior(means)
    beliefs = after_pilot(means)
    naive = eb.posterior(replace(means, effective=float(n), run_share=0.0)).probabilities()
    per_topic = 1 + noise.ratio

    return {
        "tau": found.tau,
        "tau_naive": 1 - 2 * float(naive[upper].mean()),
        "endless": float(1 - 2 * beliefs.wrong([float(n)])[0]),
        "one_run": float(1 - 2 * beliefs.wrong([NEW_TOPICS / per_topic])[0]),
    }


def _alarms(truths: Truths, n: int, k: int, rng: Any) -> Row:
    """The share of pairs of equal systems that a t test finds different: by cell means, and by rows."""
    from scipy.special import stdtr

    equal = Truths(truths.of, truths.ratio, np.zeros(2 * PAIRS), truths.spread, np.zeros(2 * PAIRS))
    if truths.of.kind == "table":
        normal = Noisy("normal")
        equal = Truths(normal, truths.ratio, np.zeros(2 * PAIRS), 0.0, np.zeros(2 * PAIRS))
    runs = equal.runs(equal.cells(n, 0, rng), k, rng)
    d = runs[:, :PAIRS] - runs[:, PAIRS:]

    def rejected(values: Matrix) -> float:
        error = values.std(axis=0, ddof=1) / np.sqrt(len(values))
        t = np.divide(values.mean(axis=0), error, out=np.zeros(PAIRS), where=error > 0)
        return float(np.mean(2 * stdtr(len(values) - 1, -np.abs(t)) < 0.05))

    return {
        "alarms": rejected(d.mean(axis=2)),
        "alarms_rows": rejected(d.transpose(0, 2, 1).reshape(-1, PAIRS)),
    }


# Estimated less actual.
BIASES = {
    "bias": ("tau", "tau_actual"),
    "bias_naive": ("tau_naive", "tau_actual"),
    "bias_endless": ("endless", "endless_actual"),
    "bias_one_run": ("one_run", "one_run_actual"),
    "bias_share": ("share", "true_share"),
}


def _with_biases(frame: Any) -> Any:
    return frame.assign(**{name: frame[one] - frame[other] for name, (one, other) in BIASES.items()})


def summarize(results: Results) -> Summary:
    """Ratios of variances, coverage and biases in each cell, averaged over populations and in each."""
    if not results.finished:
        return Summary(())
    cell = ["ratio", "topics", "runs"]
    values = ["squared", "variance", "covered", "tau_actual", *BIASES, "alarms", "alarms_rows"]
    found = results.moments(["data", *cell], values, _with_biases)
    found.insert(4, "variance_ratio", found["squared_mean"] / found["variance_mean"])
    shown = ["covered", "tau_actual", *BIASES, "alarms", "alarms_rows"]
    errors = {f"{name}_se": (name, "se") for name in ("covered", *BIASES)}
    average = over_populations(found, cell, averaged(["variance_ratio", *shown]) | errors)
    return Summary(tables("runs", {"average": average, "cells": found}))


PARTS = noisy_populations.PARTS | {"grid": every(ratio="ratios", topics="topics", runs="runs")}
EXPERIMENT = declared("runs", RunsParameters, work, summarize, 20, PARTS)
