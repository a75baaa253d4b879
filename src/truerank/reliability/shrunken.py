"""How good systems are once selection is allowed for: posterior means of their contrasts, and the leader's.

A leader was picked for being first, so its observed lead is too large on average. The empirical-Bayes
posterior of every pair (:mod:`truerank.reliability.estimators.eb`) gives the expected true difference; a
system's mean over all others is its shrunken contrast to the average system (docs/methods/leader.md).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from truerank._support.types import Matrix, Vector
from truerank.reliability.estimators import eb
from truerank.reliability.means import Means


@dataclass(frozen=True)
class Contrasts:
    """Every system beside the average one, in ranking order.

    Attributes:
        observed: a, the score minus the mean score of all systems, m.
        errors: s, its standard error, m.
        shrunken: ã, its posterior mean, m.
        spread: r, the posterior variance of its differences in units of s², m.
        gap: the posterior mean of the first system's lead over the second.
    """

    observed: Vector
    errors: Vector
    shrunken: Vector
    spread: Vector
    gap: float

    @property
    def limited(self) -> Vector:
        """The shrunken contrasts, each moved by at most one standard error (Efron & Morris 1972).

        A system far ahead of all others would otherwise be shrunken as if it were like them.
        """
        return np.clip(self.shrunken, self.observed - self.errors, self.observed + self.errors)


def contrasts(means: Means) -> Contrasts:
    """The contrasts of all systems, observed and shrunken. O(m²)."""
    weights, _ = eb.learned(means)
    m = len(means.theta)
    shrunken, spread, gap = np.zeros(m), np.zeros(m), 0.0
    for start, z, deviations in eb.statistic_blocks(means):
        rows = slice(start, start + len(z))
        above = np.arange(start, m) > np.arange(m)[rows, None]
        expected, variance = _moments(weights, means, z, above & np.isfinite(z), rows)
        expected *= deviations
        sure = above & np.isinf(z)  # the same difference on every topic is the true one
        expected[sure] = (means.contrasts[rows, None] - means.contrasts[start:])[sure]
        for total, part, sign in ((shrunken, expected, -1), (spread, variance, 1)):
            total[rows] += part.sum(axis=1)
            total[start:] += sign * part.sum(axis=0)
        gap = gap if start else float(expected[0, 1])
    return Contrasts(
        observed=means.theta - means.theta.mean(),
        errors=_errors(means),
        shrunken=shrunken / m,
        spread=spread / (m - 1),
        gap=gap,
    )


def _errors(means: Means) -> Vector:
    """Standard errors of the contrasts: those of the same means with influence rows that are centered."""
    assert means.influences is not None
    centered = means.influences - means.influences.mean(axis=1, keepdims=True)
    errors, _ = replace(means, influences=centered, values=None).system_errors()
    return errors


def _moments(
    weights: Vector, means: Means, z: Matrix, here: NDArray[np.bool_], rows: slice
) -> tuple[Matrix, Matrix]:
    """Mean and variance of δ/s of some pairs in a block of rows, 0 elsewhere."""
    seen = z[here]
    first, second = np.zeros_like(seen), np.zeros_like(seen)
    for at, share in eb.nodes(eb.picked(means.degrees[rows, rows.start :], here)):
        for total, table in zip((first, second), _moment_tables(at, means.effective), strict=True):
            total += share * np.interp(seen, eb.STATISTICS, weights @ table)
    mean, variance = np.zeros_like(z), np.zeros_like(z)
    mean[here], variance[here] = first, second - first**2
    return mean, variance


@lru_cache(maxsize=16)
def _moment_tables(degrees: float, topics: float) -> tuple[Matrix, Matrix]:
    """E[(ζ/u)^k | z] for k = 1, 2 at each hyperparameter and z, H × Z each."""
    prior = eb._prior(topics, eb.FAR_SHARE)
    above, below, *powers = (prior @ kernel.T for kernel in eb.kernels(degrees))
    return powers[0] / (above + below), powers[1] / (above + below)
