"""`kd`: a Gaussian kernel density of the differences, and the mean of n draws from it."""

from __future__ import annotations

from truerank._support.types import Matrix
from truerank.numerics.kernel_density import plug_in_bandwidth, share_below_zero
from truerank.numerics.pairs import over_pairs
from truerank.reliability.estimators.estimator import ABOUT, PairEstimator
from truerank.reliability.estimators.ml import ml


def kd(values: Matrix) -> Matrix:
    """Swap probabilities by kernel density (urbano-marrero-2016 §3.1.4). O(m²·n·nodes), nodes some 20."""
    width = over_pairs(values, plug_in_bandwidth)
    probabilities = over_pairs(values, share_below_zero, width, where=width > 0)
    without = width <= 0
    if without.any():
        probabilities[without] = ml(values)[without]
    return probabilities


KD = PairEstimator("kd", probabilities=lambda sample: kd(sample.values), **ABOUT["kd"])
