"""Where systems could truly rank: an interval for each by itself, and bands that hold for all at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ranks = NDArray[np.int64]


@dataclass(frozen=True)
class RankBands:
    """Best and worst true rank of each of m systems, 1 the best.

    Attributes:
        low: best rank of a system's own interval, length m.
        high: worst rank of it.
        joint_low: best rank in its band of those that hold for all systems at once; never above `low`.
        joint_high: worst rank in it; never below `high`.
    """

    low: Ranks
    high: Ranks
    joint_low: Ranks
    joint_high: Ranks


def rank_bands(
    ranks: NDArray[np.integer], level: float, identical: Sequence[Sequence[int]] = ()
) -> RankBands:
    """Intervals of every system's rank by itself, and of all ranks at once, from k × m draws of ranks.

    A system's interval holds the ranks r with more than (1 − level)/2 of its draws at r or better, and more
    than that at r or worse. For all systems at once that share is lowered, to one common to all of them,
    until `level` of the draws lie inside all intervals together. O(k·m + m²).

    Args:
        ranks: whole numbers from 1 to m, a row a draw; a row need not be a permutation.
        level: in (0, 1).
        identical: groups of systems with the same scores; each group shares the interval that holds all of
            theirs, as only the input order sets them apart.

    Example:
        >>> draws = np.array([[1, 2, 3]] * 90 + [[2, 1, 3]] * 6 + [[1, 3, 2]] * 4)
        >>> bands = rank_bands(draws, 0.9)
        >>> bands.low.tolist(), bands.high.tolist()
        ([1, 1, 3], [2, 2, 3])
        >>> bands.joint_low.tolist(), bands.joint_high.tolist()
        ([1, 1, 3], [2, 2, 3])
        >>> rank_bands(draws, 0.97).joint_high.tolist()
        [2, 3, 3]
    """
    k, m = ranks.shape
    depth = _depths(ranks)
    own = (1 - level) / 2 * k
    least = depth[np.arange(m), ranks - 1].min(axis=1)
    needed = int(np.ceil(level * k - 1e-9))
    common = min(own, np.partition(least, k - needed)[k - needed] - 1)
    return RankBands(*_ends(depth > own, identical), *_ends(depth > common, identical))


def _depths(ranks: NDArray[np.integer]) -> NDArray[np.int64]:
    """m × m: the draws of a system at rank r or better, or at r or worse, whichever are fewer."""
    k, m = ranks.shape
    cells = (ranks - 1) + m * np.arange(m)
    counts = np.bincount(cells.ravel(), minlength=m * m).reshape(m, m)
    better = counts.cumsum(axis=1)
    depths: NDArray[np.int64] = np.minimum(better, k - better + counts)
    return depths


def _ends(inside: NDArray[np.bool_], identical: Sequence[Sequence[int]]) -> tuple[Ranks, Ranks]:
    """First and last rank that is inside, of each row of m × m."""
    m = len(inside)
    low, high = inside.argmax(axis=1) + 1, m - inside[:, ::-1].argmax(axis=1)
    for group in identical:
        low[group], high[group] = low[group].min(), high[group].max()
    return low, high
