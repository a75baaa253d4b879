"""The paired t-test of all pairs of systems."""

from __future__ import annotations

from truerank._support.types import Matrix
from truerank.comparison.significance.sign_flips import sign_flipped_family
from truerank.comparison.significance.significance_test import SignificanceTest, computed
from truerank.numerics.paired_t import paired_t, two_sided_p


def t_p_values(values: Matrix) -> Matrix:
    """Two-sided p-values of Student's paired t-test, read above the diagonal of m × m. O(n·m²)."""
    return two_sided_p(paired_t(values), len(values))


T = SignificanceTest(
    "t",
    "paired t-test",
    computed(t_p_values),
    max_t=sign_flipped_family,
    explanation=r"""
    The mean difference over the topics in units of its standard error. It assumes that the mean of
    so many topics is about normal, which scores allow from some 25 topics on and skewed ones later; with
    fewer topics prefer the randomization test [@smucker-2007].
    """,
    formula=r"t = \frac{\bar d}{s_d / \sqrt{n}},\quad n - 1 \text{ degrees of freedom}",
    references=("smucker-2007",),
)
"""Student's test, on the differences."""
