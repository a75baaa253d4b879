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
from truerank.numerics.pair_densities import (
    FEW_POINTS,
    bandwidth_of_few,
    bandwidths,
    scale_and_reach,
    share_by_few_nodes,
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
        probabilities = _of_points(values)
    without = np.isnan(probabilities)
    if without.any():
        probabilities[without] = ml(values)[without]
    return probabilities


def _of_points(values: Matrix) -> Matrix:
    """By quick ways, and for the pairs that these leave open by slower ones; NaN without a bandwidth."""
    scale, reach = over_pairs(values, scale_and_reach, shape=(2,))
    if len(values) <= FEW_POINTS:
        width = over_pairs(values, bandwidth_of_few, scale)
    else:
        width = bandwidths(values, scale, reach)
        left = np.isnan(width)
        width[left] = over_pairs(values, plug_in_bandwidth, where=left)[left]
    usable = width > 0
    found = over_pairs(values, share_by_few_nodes, width, where=usable)
    left = np.isnan(found)
    found[left] = over_pairs(values, share_below_zero, width, where=left)[left]
    found[np.triu(~usable, 1)] = np.nan
    return found


def _levels(values: Matrix) -> NDArray[np.signedinteger] | None:
    """The scores as multiples of the largest step that they share, from 0 on; none for arbitrary scores."""
    whole = whole_numbers(values)
    if whole is None:
        return None
    above = whole - whole.min()
    return above // max(1, np.gcd.reduce(above, axis=None))


KD = PairEstimator("kd", probabilities=lambda sample: kd(sample.values), **ABOUT["kd"])
