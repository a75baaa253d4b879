"""Kernel-smoothed distribution functions of effects, with a bandwidth meant for them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from truerank._support.types import Vector
from truerank.numerics.kernel_density import cdf_bandwidth
from truerank.simulation.margins.kernels import in_blocks
from truerank.simulation.margins.table import QuantileTable


@dataclass(frozen=True)
class SmoothedEffect:
    """The mean of N(e_i, h²) over observed effects, confined to an interval."""

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

        def share(some: Vector) -> Vector:
            return np.asarray(np.mean(ndtr((some[:, None] - self.effects) / self.bandwidth), axis=-1))

        return in_blocks(share, x, len(self.effects))

    @cached_property
    def _table(self) -> QuantileTable:
        return QuantileTable.build(self.cdf, self.low, self.high)

    def quantile(self, u: ArrayLike) -> Vector:
        """Quantiles, accurate to 4e-6 in u."""
        if self.bandwidth == 0.0:
            return np.full(np.shape(u), self.effects[0])
        return self._table(u)
