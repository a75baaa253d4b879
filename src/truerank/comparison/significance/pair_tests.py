"""Tests of each pair of systems by its differences alone: Student’s paired t, signs, and signed ranks."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from truerank._support.types import Matrix
from truerank.comparison.significance.randomization import sign_flipped_family
from truerank.comparison.significance.significance_test import ABOUT, SignificanceTest, computed
from truerank.numerics.paired_t import paired_t, two_sided_p
from truerank.numerics.pairs import over_pairs
from truerank.scores import TIE


def t_p_values(values: Matrix) -> Matrix:
    """Two-sided p-values of Student's paired t-test, read above the diagonal of m × m. O(n·m²)."""
    return two_sided_p(paired_t(values), len(values))


T = SignificanceTest("t", p_values=computed(t_p_values), max_t=sign_flipped_family, **ABOUT["t"])


def sign_p_values(values: Matrix) -> Matrix:
    """Two-sided p-values of the exact sign test, read above the diagonal of m × m. O(n·m²)."""
    return over_pairs(values, _by_signs)


def _by_signs(differences: Matrix) -> Matrix:
    from truerank.numerics.special import bdtr

    better = np.sum(differences > TIE, axis=1)
    worse = np.sum(differences < -TIE, axis=1)
    fewer, all_signs = np.minimum(better, worse), better + worse
    p: Matrix = np.minimum(1.0, 2 * bdtr(fewer.astype(np.float64), all_signs, 0.5))
    p[all_signs == 0] = 1.0
    return p


SIGN = SignificanceTest("sign", p_values=computed(sign_p_values), **ABOUT["sign"])


def wilcoxon_p_values(values: Matrix) -> Matrix:
    """Two-sided p-values of Wilcoxon's signed-rank test, read above the diagonal of m × m."""
    return over_pairs(values, _by_ranks)


def _by_ranks(differences: Matrix) -> Matrix:
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
