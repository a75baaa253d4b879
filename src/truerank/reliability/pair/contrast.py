"""The difference of two systems, for any kind of means: its two-sided interval, p-value and verdict.

Student's t decides, or the exact bound alone (docs/methods/gate.md). Last, how many topics a verdict needs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

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
from truerank.scores import TIE, ScoreMatrix, ranking_order

if TYPE_CHECKING:
    from truerank.reliability.estimators.eb import Prior


@dataclass(frozen=True, eq=False)
class Contrast:
    """How far the candidate is above the baseline, and each unit's (topic's or cluster's) influence on it."""

    estimate: float  # the difference of means, candidate minus baseline, in units of the score
    # N influence rows; the sum of their squares is the squared standard error. For n differences d of a
    # plain mean they are ``(d − d̄)/√(n(n − 1))``.
    rows: Vector
    strata: NDArray[np.intp]  # N integers, the data set of each row
    degrees: float  # degrees of freedom of the standard error, above 0
    units: float  # the effective number of units; n for a plain mean
    differing: float  # how many of these are not ties
    differences: Vector | None = None  # n, where the estimate is their mean; ``None`` where it is not
    weights: Vector | None = None  # n, of the differences in that mean; ``None`` where all are equal
    # The largest difference that scores can have; ``None`` where their range is not known
    largest: float | None = None
    guaranteed: bool = False  # whether the exact bound alone decides
    # How many of the strata, the last ones, are of levels of facets: too few to show a skewness, so theirs
    # counts as 0
    levels: int = 0

    @cached_property
    def error(self) -> float:
        """The standard error of the estimate; exactly 0 where all units differ by the same amount."""
        largest = float(np.abs(self.rows).max(initial=0.0))
        return 0.0 if largest <= TIE else float(np.sqrt(np.sum(self.rows**2)))

    @property
    def skewness(self) -> float:
        """The sample skewness of the units' differences; 0 where there is no spread."""
        if self.error == 0:
            return 0.0
        # The third cumulant adds up over strata; √(n(n−1))/(n−2) takes the bias from the sum of cubed rows.
        sizes = np.bincount(self.strata).astype(np.float64)
        cubes = np.bincount(self.strata, weights=self.rows**3)
        factors = np.where(sizes > 2, np.sqrt(sizes * np.maximum(sizes - 1, 0)) / np.maximum(sizes - 2, 1), 0)
        factors[len(sizes) - self.levels :] = 0
        return float(np.sum(factors * cubes)) / self.error**3 * math.sqrt(self.units)

    @property
    def share_of_levels(self) -> float:
        """The share of levels of facets in the squared standard error."""
        of_levels = self.rows[self.strata > self.strata.max() - self.levels]
        return float(np.sum(of_levels**2)) / self.error**2 if self.error > 0 else 0.0

    @cached_property
    def exact(self) -> Exact | None:
        """The exact bound of one mean of scores with a known range; ``None`` of other means."""
        d, largest = self.differences, self.largest
        if d is None or largest is None:
            return None
        right_or_wrong = bool(((np.abs(d) <= TIE) | (np.abs(np.abs(d) - largest) <= TIE)).all())
        if right_or_wrong and not self.guaranteed and self.weights is None:
            return Outcomes(float(np.sum(d > TIE)), float(np.sum(d < -TIE)), len(d), largest)
        return Differences(d, largest, self.weights, self.units)

    def reversed(self) -> Contrast:
        differences = None if self.differences is None else -self.differences
        return replace(self, estimate=-self.estimate, rows=-self.rows, differences=differences)


def plain_contrast(differences: Vector, largest: float | None = None, guaranteed: bool = False) -> Contrast:
    """The contrast of the plain mean of n ≥ 2 paired differences."""
    d = np.asarray(differences, dtype=np.float64)
    n = len(d)
    return Contrast(
        estimate=float(d.mean()),
        rows=(d - d.mean()) / math.sqrt(n * (n - 1)) if np.ptp(d) > TIE else np.zeros(n),
        strata=np.zeros(n, dtype=np.intp),
        degrees=n - 1.0,
        units=float(n),
        differing=float(np.count_nonzero(np.abs(d) > TIE)),
        differences=d,
        largest=largest,
        guaranteed=guaranteed,
    )


def contrast_of(means: Means, share: float, first: int = 0, second: int = 1) -> Contrast:
    """The contrast of the second of two systems with the first; `share` of the units differ."""
    return Contrast(
        estimate=float(means.contrasts[second] - means.contrasts[first]),
        rows=means.rows[:, second] - means.rows[:, first],
        strata=means.strata,
        degrees=float(means.degrees[second, first]),
        units=float(means.effective),
        differing=float(means.effective) * share,
        levels=0 if means.components is None else len(means.factors) - 1,
    )


