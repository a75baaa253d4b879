"""The set that may be on the frontier of quality and cost, against the true frontier."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

import numpy as np
from numpy.random import Generator

from truerank import assess, read_scores
from truerank._support.types import Matrix
from truerank.reliability.frontier import observed_frontier
from truerank.scores import ScoreMatrix
from validation.checks import Checks, data_folder

TABLES = ("web2010_ap", "web2011_p10", "terabyte2006_ndcg", "robust2003_ap")
SIZES, SYSTEMS = (20, 50, 200), 20


def rasch(spread: float) -> Callable[[Generator], Matrix]:
    """2,000 right or wrong answers of systems whose abilities have this standard deviation, in logits."""

    def draw(rng: Generator) -> Matrix:
        ability, difficulty = rng.normal(0.5, spread, SYSTEMS), rng.normal(0, 1.5, (2000, 1))
        return (rng.random((2000, SYSTEMS)) < 1 / (1 + np.exp(difficulty - ability))).astype(float)

    return draw


def of_table(name: str) -> Callable[[Generator], Matrix]:
    """Twenty random systems of a stored table."""
    values = read_scores(data_folder() / "trec" / f"{name}.csv").values

    def draw(rng: Generator) -> Matrix:
        return values[:, rng.choice(values.shape[1], SYSTEMS, replace=False)]

    return draw


def coverage(
    draw: Callable[[Generator], Matrix], n: int, by_topic: bool, collections: int
) -> tuple[float, ...]:
    """Shares of collections in which the set, and the observed frontier, has the true one; sizes."""
    rng, rows = np.random.default_rng(7), []
    for seed in range(collections):
        all_topics = draw(rng)
        theta = all_topics.mean(axis=0)
        standardized = (theta - theta.mean()) / theta.std()
        cost = np.exp(0.6 * standardized + 0.8 * rng.standard_normal(SYSTEMS))
        topics = rng.integers(0, len(all_topics), n)
        names = [f"s{i}" for i in range(SYSTEMS)]
        pareto: Mapping[str, float] | ScoreMatrix = dict(zip(names, cost.tolist(), strict=True))
        if by_topic:
            hard = all_topics.mean() - all_topics.mean(axis=1, keepdims=True)
            spread = 0.4 * hard / hard.std() + 0.5 * rng.standard_normal(all_topics.shape)
            costs = cost * np.exp(spread)
            cost = costs.mean(axis=0)
            pareto = ScoreMatrix.build(-costs[topics], measure="−cost", systems=names)
        table = ScoreMatrix.build(all_topics[topics], systems=names)
        found = assess(table, "eb", "tau", draws=2_000, seed=seed, pareto=pareto).pareto
        assert found is not None
        true = {names[i] for i in observed_frontier(theta, cost)}
        rows.append((true <= set(found.systems), true <= set(found.observed), len(found.systems), len(true)))
    return tuple(float(value) for value in np.mean(rows, axis=0))


def run(checks: Checks) -> None:
    """Coverage on TREC tables is at least that of the level on average, less its error."""
    collections = 20 if os.environ.get("TRUERANK_QUICK") else 100
    held = []
    for name, draw in {**{name: of_table(name) for name in TABLES}, "Rasch .35": rasch(0.35)}.items():
        for n in SIZES:
            for by_topic in (False, True):
                cell = coverage(draw, n, by_topic, collections)
                held += [cell[0]] if name in TABLES else []
                checks.note(f"  {name}, {n} topics, {'by topic' if by_topic else 'fixed'}: {cell}")
    error = np.sqrt(0.93 * 0.07 / (collections * len(held)))
    checks.that("the set has the true frontier", np.mean(held) >= 0.93 - 2 * error, f"{np.mean(held):.3f}")
