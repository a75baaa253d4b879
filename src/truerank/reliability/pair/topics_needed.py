"""How many topics an inconclusive comparison needs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from truerank._support.types import Matrix, Vector
from truerank._support.wording import MOST_TOPICS
from truerank.errors import TruerankError
from truerank.kinds import Plain
from truerank.numerics import special
from truerank.numerics.intervals import first_reach
from truerank.reliability.means import Means, Question, means_of
from truerank.reliability.means.means_of import theta_of
from truerank.reliability.pair.contrast import Contrast, exact_reach, few_differ, outcomes_of, rule_of
from truerank.scores import ScoreMatrix, ranking_order

if TYPE_CHECKING:
    from truerank.reliability.estimators.eb import Prior

SPREADS = 25
"""Equally likely values of the true spread."""

GRID = 120
"""Numbers of topics evaluated, evenly spaced on the logarithm; interpolated between them."""

LEAST = 1e-5
"""True differences less likely than this are left out."""

APART = 2.5
"""Ratio of one number of topics at which the exact bound is evaluated to the one before."""


POWER = 0.8
"""Default chance of a verdict at the topics needed."""


@dataclass(frozen=True)
class TopicsNeeded:
    """Topics in all, these and new ones added to them, at which a verdict becomes likely.

    Attributes:
        topics: where the chance of a verdict is the power; ``None`` beyond a million.
        low: where it is 10%.
        high: where it is 90%.
    """

    topics: int | None
    low: int | None
    high: int | None

    def times(self, factor: float) -> TopicsNeeded:
        """How many units of unequal weight are worth each of these numbers of equal ones."""
        sizes = (
            None if n is None else math.ceil(n * factor - 1e-9) for n in (self.topics, self.low, self.high)
        )
        return TopicsNeeded(*(None if n is None or n > MOST_TOPICS else n for n in sizes))


def topics_needed(
    contrast: Contrast, margin: float, level: float, power: float = POWER, prior: PairPrior | None = None
) -> TopicsNeeded | None:
    """How many topics a verdict needs, by the two-sided interval; ``None`` where no topic shows a spread."""
    if contrast.differing == 0 or (contrast.error == 0 and rule_of(contrast) == "t"):
        return None
    first = math.floor(contrast.units) + 1
    if first >= MOST_TOPICS:
        return TopicsNeeded(None, None, None)
    sizes = np.geomspace(first, MOST_TOPICS, GRID)
    above, below = deciding_chance(contrast, margin, level, sizes, prior)
    chance = np.maximum.accumulate(above + below)
    reached = (first_reach(sizes, chance, target) for target in (power, 0.1, 0.9))
    return TopicsNeeded(*(int(n) if math.isfinite(n) else None for n in reached))


def deciding_chance(
    contrast: Contrast, margin: float, level: float, topics: ArrayLike, prior: PairPrior | None = None
) -> tuple[Vector, Vector]:
    """The chance that either end reaches −margin once there are that many topics, these among them."""
    n = np.asarray(topics, dtype=np.float64)
    units, degrees, deviation = contrast.units, contrast.degrees, contrast.deviation
    likely = (np.arange(SPREADS) + 0.5) / SPREADS
    truly = (deviation * np.sqrt(degrees / special.chdtri(degrees, likely)))[:, None]
    new = n - units
    observed = np.sqrt((degrees * deviation**2 + new * truly**2) / (degrees + new))
    moved, still, shares = _future(contrast, truly[:, 0], n, prior)
    chances = []
    for sign, one, gap in (
        (1, contrast, contrast.estimate + margin),
        (-1, contrast.reversed(), -contrast.estimate - margin),
    ):
        needed = _reach(one, one.estimate - gap, (1 + level) / 2, n, observed)
        chance = np.zeros(len(n))
        for k in range(moved.shape[1]):
            with np.errstate(divide="ignore"):
                reached = (gap + sign * moved[:, k] - needed) / still
            chance += shares[:, k] @ special.ndtr(reached)
        chances.append(chance)
    return chances[0], chances[1]


def _future(
    contrast: Contrast, deviations: Vector, topics: Vector, prior: PairPrior | None
) -> tuple[NDArray[np.float64], Matrix, Matrix]:
    """How far the mean of so many topics is expected from today's, its deviation, and how likely both are."""
    units, s = contrast.units, len(deviations)
    if prior is None or contrast.error == 0:
        still = deviations[:, None] * np.sqrt(1 / units - 1 / topics)
        return np.zeros((s, 1, 1)), still, np.full((s, 1), 1 / s)
    sizes, shares = prior.posterior(contrast.estimate, deviations, units)
    seen = shares.sum(axis=0) > LEAST
    new = topics - units
    true = deviations[:, None] * sizes[seen]
    moved = (true - contrast.estimate)[:, :, None] * (new / topics)
    return moved, deviations[:, None] * np.sqrt(new) / topics, shares[:, seen] / shares[:, seen].sum()


