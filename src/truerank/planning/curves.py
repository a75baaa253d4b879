"""A coefficient by number of topics: what to expect, where it will fall, when a target is reached."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from truerank._support.types import Matrix, Vector
from truerank.coefficients import Coefficient
from truerank.planning.beliefs import Beliefs
from truerank.planning.draws import CollectionDraws, bin_centers
from truerank.planning.plan_results import Criterion, CurvePoint, Needed, curve_points

# Numbers of topics that are tried; a target that needs more than the last is out of reach.
SIZES = (
    *(5, 7, 10, 15, 20, 30, 40, 50, 75, 100, 150, 200, 300, 400, 500, 750, 1_000, 1_500, 2_000, 3_000, 5_000),
    *(7_500, 10_000, 15_000, 20_000, 30_000, 50_000, 75_000, 100_000),
)


def total_sizes(pilot: float, extend: bool) -> Vector:
    """The numbers of topics to try; for an extension, the pilot's and those above it."""
    if not extend:
        return np.array(SIZES, dtype=np.float64)
    return np.array([pilot, *(size for size in SIZES if size > pilot)], dtype=np.float64)


@dataclass(frozen=True)
class Curve:
    """One coefficient over S numbers of topics, from k draws of the truth."""

    coefficient: str
    topics: Vector  # S, increasing
    expected: Vector  # S, the coefficient expected
    low: Vector  # S, lower end of where the coefficient of one collection falls
    high: Vector
    truths: Matrix  # k × S, the coefficient expected if the truth were that of a draw
    lows: Matrix  # k × S, the lower end then
    spread: Vector  # S, width of the interval around it
    level: float
    drawn: Matrix  # S × k, the coefficient of one collection of each size in each draw

    def points(self, last: float = math.inf) -> tuple[CurvePoint, ...]:
        """The points up to a number of topics."""
        return curve_points(self.topics, self.expected, self.low, self.high, last=last)

    def at(self, topics: float) -> CurvePoint:
        """What to expect at any number of topics, by interpolation."""
        x = np.log(self.topics)
        found = (float(np.interp(np.log(topics), x, y)) for y in (self.expected, self.low, self.high))
        return CurvePoint(int(topics), *found)

    def needed(self, target: float) -> tuple[Needed, Needed]:
        """The fewest topics at which the expectation, and at which the lower end, reaches a target.

        The interval of either covers the numbers of topics that are enough under the truths of the draws.
        """
        found = []
        asked: tuple[tuple[Criterion, Vector, Matrix], ...] = (
            ("expected", self.expected, self.truths),
            ("low", self.low, self.lows),
        )
        for criterion, curve, truths in asked:
            topics = first_reach(self.topics, curve, target)
            each = np.array([first_reach(self.topics, one, target) for one in truths])
            low, high = number_interval(each, self.level)
            # Both criteria average over a few bad truths, and may need more topics than nearly all others.
            low, high = min(low, topics), max(high, topics)
            found.append(Needed(self.coefficient, target, criterion, topics, low, high))
        return found[0], found[1]

    def needed_width(self, width: float) -> Needed:
        """The fewest topics at which the coefficient's interval is no wider than this.

        Its interval covers the numbers of topics at which the truths of the draws reach the coefficient that
        is expected there.
        """
        topics = first_reach(self.topics, -self.spread, -width)
        low = high = math.inf
        if math.isfinite(topics):
            there = float(np.interp(np.log(topics), np.log(self.topics), self.truths.mean(axis=0)))
            each = np.array([first_reach(self.topics, one, there) for one in self.truths])
            low, high = number_interval(each, self.level)
            low, high = min(low, topics), max(high, topics)
        return Needed("width", width, "expected", topics, low, high)


def curve_of(
    beliefs: Beliefs,
    coefficient: Coefficient,
    draws: CollectionDraws,
    topics: Vector,
    extend: bool,
    level: float,
) -> Curve:
    """The curve of a coefficient from joint draws at these numbers of topics.

    The expected τ has a closed form, to which the draws are moved. For other coefficients it is the mean of
    the draws, corrected by how far τ of the same draws is off by chance.
    """
    from truerank.numerics.special import ndtr

    added = topics - beliefs.topics if extend else topics
    wrong = beliefs.wrong_by_extension(added) if extend else beliefs.wrong(topics)
    drawn = draws.values[coefficient.name]
    weights = coefficient.weights(beliefs.systems)[0]
    if np.ptp(weights) == 0:
        expected = 1 - weights[0] * len(beliefs.pairs) * wrong
    else:
        expected = _controlled(drawn, draws.values["tau"], 1 - 2 * wrong)
    expected = np.maximum.accumulate(np.minimum(expected, 1.0))
    moved = np.clip(drawn + (expected - drawn.mean(axis=1))[:, None], -1.0, 1.0)
    low, high = np.quantile(moved, [(1 - level) / 2, (1 + level) / 2], axis=1)
    histogram = draws.contrasts[coefficient.name]
    missing = histogram @ ndtr(-bin_centers()[:, None] * np.sqrt(topics))
    # The histograms weigh pairs by true ranks and ignore extension, so they are right up to a common factor.
    missing *= (1 - expected) / np.maximum(missing.mean(axis=0), 1e-300)
    truths = 1 - missing
    left = moved - truths.T
    ends = np.quantile(left, [(1 - level) / 2, (1 + level) / 2], axis=1)
    # Like that of a count, the spread of a collection grows with the root of the number of wrong pairs.
    luck = np.sqrt(missing)
    worst = np.quantile(left / np.maximum(luck.T, 1e-9), (1 - level) / 2, axis=1)
    return Curve(
        coefficient.name,
        topics,
        expected,
        np.maximum.accumulate(np.minimum(low, expected)),
        np.maximum(high, expected),
        truths,
        truths + np.minimum(worst, 0.0) * luck,
        np.minimum.accumulate(ends[1] - ends[0]),
        level,
        moved,
    )


def _controlled(drawn: Matrix, tau: Matrix, expected: Vector) -> Vector:
    """Means of the draws, with τ as a control variate, whose expectation is known."""
    centered, with_tau = drawn - drawn.mean(axis=1)[:, None], tau - tau.mean(axis=1)[:, None]
    variance = np.sum(with_tau**2, axis=1)
    slope = np.sum(centered * with_tau, axis=1) / np.where(variance > 0, variance, 1.0)
    return drawn.mean(axis=1) + slope * (expected - tau.mean(axis=1))


def first_reach(topics: Vector, values: Vector, target: float) -> float:
    """The fewest whole topics at which an increasing curve reaches a target; infinite where it never does.

    Interpolated linearly in the logarithm of the topics; never below the first number.
    """
    reached: NDArray[np.intp] = np.flatnonzero(values >= target)
    if not len(reached):
        return math.inf
    at = int(reached[0])
    if at == 0:
        return float(math.ceil(topics[0]))
    part = (target - values[at - 1]) / (values[at] - values[at - 1])
    log = (1 - part) * math.log(topics[at - 1]) + part * math.log(topics[at])
    return float(math.ceil(math.exp(log) * (1 - 1e-9)))


def number_interval(numbers: Vector, level: float) -> tuple[float, float]:
    """The central interval of numbers of topics, some of which may be infinite, by order statistics."""
    low, high = np.quantile(numbers, [(1 - level) / 2, (1 + level) / 2], method="inverted_cdf")
    return float(low), float(high)
