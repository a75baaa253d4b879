"""An exact bound for scores of right or wrong: on each unit the candidate gains, loses or ties.

Samples are put in an order, by the lower end of a plain interval of their difference. Where the true
difference is just a value, samples as good as this one have some probability. One less the largest is the
confidence that the difference is above that value (Buehler 1957). The share of units that differ is not
known: all shares in an interval are tried, and the chance that it misses the true one is added (Berger & Boos
1994). So the level holds for every such population.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from truerank._support.types import Vector
from truerank.reliability.pair.exact import FURTHEST, zero
from truerank.scores import TIE

MISSED = 1e-4
"""The chance that the interval of shares misses the true one; no confidence is higher than one less this."""

SHARES = 24
"""Shares that are tried."""

ADDED, NORMAL = 0.5, 1.645
"""To each count, and standard errors of the plain interval: the order of samples, on which no level rests."""

TAIL = 6.0
"""Standard deviations of the number that differs beyond which samples are not counted."""


@dataclass(frozen=True)
class Outcomes:
    """How often the candidate gained and lost.

    Attributes:
        gains: units on which it is better; not whole where the numbers are expected ones.
        losses: units on which it is worse.
        units: all units.
    """

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
        from truerank.numerics.special import xlogy

        low, high = self._shares
        if abs(value) >= high:
            return 0.0 if value > 0 else 1.0 - MISSED
        gains, losses, logarithms = self._at_least_as_good
        shares = np.linspace(max(low, abs(value)), high, SHARES)[:, None]
        likely = logarithms + xlogy(gains, (shares + value) / 2) + xlogy(losses, (shares - value) / 2)
        likely += xlogy(self.units - gains - losses, 1 - shares)
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
        from truerank.numerics.special import betaincinv

        k, n = self.gains + self.losses, self.units
        low = betaincinv(k, n - k + 1, MISSED / 2) if k > 0 else 0.0
        high = betaincinv(k + 1, n - k, 1 - MISSED / 2) if k < n else 1.0
        return float(low), float(high)

    @cached_property
    def _at_least_as_good(self) -> tuple[Vector, Vector, Vector]:
        """Gains and losses of samples as good as this one or better, and log multinomial coefficients."""
        from truerank.numerics.special import gammaln

        n, high = self.units, self._shares[1]
        most = min(n, math.ceil(n * high + TAIL * math.sqrt(n * high * (1 - high)) + TAIL))
        gains, losses = np.indices((most + 1, most + 1)).reshape(2, -1).astype(np.float64)
        better = self._order(gains, losses) >= self._order(np.array(self.gains), np.array(self.losses)) - 1e-9
        better &= gains + losses <= most
        gains, losses = gains[better], losses[better]
        logarithms = (
            gammaln(n + 1) - gammaln(gains + 1) - gammaln(losses + 1) - gammaln(n - gains - losses + 1)
        )
        return gains, losses, logarithms

    def _order(self, gains: Vector, losses: Vector) -> Vector:
        n = self.units + 2 * ADDED
        more, less = (gains + ADDED) / n, (losses + ADDED) / n
        lower: Vector = more - less - NORMAL * np.sqrt((more + less - (more - less) ** 2) / n)
        return lower
