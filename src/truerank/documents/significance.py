"""Paired t statistics of all pairs of systems, in many samples at once (yang-2018, eq. 1)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from truerank._support.types import Matrix
from truerank.scores import TIE

BLOCK_VALUES = 1 << 21
"""Scores or covariances handled at a time (16 MB an array)."""


def paired_t(scores: NDArray[np.float64]) -> Matrix:
    """|t| of every pair in every sample: ``|z̄| / (s_z/√n)`` over n topics.

    Where all differences are equal (s_z = 0), |t| is infinite, or 0 if they are all zero.

    Args:
        scores: k × n × m, n ≥ 2 topics.

    Returns:
        k × m(m−1)/2, pairs in the order of ``np.triu_indices(m, 1)``. O(k·n·m²) by matrix products.
    """
    k, n, m = scores.shape
    upper = np.triu_indices(m, 1)
    statistics = np.empty((k, len(upper[0])))
    step = max(1, BLOCK_VALUES // (m * max(n, m)))
    for start in range(0, k, step):
        block = scores[start : start + step]
        means = block.mean(axis=1)
        centred = block - means[:, None, :]
        covariance = centred.transpose(0, 2, 1) @ centred / (n - 1)
        variances = np.diagonal(covariance, axis1=1, axis2=2)
        total = variances[:, upper[0]] + variances[:, upper[1]]
        squared = total - 2 * covariance[:, *upper]
        squared[squared <= 1e-14 * total] = 0.0  # rounding is all there is
        gaps = np.abs(means[:, upper[0]] - means[:, upper[1]])
        with np.errstate(divide="ignore", invalid="ignore"):
            t = gaps / np.sqrt(squared / n)
        statistics[start : start + step] = np.where(gaps <= TIE, 0.0, t)
    return statistics


def critical_t(alpha: float, topics: int) -> float:
    """``t(1 − α/2, n − 1)``: the two-sided critical value."""
    from scipy.special import stdtrit

    return float(stdtrit(topics - 1, 1 - alpha / 2))
