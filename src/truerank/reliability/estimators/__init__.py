"""Estimators: the probability that two systems are swapped in truth, and split-half baselines."""

from typing import TYPE_CHECKING

from truerank._support.imports import opened_when_used

if TYPE_CHECKING:
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

__getattr__, __dir__ = opened_when_used(
    __name__,
    {
        "reliability.estimators.estimator": (
            "Estimator Fit Learned PairEstimator SplitHalfEstimate SplitHalfEstimator TopicSample"
        ),
        "reliability.estimators.estimator_registry": "ESTIMATORS register",
    },
)
