"""Wilcoxon's signed-rank test of all pairs of systems, by SciPy."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from truerank._support.types import Matrix
from truerank.comparison.significance.significance_test import SignificanceTest, computed
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
    distinct: NDArray[np.bool_] = (sizes[:, 0] > 0) & (np.diff(sizes, axis=1) > 0).all(axis=1)
    return distinct


WILCOXON = SignificanceTest(
    "wilcoxon",
    "Wilcoxon's signed-rank test",
    computed(wilcoxon_p_values),
    explanation=r"""
    The topics' differences are ranked by size, and the ranks of the positive ones added up. It is no test of
    the difference of means, which is what a leaderboard shows: it can find a system better whose mean is
    lower. Differences of zero are left out, which discards much of P@10 [@smucker-2007].
    """,
    formula=r"W = \sum_{t : d_t > 0} \mathrm{rank}(|d_t|)",
    references=("smucker-2007",),
)
"""On the ranks of the differences."""
