"""Gaussian kernel density, each kernel truncated to [0, 1]."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from truerank._support.types import Vector
from truerank.simulation.margins.base import ContinuousMargin, interior
from truerank.simulation.margins.family import ABOUT, MarginFamily
from truerank.simulation.margins.kernels import (
    effective_degrees,
    gaussian_bandwidth,
    in_blocks,
    kernel_centers,
)


@dataclass(frozen=True)
class GaussianKernelMargin(ContinuousMargin):
    """The mean of N(x_i, h²) truncated to [0, 1], one for each score.

    Every kernel keeps its weight 1/n. Truncating their sum instead would take half of the weight
    from scores of exactly 0, which measures of retrieval are full of. Wand & Jones (1995) on kernels and
    the plug-in bandwidth; see docs/methods/simulation.md.

    Attributes:
        centers: the scores x_i, increasing, inside (0, 1); of more than 2,000, means of neighbors.
        bandwidth: h, the standard deviation of a kernel before it is cut, above 0.
        degrees: effective degrees of freedom, for AIC and BIC; between 1 and n.
    """

    centers: tuple[float, ...]
    bandwidth: float
    degrees: float = field(default=0.0)
    family: ClassVar[str] = "gaussian-kernel"

    @classmethod
    def fit(cls, scores: ArrayLike, support: Vector | None = None) -> GaussianKernelMargin:
        """Plug-in bandwidth; effective degrees of freedom from the kernels' own weights.

        O(n·min(n, 2,000)).
        """
        del support
        every = np.sort(interior(scores))
        bandwidth, x = gaussian_bandwidth(every), kernel_centers(every)
        kernels = np.exp(-0.5 * ((x[:, None] - x) / bandwidth) ** 2)
        return cls(tuple(x.tolist()), bandwidth, effective_degrees(kernels))

    @cached_property
    def _points(self) -> tuple[Vector, Vector, Vector]:
        """Distinct centers, the mass of their kernels below 0, and their weights over masses in [0, 1]."""
        from truerank.numerics.special import ndtr

        centers, counts = np.unique(self.centers, return_counts=True)
        below = ndtr(-centers / self.bandwidth)
        inside = ndtr((1 - centers) / self.bandwidth) - below
        return centers, below, counts / counts.sum() / inside

    def density(self, x: ArrayLike) -> Vector:
        """Density; O(n) a score."""
        centers, _, weights = self._points
        x = np.asarray(x, dtype=np.float64)

        def mixture(some: Vector) -> Vector:
            z = (some[:, None] - centers) / self.bandwidth
            return np.asarray(np.exp(-0.5 * z**2) @ weights / (self.bandwidth * np.sqrt(2 * np.pi)))

        mixed = in_blocks(mixture, x, len(centers))
        return np.where((x >= 0) & (x <= 1), mixed, 0.0)

    def cdf(self, x: ArrayLike) -> Vector:
        """P(X ≤ x); O(n) a score."""
        from truerank.numerics.special import ndtr

        centers, below, weights = self._points

        def share(some: Vector) -> Vector:
            z = (some[:, None] - centers) / self.bandwidth
            return np.asarray((ndtr(z) - below) @ weights)

        return np.clip(in_blocks(share, np.clip(x, 0.0, 1.0), len(centers)), 0.0, 1.0)


GAUSSIAN_KERNEL = MarginFamily(
    "gaussian-kernel",
    discrete=False,
    fit=GaussianKernelMargin.fit,
    rebuild=GaussianKernelMargin,
    **ABOUT["gaussian-kernel"],
)
