"""Estimators: the probability that two systems are swapped in truth, and split-half baselines."""

from truerank._support.imports import no_function
from truerank.reliability.estimators import *  # noqa: F403
from truerank.reliability.estimators import __all__ as __all__

no_function(__name__, 'assess(scores, estimators=["ml"])')
