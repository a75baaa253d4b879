"""Bounds that hold however few topics differ: of bounded scores, and of scores of right or wrong.

The mean of bounded scores is resampled with weights from a Dirichlet distribution, as in the Bayesian
bootstrap (Gaffke 2005). One more topic is added, on which the candidate does as badly as scores allow.
The level's lower quantile of that mean is the bound: where scores are 0 or 1 and the candidate never
wins, it is that of Clopper and Pearson. No sample is drawn: weighted sums of exponential variables have a
distribution that one integral gives.

Where scores are right or wrong the candidate gains, loses or ties on each unit. Samples are put in an
order, by the lower end of a plain interval of their difference. Where the true difference is just a
value, samples as good as this one have some probability. One less the largest is the confidence that the
difference is above that value (Buehler 1957). The share of units that differ is not known: all shares in
an interval are tried, and the chance that it misses the true one is added (Berger & Boos 1994). So the
level holds for every such population.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from truerank._support.types import Vector
from truerank.numerics import special
from truerank.scores import TIE

STEP = 0.02
"""Of the trapezoid rule on the logarithm of the frequency, which converges exponentially: errors of 1e-8."""

FURTHEST = 100.0
"""A fraction of the range of differences that no verdict ever reaches."""

MISSED = 1e-4
"""The chance that the interval of shares misses the true one; no confidence is higher than one less this."""

SHARES = 24
"""Shares that are tried."""

ADDED, NORMAL = 0.5, 1.645
"""To each count, and standard errors of the plain interval: the order of samples, on which no level rests."""

TAIL = 6.0
"""Standard deviations of the number that differs beyond which samples are not counted."""


def exact_confidence(
    differences: Vector, value: float, largest: float, weights: Vector | None = None, times: float = 1.0
) -> float:
    """The confidence, in [0, 1], that the true mean difference is above a value.

    ``1 − P(Σ E_t w_t (d_t − value) + E_0 w (−largest − value) ≤ 0)`` with E standard exponential variables
    and w the largest weight, by inversion of the characteristic function. O(different values × 1,300).
    """
    w = np.ones(len(differences)) if weights is None else weights
    each = np.append(w, np.max(w)) * (np.append(differences, -largest) - value)
    distances, place = np.unique(each, return_inverse=True)
    counts = np.bincount(place.ravel(), np.append(np.full(len(differences), times), 1.0))
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


def exact_bound(differences: Vector, level: float, largest: float, weights: Vector | None = None) -> float:
    """The lower bound of the true mean difference at a level."""

    def excess(value: float) -> float:
        return exact_confidence(differences, value, largest, weights) - level

    lowest = -largest + 1e-9
    if excess(lowest) <= 0:
        return -largest
    return zero(excess, lowest, float(np.max(differences)), 1e-10)


def exact_reach(
    differences: Vector, value: float, largest: float, level: float, times: float, weights: Vector | None
) -> float:
    """How far above a value the mean of `times` as many such differences must be for a verdict.

    It may be further than scores allow; then there is none.
    """
    centered = differences - np.average(differences, weights=weights)

    def excess(reach: float) -> float:
        return exact_confidence(centered + value + reach, value, largest, weights, times) - level

    if excess(0.0) >= 0:
        return 0.0
    furthest = FURTHEST * largest
    return zero(excess, 0.0, furthest, 1e-4 * largest) if excess(furthest) > 0 else furthest


def zero(function: Callable[[float], float], low: float, high: float, tolerance: float) -> float:
    """A zero of a continuous function between two points of opposite sign (Chandrupatla 1997).

    Inverse quadratic interpolation where the last three points make it safe, halving elsewhere.
    """
    a, b = high, low
    at_a, at_b = function(a), function(b)
    step = 0.5
    while True:
        x = a + step * (b - a)
        at_x = function(x)
        if (at_x > 0) == (at_a > 0):
            c, at_c = a, at_a
        else:
            c, at_c, b, at_b = b, at_b, a, at_a
        a, at_a = x, at_x
        best, least = (a, at_a) if abs(at_a) < abs(at_b) else (b, at_b)
        smallest = max(tolerance, 1e-15 * abs(best)) / abs(b - a)
        if least == 0 or smallest > 0.5:
            return best
        place, height = (a - b) / (c - b), (at_a - at_b) / (at_c - at_b) if at_c != at_b else math.inf
        if height**2 < place and (1 - height) ** 2 < 1 - place:
            step = at_a / (at_b - at_a) * at_c / (at_b - at_c)
            step += (c - a) / (b - a) * at_a / (at_c - at_a) * at_b / (at_c - at_b)
        else:
            step = 0.5
        step = min(max(step, smallest), 1 - smallest)


@dataclass(frozen=True)
class Outcomes:
    """On how many of the units the candidate gained and lost; expected numbers are not whole."""

    gains: float
    losses: float
    units: int

    @classmethod
    def of(cls, differences: Vector, largest: float) -> Outcomes | None:
        """Those of differences that are the largest that scores can have, or 0; ``None`` of others."""
        sizes = np.abs(differences)
        if not ((sizes <= TIE) | (np.abs(sizes - largest) <= TIE)).all():
            return None
        gains, losses = np.count_nonzero(differences > TIE), np.count_nonzero(differences < -TIE)
        return cls(float(gains), float(losses), len(differences))

    def confidence(self, value: float) -> float:
        """The confidence that the true difference, as a share of the largest, is above a value."""
        low, high = self._shares
        if abs(value) >= high:
            return 0.0 if value > 0 else 1.0 - MISSED
        gains, losses, logarithms = self._at_least_as_good
        shares = np.linspace(max(low, abs(value)), high, SHARES)[:, None]
        likely = (
            logarithms
            + special.xlogy(gains, (shares + value) / 2)
            + special.xlogy(losses, (shares - value) / 2)
        )
        likely += special.xlogy(self.units - gains - losses, 1 - shares)
        return max(0.0, 1.0 - float(np.exp(likely).sum(axis=1).max()) - MISSED)

    def bound(self, level: float) -> float:
        """The lower bound of the true difference at a level, as a share of the largest."""
        low, high = -self._shares[1], (self.gains - self.losses) / self.units
        if self.confidence(low) <= level:
            return -1.0
        return zero(lambda value: self.confidence(value) - level, low, high, 1e-10)

    def reach(self, value: float, level: float, units: float) -> float:
        """How far above a value the difference in so many units must be for a verdict, if as many differ."""
        n, differing = round(units), (self.gains + self.losses) * units / self.units

        def excess(reach: float) -> float:
            balance = n * (value + reach)
            gains = max((differing + balance) / 2, balance, 0.0)
            return Outcomes(gains, max(gains - balance, 0.0), n).confidence(value) - level

        if excess(0.0) >= 0:
            return 0.0
        furthest = 1 - value
        return zero(excess, 0.0, furthest, 1e-4) if excess(furthest) > 0 else FURTHEST

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
        logarithms = (
            special.gammaln(n + 1)
            - special.gammaln(gains + 1)
            - special.gammaln(losses + 1)
            - special.gammaln(n - gains - losses + 1)
        )
        return gains, losses, logarithms

    def _order(self, gains: Vector, losses: Vector) -> Vector:
        n = self.units + 2 * ADDED
        more, less = (gains + ADDED) / n, (losses + ADDED) / n
        lower: Vector = more - less - NORMAL * np.sqrt((more + less - (more - less) ** 2) / n)
        return lower
