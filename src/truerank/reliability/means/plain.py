"""The plain mean over topics, and over clusters of topics that are not independent."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from truerank._support.types import Matrix
from truerank.reliability.means.means import Means


def plain_means(values: Matrix, unit: str = "topic") -> Means:
    """Means of n × m complete scores of topics that count alike: ``U_t = (x_t − x̄)/n``. O(n·m).

    Args:
        values: n × m scores, n ≥ 2.
        unit: what a row is.

    Returns:
        Their means; n effective topics, n − 1 degrees of freedom.

    Example:
        >>> means = plain_means(np.array([[0.2, 0.5], [0.4, 0.5], [0.6, 0.8]]))
        >>> means.theta.round(3).tolist(), means.unit
        ([0.4, 0.6], 'topic')
    """
    n = len(values)
    theta = values.mean(axis=0)
    # Differences between systems are exact from scores without what all systems share on a topic.
    within = values - values.mean(axis=1, keepdims=True)
    return Means(
        theta=theta,
        contrasts=within.mean(axis=0),
        influences=(values - theta) / n,
        strata=np.zeros(n, dtype=np.intp),
        factors=np.array([n / max(n - 1, 1)]),
        stratum_degrees=np.array([max(n - 1.0, 1.0)]),
        effective=float(n),
        unit=unit,
        values=values,
    )


def summed(rows: Matrix, groups: NDArray[np.intp]) -> Matrix:
    """The sum of the rows of each group, in the order of the groups' numbers. O(N·m)."""
    order = np.argsort(groups, kind="stable")
    starts = np.flatnonzero(np.diff(groups[order], prepend=-1))
    return np.add.reduceat(rows[order], starts, axis=0)


def effective_number(groups: NDArray[np.intp]) -> float:
    """``n²/Σ n_g²``: how many groups of equal size would leave the same error as these of n topics."""
    sizes = np.unique(groups, return_counts=True)[1].astype(np.float64)
    return float(sizes.sum() ** 2 / (sizes**2).sum())
