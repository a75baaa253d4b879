"""Which pairs of systems differ significantly: tests of all pairs at once, corrections, power."""

from truerank.comparison.significance.corrections import CORRECTIONS, correct
from truerank.comparison.significance.pairwise import TESTS, PairwiseTests, pairwise_tests
from truerank.comparison.significance.power import discriminative_power, significant_agreement

__all__ = [
    "CORRECTIONS",
    "TESTS",
    "PairwiseTests",
    "correct",
    "discriminative_power",
    "pairwise_tests",
    "significant_agreement",
]
