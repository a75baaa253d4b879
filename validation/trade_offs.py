"""The set that may be on the frontier of quality and cost, against the true frontier."""

from __future__ import annotations

import itertools
import os
from collections.abc import Mapping
from functools import cache, partial

import numpy as np
from numpy.random import Generator
from scipy.stats import norm

from truerank import assess, read_scores
from truerank._support.types import Matrix, Vector
from truerank.reliability.frontier import TradeOff, observed_frontier
from truerank.scores import ScoreMatrix
from validation.checks import Checks, data_folder
from validation.ledger.populations import QUESTIONS, Population, Systems, populations

SIZES, SYSTEMS, COLLECTIONS = (20, 50, 200), 20, 25
BESIDE, TESTED = 50, 10
"""Topics of the collections, and how many of them, on which the set is also made by tests of all pairs."""

ENDS = (0.0, 0.05, 0.2, 0.5, 0.8, 0.95, 1.01)
"""Between them are chances that are counted together."""

TABLES = ("web2010_ap", "web2011_p10", "terabyte2006_ndcg", "robust2003_ap")
MODELS = (
    "adhoc6_ap, effects",
    "adhoc8_ap, copula",
    "robust2003_ap, copula",
    "terabyte2006_ap, effects",
    "web2010_ap, copula",
    "web2011_ap, effects",
)
MADE_UP = ("right or wrong, spread .05", "right or wrong, spread .3", "graded in quarters", "normal")
BOARDS = ("mmlu_pro, resampled", "evalperf, resampled")
LIKERT = np.arange(1.5, 5)
"""Between the five answers of a scale from 1 to 5."""


def test_collections() -> Mapping[str, Population]:
    """Tables whose topics are drawn with replacement, and models of tables."""
    data_folder()  # says where there are none
    ledger = populations(SYSTEMS, SYSTEMS)
    return {**{name: partial(_of_table, name) for name in TABLES}, **{name: ledger[name] for name in MODELS}}


def others() -> Mapping[str, Population]:
    """Boards, answers, grades, and systems that resemble each other."""
    ledger = populations(SYSTEMS, SYSTEMS)
    return {
        **{name: ledger[name] for name in (*BOARDS, *MADE_UP)},
        "right or wrong, within 3 points": partial(_within, 0.03),
        "right or wrong, within 10 points": partial(_within, 0.1),
        "four tiers": _tiers,
        "five families": _families,
        "Likert": _likert,
    }


@cache
def _table(name: str) -> Matrix:
    return read_scores(data_folder() / "trec" / f"{name}.csv").values


def _of_table(name: str, rng: Generator) -> Systems:
    values = _table(name)
    values = values[:, rng.choice(values.shape[1], SYSTEMS, replace=False)]
    return Systems(values.mean(axis=0), lambda n, rng: values[rng.integers(len(values), size=n)])


def _within(points: float, rng: Generator) -> Systems:
    """Systems whose accuracies spread over so many points."""
    slope = float((_logistic(QUESTIONS) * (1 - _logistic(QUESTIONS))).mean())
    ability = rng.uniform(0, points / slope, SYSTEMS)
    truth = _logistic(ability[:, None] + QUESTIONS).mean(axis=1)

    def draw(n: int, rng: Generator) -> Matrix:
        return (rng.random((n, SYSTEMS)) < _logistic(rng.choice(QUESTIONS, (n, 1)) + ability)).astype(float)

    return Systems(truth, draw)


def _logistic(x: Matrix) -> Matrix:
    return 1 / (1 + np.exp(-x))


def _tiers(rng: Generator) -> Systems:
    """Tiers of five systems that are nearly equal."""
    truth = np.repeat(0.4 * np.arange(4), 5) + rng.normal(0, 0.02, SYSTEMS)
    return Systems(truth, lambda n, rng: truth + rng.normal(size=(n, 1)) + rng.normal(size=(n, SYSTEMS)))


def _families(rng: Generator) -> Systems:
    """Families of four systems, which share 70% of the variance on a topic."""
    truth = np.repeat(rng.normal(0, 0.3, 5), 4) + rng.normal(0, 0.1, SYSTEMS)

    def draw(n: int, rng: Generator) -> Matrix:
        shared = np.repeat(rng.normal(size=(n, 5)), 4, axis=1)
        return (
            truth
            + rng.normal(size=(n, 1))
            + np.sqrt(0.7) * shared
            + np.sqrt(0.3) * rng.normal(size=(n, SYSTEMS))
        )

    return Systems(truth, draw)


