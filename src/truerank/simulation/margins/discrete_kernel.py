"""Wang and van Ryzin's kernel smoothing of counts on a finite, ordered support."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from truerank._support.types import Matrix, Vector
from truerank.errors import InputError
from truerank.simulation.margins.base import DiscreteMargin, counts_on
from truerank.simulation.margins.family import ABOUT, MarginFamily
from truerank.simulation.margins.kernels import effective_degrees

# Multiples of the cross-validated bandwidth; the selection criterion chooses among them.
MULTIPLIERS = (1, 2, 5, 10)


@dataclass(frozen=True)
class DiscreteKernelMargin(DiscreteMargin):
    """Each score keeps ``1 − λ`` of its weight and gives ``½(1 − λ)λᵈ`` to points d steps away.

    Wang & van Ryzin (1981). On a finite support each kernel is divided by its sum, so that a score
    at the end does not lose the half that would fall off.

    Attributes:
        support: the k scores that can occur, increasing, in [0, 1].
        counts: how many of the fitted scores lie on each point, k.
        bandwidth: λ, in [0, 1]; 0 leaves the counts as they are.
        degrees: effective degrees of freedom, for AIC and BIC.
    """

    support: tuple[float, ...]
    counts: tuple[float, ...]
    bandwidth: float
    degrees: float = field(default=0.0)
    family: ClassVar[str] = "discrete-kernel"

    @classmethod
    def fit(
        cls, scores: ArrayLike, support: Vector | None = None, multiplier: float = 1
    ) -> DiscreteKernelMargin:
        """λ by least-squares cross-validation, times the multiplier, at most 1. O(n + k²)."""
        from scipy.optimize import minimize_scalar

        if support is None:
            raise InputError("a discrete kernel margin needs a support; give the scores that can occur")
        counts = counts_on(scores, support)
        n = counts.sum()

        def loss(bandwidth: float) -> float:
            weights = _kernels(len(support), bandwidth)
            masses = weights @ counts / n
            left_out = (weights @ counts - np.diag(weights)) / max(n - 1, 1)
            return float(masses @ masses - 2 * counts @ left_out / n)

        # The criterion may have several dips: look along a grid first.
        grid = np.linspace(0.0, 1.0, 21)
        best = int(np.argmin([loss(b) for b in grid]))
        ends = (grid[max(best - 1, 0)], grid[min(best + 1, len(grid) - 1)])
        result = minimize_scalar(loss, bounds=ends, method="bounded", options={"xatol": 1e-6})
        chosen = float(result.x) if result.fun < loss(grid[best]) else float(grid[best])
        bandwidth = min(multiplier * chosen, 1.0)
        seen = counts > 0
        weights = _kernels(len(support), bandwidth)[np.ix_(seen, seen)]
        return cls(
            tuple(support.tolist()),
            tuple(counts.tolist()),
            bandwidth,
            effective_degrees(weights, counts[seen]),
        )

    @cached_property
    def masses(self) -> Vector:
        """The mass of each point of the support."""
        counts = np.asarray(self.counts)
        return _kernels(len(self.support), self.bandwidth) @ (counts / counts.sum())


def _kernels(points: int, bandwidth: float) -> Matrix:
    """k × k; column j is the kernel of point j, summing to 1. The factor 1 − λ cancels."""
    steps = np.abs(np.subtract.outer(np.arange(points), np.arange(points)))
    weights = np.where(steps == 0, 1.0, 0.5 * np.power(bandwidth, steps))
    return weights / weights.sum(axis=0)


def _family(multiplier: int) -> MarginFamily:
    """The family with that many times the cross-validated bandwidth."""
    return MarginFamily(
        "discrete-kernel" if multiplier == 1 else f"discrete-kernel-{multiplier}",
        f"discrete kernel, bandwidth × {multiplier}",
        discrete=True,
        fit=partial(DiscreteKernelMargin.fit, multiplier=multiplier),
        rebuild=DiscreteKernelMargin if multiplier == 1 else None,
        **ABOUT["discrete-kernel"],
    )


DISCRETE_KERNELS = tuple(_family(multiplier) for multiplier in MULTIPLIERS)  # one family for each multiplier
