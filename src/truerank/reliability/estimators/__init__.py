"""Estimators: the probability that two systems are swapped in truth, and split-half baselines."""

from truerank._support.registry import Registry
from truerank.reliability.estimators.eb import EB
from truerank.reliability.estimators.estimator import (
    Estimator,
    Fit,
    PairEstimator,
    SplitHalfEstimate,
    SplitHalfEstimator,
    TopicSample,
)
from truerank.reliability.estimators.published import KD, ML, MSQD, RES
from truerank.reliability.estimators.split_half import SH, SH_W, SH_WO

__all__ = [
    "ESTIMATORS",
    "Estimator",
    "Fit",
    "PairEstimator",
    "SplitHalfEstimate",
    "SplitHalfEstimator",
    "TopicSample",
    "register",
]

ESTIMATORS: Registry[Estimator] = Registry("estimator", EB, ML, MSQD, RES, KD, SH_W, SH_WO, SH)
"""The estimators by name.

Example:
    >>> import truerank
    >>> truerank.estimators.ESTIMATORS["eb"].label
    'empirical Bayes'
"""
register = ESTIMATORS.register
"""Make an estimator known by its name, to :func:`truerank.assess`, pages and experiments.

Example:
    >>> import numpy as np
    >>> from truerank.reliability.estimators import PairEstimator, register
    >>> def halves(sample):
    ...     m = sample.values.shape[1]
    ...     return np.triu(np.full((m, m), 0.5), 1)
    >>> register(PairEstimator("coin", "a fair coin", halves)).name
    'coin'
"""
