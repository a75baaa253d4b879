"""Which pairs of systems differ significantly: tests, corrections, power."""

from truerank.comparison.significance.analysis import Significance, analyze, significant_agreement
from truerank.comparison.significance.significance_test import (
    CORRECTIONS,
    TESTS,
    Anova,
    Correction,
    PairwiseTests,
    SignificanceTest,
    anova,
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
