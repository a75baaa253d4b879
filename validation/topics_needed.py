"""Is the chance of a verdict at the topics needed what it is said to be?

Topics of real tables are drawn with replacement, so that more of the kind can follow. Inconclusive pairs
get as many as they are said to need for a chance of 10, 50, 80 and 90%, and those that decide then are
counted: with what the other systems say of the sizes of differences, and where any size is equally likely.
Pairs are up to eight ranks apart in the drawn collection, as those who have only that would choose them.
"""

from __future__ import annotations

import numpy as np

import truerank
from truerank._support.seeds import stream
from truerank._support.types import Vector
from truerank.reliability.pair.contrast import confidence_above, confidence_below, plain_contrast
from truerank.reliability.pair.topics_needed import PairPrior, prior_of_table, topics_needed
from truerank.scores import ScoreMatrix
from validation.checks import Checks, data_folder

TABLES = ("adhoc8_ap", "robust2004_p10", "terabyte2006_ndcg", "web2011_ap", "web2011_p10", "adhoc6_ap")
TOPICS = (20, 50)
COLLECTIONS, PAIRS = 25, 6
"""Collections of each table and size, and inconclusive pairs of each."""

MOST = 20_000
"""Numbers of topics beyond it are not followed."""

LEVEL = 0.95
CHANCES = (0.1, 0.5, 0.8, 0.9)
ALLOWED = 0.05


def run(checks: Checks) -> None:
    """Print the share of pairs that decide at each number, by table and over all."""
    found: dict[str, dict[float, list[list[bool]]]] = {
        kind: {p: [] for p in CHANCES} for kind in ("table", "flat")
    }
    for name in TABLES:
        table = truerank.read_scores(data_folder() / "trec" / f"{name}.csv").ranked()
        for n in TOPICS:
            for collection in range(COLLECTIONS):
                rng = stream(0, "validation", "topics needed", name, n, collection)
                for kind, decided in _followed(table, n, rng).items():
                    for p, some in decided.items():
                        found[kind][p].append(some)
    for kind, by_chance in found.items():
        for p, collections in by_chance.items():
            share, error = _share(collections)
            measured = f"{100 * share:.1f}% (s.e. {100 * error:.1f}), {sum(map(len, collections))} pairs"
            if kind == "table":
                checks.that(f"topics needed: chance of {p:.0%}", abs(share - p) < ALLOWED, measured)
            else:
                checks.note(f"  any size equally likely, {p:.0%}: {measured}")


def _share(collections: list[list[bool]]) -> tuple[float, float]:
    """The share of pairs that decided, and its standard error over collections."""
    sums, counts = (np.array([how(some) for some in collections], dtype=float) for how in (sum, len))
    share = sums.sum() / counts.sum()
    return float(share), float(np.sqrt(np.sum((sums - share * counts) ** 2)) / counts.sum())


def _followed(table: ScoreMatrix, n: int, rng: np.random.Generator) -> dict[str, dict[float, list[bool]]]:
    """Whether inconclusive pairs decide at the numbers that they are said to need."""
    values = table.values[rng.integers(0, table.n, n)]
    prior = prior_of_table(ScoreMatrix.build(values, systems=table.systems), "topics")
    found: dict[str, dict[float, list[bool]]] = {kind: {p: [] for p in CHANCES} for kind in ("table", "flat")}
    order = np.argsort(-values.mean(axis=0))
    taken = 0
    while taken < PAIRS:
        first = int(rng.integers(0, table.m - 1))
        a, b = order[first], order[min(first + int(rng.integers(1, 9)), table.m - 1)]
        d = values[:, a] - values[:, b]
        if np.ptp(d) == 0 or _decides(d):
            continue
        taken += 1
        future = (table.values[:, a] - table.values[:, b])[rng.integers(0, table.n, MOST)]
        for kind, believed in (("table", prior), ("flat", None)):
            for p, topics in _needed(d, believed).items():
                if topics is not None and topics <= MOST:
                    found[kind][p].append(_decides(np.append(d, future[: topics - n])))
    return found


def _needed(d: Vector, prior: PairPrior | None) -> dict[float, int | None]:
    contrast = plain_contrast(d, 1.0)
    half, most = (topics_needed(contrast, 0.0, (LEVEL, LEVEL), power, prior) for power in (0.5, 0.8))
    if half is None or most is None:
        return {}
    return {0.1: half.low, 0.5: half.topics, 0.8: most.topics, 0.9: half.high}


def _decides(d: Vector) -> bool:
    contrast = plain_contrast(d, 1.0)
    return max(confidence_above(contrast, 0.0), confidence_below(contrast, 0.0)) >= LEVEL
