"""Where systems could truly rank: an interval for each alone, and ranges that hold for all together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ranks = NDArray[np.int64]
Reached = NDArray[np.int64]

BLOCK_VALUES = 1 << 17
"""Counts in memory at a time (1 MB), or those of one system."""


@dataclass(frozen=True)
class RankBands:
    """Best and worst true rank of each of m systems, 1 the best.

    Attributes:
        low: best rank of a system's own interval, length m.
        high: worst rank of it.
        joint_low: best rank in its rank range, which holds for all systems together; never above `low`.
        joint_high: worst rank in it; never below `high`.
    """

    low: Ranks
    high: Ranks
    joint_low: Ranks
    joint_high: Ranks


def rank_bands(
    ranks: NDArray[np.integer], level: float, identical: Sequence[Sequence[int]] = ()
) -> RankBands:
    """Intervals of every system's rank alone, and of all ranks together, from k × m draws of ranks.

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
    places = np.ascontiguousarray(ranks.T - 1)
    least = np.full(k, k)
    for rows, better, worse in _reached(places):
        here = np.arange(len(better))[:, None], places[rows]
        np.minimum(least, np.minimum(better[here], worse[here]).min(axis=0), out=least)
    own = (1 - level) / 2 * k
    needed = int(np.ceil(level * k - 1e-9))
    common = min(own, np.partition(least, k - needed)[k - needed] - 1)
    ends = np.empty((4, m), dtype=np.int64)
    for rows, better, worse in _reached(places):
        for low, high, tail in ((0, 1, own), (2, 3, common)):
            ends[low, rows] = (better > tail).argmax(axis=1) + 1
            ends[high, rows] = m - (worse > tail)[:, ::-1].argmax(axis=1)
    for group in identical:
        ends[::2, group] = ends[::2, group].min(axis=1, keepdims=True)
        ends[1::2, group] = ends[1::2, group].max(axis=1, keepdims=True)
    return RankBands(*ends)


def _reached(places: Ranks) -> Iterator[tuple[slice, Reached, Reached]]:
    """Of some systems after the other: the draws at rank r or better, and those at r or worse, s × m each.

    Places are ranks from 0, m × k.
    """
    m, k = places.shape
    step = max(1, BLOCK_VALUES // m)
    for start in range(0, m, step):
        some = places[start : start + step]
        cells = some + m * np.arange(len(some))[:, None]
        counts = np.bincount(cells.ravel(), minlength=some.shape[0] * m).reshape(-1, m)
        better = counts.cumsum(axis=1)
        yield slice(start, start + len(some)), better, k - better + counts
