"""Rank tests by their normal and t approximations, without `scipy.stats`, which is slow to import."""

from __future__ import annotations

import numpy as np

from truerank._support.types import Vector

EXACT = 8  # with at most this many values in the smaller sample, and no ties, the rank-sum test is exact


def average_ranks(values: Vector) -> tuple[Vector, Vector]:
    """The rank of each value from 1 on, averaged over ties; and how often each value occurs."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks = np.cumsum(counts) - (counts - 1) / 2
    return ranks[place], counts.astype(np.float64)


def rank_sum_p_value(first: Vector, second: Vector) -> float:
    """Two-sided p-value of the rank-sum test of two samples (Mann & Whitney 1947), corrected for ties."""
    from truerank.numerics.special import ndtr

    k, others = len(first), len(second)
    ranks, ties = average_ranks(np.concatenate([first, second]))
    if min(k, others) <= EXACT and len(ties) == len(ranks):
        from scipy.stats import mannwhitneyu

        return float(mannwhitneyu(first, second, method="exact").pvalue)
    n = k + others
    above = float(ranks[:k].sum()) - k * (k + 1) / 2
    variance = k * others / 12 * ((n + 1) - float(np.sum(ties**3 - ties)) / (n * (n - 1)))
    if variance <= 0:
        return 1.0
    away = abs(above - k * others / 2) - 0.5
    return float(min(2 * ndtr(-away / np.sqrt(variance)), 1.0))


def rank_correlation_p_value(first: Vector, second: Vector) -> float:
    """Two-sided p-value of Spearman's rank correlation, by the t distribution; NaN for a constant."""
    from truerank.numerics.special import stdtr

    ranks = [average_ranks(values)[0] for values in (first, second)]
    centered = [x - x.mean() for x in ranks]
    squares = float(centered[0] @ centered[0]) * float(centered[1] @ centered[1])
    if squares <= 0:
        return float("nan")
    r = float(np.clip(centered[0] @ centered[1] / np.sqrt(squares), -1.0, 1.0))
    if abs(r) == 1:
        return 0.0
    degrees = len(first) - 2
    return float(2 * stdtr(degrees, -abs(r) * np.sqrt(degrees / ((1 + r) * (1 - r)))))