def _likert(rng: Generator) -> Systems:
    """Answers on a scale from 1 to 5: whole numbers next to a normal."""
    quality = rng.normal(3.4, 0.2, SYSTEMS)
    truth = 1 + norm.sf((LIKERT[:, None] - quality) / np.sqrt(1.2**2 + 0.8**2)).sum(axis=0)

    def draw(n: int, rng: Generator) -> Matrix:
        latent = quality + rng.normal(0, 0.8, (n, 1)) + rng.normal(0, 1.2, (n, SYSTEMS))
        return 1.0 + (latent[..., None] > LIKERT).sum(axis=-1)

    return Systems(truth, draw)


def collection(
    population: Population, n: int, by_topic: bool, seed: int, tested: bool = False
) -> tuple[list[float], Matrix]:
    """What is said of one collection of n topics, and what is true.

    Whether the set, and whether the observed frontier, has the whole true one; the sizes of the set, of the
    true one, and of the set by tests of all pairs (`tested`). And of each system its chance, and whether it
    came true.
    """
    rng = np.random.default_rng([7, seed])
    names = [f"s{i}" for i in range(SYSTEMS)]
    systems = population(rng)
    theta: Vector = systems.truth
    standardized = (theta - theta.mean()) / theta.std()
    cost = np.exp(0.6 * standardized + 0.8 * rng.standard_normal(SYSTEMS))
    values = systems.draw(n, rng)
    pareto: Mapping[str, float] | ScoreMatrix = dict(zip(names, cost.tolist(), strict=True))
    if by_topic:  # hard topics cost more; each factor has the same mean for every system
        hard = values.mean() - values.mean(axis=1, keepdims=True)
        spread = 0.4 * hard / hard.std() + 0.5 * rng.standard_normal(values.shape)
        pareto = ScoreMatrix.build(-cost * np.exp(spread), measure="−cost", systems=names)
    table = ScoreMatrix.build(values, systems=names)

    def said(guarantee: bool) -> TradeOff:
        found = assess(table, "eb", "tau", draws=2_000, seed=seed, pareto=pareto, guarantee=guarantee).pareto
        assert found is not None
        return found

    found = said(False)
    true = {names[i] for i in observed_frontier(theta, cost)}
    holds = true <= set(found.systems), true <= set(found.observed)
    by_tests = len(said(True).systems) if tested else np.nan
    chances = np.array([(row.probability, row.system in true) for row in found.rows])
    return [*holds, len(found.systems), len(true), by_tests], chances


def run(checks: Checks) -> None:
    """On test collections the set holds as often as it says; other populations are reported apart."""
    collections = 5 if os.environ.get("TRUERANK_QUICK") else COLLECTIONS
    held: dict[str, list[Matrix]] = {}
    for of_tests, population in ((True, test_collections()), (False, others())):
        chances: list[Matrix] = []
        for (name, draw), n, by_topic in itertools.product(population.items(), SIZES, (False, True)):
            found = [
                collection(draw, n, by_topic, seed, n == BESIDE and seed < TESTED)
                for seed in range(collections)
            ]
            rows = np.array([row for row, _ in found])
            chances += [one for _, one in found]
            if of_tests:
                held.setdefault(name, []).append(rows[:, 0])
            how = "by topic" if by_topic else "fixed"
            holds, observed, size, of_true, _ = rows.mean(axis=0)
            beside = rows[~np.isnan(rows[:, 4])]
            tested = (
                f"{beside[:, 2].mean():.1f}, tests {beside[:, 4].mean():.1f}" if len(beside) else "not tested"
            )
            checks.note(
                f"  {name}, {n} topics, {how}: holds {holds:.3f}, observed {observed:.3f}, size {size:.1f}, "
                f"true {of_true:.1f}; {tested}"
            )
        chance, came = np.concatenate(chances).T
        for low, high in itertools.pairwise(ENDS):
            here = (chance >= low) & (chance < high)
            checks.note(
                f"  {'test collections' if of_tests else 'others'}, {here.sum()} chances from {low} to "
                f"{min(high, 1)}: said {chance[here].mean():.3f}, came {came[here].mean():.3f}"
            )
    means = np.array([np.mean(cells, axis=0) for cells in held.values()])  # of the same systems in each cell
    error = means.std() / np.sqrt(means.size)
    checks.that(
        "the set has the true frontier", means.mean() >= 0.93 - 2 * error, f"{means.mean():.3f} ± {error:.3f}"
    )
