"""Which pairs of systems differ significantly: tests, corrections, power."""

from truerank._support.imports import no_function
from truerank.comparison.significance import *  # noqa: F403
from truerank.comparison.significance import __all__ as __all__

no_function(__name__, "significance.analyze(scores)")
