"""Estimators: the probability that two systems are swapped in truth, and split-half baselines."""

from truerank.reliability.estimators.estimator import (
    Estimator,
    Fit,
    Learned,
    PairEstimator,
    SplitHalfEstimate,
    SplitHalfEstimator,
    TopicSample,
)
from truerank.reliability.estimators.estimator_registry import ESTIMATORS, register

__all__ = [
    "ESTIMATORS",
    "Estimator",
    "Fit",
    "Learned",
    "PairEstimator",
    "SplitHalfEstimate",
    "SplitHalfEstimator",
    "TopicSample",
    "register",
]
