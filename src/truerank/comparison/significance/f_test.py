"""The F test of two-way analysis of variance, and its contrasts of pairs of systems."""

from __future__ import annotations

import numpy as np

from truerank._support.types import Matrix
from truerank.comparison.significance.anova import anova
from truerank.comparison.significance.significance_test import ABOUT, SignificanceTest, computed
from truerank.numerics.paired_t import two_sided_p
from truerank.scores import TIE


def f_p_values(values: Matrix) -> Matrix:
    """p-values of Fisher's protected contrasts, m × m, 1 on the diagonal. O(n·m + m²).

    Each pair's contrast is ``F = n (x̄_i − x̄_j)² / (2 MS_e)``, with 1 and (m − 1)(n − 1) degrees of freedom.
    Its p-value is never below that of the F test of all systems.
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


F = SignificanceTest("f", p_values=computed(f_p_values), **ABOUT["f"])
"""Of all systems, with one error variance."""
