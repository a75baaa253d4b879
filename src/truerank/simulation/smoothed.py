"""Kernel-smoothed distribution functions of effects, with a bandwidth meant for them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from truerank._support.types import Vector
from truerank.simulation.margins.table import QuantileTable


@dataclass(frozen=True)
class SmoothedEffect:
    """The mean of N(e_i, h²) over observed effects, confined to an interval.

    Attributes:
        effects: the n observed effects.
        bandwidth: h; 0 where all effects are equal.
        low: quantiles are never below this.
        high: nor above this.
    """

    effects: Vector
    bandwidth: float
    low: float
    high: float

    @classmethod
    def fit(cls, effects: Vector, reach: float) -> SmoothedEffect:
        """Smooth on [−reach, reach], wider for effects beyond it. O(n²)."""
        low, high = min(-reach, float(effects.min())), max(reach, float(effects.max()))
        return cls(effects, cdf_bandwidth(effects), low, high)

    def cdf(self, x: ArrayLike) -> Vector:
        """The smoothed distribution function, O(n) a point."""
        from scipy.special import ndtr

        return np.mean(ndtr((np.asarray(x)[..., None] - self.effects) / self.bandwidth), axis=-1)

    @cached_property
    def _table(self) -> QuantileTable:
        return QuantileTable.build(self.cdf, self.low, self.high)

    def quantile(self, u: ArrayLike) -> Vector:
        """Quantiles, accurate to 4e-6 in u."""
        if self.bandwidth == 0.0:
            return np.full(np.shape(u), self.effects[0])
        return self._table(u)


def cdf_bandwidth(x: Vector) -> float:
    """Plug-in bandwidth for a Gaussian-kernel distribution function (Polansky & Baker 2000, two stages).

    ``h = (1 / (√π n R(f′)))^{1/3}`` minimises the asymptotic mean integrated squared error of the
    distribution function; R(f′) = −ψ₂ is estimated with a kernel whose bandwidth rests on ψ₄, and
    that on ψ₆ of a normal. Narrower than a density's bandwidth (n^{−1/3} instead of n^{−1/5}).
    0 where all values are equal.
    """
    n, scale = len(x), float(np.std(x, ddof=1)) if len(x) > 1 else 0.0
    if scale <= 1e-12 * max(1.0, float(np.abs(x).max())):
        return 0.0
    z = (x - x.mean()) / scale
    differences = z[:, None] - z
    psi6 = -15 / (16 * np.sqrt(np.pi))
    pilot4 = (-2 * 3 / (np.sqrt(2 * np.pi) * psi6 * n)) ** (1 / 7)
    psi4 = _functional(differences, pilot4, 4)
    pilot2 = (2 / (np.sqrt(2 * np.pi) * psi4 * n)) ** (1 / 5)
    roughness = -_functional(differences, pilot2, 2)
    return float(scale * (1 / (np.sqrt(np.pi) * n * roughness)) ** (1 / 3))


def _functional(differences: NDArray[np.float64], bandwidth: float, derivative: int) -> float:
    """ψ_r = n⁻² Σ φ⁽ʳ⁾_g(X_a − X_b) over all ordered pairs, for r = 2 or 4."""
    u2 = (differences / bandwidth) ** 2
    hermite = u2 - 1 if derivative == 2 else (u2 - 6) * u2 + 3
    density = np.exp(-u2 / 2) / np.sqrt(2 * np.pi)
    return float(np.mean(density * hermite) / bandwidth ** (derivative + 1))
