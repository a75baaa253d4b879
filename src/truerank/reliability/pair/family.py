"""Several comparisons at once: the level holds for the chance of any false verdict, not of each.

Each claim has its own confidence, from :mod:`truerank.reliability.pair.contrast`. Together they are judged by
the largest of them over resampled units (max-T): each resample has its own standard errors and skewness, and
is transformed as the observed differences are. In a single step: every verdict can then be read off its
bounds, and all bounds of a side hold at once.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from truerank._support.seeds import stream
from truerank._support.types import Matrix, Vector
from truerank.numerics import hall, special
from truerank.numerics.max_t import single_step_p_values
from truerank.numerics.resampling import bootstrap_blocks
from truerank.reliability.pair.contrast import Contrast, p_values, rule_of
from truerank.reliability.pair.question import Key, Question

RESAMPLES = 10_000
"""Resamples behind adjusted p-values: a Monte Carlo error of 0.0022 at 0.05."""

LARGEST = 37.0
"""Normal quantiles beyond this count as certain."""


@dataclass(frozen=True)
class Family:
    """How k claims of each kind are judged together.

    The adjusted p-values are of "no better", "worse by the margin or more" and "not worse than the margin".
    With the levels, of each lower bound alone and of each upper one, all k of a side hold together.
    """

    above: Vector
    within: Vector
    beyond: Vector
    levels: tuple[float, float]

    def of(self, k: int) -> tuple[float, float, float]:
        """The three p-values of one comparison."""
        return float(self.above[k]), float(self.within[k]), float(self.beyond[k])


def judged_questions(
    questions: Sequence[Question], margin: float, level: float, seed: int
) -> tuple[tuple[Vector, Vector, Vector], Family]:
    """The p-values of *better*, *pass* and *fail* in all comparisons: unadjusted, and adjusted."""
    each = np.array([p_values(one.contrast, margin) for one in questions])
    alone = (each[:, 0], each[:, 1], each[:, 2])
    together = len(questions) > 1 and not any(one.levels for one in questions)
    rows = _joined(questions) if together else np.empty((0, 1))
    return alone, judged_together(alone, [one.contrast for one in questions], rows, level, seed)


def _joined(questions: Sequence[Question]) -> Matrix:
    """N × k influence rows: each topic is one row, whichever comparisons it takes part in."""
    places: dict[Key, int] = {}
    for one in questions:
        for key in one.keys:
            places.setdefault(key, len(places))
    rows = np.zeros((len(places), len(questions)))
    for k, one in enumerate(questions):
        rows[[places[key] for key in one.keys], k] = one.contrast.rows
    return rows


def judged_together(
    claims: tuple[Vector, Vector, Vector],
    contrasts: Sequence[Contrast],
    rows: Matrix,
    level: float,
    seed: int,
) -> Family:
    """Adjust the p-values of k comparisons, each kind of claim by itself; one comparison stays as it is."""
    above, within, beyond = claims
    k = len(contrasts)
    if k == 1:
        return Family(above, within, beyond, (level, level))
    if any(one.levels for one in contrasts):  # resampling topics hides levels’ noise: Bonferroni
        each = 1 - (1 - level) / k
        above, within, beyond = (np.minimum(k * p, 1.0) for p in (above, within, beyond))
        return Family(above, within, beyond, (each, each))
    # The same digits in whatever order systems and topics are.
    columns = np.argsort(above, kind="stable")
    rows = rows[:, columns]
    rows = rows[np.lexsort(rows.T)]
    both = np.concatenate(list(_largest(rows, [contrasts[k] for k in columns], seed)))
    levels = special.ndtr(np.quantile(both, level, axis=0, method="higher"))
    return Family(
        _adjusted(above, both[:, 0]),
        _adjusted(within, both[:, 0]),
        _adjusted(beyond, both[:, 1]),
        (max(float(levels[0]), level), max(float(levels[1]), level)),
    )


def _adjusted(p: Vector, largest: Vector) -> Vector:
    """Single-step p-values; never below those of each comparison alone."""
    z = np.clip(-special.ndtri(np.clip(p, 0.0, 1.0)), -LARGEST, LARGEST)
    return np.maximum(single_step_p_values(z, [largest[:, None]]), p)


def _largest(rows: Matrix, contrasts: Sequence[Contrast], seed: int) -> Iterator[Matrix]:
    """The largest normal score over all comparisons in blocks of resamples, for lower and upper bounds.

    Where the exact bound decides, or a resample has no spread, means have the error that was observed.
    """
    units, degrees, errors = (
        np.array([getattr(one, name) for one in contrasts]) for name in ("units", "degrees", "error")
    )
    exact = np.array([rule_of(one) == "exact" for one in contrasts])
    factors = np.sqrt(units * np.maximum(units - 1, 0)) / np.maximum(units - 2, 1)
    rng = stream(seed, "gate", "max-T")
    for counts in bootstrap_blocks(len(rows), RESAMPLES, rng):
        weights = counts.astype(np.float64)
        first, second, third = (weights @ rows**power for power in (1, 2, 3))
        means = first / units
        squares = second - first * means
        squares = np.where(squares > 1e-12 * second, squares, 0.0)
        own = np.where(exact | (squares == 0), errors, np.sqrt(squares))
        with np.errstate(divide="ignore", invalid="ignore"):
            t = first * np.sqrt((units - 1) / units) / own
            cubes = third - 3 * means * second + 2 * units * means**3
            skewness = np.where(squares > 0, factors * cubes / squares**1.5, 0.0)
        t[np.isnan(t)] = 0.0
        sides = []
        for sign in (1, -1):
            g = hall.transformed(sign * t, np.where(exact, 0.0, hall.against(sign * skewness)))
            highest = [g[:, exact].max(axis=1, initial=-math.inf)]
            for value in np.unique(degrees[~exact]):
                together = g[:, ~exact & (degrees == value)].max(axis=1)
                highest.append(hall.normal_scores(together, value))
            sides.append(np.clip(np.max(highest, axis=0), -LARGEST, LARGEST))
        yield np.stack(sides, axis=1)