Rule: TypeAlias = Literal["t", "exact"]  # the rules: Student's t, or the exact bound
FEW = 20.0  # if fewer units differ than this, and fewer than half of all, rare losses may not have been seen


def few_differ(differing: Any, units: Any) -> NDArray[np.bool_]:
    """Whether so few units differ that rare losses may not have been seen."""
    differing = np.asarray(differing, dtype=np.float64)
    return np.asarray((differing < FEW) & (differing < np.asarray(units) / 2), dtype=np.bool_)


def rule_of(contrast: Contrast) -> Rule:
    few = contrast.exact is not None and bool(few_differ(contrast.differing, contrast.units))
    return "exact" if contrast.guaranteed or few else "t"


def interval(contrast: Contrast, level: float) -> tuple[float, float]:
    """The two-sided interval of the true difference at a level: ``d̂ ± t(1 − α/2, ν)·s``, or exact bounds."""
    side = (1 + level) / 2
    if rule_of(contrast) == "exact":
        low, high = (one.exact.bound(side) for one in (contrast, contrast.reversed()) if one.exact)
        return low, -high
    if contrast.differing == 0:
        return -math.inf, math.inf
    half = float(special.stdtrit(contrast.degrees, side)) * contrast.error
    return contrast.estimate - half, contrast.estimate + half


def p_value(contrast: Contrast, value: float = 0.0) -> float:
    """The two-sided p-value of a true difference of `value`: 1 − level of the interval that ends there."""
    if rule_of(contrast) == "exact":
        sides = ((contrast.exact, value), (contrast.reversed().exact, -value))
        return min(1.0, 2 * (1 - max(exact.confidence(side) for exact, side in sides if exact)))
    gap = abs(contrast.estimate - value)
    if contrast.differing == 0 or gap <= TIE:
        return 1.0
    return 2 * float(special.stdtr(contrast.degrees, -gap / contrast.error)) if contrast.error > 0 else 0.0


Verdict: TypeAlias = Literal["better", "pass", "undecided", "fail"]
"""The verdict of a gate on a candidate.

Example:
    >>> from typing import get_args
    >>> from truerank.comparison.gate import Verdict
    >>> get_args(Verdict)
    ('better', 'pass', 'undecided', 'fail')
"""

VERDICTS: tuple[Verdict, ...] = ("better", "pass", "undecided", "fail")
"""From the best to the worst.

Example:
    >>> from truerank.comparison.gate import VERDICTS
    >>> VERDICTS.index("better") < VERDICTS.index("fail")
    True
"""


SHOWN = {"undecided": "inconclusive"}  # verdicts that people read otherwise than files have them


def verdict_in(low: float, high: float, margin: float) -> Verdict:
    """The verdict that an interval of the true difference gives, up to the tie level."""
    return verdict_of(low > TIE, low + margin > TIE, high + margin < -TIE)


def verdict_of(better: bool, within: bool, beyond: bool) -> Verdict:
    """The first that is established at the level: *better*, *pass*, *fail*; else *undecided*."""
    return "better" if better else "pass" if within else "fail" if beyond else "undecided"


STEP = 0.02  # of the trapezoid rule on the log frequency, which converges exponentially: errors of 1e-8
FURTHEST = 100.0  # times the largest difference: no verdict ever needs more
# The chance that the interval of shares misses the true one; no confidence is higher than one less this.
MISSED = 1e-4
SHARES = 24  # shares that are tried
# To each count, and standard errors of the plain interval: the order of samples, on which no level rests.
ADDED, NORMAL = 0.5, 1.645
TAIL = 6.0  # standard deviations of the number that differs beyond which samples are not counted


class Exact:
    """The exact confidence that a true mean difference is above a value, and the bound that follows."""

    largest: float

    @property
    def ends(self) -> tuple[float, float]:
        """What a bound lies between, unless it is −largest."""
        raise NotImplementedError

    def confidence(self, value: float) -> float:
        raise NotImplementedError

    def moved(self, mean: float, units: float) -> Exact:
        """That of so many units which differ as these do, but for their mean."""
        raise NotImplementedError

    def furthest(self, value: float) -> float:
        """The largest distance of a mean from a value that is tried."""
        return FURTHEST * self.largest

    def bound(self, level: float) -> float:
        """The lower bound of the true difference at a level."""
        from scipy.optimize import brentq

        if self.confidence(self.ends[0]) <= level:
            return -self.largest
        return float(brentq(lambda value: self.confidence(value) - level, *self.ends, xtol=1e-10))

    def reach(self, value: float, level: float, units: float) -> float:
        """How far above a value the mean of so many units must be for a verdict."""
        from scipy.optimize import brentq

        def excess(reach: float) -> float:
            return self.moved(value + reach, units).confidence(value) - level

        if excess(0.0) >= 0:
            return 0.0
        furthest = self.furthest(value)
        if excess(furthest) <= 0:
            return FURTHEST * self.largest
        return float(brentq(excess, 0.0, furthest, xtol=1e-4 * self.largest))


