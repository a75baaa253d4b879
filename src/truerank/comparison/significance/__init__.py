"""Which pairs of systems differ significantly: tests, corrections, power."""

from truerank.comparison.significance.analysis import Significance, analyze, significant_agreement
from truerank.comparison.significance.anova import Anova, anova
from truerank.comparison.significance.corrections import CORRECTIONS, Correction
from truerank.comparison.significance.significance_test import (
    TESTS,
    PairwiseTests,
    SignificanceTest,
    pairwise_tests,
)

__all__ = [
    "CORRECTIONS",
    "TESTS",
    "Anova",
    "Correction",
    "PairwiseTests",
    "Significance",
    "SignificanceTest",
    "analyze",
    "anova",
    "pairwise_tests",
    "significant_agreement",
]
