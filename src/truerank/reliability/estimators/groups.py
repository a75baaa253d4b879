"""Whether the systems fall into a few groups, which a prior with one peak does not foresee.

With one system ahead of many equal ones, or with tiers, distant pairs widen the prior of all others. So K
groups of systems, with different means and one spread, are fitted by EM for K = 1 to 5 and for
several spreads (docs/methods/nearly-equal.md).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from truerank._support.types import Matrix, Vector
from truerank.reliability.means import Means

MOST_GROUPS = 5
"""The largest K."""

FEWEST_SYSTEMS = 5
"""With fewer systems there is no telling whether they fall into groups."""

SEVERAL = 0.06
"""Prior probability of more than one group; each more is half as likely."""

EQUAL = 0.5
"""Prior probability that the systems of a group are equal, where there are several groups."""

FAR, FEW = 8.0, 0.1
"""Distance, in errors of a system, and share of the systems, of outliers, beside which others seem equal."""

SPREADS = np.array([0.0, 0.5, 1.0, 2.0, 4.0, 10.0, 25.0])
"""Standard deviations of true means within a group that are tried, in errors of a system."""

NEARLY = 1.0
"""Spread from which on the systems of a group are not nearly equal."""

LEAST = 1e-3
"""Fits less probable than that are left out."""

STEPS = 10
"""Steps of EM."""


@dataclass(frozen=True, eq=False)
class Groups:
    """All fits: for each K, each of `SPREADS` and, of those, K groups, padded with empty ones."""

    log_likelihoods: Matrix  # K × spreads
    means: NDArray[np.float64]  # true mean of each group, in errors of a system, K × spreads × K
    shares: NDArray[np.float64]  # of the systems, K × spreads × K

    def weights(self, systems: int, directions: float, log_spreads: Vector) -> Matrix:
        """Posterior weight of several groups whose systems are nearly equal, for each fit."""
        further, outliers = self._beside_one(systems)
        part = np.minimum(further, 1.0)
        spreads = np.exp(log_spreads)
        several = part * SEVERAL * 0.5 ** np.maximum(further, 1.0)
        several = several * (EQUAL * (SPREADS == 0) + (1 - EQUAL) * spreads)
        log = outliers * np.log(SEVERAL) + directions / (systems - 1) * self.log_likelihoods
        log -= np.arange(len(log))[:, None] * np.log(systems)
        likelihoods = np.exp(log - log.max())
        of_several = several * likelihoods
        total = np.sum(of_several + (1 - part) * (1 - SEVERAL) * spreads * likelihoods)
        found: Matrix = np.where(SPREADS < NEARLY, of_several / total, 0.0)
        return found

    def _beside_one(self, systems: int) -> tuple[Matrix, Matrix]:
        """How many groups there are beside one, and outliers: few systems that are far from all others."""
        there = self.shares * systems > 0.5
        few = self.shares <= max(FEW, 1.5 / systems)
        away = np.abs(self.means[..., None] - self.means[..., None, :])
        nearest = np.min(away, axis=3, where=(there & ~few)[..., None, :], initial=np.inf)
        groups = np.where(few & np.isfinite(nearest), 1 / (1 + (nearest / FAR) ** 4), 1.0)
        further = np.maximum(np.sum(groups, axis=2, where=there) - 1, 0.0)
        return further, np.sum(1 - groups, axis=2, where=there)


def fitted(means: Means) -> Groups | None:
    """Groups of the means of systems in ranking order; ``None`` where there are few. O(m)."""
    m = len(means.theta)
    variances = np.sum(means.beside_average**2, axis=0)
    unit = float(np.sqrt(variances.mean()))
    if m < FEWEST_SYSTEMS or not unit > 0:
        return None
    center = (means.contrasts - means.contrasts.mean()) / unit
    # EM may start on a ridge, where it makes rounding errors larger.
    return _em(np.round(center, 9), np.maximum(np.round(variances / unit**2, 9), 1e-6))


def _em(center: Vector, variances: Vector) -> Groups:
    """EM from two starts, groups of equal size and those between the largest gaps; all fits at once."""
    most = min(MOST_GROUPS, len(center) - 1)
    order = np.sort(center)
    falls = np.argsort(-np.round(np.diff(order), 8), kind="stable")  # rounding errors break no ties
    starts = []
    for k in range(1, most + 1):
        parts = np.array_split(order, k), np.split(order, np.sort(falls[: k - 1]) + 1)
        starts += [np.pad([part.mean() for part in of], (0, most - k)) for of in parts]
    fits, spreads = len(starts), len(SPREADS)
    at = np.repeat(np.array(starts), spreads, axis=0)
    sizes = np.repeat(np.arange(1, most + 1), 2 * spreads)
    log_shares = np.where(np.arange(most) < sizes[:, None], -np.log(sizes)[:, None], -np.inf)
    total = variances + np.tile(SPREADS, fits)[:, None] ** 2
    for _ in range(STEPS):
        _, found = _responsibilities(center, total, at, log_shares)
        precise = np.einsum("gkm,gm->gk", found, 1 / total)
        moved = np.einsum("gkm,gm->gk", found, center / total) / np.maximum(precise, 1e-300)
        at = np.where(precise > 1e-12, moved, at)
        with np.errstate(divide="ignore"):
            log_shares = np.log(found.mean(axis=2))
    log, _ = _responsibilities(center, total, at, log_shares)
    log = (log - 0.5 * np.log(2 * np.pi * total).sum(axis=1)).reshape(most, 2, spreads)
    best = log.argmax(axis=1)[:, None]

    def of_best(x: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.take_along_axis(x.reshape(most, 2, spreads, most), best[..., None], axis=1)[:, 0]

    return Groups(np.take_along_axis(log, best, axis=1)[:, 0], of_best(at), of_best(np.exp(log_shares)))


def _responsibilities(
    center: Vector, total: Matrix, at: Matrix, log_shares: Matrix
) -> tuple[Vector, NDArray[np.float64]]:
    """Log likelihood of each fit but for a constant, and each group's probability of each system."""
    found = center - at[:, :, None]
    found *= found
    found /= -2 * total[:, None]
    found += log_shares[:, :, None]
    top = found.max(axis=1)
    found -= top[:, None]
    np.exp(found, out=found)
    whole = found.sum(axis=1)
    found /= whole[:, None]
    return (np.log(whole) + top).sum(axis=1), found