@dataclass(frozen=True)
class Differences(Exact):
    """Differences of any size, none beyond ±largest (Gaffke 2005)."""

    differences: Vector
    largest: float
    weights: Vector | None = None
    units: float = 1.0  # the effective number of the differences
    times: float = 1.0  # how often each is counted

    @property
    def ends(self) -> tuple[float, float]:
        return -self.largest + 1e-9, float(np.max(self.differences))

    def confidence(self, value: float) -> float:
        """``1 − P(Σ E_t w_t (d_t − value) + E_0 w (−largest − value) ≤ 0)``, E exponential, w = max w_t."""
        d, n = self.differences, len(self.differences)
        w = np.ones(n) if self.weights is None else self.weights
        each = np.append(w, np.max(w)) * (np.append(d, -self.largest) - value)
        distances, place = np.unique(each, return_inverse=True)
        counts = np.bincount(place.ravel(), np.append(np.full(n, self.times), 1.0))
        keep = np.abs(distances) > TIE
        distances, counts = distances[keep], counts[keep]
        if not (distances < 0).any():
            return 1.0
        if not (distances > 0).any():
            return 0.0
        logarithms = np.arange(-18.0, 8.0, STEP)
        products = distances[:, None] * np.exp(logarithms) / np.sqrt(np.sum(counts * distances**2))
        phases = counts @ np.arctan(products)
        sizes = np.exp(-0.5 * (counts @ np.log1p(products**2)))
        below = 0.5 - float(np.sum(sizes * np.sin(phases))) * STEP / np.pi
        return min(max(1.0 - below, 0.0), 1.0)

    def moved(self, mean: float, units: float) -> Differences:
        centered = self.differences - np.average(self.differences, weights=self.weights)
        return replace(self, differences=centered + mean, times=units / self.units)


@dataclass(frozen=True)
class Outcomes(Exact):
    """On how many of the units the candidate gained and lost all; expected numbers are not whole.

    Buehler (1957) over the shares that differ, which have an interval of their own (Berger and Boos 1994).
    """

    gains: float
    losses: float
    units: int
    largest: float = 1.0

    @property
    def ends(self) -> tuple[float, float]:
        return -self._shares[1] * self.largest, (self.gains - self.losses) / self.units * self.largest

    def confidence(self, value: float) -> float:
        """The confidence, in [0, 1 − 1e-4], over the shares that may differ."""
        value /= self.largest
        low, high = self._shares
        if abs(value) >= high:
            return 0.0 if value > 0 else 1.0 - MISSED
        gains, losses, logarithms = self._at_least_as_good
        shares = np.linspace(max(low, abs(value)), high, SHARES)[:, None]
        likely = logarithms + special.xlogy(self.units - gains - losses, 1 - shares)
        likely += special.xlogy(gains, (shares + value) / 2) + special.xlogy(losses, (shares - value) / 2)
        return max(0.0, 1.0 - float(np.exp(likely).sum(axis=1).max()) - MISSED)

    def moved(self, mean: float, units: float) -> Outcomes:
        n, differing = round(units), (self.gains + self.losses) * units / self.units
        balance = n * mean / self.largest
        gains = max((differing + balance) / 2, balance, 0.0)
        return Outcomes(gains, max(gains - balance, 0.0), n, self.largest)

    def furthest(self, value: float) -> float:
        return self.largest - value

    @cached_property
    def _shares(self) -> tuple[float, float]:
        """The interval of the share of units that differ (Clopper & Pearson 1934)."""
        k, n = self.gains + self.losses, self.units
        low = special.betaincinv(k, n - k + 1, MISSED / 2) if k > 0 else 0.0
        high = special.betaincinv(k + 1, n - k, 1 - MISSED / 2) if k < n else 1.0
        return float(low), float(high)

    @cached_property
    def _at_least_as_good(self) -> tuple[Vector, Vector, Vector]:
        """Gains and losses of samples as good as this one or better, and log multinomial coefficients."""
        n, high = self.units, self._shares[1]
        most = min(n, math.ceil(n * high + TAIL * math.sqrt(n * high * (1 - high)) + TAIL))
        gains, losses = np.indices((most + 1, most + 1)).reshape(2, -1).astype(np.float64)
        better = self._order(gains, losses) >= self._order(np.array(self.gains), np.array(self.losses)) - 1e-9
        better &= gains + losses <= most
        gains, losses = gains[better], losses[better]
        rest = special.gammaln(gains + 1) + special.gammaln(losses + 1)
        return gains, losses, special.gammaln(n + 1) - rest - special.gammaln(n - gains - losses + 1)

    def _order(self, gains: Vector, losses: Vector) -> Vector:
        n = self.units + 2 * ADDED
        more, less = (gains + ADDED) / n, (losses + ADDED) / n
        return np.asarray(more - less - NORMAL * np.sqrt((more + less - (more - less) ** 2) / n))


