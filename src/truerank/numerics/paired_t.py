"""Paired t statistics: of all pairs of systems, in one table of scores or in many samples at once."""

from __future__ import annotations

import numpy as np

from truerank._support.types import Matrix, Vector
from truerank.numerics.pairs import all_equal, over_pairs
from truerank.scores import TIE

BLOCK_VALUES = (
    1 << 21
)  # scores or covariances that `absolute_t_of_samples` handles at a time (16 MB an array)


def mean_and_deviation(differences: Matrix) -> tuple[Vector, Vector]:
    """Mean and standard deviation (n − 1) of each row of k × n differences, n ≥ 2."""
    deviation = differences.std(axis=1, ddof=1)
    deviation[all_equal(differences)] = 0.0
    return differences.mean(axis=1), deviation


def t_statistics(differences: Matrix) -> Vector:
    """``t = mean/(s/√n)`` of each row of k × n differences."""
    mean, deviation = mean_and_deviation(differences)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = mean / (deviation / np.sqrt(differences.shape[1]))
    t[(deviation == 0) & (np.abs(mean) <= TIE)] = 0.0
    return t


def paired_t(values: Matrix) -> Matrix:
    """Paired t statistics of all pairs i < j of the columns of n × m scores. O(n·m²)."""
    return over_pairs(values, t_statistics)


def absolute_t_of_samples(scores: Matrix) -> Matrix:
    """|t| of every pair of systems in every sample: ``|z̄|/(s_z/√n)`` over n topics (yang-2018, eq. 1)."""
    k, n, m = scores.shape
    upper = np.triu_indices(m, 1)
    statistics = np.empty((k, len(upper[0])))
    step = max(1, BLOCK_VALUES // (m * max(n, m)))
    for start in range(0, k, step):
        block = scores[start : start + step]
        means = block.mean(axis=1)
        centered = block - means[:, None, :]
        covariance = centered.transpose(0, 2, 1) @ centered / (n - 1)
        variances = np.diagonal(covariance, axis1=1, axis2=2)
        total = variances[:, upper[0]] + variances[:, upper[1]]
        squared = total - 2 * covariance[:, *upper]
        squared[squared <= 1e-14 * total] = 0.0  # only rounding
        gaps = np.abs(means[:, upper[0]] - means[:, upper[1]])
        with np.errstate(divide="ignore", invalid="ignore"):
            t = gaps / np.sqrt(squared / n)
        statistics[start : start + step] = np.where(gaps <= TIE, 0.0, t)
    return statistics


def two_sided_p(t: Matrix, topics: int) -> Matrix:
    """Two-sided p-values of t statistics over n topics, n − 1 degrees of freedom; 0 where t is infinite."""
    from truerank.numerics.special import stdtr

    return 2 * stdtr(topics - 1, -np.abs(t))


def critical_t(alpha: float, topics: int) -> float:
    """The two-sided critical value ``t(1 − α/2, n − 1)``."""
    from truerank.numerics.special import stdtrit

    return float(stdtrit(topics - 1, 1 - alpha / 2))
