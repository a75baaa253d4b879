"""The sign test of all pairs of systems: a binomial test, exact."""

from __future__ import annotations

import numpy as np

from truerank._support.types import Matrix
from truerank.comparison.significance.significance_test import SignificanceTest, computed
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


SIGN = SignificanceTest(
    "sign",
    "sign test",
    computed(sign_p_values),
    explanation=r"""
    On how many topics is one system better than the other? If they were alike, on half of those where they
    differ. How much better does not count, so it is no test of the means and has the least power of all;
    use it where only wins and losses are known [@smucker-2007].
    """,
    formula=r"p = \min\Bigl(1,\ 2 \sum_{k \le \min(b, w)} \binom{b + w}{k} 2^{-(b + w)}\Bigr)",
    references=("smucker-2007",),
)
"""On wins and losses."""
