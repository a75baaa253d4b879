"""What a reduced board says of the truth: the swaps that the full board leaves possible."""

from __future__ import annotations

import numpy as np

from truerank._support.types import Matrix
from truerank.reliability.estimators import ESTIMATORS, PairEstimator, TopicSample
from truerank.reliability.means.means import plain_means
from truerank.scores import ranking_order


def board_swaps(values: Matrix, estimator: str = "eb") -> Matrix:
    """m × m, symmetric: the probability that the full board has each pair in the wrong order."""
    order = ranking_order(values.mean(axis=0))
    method = ESTIMATORS[estimator]
    assert isinstance(method, PairEstimator)
    upper = np.triu(method.fit(TopicSample.of(plain_means(values[:, order]), None, 0)).probabilities, 1)
    swaps = np.empty_like(upper)
    swaps[np.ix_(order, order)] = upper + upper.T
    return swaps
