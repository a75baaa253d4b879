"""`kd`: a Gaussian kernel density of the differences, and the mean of n draws from it."""

from __future__ import annotations

import numpy as np

from truerank._support.types import Matrix, Vector
from truerank.numerics.bandwidth import plug_in_bandwidth
from truerank.numerics.density_means import share_below_zero
from truerank.numerics.pairs import over_pairs
from truerank.reliability.estimators.estimator import PairEstimator
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


KD = PairEstimator(
    "kd",
    "kernel density",
    lambda sample: kd(sample.values),
    explanation=r"""
    The differences come from a smoothed version of those observed, with a Gaussian kernel of plug-in
    bandwidth $h$ [@wand-jones-1995]; the probability is that of a mean $\bar Y$ of $n$ draws from it below 0,
    by its characteristic function, where the paper counts samples. It can exceed one half where the
    differences of a pair are skewed.
    """,
    formula=r"p_{ij} = P(\bar Y < 0),\quad Y_t \sim \tfrac{1}{n} \sum_k N(X_k, h^2)",
    references=("urbano-marrero-2016", "wand-jones-1995"),
)
