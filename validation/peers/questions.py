"""What the packages are asked, of which collections, and how their answers are held against the truth."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from truerank._support.types import Vector
from validation.ledger.arenas import KINDS
from validation.ledger.beside import judged
from validation.ledger.populations import QUESTIONS, populations
from validation.ledger.statements import true_ranks

Arrays = dict[str, NDArray[np.float64]]
"""One collection: what adapters get, and its truth."""
Measured = dict[str, Vector]
"""Figures of each collection by metric; NaN where a package gives no answer."""


@dataclass(frozen=True)
class Question:
    """A question, the collections it is asked of, and how answers are scored.

    Attributes:
        populations: names.
        sizes: small, medium, large: whatever `draw` takes.
        draw: a collection of a population at a size.
        score: of answers (collections first) and truths: figures by metric.
    """

    populations: tuple[str, ...]
    sizes: Mapping[str, tuple[int, int]]
    draw: Callable[[str, tuple[int, int], Generator], Arrays]
    score: Callable[[NDArray[np.float64], NDArray[np.float64]], Measured]


LEVEL, EFFECT = 0.95, 2.5
"""Of intervals; and standard errors by which a candidate is better where power is measured."""


def table(population: str, size: tuple[int, int], rng: Generator) -> Arrays:
    """A table of topics × systems."""
    n, m = size
    systems = populations(m, m)[population](rng)
    return {"values": systems.draw(n, rng), "truth": systems.truth}


def two(population: str, size: tuple[int, int], rng: Generator) -> Arrays:
    """Two systems that are equal, or by EFFECT standard errors unequal: truth is the difference."""
    n, better = size[0], bool(rng.integers(2))
    if population == "right or wrong":
        return _two_models(n, better, rng)
    systems = populations(5, 5)[population](rng)
    a, b = rng.choice(len(systems.truth), 2, replace=False)
    many = systems.draw(200, rng)
    deviation = (many[:, b] - many[:, a]).std()
    difference = better * EFFECT * deviation / np.sqrt(n)
    values = systems.draw(n, rng)[:, [a, b]]
    values[:, 1] += difference - (systems.truth[b] - systems.truth[a])
    return {"values": values, "truth": np.array(difference)}


def _two_models(n: int, better: bool, rng: Generator) -> Arrays:
    """Answers of two models that are equally able, or not."""
    ability = rng.normal(0, 1)

    def share(more: float, questions: Vector = QUESTIONS) -> Vector:
        return 1 / (1 + np.exp(-(ability + more + questions)))

    gap = 0.0
    while better and gap < 6:
        gap += 0.05
        a, b = share(0, QUESTIONS[:500]), share(gap, QUESTIONS[:500])
        variance = (a * (1 - b) + b * (1 - a)).mean() - (b - a).mean() ** 2
        if (b - a).mean() >= EFFECT * np.sqrt(variance / n):
            break
    asked = rng.integers(0, len(QUESTIONS), n)
    chances = np.stack([share(0, QUESTIONS[asked]), share(gap, QUESTIONS[asked])], axis=1)
    values = (rng.random((n, 2)) < chances).astype(float)
    return {"values": values, "truth": np.array((share(gap) - share(0)).mean())}


def all_pairs(population: str, size: tuple[int, int], rng: Generator) -> Arrays:
    """A table whose systems are made equal every other time."""
    drawn = table(population, size, rng)
    if rng.integers(2):
        drawn["values"] = drawn["values"] - drawn["truth"]
        drawn["truth"] = np.zeros_like(drawn["truth"])
    return drawn


def arena(population: str, size: tuple[int, int], rng: Generator) -> Arrays:
    """Battles of 80 prompts, so many for each system."""
    each, m = size
    kind = KINDS[population]
    while True:
        drawn = kind.model(m, rng).sample(80, each * m // 160, int(rng.integers(1 << 30)), kind.voters)
        if len(drawn.scores.systems) == m and (battles := drawn.scores.battles) is not None:
            break
    return {
        "first": battles.first,
        "second": battles.second,
        "outcome": battles.outcomes,
        "prompt": battles.clusters,
        "m": np.array(m),
        "truth": drawn.truth - drawn.truth.mean(),
    }


def judge(population: str, size: tuple[int, int], rng: Generator) -> Arrays:
    """Topics judged by people, and more by a machine with a bias for each system."""
    n, m = size
    systems = populations(m, m)[population](rng)
    people, machine, _ = judged(systems, "one each", rng)
    return {"people": people[:n], "machine": machine, "truth": systems.truth}


def intervals(answers: NDArray[np.float64], truth: NDArray[np.float64]) -> Measured:
    """Coverage and width of intervals: collections × 2 × systems, or collections × 2.

    `fair` is the width that would cover as often as promised: the intervals stretched about their middles.
    """
    low, high = answers[:, 0], answers[:, 1]
    width = high - low
    covered = np.where(np.isnan(width), np.nan, (low <= truth) & (truth <= high))
    finite = np.isfinite(width) & (width > 0)
    width = np.where(np.isfinite(width), width, np.nan)
    off = np.abs(truth - (low + high) / 2)[finite] / (width[finite] / 2)
    stretched = np.quantile(off, LEVEL) if len(off) else np.nan
    over = tuple(range(1, covered.ndim))
    found = {"covered": covered, "width": width}
    if over:
        found = {name: each.mean(axis=over) for name, each in found.items()}
    return {**found, "fair": found["width"] * stretched}


def rank_sets(answers: NDArray[np.float64], truth: NDArray[np.float64]) -> Measured:
    """Whether all true ranks are in their sets, and the ranks in a set on average."""
    low, high = answers[:, 0], answers[:, 1]
    least, most = np.array([true_ranks(one) for one in truth]).swapaxes(0, 1)
    held = ((low <= most) & (least <= high)).all(axis=1).astype(float)
    held[np.isnan(low).any(axis=1)] = np.nan
    return {"covered": held, "width": (high - low + 1).mean(axis=1)}


def best_sets(answers: NDArray[np.float64], truth: NDArray[np.float64]) -> Measured:
    """Whether the truly best system is in the set, and the systems in it."""
    best = answers[np.arange(len(truth)), truth.argmax(axis=1)]
    return {"covered": best, "width": answers.sum(axis=1)}


def leaders(answers: NDArray[np.float64], truth: NDArray[np.float64]) -> Measured:
    """Intervals of the true mean of the observed leader: truth is that mean."""
    return _unstretched(intervals(answers, truth))


def _unstretched(found: Measured) -> Measured:
    """Without the fair width, which is none of intervals that reach further on one side on purpose."""
    return {name: each for name, each in found.items() if name != "fair"}


def verdicts(answers: NDArray[np.float64], truth: NDArray[np.float64]) -> Measured:
    """False and right verdicts, and intervals of the difference."""
    better, equal = answers[:, 0], truth == 0
    if np.isfinite(better).any():
        better = np.nan_to_num(better)  # a refusal is no claim
    found = _unstretched(intervals(answers[:, 1:], truth))
    return {"false": np.where(equal, better, np.nan), "power": np.where(equal, np.nan, better), **found}


def claims(answers: NDArray[np.float64], truth: NDArray[np.float64]) -> Measured:
    """Whether any claim of equal systems is made, and the share of unequal pairs in their order."""
    right = truth[:, :, None] > truth[:, None, :]
    count = right.sum(axis=(1, 2))
    false = (answers.astype(bool) & ~right).any(axis=(1, 2)).astype(float)
    missing = np.isnan(answers).any(axis=(1, 2))
    false[missing] = np.nan
    power = np.where(count > 0, (answers * right).sum(axis=(1, 2)) / np.maximum(count, 1), np.nan)
    return {
        "false": np.where(count > 0, np.nan, false),
        "wrong": np.where(count > 0, false, np.nan),
        "power": power,
    }


def with_leader(population: str, size: tuple[int, int], rng: Generator) -> Arrays:
    drawn = table(population, size, rng)
    drawn["truth"] = np.array(drawn["truth"][drawn["values"].mean(axis=0).argmax()])
    return drawn


TABLES = ("adhoc8_ap, effects", "web2011_ap, copula", "mmlu_pro, resampled")
SIZES = {"small": (20, 12), "medium": (50, 20), "large": (200, 40)}
QUESTION: Mapping[str, Question] = {
    "ranks": Question(TABLES, SIZES, table, rank_sets),
    "best": Question((*TABLES[:2], "ten bunched leaders"), SIZES, table, best_sets),
    "leader": Question((*TABLES[:2], "ten bunched leaders"), SIZES, with_leader, leaders),
    "means": Question(
        ("right or wrong, spread .3", "mmlu_pro, resampled", "web2011_ap, copula"),
        {"small": (20, 8), "medium": (50, 8), "large": (200, 8)},
        table,
        intervals,
    ),
    "gate": Question(
        ("right or wrong", "adhoc8_ap, effects", "wmt20_ende, resampled"),
        {"small": (20, 2), "medium": (50, 2), "large": (200, 2)},
        two,
        verdicts,
    ),
    "pairs": Question(
        (*TABLES[:2], "skewed"), {"small": (20, 6), "medium": (50, 10), "large": (200, 20)}, all_pairs, claims
    ),
    "arena": Question(
        ("uniform", "unequal", "no prompts"),
        {"small": (50, 8), "medium": (100, 16), "large": (400, 16)},
        arena,
        intervals,
    ),
    "judge": Question(
        ("adhoc8_ap, effects", "web2011_ap, copula", "mmlu_pro, resampled"),
        {"small": (25, 8), "medium": (50, 8), "large": (100, 8)},
        judge,
        intervals,
    ),
}
"""All questions by name."""
