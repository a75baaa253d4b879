"""Rankings of the same systems against each other: coefficients, rank distance, significant differences."""

from truerank.comparison.against_baseline import compare, compare_all
from truerank.comparison.comparison_results import Comparison, Swap

__all__ = ["Comparison", "Swap", "compare", "compare_all"]