def _reach(one: Contrast, value: float, level: float, topics: Vector, deviations: Matrix) -> Matrix:
    """How far above a value the mean of so many topics must be for a verdict, at a one-sided level."""
    grown = topics / one.units
    reach = special.stdtrit(one.degrees * grown, level) / np.sqrt(topics) * deviations
    exact = (one.bounded & few_differ(one.differing * grown, topics)) | one.guaranteed
    if not exact.any():
        return reach
    assert one.differences is not None
    assert one.largest is not None
    first, last = float(topics[exact].min()), float(topics[exact].max())
    points = np.geomspace(first, last, 2 + int(math.log(last / first, APART)))
    outcomes, largest = outcomes_of(one), one.largest
    found = [
        exact_reach(one.differences, value, largest, level, n / one.units, one.weights)
        if outcomes is None
        else largest * outcomes.reach(value / largest, level, n)
        for n in points.tolist()
    ]
    of_points = np.log(np.maximum(found, 1e-12))
    return np.where(exact, np.exp(np.interp(np.log(topics), np.log(points), of_points)), reach)


NEAR = 30.0
"""Standard errors beyond which no undecided pair is: the prior is cut there."""


@dataclass(frozen=True, eq=False)
class PairPrior:
    """The prior of a standardized difference δ: a true difference in standard deviations of one topic's.

    The edges of slices of |δ| rise from 0. The densities of the slices are those of the prior that all pairs
    of the table gave.
    """

    edges: Vector
    densities: Matrix
    prior: Prior

    def posterior(self, estimate: float, deviations: Vector, units: float) -> tuple[Vector, Matrix]:
        """Standardized differences, and how likely each is where the observed one is known."""
        ends = np.concatenate([-self.edges[:0:-1], self.edges])
        middles = (ends[1:] + ends[:-1]) / 2
        seen = (estimate / deviations)[:, None]
        likely = np.diff(special.ndtr((ends - seen) * np.sqrt(units)), axis=1)
        likely /= deviations[:, None]  # the density of the difference itself, given its deviation
        densities = np.concatenate([self.densities[:, ::-1], self.densities], axis=1)
        evidence = densities @ likely.sum(axis=0)
        factors = self.prior.mixing(np.maximum(evidence, 1e-300)[:, None])[:, 0]
        found = likely * (factors @ densities)
        return middles, found / found.sum()


def prior_of(means: Means) -> PairPrior:
    """The prior learned from means of systems in ranking order. O(N·m²)."""
    from truerank.reliability.estimators import eb

    found = eb.learned(means)
    scale = np.sqrt(means.effective)
    near = int(np.searchsorted(eb.EDGES, NEAR)) + 1
    return PairPrior(eb.EDGES[:near] / scale, found.densities[:, : near - 1] * scale, found)


def prior_of_table(table: ScoreMatrix, question: Question | None) -> PairPrior | None:
    """The prior of the pairs of a table; ``None`` where there are no other systems to learn from."""
    if table.m < 3 or type(table.kind) is not Plain:
        return None
    try:
        ranked = table.select(ranking_order(theta_of(table, question)))
        means = means_of(ranked, question)
        return prior_of(means) if means.linear else None
    except TruerankError:  # the table cannot be ranked, but the two can be compared
        return None