SPREADS = 25  # equally likely values of the true spread
GRID = 120  # numbers of topics evaluated, evenly spaced on the logarithm; interpolated between them
LEAST = 1e-5  # true differences less likely than this are left out
APART = 2.5  # ratio of one number of topics at which the exact bound is evaluated to the one before
POWER = 0.8  # default chance of a verdict at the topics needed


@dataclass(frozen=True)
class TopicsNeeded:
    """Topics in all, these and new ones added to them, at which a verdict becomes likely."""

    topics: int | None  # where the chance of a verdict is the power; ``None`` beyond a million
    low: int | None  # where it is 10%
    high: int | None  # where it is 90%

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
    n, units, degrees = np.asarray(topics, dtype=np.float64), contrast.units, contrast.degrees
    deviation, new = contrast.error * math.sqrt(units), n - units  # that of a unit's difference
    likely = (np.arange(SPREADS) + 0.5) / SPREADS
    truly = (deviation * np.sqrt(degrees / special.chdtri(degrees, likely)))[:, None]
    observed = np.sqrt((degrees * deviation**2 + new * truly**2) / (degrees + new))
    # How far the mean is expected to move from today's, how much it varies, and how likely both are.
    if prior is None or contrast.error == 0:
        moved, shares = np.zeros((SPREADS, 1, 1)), np.full((SPREADS, 1), 1 / SPREADS)
        still = truly * np.sqrt(1 / units - 1 / n)
    else:
        sizes, shares = prior.posterior(contrast.estimate, truly[:, 0], units)
        seen = shares.sum(axis=0) > LEAST
        shares = shares[:, seen] / shares[:, seen].sum()
        moved = (truly * sizes[seen] - contrast.estimate)[:, :, None] * (new / n)
        still = truly * np.sqrt(new) / n
    chances = np.zeros((2, len(n)))
    for chance, sign, one in zip(chances, (1, -1), (contrast, contrast.reversed()), strict=True):
        ahead = one.estimate + sign * margin - _reach(one, -sign * margin, (1 + level) / 2, n, observed)
        for k in range(moved.shape[1]):
            with np.errstate(divide="ignore"):
                chance += shares[:, k] @ special.ndtr((ahead + sign * moved[:, k]) / still)
    return chances[0], chances[1]


def _reach(one: Contrast, value: float, level: float, topics: Vector, deviations: Matrix) -> Matrix:
    """How far above a value the mean of so many topics must be for a verdict, at a one-sided level."""
    grown, bound = topics / one.units, one.exact
    reach = special.stdtrit(one.degrees * grown, level) / np.sqrt(topics) * deviations
    exact = few_differ(one.differing * grown, topics) | one.guaranteed
    if bound is None or not exact.any():
        return reach
    first, last = float(topics[exact].min()), float(topics[exact].max())
    points = np.geomspace(first, last, 2 + int(math.log(last / first, APART)))
    of_points = np.log(np.maximum([bound.reach(value, level, n) for n in points.tolist()], 1e-12))
    return np.where(exact, np.exp(np.interp(np.log(topics), np.log(points), of_points)), reach)


NEAR = 30.0  # standard errors beyond which no undecided pair is: the prior is cut there


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
        seen = (estimate / deviations)[:, None]
        likely = np.diff(special.ndtr((ends - seen) * np.sqrt(units)), axis=1)
        likely /= deviations[:, None]  # the density of the difference itself, given its deviation
        densities = np.concatenate([self.densities[:, ::-1], self.densities], axis=1)
        evidence = densities @ likely.sum(axis=0)
        factors = self.prior.mixing(np.maximum(evidence, 1e-300)[:, None])[:, 0]
        likely *= factors @ densities
        return (ends[1:] + ends[:-1]) / 2, likely / likely.sum()


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
