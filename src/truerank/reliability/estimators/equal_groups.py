"""Whether the systems fall into a few groups of equals, beside a spread of their means.

The prior of `eb` is one for all pairs, and tiers hide from it: most of their pairs lie across tiers. Here the
means themselves are looked at: K groups with one true mean each, fitted by EM for K = 1 to 6, against one
normal spread (docs/methods/empirical-bayes.md).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from truerank._support.types import Matrix, Vector
from truerank.reliability.means import Means

MOST_GROUPS = 6
"""The largest K."""

GROUPED = 0.06
"""Prior probability of groups of equals; K groups have a share ∝ 2^−K of it."""

STEPS, ENOUGH = 30, 1e-2
"""Steps of EM at most, and the step, in standard errors of a system, at which it ends."""

SPREADS = np.concatenate([[0.0], np.geomspace(1e-3, 1e3, 61)])
"""Standard deviations of true means that are tried, in root mean squares of the errors."""

LEAST = 1e-4
"""Numbers of groups less probable than that are left out."""


@dataclass(frozen=True, eq=False)
class Grouping:
    """K groups of equals.

    Attributes:
        weight: their probability.
        means: true mean of each, falling.
        shares: m × K, probability of each system to be in each.
    """

    weight: float
    means: Vector
    shares: Matrix

    def swapped(self, rows: slice, columns: slice) -> Matrix:
        """The probability that systems of some rows are truly below those of some columns."""
        k = len(self.means)
        below = np.tri(k, k, -1) + np.eye(k) / 2
        found: Matrix = self.shares[rows] @ below @ self.shares[columns].T
        return found

    def moments(self, rows: slice, columns: slice) -> tuple[Matrix, Matrix]:
        """E[δ^k], k = 1, 2, of the true differences δ between systems of some rows and of some columns."""
        mean = self.shares @ self.means
        spread = self.shares @ self.means**2 - mean**2
        first = mean[rows, None] - mean[columns]
        return first, first**2 + spread[rows, None] + spread[columns]


def groupings(means: Means, directions: float) -> tuple[Grouping, ...]:
    """Groups of equals that the means are not unlikely to fall into. O(m)."""
    m = len(means.theta)
    variances = np.sum(means.beside_average**2, axis=0)
    unit = float(np.sqrt(variances.mean()))
    if m < 3 or not unit > 0:
        return ()
    center = (means.contrasts - means.contrasts.mean()) / unit
    variances = np.maximum(variances / unit**2, 1e-6)
    of_groups = _em(center, variances, min(MOST_GROUPS, m - 1))
    prior = GROUPED * 0.5 ** np.arange(1, len(of_groups) + 1)
    parameters = 2.0 * np.arange(1, len(of_groups) + 1) - 1
    likelihoods = np.array([_spread(center, variances), *(one[0] for one in of_groups)])
    log = np.log([1 - GROUPED, *prior]) + directions / (m - 1) * likelihoods
    log -= np.array([2.0, *parameters]) / 2 * np.log(m)
    weights = np.exp(log - log.max())
    weights /= weights.sum()
    return tuple(
        Grouping(float(weight), at * unit, shares)
        for weight, (_, at, shares) in zip(weights[1:], of_groups, strict=True)
        if weight > LEAST
    )


def _spread(center: Vector, variances: Vector) -> float:
    """The largest log likelihood of one normal spread."""
    total = variances + SPREADS[:, None] ** 2
    mean = (center / total).sum(axis=1) / (1 / total).sum(axis=1)
    return float(
        np.max(-0.5 * np.sum(np.log(2 * np.pi * total) + (center - mean[:, None]) ** 2 / total, axis=1))
    )


def _em(center: Vector, variances: Vector, most: int) -> list[tuple[float, Vector, Matrix]]:
    """Each K up to the most: log likelihood, true means of the groups, falling, and m × K responsibilities.

    From two starts, groups of equal size and those between the largest gaps. All K take their steps together,
    those with fewer groups with a share of 0 for the others.
    """
    order = np.sort(center)
    falls = np.argsort(-np.diff(order), kind="stable")
    starts = []
    for k in range(1, most + 1):
        parts = np.array_split(order, k), np.split(order, np.sort(falls[: k - 1]) + 1)
        starts += [np.pad([part.mean() for part in of], (0, most - k)) for of in parts]
    at = np.array(starts)
    sizes = np.repeat(np.arange(1, most + 1), 2)
    log_shares = np.where(np.arange(most) < sizes[:, None], -np.log(sizes)[:, None], -np.inf)
    base = -0.5 * np.log(2 * np.pi * variances).sum()
    for _ in range(STEPS):
        log, found = _responsibilities(center, variances, at, log_shares)
        precise = np.einsum("gkm,m->gk", found, 1 / variances)
        moved = np.einsum("gkm,m->gk", found, center / variances) / np.maximum(precise, 1e-300)
        with np.errstate(divide="ignore"):
            log_shares = np.log(found.mean(axis=2))
        done = np.abs(moved - at).max() < ENOUGH
        at = moved
        if done:
            break
    log, found = _responsibilities(center, variances, at, log_shares)
    made = []
    for k in range(1, most + 1):
        best = 2 * k - 2 + int(np.argmax(log[2 * k - 2 : 2 * k]))
        falling = np.argsort(-at[best, :k], kind="stable")
        made.append((float(log[best] + base), at[best, falling], found[best, falling].T))
    return made


def _responsibilities(
    center: Vector, variances: Vector, at: Matrix, log_shares: Matrix
) -> tuple[Vector, NDArray[np.float64]]:
    """Log likelihood of each start, and each group's probability of each system, starts × K × m."""
    found = center - at[:, :, None]
    found *= found
    found /= -2 * variances
    found += log_shares[:, :, None]
    top = found.max(axis=1)
    found -= top[:, None, :]
    np.exp(found, out=found)
    total = found.sum(axis=1)
    found /= total[:, None, :]
    return (np.log(total) + top).sum(axis=1), found
