"""The significance tests by name."""

from __future__ import annotations

from truerank._support.registry import Registry
from truerank.comparison.significance.anova import F
from truerank.comparison.significance.friedman import FRIEDMAN, NEMENYI
from truerank.comparison.significance.pair_tests import SIGN, WILCOXON, T
from truerank.comparison.significance.randomization import RANDOMISATION
from truerank.comparison.significance.significance_test import SignificanceTest
from truerank.comparison.significance.tukey import RANDOMISED_TUKEY, TUKEY

TESTS: Registry[SignificanceTest] = Registry(
    "significance test", T, WILCOXON, SIGN, RANDOMISATION, F, TUKEY, RANDOMISED_TUKEY, FRIEDMAN, NEMENYI
)
"""The significance tests by name; ``register`` adds one.

Example:
    >>> import truerank
    >>> truerank.significance.TESTS["t"].label
    'paired t-test'
"""
register = TESTS.register
