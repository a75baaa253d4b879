"""Which pairs of systems differ significantly: tests, corrections, power."""

from truerank.comparison.significance import *  # noqa: F403
from truerank.comparison.significance import __all__ as __all__
