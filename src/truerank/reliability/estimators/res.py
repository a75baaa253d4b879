"""`res`: the share of bootstrap resamples of the topics in which a pair is swapped."""

from __future__ import annotations

from truerank._support.types import Matrix
from truerank.reliability.estimators.estimator import PairEstimator
from truerank.reliability.swaps import count_swaps
from truerank.scores import TIE


def res(replicates: Matrix) -> Matrix:
    """Swap probabilities by resampling topics (urbano-marrero-2016, eq. 10). O(T·m²)."""
    pairs = count_swaps(replicates, -TIE, count_pairs=True).pairs
    assert pairs is not None
    return pairs / replicates.shape[1]


RES = PairEstimator(
    "res",
    "resampling of topics",
    lambda sample: res(sample.replicates),
    resampled=True,
    needs="replicates",
    replicates=lambda sample: sample.replicates,
    explanation=r"""
    The share of topic resamples in which the lower system has the higher mean. Topics are drawn with
    replacement, for all systems at once, every topic equally often in all. It can exceed one
    half where the differences of a pair are skewed.
    """,
    formula=r"p_{ij} = \frac{1}{T} \sum_{k=1}^{T} \left[\bar x^{*}_{ik} < \bar x^{*}_{jk}\right]",
    references=("urbano-marrero-2016",),
)
