"""Pair probabilities from a normal model of the differences: what `ml` and `msqd` share."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from truerank._support.types import Matrix
from truerank.numerics.pairs import all_equal, over_pairs


def t_probabilities(values: Matrix, sigma: Callable[[Matrix], Matrix]) -> Matrix:
    """``p_ij = T_{n−1}(−√n μ̂/σ̂)`` for all pairs of columns (urbano-marrero-2016, eq. 5).

    Args:
        values: n × m scores in ranking order.
        sigma: the estimator of σ, from k × n differences to k numbers ≥ 0.

    Returns:
        m × m, the probabilities above the diagonal; 0 where all differences of a pair are equal.
    """
    from scipy.special import stdtr

    n = len(values)

    def probability(differences: Matrix) -> Matrix:
        mean = differences.mean(axis=1)
        equal = all_equal(differences)
        deviation = sigma(differences)
        certain = equal | (deviation <= 0)
        statistic = np.sqrt(n) * mean / np.where(certain, 1.0, deviation)
        return np.where(certain, 0.0, stdtr(n - 1, -statistic))

    return over_pairs(values, probability)
