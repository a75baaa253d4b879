"""Beta kernel density: every score is spread as a beta distribution with its mode there."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from truerank._support.types import Vector
from truerank.simulation.margins.base import ContinuousMargin, interior
from truerank.simulation.margins.beta import BetaMargin
from truerank.simulation.margins.family import ABOUT, MarginFamily
from truerank.simulation.margins.kernels import effective_degrees, gaussian_bandwidth, kernel_centers


@dataclass(frozen=True)
class BetaKernelMargin(ContinuousMargin):
    """The mean of Beta(x_i/b + 1, (1 − x_i)/b + 1), one for each score (after Chen 1999).

    Chen's estimator puts the point of evaluation where this one has the score. This one is a mixture, so it
    integrates to 1, its CDF is exact, and no score of exactly 0 is lost.

    Attributes:
        centers: the scores x_i, increasing, inside (0, 1); of more than 2,000, means of neighbors.
        bandwidth: b, in (0, 1]; a kernel's variance is about ``b·x(1 − x)``.
        degrees: effective degrees of freedom, for AIC and BIC; between 1 and n.
    """

    centers: tuple[float, ...]
    bandwidth: float
    degrees: float = field(default=0.0)
    family: ClassVar[str] = "beta-kernel"

    @classmethod
    def fit(cls, scores: ArrayLike, support: Vector | None = None) -> BetaKernelMargin:
        """Bandwidth b with which the mean kernel variance ``b·x(1 − x)`` is the plug-in h².

        O(n·min(n, 2,000)).
        """
        del support
        every = np.sort(interior(scores))
        bandwidth = min(gaussian_bandwidth(every) ** 2 / float(np.mean(every * (1 - every))), 1.0)
        x = kernel_centers(every)
        kernels = np.stack([_kernel(center, bandwidth).density(x) for center in x], axis=1)
        return cls(tuple(x.tolist()), bandwidth, effective_degrees(kernels))

    @cached_property
    def _kernels(self) -> tuple[tuple[float, BetaMargin], ...]:
        """Each distinct score's weight and kernel."""
        centers, counts = np.unique(self.centers, return_counts=True)
        weights = (counts / counts.sum()).tolist()
        return tuple(
            (weight, _kernel(center, self.bandwidth))
            for weight, center in zip(weights, centers.tolist(), strict=True)
        )

    def density(self, x: ArrayLike) -> Vector:
        """Density; O(n) a score."""
        x = np.asarray(x, dtype=np.float64)
        return np.asarray(sum(weight * kernel.density(x) for weight, kernel in self._kernels))

    def cdf(self, x: ArrayLike) -> Vector:
        """P(X ≤ x); O(n) a score."""
        x = np.asarray(x, dtype=np.float64)
        return np.clip(sum(weight * kernel.cdf(x) for weight, kernel in self._kernels), 0.0, 1.0)


def _kernel(center: float, bandwidth: float) -> BetaMargin:
    return BetaMargin(center / bandwidth + 1, (1 - center) / bandwidth + 1)


BETA_KERNEL = MarginFamily(
    "beta-kernel", discrete=False, fit=BetaKernelMargin.fit, rebuild=BetaKernelMargin, **ABOUT["beta-kernel"]
)
