"""Where systems could truly rank: an interval for each alone, and ranges that hold for all together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ranks = NDArray[np.int64]
Reached = NDArray[np.int32]


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
    """Intervals of every system's rank alone, and of all ranks together, from k × m draws of ranks."""
    k, m = ranks.shape
    better, worse = _reached(ranks)
    here = np.arange(m), ranks - 1
    least = np.minimum(better[here], worse[here]).min(axis=1)
    own = (1 - level) / 2 * k
    needed = int(np.ceil(level * k - 1e-9))
    common = min(own, np.partition(least, k - needed)[k - needed] - 1)

    def ends(tail: float) -> tuple[Ranks, Ranks]:
        low = (better > tail).argmax(axis=1) + 1
        high = m - (worse > tail)[:, ::-1].argmax(axis=1)
        for group in identical:
            low[group], high[group] = low[group].min(), high[group].max()
        return low, high

    return RankBands(*ends(own), *ends(common))


def _reached(ranks: NDArray[np.integer]) -> tuple[Reached, Reached]:
    """m × m each: the draws of a system at rank r or better, and those at r or worse; four bytes each."""
    k, m = ranks.shape
    cells = (ranks - 1) + m * np.arange(m)
    counts = np.bincount(cells.ravel(), minlength=m * m).astype(np.int32).reshape(m, m)
    better = counts.cumsum(axis=1, dtype=np.int32)
    counts -= better
    counts += k
    return better, counts
