"""By number of topics: coefficients, and the chance that the first places come out right.

What to expect, where it will fall, and when a target is reached. It rests on joint draws from what is
believed, or on collections drawn from a simulation model whose truth is known.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from truerank._support.seeds import stream
from truerank._support.types import Matrix, Vector
from truerank.coefficients import Coefficient
from truerank.numerics.fewest import first_reach, number_interval
from truerank.numerics.matrices import root_of
from truerank.planning.beliefs import Beliefs
from truerank.planning.draws import CollectionDraws, bin_centers
from truerank.planning.plan_results import Criterion, CurvePoint, Needed, curve_points
from truerank.reliability.swaps import count_swaps
from truerank.scores import TIE

# Numbers of topics that are tried; a target that needs more than the last is out of reach.
SIZES = (
    *(5, 7, 10, 15, 20, 30, 40, 50, 75, 100, 150, 200, 300, 400, 500, 750, 1_000, 1_500, 2_000, 3_000, 5_000),
    *(7_500, 10_000, 15_000, 20_000, 30_000, 50_000, 75_000, 100_000),
)
TRUTHS = 256  # draws of the truth that are followed
NOISES = 400  # collections for each of them
COLLECTIONS = 400  # drawn from a model, by default
POOL = 5_000  # simulated topics that they are drawn from
MOST = 1_000  # topics of each


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

    def at(self, topics: float) -> float:
        """What to expect at any number of topics, by interpolation."""
        return float(np.interp(np.log(topics), np.log(self.topics), self.expected))

    def needed(self, target: float) -> tuple[Needed, Needed]:
        """The fewest topics at which the expectation, and at which the lower end, reaches a target.

        The interval of either covers the numbers of topics that are enough under the truths of the draws.
        """
        asked: tuple[tuple[Criterion, Vector, Matrix], ...] = (
            ("expected", self.expected, self.truths),
            ("low", self.low, self.lows),
        )
        found = []
        for criterion, curve, truths in asked:
            topics = first_reach(self.topics, curve, target)
            interval = self._interval(truths, target, topics)
            found.append(Needed(self.coefficient, target, criterion, topics, *interval))
        return found[0], found[1]

    def needed_width(self, width: float) -> Needed:
        """The fewest topics at which the coefficient's interval is no wider than this.

        Its interval covers the numbers of topics at which the truths of the draws reach the coefficient that
        is expected there.
        """
        topics = first_reach(self.topics, -self.spread, -width)
        interval = (math.inf, math.inf)
        if math.isfinite(topics):
            there = float(np.interp(np.log(topics), np.log(self.topics), self.truths.mean(axis=0)))
            interval = self._interval(self.truths, there, topics)
        return Needed("width", width, "expected", topics, *interval)

    def _interval(self, truths: Matrix, target: float, topics: float) -> tuple[float, float]:
        """The numbers of topics at which the truths reach a target, and `topics`.

        Expectations average over a few bad truths, so they may need more topics than nearly all others.
        """
        each = np.array([first_reach(self.topics, one, target) for one in truths])
        low, high = number_interval(each, self.level)
        return min(low, topics), max(high, topics)


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


def winner_chances(
    beliefs: Beliefs, draws: CollectionDraws, added: Vector, rng: np.random.Generator
) -> Matrix:
    """For K draws of the truth, the chance that the first places come out right, by S numbers of topics.

    Follows the nearest contenders of each draw. O(K·contenders·`NOISES`); S times that for an extension.
    """
    m = beliefs.systems
    noise = (rng.standard_normal((NOISES, m)) @ root_of(beliefs.covariance)).T
    deviations = beliefs.deviations
    chances = np.ones((min(TRUTHS, len(draws.above)), len(added)))
    for draw in range(len(chances)):
        a, b = draws.above[draw], draws.below[draw]
        scale = deviations[a, b]
        moving = np.flatnonzero(scale > 0)
        if not len(moving):
            continue
        y = (noise[a[moving]] - noise[b[moving]]) / scale[moving, None]
        lead, pilot = draws.leads[draw, moving, None], draws.pilot_leads[draw, moving, None]
        if lead.min() > 0 and not pilot.any():  # each collection is right from one size on
            from_size = np.sort(np.max(-y / lead, axis=0))
            chances[draw] = np.searchsorted(from_size, np.sqrt(added)) / NOISES
            continue
        for place, k in enumerate(added):
            ahead = pilot + k * lead + np.sqrt(k) * y
            chances[draw, place] = np.mean(np.min(ahead, axis=0) > 0)
    return chances


def winner_curve(
    chances: Matrix, topics: Vector, target: float, level: float
) -> tuple[tuple[CurvePoint, ...], tuple[Needed, Needed]]:
    """The curve of these chances, with its interval over draws of the truth, and the topics needed."""
    chances = np.maximum.accumulate(chances, axis=1)
    expected = chances.mean(axis=0)
    low, high = np.quantile(chances, [(1 - level) / 2, (1 + level) / 2], axis=0)
    each = np.array([first_reach(topics, one, target) for one in chances])
    interval = number_interval(each, level)
    return curve_points(topics, expected, low, high), (
        Needed("winner", target, "expected", first_reach(topics, expected, target), *interval),
        # The end of an interval has no interval.
        Needed("winner", target, "low", interval[1]),
    )


def chance_at(points: Sequence[CurvePoint], topics: float) -> float:
    """The chance at any number of topics, by interpolation."""
    sizes, chances = [p.topics for p in points], [p.estimate for p in points]
    return float(np.interp(np.log(topics), np.log(sizes), chances))


def known_curves(
    model: Any,
    coefficients: Sequence[Coefficient],
    level: float,
    collections: int,
    seed: int,
    places: int = 1,
) -> tuple[dict[str, Curve], Vector]:
    """The coefficients of collections of up to `MOST` topics, and the chance that the first places are right.

    Topics are simulated once, shifted so that their means are the true ones, and drawn with replacement. The
    first n′ topics of a collection are the one of that size. O(`POOL` + collections·(`MOST`·m + sizes·m²)).
    """
    sizes = np.array([size for size in SIZES if size <= MOST])
    truth = np.asarray(model.true_means, dtype=np.float64)
    best = np.sort(truth)[::-1][:places] - TIE
    values = {c.name: np.empty((len(sizes), collections)) for c in coefficients}
    first = np.empty((len(sizes), collections))
    pool = model.sample(POOL, seed).values
    pool = pool + (truth - pool.mean(axis=0))
    rng = stream(seed, "collections")
    for number in range(collections):
        drawn = pool[rng.integers(POOL, size=MOST)]
        means = np.cumsum(drawn, axis=0)[sizes - 1] / sizes[:, None]
        order = np.argsort(-np.round(means, 12), axis=1, kind="stable")
        swaps = count_swaps(np.ascontiguousarray(truth[order].T), -TIE, coefficients)
        for c in coefficients:
            values[c.name][:, number] = swaps.coefficient(c)
        first[:, number] = np.all(truth[order[:, :places]] >= best, axis=1)
    topics = sizes.astype(np.float64)
    return {name: _curve(name, topics, found, level) for name, found in values.items()}, first.mean(axis=1)


def _curve(name: str, topics: Vector, values: Matrix, level: float) -> Curve:
    expected = np.maximum.accumulate(values.mean(axis=1))
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2], axis=1)
    low = np.maximum.accumulate(np.minimum(low, expected))
    return Curve(
        name,
        topics,
        expected,
        low,
        np.maximum(high, expected),
        expected[None, :],
        low[None, :],
        np.minimum.accumulate(high - low),
        level,
        values,
    )
