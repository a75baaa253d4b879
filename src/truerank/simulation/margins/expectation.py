"""A margin moved to a wanted expected value: ``G = Beta(a, b) ∘ F`` (docs/methods/simulation.md)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from truerank._support.types import Vector
from truerank.errors import InputError
from truerank.simulation.margins.base import DiscreteMargin, Margin, interior

TOLERANCE = 1e-9  # how close the mean of a moved margin comes to the wanted one
STEEPEST = 1e9


@dataclass(frozen=True)
class MovedMargin(Margin):
    """A margin composed with a beta CDF, so that its mean is `wanted`.

    The mean grows with a and falls with b, so the nearest solution with a, b ≥ 1 changes one of them:
    ``G = Fᵃ`` moves up, ``1 − (1 − F)ᵇ`` moves down. The support stays.
    :func:`with_mean` makes one. From Urbano & Nagler (2018); see docs/methods/simulation.md, Expected value.

    Attributes:
        base: the margin that was moved, with CDF F.
        a: 1 or more; above 1 where the mean was moved up.
        b: 1 or more; above 1 where the mean was moved down.
        wanted: the mean now, in (0, 1).
    """

    base: Margin
    a: float
    b: float
    wanted: float

    @property
    def family(self) -> str:  # type: ignore[override]
        """The family of the margin that was moved."""
        return self.base.family

    @property
    def degrees(self) -> float:  # type: ignore[override]
        """As before the move."""
        return self.base.degrees

    def density(self, x: ArrayLike) -> Vector:
        """Density or mass."""
        if isinstance(self.base, DiscreteMargin):
            x = np.asarray(x, dtype=np.float64)
            before = self.base.cdf(x) - self.base.density(x)
            return self._moved(self.base.cdf(x)) - self._moved(np.clip(before, 0.0, 1.0))
        values = self.base.cdf(x)
        with np.errstate(divide="ignore", over="ignore"):
            slope = self.a * values ** (self.a - 1) * self.b * (1 - values) ** (self.b - 1)
        return slope * self.base.density(x)

    def cdf(self, x: ArrayLike) -> Vector:
        """P(X ≤ x)."""
        return self._moved(self.base.cdf(x))

    def quantile(self, u: ArrayLike) -> Vector:
        """Quantiles."""
        u = np.asarray(u, dtype=np.float64)
        if self.b > 1:
            return self.base.quantile(-np.expm1(np.log1p(-np.minimum(u, 1 - 1e-16)) / self.b))
        return self.base.quantile(u ** (1 / self.a))

    @property
    def mean(self) -> float:
        """The wanted mean; the exact one is within 1e-9 of it."""
        return self.wanted

    @property
    def variance(self) -> float:
        """Var[X] = least² + ∫ 2x (1 − G) dx − E[X]²."""
        least, values, weights = self.base.expectation_panels()
        if isinstance(self.base, DiscreteMargin):
            twice_x = self.base.points[1:] + self.base.points[:-1]  # ∫ 2x dx over a step, by its width
        else:
            twice_x = 2 * self.base.quantile(values)
        square = least**2 + float((weights * twice_x) @ (1 - self._moved(values)))
        return max(0.0, square - self.wanted**2)

    def log_likelihood(self, scores: ArrayLike) -> float:
        """Σ log density of the moved margin."""
        x = np.asarray(scores) if isinstance(self.base, DiscreteMargin) else interior(scores)
        with np.errstate(divide="ignore"):
            return float(np.sum(np.log(self.density(x))))

    def expectation_panels(self) -> tuple[float, Vector, Vector]:
        """See :meth:`Margin.expectation_panels`."""
        least, values, weights = self.base.expectation_panels()
        return least, self._moved(values), weights

    def parameters(self) -> dict[str, Any]:
        """a, b and the wanted mean; the base margin is saved with its own."""
        return {"a": self.a, "b": self.b, "wanted": self.wanted}

    def _moved(self, values: Vector) -> Vector:
        return _power(values, self.a, self.b)


def _power(values: Vector, a: float, b: float) -> Vector:
    """Beta(a, b) CDF where one of a and b is 1."""
    if b > 1:
        with np.errstate(divide="ignore"):
            return -np.expm1(b * np.log1p(-values))
    return values**a


def with_mean(margin: Margin, mean: float) -> Margin:
    """The margin moved to a wanted expected value, to 1e-9. O(100) times a sum over its panels.

    A margin that was moved before is moved from its base, not moved again. From Urbano & Nagler (2018);
    see docs/methods/simulation.md, Expected value.
    """
    from scipy.optimize import brentq

    base = margin.base if isinstance(margin, MovedMargin) else margin
    if abs(base.mean - mean) <= 1e-12:
        return base
    if not 0 < mean < 1:
        raise InputError(
            f"a wanted mean must lie between 0 and 1, not at {mean:g}; use a point margin for that"
        )
    least, values, weights = base.expectation_panels()

    def excess(log_power: float) -> float:
        power = math.exp(log_power)
        moved = _power(values, power, 1.0) if up else _power(values, 1.0, power)
        return least + float(weights @ (1 - moved)) - mean

    up = True  # a power of 1 moves nothing, so `excess(0)` is the same for both directions
    up = excess(0.0) < 0
    root, end = math.log(STEEPEST), excess(math.log(STEEPEST))
    if abs(end) > TOLERANCE and (end > 0) != up:
        raise InputError(
            f"no mean of {mean:g} within reach: moving this {base.family} margin "
            f"{'up' if up else 'down'} ends at {end + mean:g}; give the system another margin first"
        )
    if (end > 0) == up:
        root = float(brentq(excess, 0.0, root, xtol=1e-14, rtol=1e-15))
    power = math.exp(root)
    return MovedMargin(base, power if up else 1.0, 1.0 if up else power, float(mean))
