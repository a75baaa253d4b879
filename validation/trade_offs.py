"""The set that may be on the frontier of quality and cost, against the true frontier."""

from __future__ import annotations

import itertools
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
ENDS = (0.0, 0.05, 0.2, 0.5, 0.8, 0.95, 1.01)
"""Between them are chances that are counted together."""


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


def cell(
    draw: Callable[[Generator], Matrix], n: int, by_topic: bool, collections: int
) -> tuple[Matrix, Matrix]:
    """What is said of collections of n topics, and what is true.

    One row per collection: whether the set, and whether the observed frontier, has the whole true one, then
    the sizes of the set and of the true one. One row per system: its chance, and whether it came true.
    """
    rng, rows, chances = np.random.default_rng(7), [], []
    names = [f"s{i}" for i in range(SYSTEMS)]
    for seed in range(collections):
        all_topics = draw(rng)
        theta = all_topics.mean(axis=0)
        standardized = (theta - theta.mean()) / theta.std()
        cost = np.exp(0.6 * standardized + 0.8 * rng.standard_normal(SYSTEMS))
        topics = rng.integers(0, len(all_topics), n)
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
        chances += [(row.probability, row.system in true) for row in found.rows]
    return np.array(rows, dtype=float), np.array(chances, dtype=float)


def run(checks: Checks) -> None:
    """On TREC tables the set holds as often as it says, and chances come true on average."""
    collections = 20 if os.environ.get("TRUERANK_QUICK") else 100
    draws = {**{name: of_table(name) for name in TABLES}, "Rasch .35": rasch(0.35), "Rasch .15": rasch(0.15)}
    held: list[float] = []
    said: dict[bool, list[Matrix]] = {True: [], False: []}
    for name, draw in draws.items():
        for n in SIZES:
            for by_topic in (False, True):
                rows, chances = cell(draw, n, by_topic, collections)
                held += rows[:, 0].tolist() if name in TABLES else []
                said[name in TABLES].append(chances)
                checks.note(
                    f"  {name}, {n} topics, {'by topic' if by_topic else 'fixed'}: {rows.mean(axis=0)}"
                )
    error = np.sqrt(0.93 * 0.07 / len(held))
    checks.that("the set has the true frontier", np.mean(held) >= 0.93 - 2 * error, f"{np.mean(held):.3f}")
    for of_trec, parts in said.items():
        chance, came = np.concatenate(parts).T
        for low, high in itertools.pairwise(ENDS):
            here = (chance >= low) & (chance < high)
            checks.note(
                f"  {'TREC' if of_trec else 'Rasch'}, {here.sum()} chances from {low} to {min(high, 1)}: "
                f"said {chance[here].mean():.3f}, came {came[here].mean():.3f}"
            )
