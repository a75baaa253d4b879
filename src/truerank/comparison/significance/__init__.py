"""Which pairs of systems differ significantly: tests, corrections, power, sensitivity."""

from truerank.comparison.significance.analysis import AgainstBaseline, Significance, analyze
from truerank.comparison.significance.anova import Anova, anova
from truerank.comparison.significance.corrections import CORRECTIONS, Correction
from truerank.comparison.significance.pairwise import PairwiseTests, pairwise_tests
from truerank.comparison.significance.power import Sensitivity, sensitivity, significant_agreement
from truerank.comparison.significance.significance_test import TESTS, SignificanceTest

__all__ = [
    "CORRECTIONS",
    "TESTS",
    "AgainstBaseline",
    "Anova",
    "Correction",
    "PairwiseTests",
    "Sensitivity",
    "Significance",
    "SignificanceTest",
    "analyze",
    "anova",
    "pairwise_tests",
    "sensitivity",
    "significant_agreement",
]
