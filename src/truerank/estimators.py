"""Estimators: the probability that two systems are swapped in truth, and split-half baselines."""

from truerank.reliability.estimators import ESTIMATORS as ESTIMATORS
from truerank.reliability.estimators import Estimator as Estimator
from truerank.reliability.estimators import Fit as Fit
from truerank.reliability.estimators import PairEstimator as PairEstimator
from truerank.reliability.estimators import SplitHalfEstimate as SplitHalfEstimate
from truerank.reliability.estimators import SplitHalfEstimator as SplitHalfEstimator
from truerank.reliability.estimators import TopicSample as TopicSample
from truerank.reliability.estimators import __all__ as __all__
from truerank.reliability.estimators import register as register
