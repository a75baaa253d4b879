"""Estimators: the probability that two systems are swapped in truth, and split-half baselines."""

from truerank.reliability.estimators.estimator_registry import (
    ESTIMATORS,
    Estimator,
    PairEstimator,
    SplitHalfEstimator,
    TopicSample,
    register,
)

__all__ = [
    "ESTIMATORS",
    "Estimator",
    "PairEstimator",
    "SplitHalfEstimator",
    "TopicSample",
    "register",
]
