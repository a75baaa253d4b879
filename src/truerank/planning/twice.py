"""What twice the topics would bring: the one line of a plan that every assessment has room for."""

from __future__ import annotations

from truerank.planning.beliefs import after_pilot
from truerank.reliability.means import Means


def tau_of_twice(means: Means) -> float:
    """τ expected of twice as many topics (clusters, data sets) like these. O(N·m²).

    Args:
        means: of the systems in ranking order, with influence rows.

    Returns:
        The expectation, by `eb`'s posterior.

    Example:
        >>> import numpy as np
        >>> from truerank.reliability.means import plain_means
        >>> scores = np.random.default_rng(1).normal([3, 2, 1], 1, (20, 3))
        >>> 0.9 < tau_of_twice(plain_means(scores)) < 1
        True
    """
    return float(1 - 2 * after_pilot(means).wrong([2 * means.effective])[0])
