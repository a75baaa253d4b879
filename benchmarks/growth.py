"""How cost grows with topics, systems and data sets, from 10² to 10⁶ cells: a page of the documentation.

`python -m benchmarks growth` prints the table of docs/growth.md. Processor seconds of one process; the slope
is that of log time over log size over the last three sizes, where constants count less.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

import truerank
from truerank.numerics.resampling import balanced_counts
from truerank.scores import ScoreMatrix

REPEATS = 3
"""Runs of which the shortest counts."""


@dataclass(frozen=True)
class Growth:
    """One thing that is timed while one size grows.

    Attributes:
        name: what is timed.
        grows: what grows: topics, systems or data sets.
        expected: slope by the formula.
        made: the scores of a size.
        sizes: what is tried.
        work: what is done with the scores.
    """

    name: str
    grows: str
    expected: str
    made: Callable[[int], ScoreMatrix]
    sizes: Sequence[int]
    work: Callable[[ScoreMatrix], object]


def drawn(topics: int, systems: int, data_sets: int = 1) -> ScoreMatrix:
    """Normal scores of systems that are evenly apart."""
    rng = np.random.default_rng(topics + systems)
    values = rng.normal(np.linspace(0.6, 0.4, systems), 0.15, (topics * data_sets, systems))
    values += rng.normal(0, 0.2, (len(values), 1))
    names = np.repeat([f"set {k}" for k in range(data_sets)], topics).tolist() if data_sets > 1 else None
    return ScoreMatrix.build(values, data_sets=names)


def headline(scores: ScoreMatrix) -> object:
    """The assessment by the estimator that leads."""
    return truerank.assess(scores, "eb")


def resampled(scores: ScoreMatrix) -> object:
    """The bootstrap behind `res`, its means alone."""
    rng = np.random.default_rng(0)
    return balanced_counts(scores.n, 200, rng) @ scores.values


GROWTHS = (
    Growth("assess, eb", "topics", "0 to 1", lambda n: drawn(n, 20), (50, 500, 5_000, 50_000), headline),
    Growth("assess, eb", "systems", "1 to 2", lambda m: drawn(50, m), (20, 200, 800, 1_600), headline),
    Growth("assess, eb", "data sets", "1", lambda k: drawn(20, 20, k), (4, 40, 400, 2_000), headline),
    Growth(
        "gate",
        "topics",
        "1",
        lambda n: drawn(n, 2),
        (50, 5_000, 50_000, 500_000),
        truerank.gate,
    ),
    Growth(
        "assess, msqd",
        "topics",
        "1",
        lambda n: drawn(n, 100),
        (100, 500, 2_000, 10_000),
        lambda scores: truerank.assess(scores, "msqd"),
    ),
    Growth("resampled means", "topics", "1", lambda n: drawn(n, 20), (500, 5_000, 20_000, 50_000), resampled),
)


def seconds(one: Growth, size: int) -> float:
    """The least processor time of a few runs."""
    scores = one.made(size)
    times = []
    for _ in range(REPEATS):
        started = time.process_time()
        one.work(scores)
        times.append(time.process_time() - started)
    return min(times)


def slope(sizes: Sequence[int], times: Sequence[float]) -> float:
    """Least squares of log time over log size, over the last three.

    >>> slope([1, 10, 100, 1000], [9.0, 0.1, 10.0, 1000.0])
    2.0
    """
    return round(float(np.polyfit(np.log(sizes[-3:]), np.log(times[-3:]), 1)[0]), 2)


def run() -> None:
    """Print the page."""
    print("| what | grows | sizes | seconds | slope | expected |")
    print("| --- | --- | --- | --- | --- | --- |")
    headline(drawn(20, 5))  # libraries are loaded
    for one in GROWTHS:
        times = [seconds(one, size) for size in one.sizes]
        sizes, took = ", ".join(f"{x:,}" for x in one.sizes), ", ".join(f"{t:.2g}" for t in times)
        found = slope(one.sizes, times)
        print(f"| {one.name} | {one.grows} | {sizes} | {took} | {found} | {one.expected} |", flush=True)
