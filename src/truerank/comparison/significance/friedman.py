"""Friedman's test of all systems by their ranks, and the comparisons of pairs that follow it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from truerank._support.types import Matrix, Vector
from truerank.comparison.significance.significance_test import ABOUT, SignificanceTest, computed
from truerank.comparison.significance.tukey import range_sf


@dataclass(frozen=True)
class Friedman:
    """Friedman's test of no difference between the systems."""

    ranks: Vector  # m mean ranks, the best system's lowest; equal scores share their mean rank
    statistic: float  # χ² with m − 1 degrees of freedom, corrected for equal scores
    p_value: float
    error: float  # √(m(m + 1) / 6n), the standard error of a difference of mean ranks without ties


def friedman(values: Matrix) -> Friedman:
    """Friedman's test of n × m scores. O(n·m log m)."""
    from scipy.stats import rankdata

    from truerank.numerics.special import chdtrc

    n, m = values.shape
    within = rankdata(-values, axis=1)
    ranks = within.mean(axis=0)
    # With equal scores the squares of the ranks add up to less.
    squares = np.sum(within**2) - n * m * (m + 1) ** 2 / 4
    statistic = 0.0
    if squares > 0:
        statistic = float(n**2 * (m - 1) * np.sum((ranks - (m + 1) / 2) ** 2) / squares)
    return Friedman(ranks, statistic, float(chdtrc(m - 1, statistic)), float(np.sqrt(m * (m + 1) / (6 * n))))


def friedman_p_values(values: Matrix) -> Matrix:
    """p-values of differences of mean ranks, m × m, 1 on the diagonal; none below that of Friedman's test."""
    from truerank.numerics.special import ndtr

    found = friedman(values)
    z = np.abs(found.ranks[:, None] - found.ranks) / found.error
    p = np.maximum(2 * ndtr(-z), found.p_value)
    np.fill_diagonal(p, 1.0)
    return p


def nemenyi_p_values(values: Matrix) -> Matrix:
    """p-values of Nemenyi's test of all pairs, m × m, 1 on the diagonal."""
    found = friedman(values)
    q = np.sqrt(2) * np.abs(found.ranks[:, None] - found.ranks) / found.error
    p = range_sf(q.ravel(), values.shape[1]).reshape(q.shape)
    np.fill_diagonal(p, 1.0)
    return p


FRIEDMAN = SignificanceTest("friedman", p_values=computed(friedman_p_values), **ABOUT["friedman"])

NEMENYI = SignificanceTest(
    "nemenyi", p_values=computed(nemenyi_p_values), simultaneous=True, **ABOUT["nemenyi"]
)
