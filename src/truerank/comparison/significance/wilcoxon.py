"""Wilcoxon's signed-rank test of all pairs of systems, by SciPy."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from truerank._support.types import Matrix
from truerank.comparison.significance.significance_test import ABOUT, SignificanceTest, computed
from truerank.numerics.pairs import over_pairs
from truerank.scores import TIE


def wilcoxon_p_values(values: Matrix) -> Matrix:
    """Two-sided p-values of Wilcoxon's signed-rank test, read above the diagonal of m × m."""
    return over_pairs(values, _p_values)


def _p_values(differences: Matrix) -> Matrix:
    from scipy.stats import wilcoxon

    differences[np.abs(differences) <= TIE] = 0.0
    differences = differences.round(12)  # equal differences get equal ranks
    p = np.ones(len(differences))
    some = np.any(differences != 0, axis=1)
    plain = some & _distinct(differences)
    if plain.any():
        p[plain] = wilcoxon(differences[plain], axis=1, method="auto").pvalue
    tied = some & ~plain
    if tied.any():
        p[tied] = wilcoxon(differences[tied], axis=1, method="approx").pvalue
    return p


def _distinct(differences: Matrix) -> NDArray[np.bool_]:
    """Pairs without zero differences and without two of the same size."""
    sizes = np.sort(np.abs(differences), axis=1)
    return (sizes[:, 0] > 0) & (np.diff(sizes, axis=1) > 0).all(axis=1)


WILCOXON = SignificanceTest("wilcoxon", p_values=computed(wilcoxon_p_values), **ABOUT["wilcoxon"])
"""On the ranks of the differences."""
