"""Estimators: the probability that two systems are swapped in truth, and split-half baselines."""

from truerank._support.imports import no_function
from truerank.reliability.estimators import __all__ as __all__
from truerank.reliability.estimators.estimator import Estimator as Estimator
from truerank.reliability.estimators.estimator import Fit as Fit
from truerank.reliability.estimators.estimator import Learned as Learned
from truerank.reliability.estimators.estimator import PairEstimator as PairEstimator
from truerank.reliability.estimators.estimator import SplitHalfEstimate as SplitHalfEstimate
from truerank.reliability.estimators.estimator import SplitHalfEstimator as SplitHalfEstimator
from truerank.reliability.estimators.estimator import TopicSample as TopicSample
from truerank.reliability.estimators.estimator_registry import ESTIMATORS as ESTIMATORS
from truerank.reliability.estimators.estimator_registry import register as register

no_function(__name__, 'assess(scores, estimator="ml")')
