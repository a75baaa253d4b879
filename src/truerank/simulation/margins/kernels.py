"""What kernel margins share, and kernel-smoothed distribution functions of effects."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from truerank._support.types import Matrix, Vector
from truerank.numerics.kernel_density import cdf_bandwidth, plug_in_bandwidth
from truerank.simulation.margins.table import QuantileTable

MOST_CENTERS = 2_000  # the most kernels of a margin; with more scores each is for several neighbors
BLOCK_VALUES = 1 << 17  # values of kernels in memory at a time (1 MB)


def kernel_centers(scores: Vector) -> Vector:
    """The sorted scores, or `MOST_CENTERS` means of equally many neighbors, which bound time and memory."""
    x = np.sort(scores)
    if len(x) <= MOST_CENTERS:
        return x
    edges = np.linspace(0, len(x), MOST_CENTERS + 1)
    # The integral of the empirical quantile function up to each edge, which may be between two scores.
    total = np.interp(edges, np.arange(len(x) + 1), np.concatenate([[0.0], np.cumsum(x)]))
    means: Vector = np.diff(total) / np.diff(edges)
    return np.clip(means, x[0], x[-1])


def in_blocks(work: Callable[[Vector], Vector], x: ArrayLike, kernels: int) -> Vector:
    """`work` applied to x in blocks whose kernels fit into `BLOCK_VALUES`."""
    flat = np.asarray(x, dtype=np.float64).ravel()
    step = max(1, BLOCK_VALUES // kernels)
    result = np.empty(len(flat))
    for start in range(0, len(flat), step):
        result[start : start + step] = work(flat[start : start + step])
    return result.reshape(np.shape(x))


def gaussian_bandwidth(scores: Vector) -> float:
    """Plug-in bandwidth (Wand & Jones 1995), or Silverman's where most are tied; at least 1e-4."""
    bandwidth = float(plug_in_bandwidth(scores[None, :])[0])
    if bandwidth == 0.0:
        bandwidth = 0.9 * float(scores.std(ddof=1)) * len(scores) ** -0.2
    return max(bandwidth, 1e-4)


def effective_degrees(kernels: Matrix, counts: Vector | None = None) -> float:
    """Σ_i K_i(x_i) / Σ_j K_j(x_i), from 1 to n: how much each density owes to the score itself."""
    times = np.ones(len(kernels)) if counts is None else counts
    own = np.sum(times * np.diag(kernels) / (kernels @ times))
    return float(np.clip(own, 1.0, times.sum()))


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
        from truerank.numerics.special import ndtr

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
