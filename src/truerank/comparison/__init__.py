"""Rankings of the same systems against each other: coefficients, rank distance, significant differences."""

from typing import TYPE_CHECKING

from truerank._support.imports import opened_when_used

if TYPE_CHECKING:
    from truerank.comparison.against_reference import Comparison, compare

__all__ = ["Comparison", "compare"]

# A gate uses none of these, so they are imported when first used.
__getattr__, __dir__ = opened_when_used(
    __name__,
    {
        "comparison.against_reference": "Comparison compare",
    },
    "against_reference distance gate sequential significance",
)
