"""`res`: the share of bootstrap resamples of the topics in which a pair is swapped."""

from __future__ import annotations

from truerank._support.types import Matrix
from truerank.reliability.estimators.estimator import ABOUT, PairEstimator
from truerank.reliability.swaps import count_swaps
from truerank.scores import TIE


def res(replicates: Matrix) -> Matrix:
    """Swap probabilities by resampling topics (urbano-marrero-2016, eq. 10). O(T·m²)."""
    pairs = count_swaps(replicates, -TIE, count_pairs=True).pairs
    assert pairs is not None
    return pairs / replicates.shape[1]


RES = PairEstimator(
    "res",
    probabilities=lambda sample: res(sample.replicates),
    resampled=True,
    needs="replicates",
    replicates=lambda sample: sample.replicates,
    **ABOUT["res"],
)
