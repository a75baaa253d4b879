"""A guarantee for all pairs together: the chance that any two systems are put in the wrong order is below α.

It holds whatever the truth is, also when all systems are equal, which no posterior promises. Every difference
in standard errors is compared, step-down, with the largest in samples of normal scores with the shrunken
covariance. Each sample is studentized by its own variances. docs/methods/ranks.md has what was measured of
this and of other methods.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from truerank._support.types import Matrix, Vector
from truerank.numerics import special
from truerank.numerics.pairs import absolute_t_of_samples, root_of
from truerank.numerics.resampling import step_down_p_values
from truerank.reliability.means import Means

SAMPLES = 2_000
"""Samples of the largest difference; a p-value near 0.05 is known to 0.005."""

SURE = 1e12
"""Statistics beyond it count as this: pairs that differ by the same on every topic."""

BLOCK_VALUES = 1 << 22
"""Covariances, or scores, in memory at a time (32 MB)."""


@dataclass(frozen=True)
class Guarantee:
    """All pairs of m systems, tested at once, m × m each; p-values are adjusted, 1 for identical systems.

    The ends are those of simultaneous intervals of the differences, row minus column.
    """

    p_values: Matrix
    low: Matrix
    high: Matrix


def guarantee(
    means: Means, covariance: Matrix, level: float, rng: Generator, samples: int = SAMPLES
) -> Guarantee:
    """Step-down p-values of all pairs by the largest studentized difference, and simultaneous intervals."""
    m = len(means.theta)
    upper = np.triu_indices(m, 1)
    differences, errors = means.differences[upper], means.deviations[upper]
    common = max(round(means.common_degrees), 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(differences == 0, 0.0, np.minimum(np.abs(differences / errors), SURE))
    observed = _carried(t, means.degrees[upper], common)
    largest = np.empty(0)

    def null() -> Iterator[Matrix]:
        nonlocal largest
        for block in _statistics(covariance, common, samples, rng):
            largest = np.append(largest, block.max(axis=1))
            yield block

    p = step_down_p_values(observed, null())
    # The interval excludes 0 where the test separates the pair in its first step.
    rank = int(np.ceil((1 + samples) * level - 1e-9))
    critical = np.sort(largest)[rank - 1] if rank <= samples else np.inf
    half = _carried(np.full(len(p), critical), np.full(len(p), common), means.degrees[upper]) * errors
    half[errors == 0] = 0.0
    adjusted, low, high = np.ones((m, m)), np.zeros((m, m)), np.zeros((m, m))
    adjusted[upper] = adjusted.T[upper] = p
    low[upper], high[upper] = differences - half, differences + half
    low.T[upper], high.T[upper] = -high[upper], -low[upper]
    return Guarantee(adjusted, low, high)


def _carried(t: Vector, degrees: Vector, to: Vector | int) -> Vector:
    """The t of other degrees of freedom with the same p-value; the same t where there is no p left."""
    if np.all(np.asarray(degrees) == to):
        return t
    tail = special.stdtr(degrees, -t)
    return np.where((tail > 0) & np.isfinite(t), -special.stdtrit(to, np.maximum(tail, 1e-300)), t)


def _statistics(covariance: Matrix, degrees: int, samples: int, rng: Generator) -> Iterator[Matrix]:
    """|t| of all pairs in samples of normal scores of equal systems: blocks of rows of B × m(m−1)/2."""
    m = len(covariance)
    root = root_of(covariance / max(float(np.diag(covariance).max()), 1e-300))
    step = max(1, BLOCK_VALUES // (m * max(m, degrees)))
    for start in range(0, samples, step):
        rows = min(step, samples - start)
        yield absolute_t_of_samples(rng.standard_normal((rows, degrees + 1, m)) @ root)
