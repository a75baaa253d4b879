"""The F test of two-way analysis of variance, and its contrasts of pairs of systems."""

from __future__ import annotations

import numpy as np

from truerank._support.types import Matrix
from truerank.comparison.significance.anova import anova
from truerank.comparison.significance.significance_test import SignificanceTest, computed
from truerank.numerics.paired_t import two_sided_p
from truerank.scores import TIE


def f_p_values(values: Matrix) -> Matrix:
    """p-values of Fisher's protected contrasts, m × m, 1 on the diagonal. O(n·m + m²).

    Each pair's contrast ``F = n (x̄_i − x̄_j)² / (2 MS_e)`` has 1 and (m − 1)(n − 1) degrees of freedom; its
    p-value is never below that of the F test of all systems.
    """
    table = anova(values)
    means = values.mean(axis=0)
    apart = np.abs(means[:, None] - means[None, :])
    if table.ss_error == 0:
        return np.where(apart <= TIE, 1.0, 0.0)
    t = apart / np.sqrt(2 * table.ms_error / table.topics)
    p = np.maximum(two_sided_p(t, table.df_error + 1), table.p_value)
    np.fill_diagonal(p, 1.0)
    return p


F = SignificanceTest(
    "f",
    "F test of two-way ANOVA, with protected contrasts",
    computed(f_p_values),
    explanation=r"""
    Are all systems alike? The variance between their means is compared with what is left of the scores
    without the effects of systems and topics. It says nothing of pairs, so each pair has its contrast,
    with one error variance for all, and counts only as far as F does: the larger of both p-values (Fisher's
    protected least significant difference). The protection holds where all systems are alike, not for
    pairs of equals among others that differ: correct it as well, or take Tukey's. Scores are not normal and
    their variances not equal [@carterette-2012].
    """,
    formula=r"F = \frac{MS_s}{MS_e},\quad m - 1 \text{ and } (m - 1)(n - 1) \text{ degrees of freedom}",
    references=("carterette-2012", "bavdaz-2018"),
)
"""Of all systems, with one error variance."""
