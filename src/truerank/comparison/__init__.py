"""Rankings of the same systems against each other: coefficients, rank distance, significant differences."""

from truerank._support.rooms import no_function
from truerank.comparison.against_reference import compare
from truerank.comparison.comparison_results import Comparison, Swap
from truerank.comparison.machine_alone import MachineAlone, machine_alone

__all__ = ["Comparison", "MachineAlone", "Swap", "compare", "machine_alone"]

no_function(__name__, "compare(reference, other)")
