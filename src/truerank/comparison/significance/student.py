"""The paired t-test of all pairs of systems."""

from __future__ import annotations

from truerank._support.types import Matrix
from truerank.comparison.significance.randomization import sign_flipped_family
from truerank.comparison.significance.significance_test import ABOUT, SignificanceTest, computed
from truerank.numerics.paired_t import paired_t, two_sided_p


def t_p_values(values: Matrix) -> Matrix:
    """Two-sided p-values of Student's paired t-test, read above the diagonal of m × m. O(n·m²)."""
    return two_sided_p(paired_t(values), len(values))


T = SignificanceTest("t", p_values=computed(t_p_values), max_t=sign_flipped_family, **ABOUT["t"])
"""Student's test, on the differences."""
