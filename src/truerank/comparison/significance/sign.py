"""The sign test of all pairs of systems: a binomial test, exact."""

from __future__ import annotations

import numpy as np

from truerank._support.types import Matrix
from truerank.comparison.significance.significance_test import ABOUT, SignificanceTest, computed
from truerank.numerics.pairs import over_pairs
from truerank.scores import TIE


def sign_p_values(values: Matrix) -> Matrix:
    """Two-sided p-values of the exact sign test, read above the diagonal of m × m. O(n·m²)."""
    return over_pairs(values, _p_values)


def _p_values(differences: Matrix) -> Matrix:
    from scipy.special import bdtr

    better = np.sum(differences > TIE, axis=1)
    worse = np.sum(differences < -TIE, axis=1)
    fewer, all_signs = np.minimum(better, worse), better + worse
    p: Matrix = np.minimum(1.0, 2 * bdtr(fewer.astype(np.float64), all_signs, 0.5))
    p[all_signs == 0] = 1.0
    return p


SIGN = SignificanceTest("sign", p_values=computed(sign_p_values), **ABOUT["sign"])
"""On wins and losses."""
