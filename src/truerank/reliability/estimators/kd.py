"""`kd`: a Gaussian kernel density of the differences, and the mean of n draws from it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from truerank._support.types import Matrix, Vector
from truerank.numerics.kernel_density import (
    plug_in_bandwidth,
    plug_in_bandwidth_of_counts,
    share_below_zero,
)
from truerank.numerics.pairs import over_counts, over_pairs, whole_numbers
from truerank.reliability.estimators.estimator import ABOUT, PairEstimator
from truerank.reliability.estimators.ml import ml

TOPICS_PER_DIFFERENCE = 4
"""Topics for each number that a difference can be, from which on counting them is quicker."""


def kd(values: Matrix) -> Matrix:
    """Swap probabilities by kernel density (urbano-marrero-2016 §3.1.4). O(m²·n·nodes), nodes some 20.

    Where scores take few values, as binary and graded ones do, D differences are counted first: O(m²·(n +
    D·nodes)).
    """

    def probability(differences: Matrix) -> Vector:
        bandwidths = plug_in_bandwidth(differences)
        found = np.full(len(differences), np.nan)
        usable = bandwidths > 0
        found[usable] = share_below_zero(differences[usable], bandwidths[usable])
        return found

    def probability_of_counts(counts: Matrix) -> Vector:
        bandwidths = plug_in_bandwidth_of_counts(counts)
        found = np.full(len(counts), np.nan)
        usable = bandwidths > 0
        differences = np.arange(counts.shape[1]) - counts.shape[1] // 2
        found[usable] = share_below_zero(differences, bandwidths[usable], counts[usable])
        return found

    # p does not depend on the scale of the scores.
    levels = _levels(values)
    if levels is not None and TOPICS_PER_DIFFERENCE * (2 * int(levels.max()) + 1) <= len(values):
        probabilities = over_counts(levels, probability_of_counts)
    else:
        probabilities = over_pairs(values, probability)
    without = np.isnan(probabilities)
    if without.any():
        probabilities[without] = ml(values)[without]
    return probabilities


def _levels(values: Matrix) -> NDArray[np.signedinteger] | None:
    """The scores as multiples of the largest step that they share, from 0 on; none for arbitrary scores."""
    whole = whole_numbers(values)
    if whole is None:
        return None
    above = whole - whole.min()
    return above // max(1, np.gcd.reduce(above, axis=None))


KD = PairEstimator("kd", probabilities=lambda sample: kd(sample.values), **ABOUT["kd"])
