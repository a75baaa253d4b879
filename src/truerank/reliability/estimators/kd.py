"""`kd`: a Gaussian kernel density of the differences, and the mean of n draws from it."""

from __future__ import annotations

import numpy as np

from truerank._support.types import Matrix, Vector
from truerank.numerics.kernel_density import plug_in_bandwidth, share_below_zero
from truerank.numerics.pairs import over_pairs
from truerank.reliability.estimators.estimator import ABOUT, PairEstimator
from truerank.reliability.estimators.ml import ml


def kd(values: Matrix) -> Matrix:
    """Swap probabilities by kernel density (urbano-marrero-2016 §3.1.4). O(m²·n·nodes), nodes some 20."""

    def probability(differences: Matrix) -> Vector:
        bandwidths = plug_in_bandwidth(differences)
        found = np.full(len(differences), np.nan)
        usable = bandwidths > 0
        found[usable] = share_below_zero(differences[usable], bandwidths[usable])
        return found

    probabilities = over_pairs(values, probability)
    without = np.isnan(probabilities)
    if without.any():
        probabilities[without] = ml(values)[without]
    return probabilities


KD = PairEstimator("kd", probabilities=lambda sample: kd(sample.values), **ABOUT["kd"])
