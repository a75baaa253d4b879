"""Where systems could truly rank: intervals of ranks and tiers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from truerank._support.types import Matrix


def rank_intervals(
    ranks: NDArray[np.float64], level: float, identical: Sequence[Sequence[int]] = ()
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Lowest and highest rank of each system at that level, from k × m draws of ranks.

    Quantiles of the draws, rounded outwards to whole ranks. Systems with identical scores, which only
    the input order sets apart, share the interval that holds all of theirs.
    """
    low, high = np.quantile(ranks, [(1 - level) / 2, (1 + level) / 2], axis=0)
    low, high = np.floor(low), np.ceil(high)
    for group in identical:
        low[group], high[group] = low[group].min(), high[group].max()
    return low, high


def tiers(probabilities: Matrix, identical: Sequence[Sequence[int]], level: float) -> list[int]:
    """The tier of each system, 1 the best (docs/intervals.md, Tiers). O(m²).

    A new tier starts at the first system that is below the tier's leader with probability at least the level.

    Args:
        probabilities: m × m swap probabilities above the diagonal.
        identical: groups of systems with the same scores; none of them is below another.
        level: in (0, 1).
    """
    below = 1.0 - probabilities
    for group in identical:
        below[np.ix_(group, group)] = 0.0  # identical systems: neither is below the other
    found: list[int] = []
    leader, tier = 0, 1
    for s in range(len(probabilities)):
        if s > leader and below[leader, s] >= level:
            leader, tier = s, tier + 1
        found.append(tier)
    return found
