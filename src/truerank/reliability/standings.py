"""Where the systems stand: everything that is said of their ranks, from one set of draws.

The rank ranges hold for all systems together. Which pairs are separated, the letters and the best set follow
from them, so that no two statements contradict each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from truerank._support.types import Matrix, Vector
from truerank.reliability import order
from truerank.reliability.letters import letters
from truerank.reliability.ranks import RankBands, rank_bands
from truerank.reliability.swaps import SwapDraws


@dataclass(frozen=True)
class Standings:
    """All statements on the ranks of m systems, at one level.

    Attributes:
        swapped: m × m, p_ij above the diagonal.
        identical: groups of systems with the same scores, which have no order.
        pairwise: m × m, where that is enough for the pair by itself; with the guarantee for all pairs.
        above: m × m, whether the row's system is above the column's, for all pairs together: its rank range
            ends before the other's begins. With the guarantee it is `pairwise`.
        letters: of each system; two share one where neither is above the other; ``None`` of very many.
        bands: intervals of the ranks, each alone and all together (the same with the guarantee).
    """

    swapped: Matrix
    identical: Sequence[Sequence[int]]
    pairwise: NDArray[np.bool_]
    above: NDArray[np.bool_]
    letters: tuple[str | None, ...]
    bands: RankBands

    def probability_above(self, other: int) -> Vector:
        """P(above one system) of each, m; NaN where there is no order."""
        column = self.swapped[other].copy()
        column[:other] = 1 - self.swapped[:other, other]
        column[[other, *(s for group in self.identical if other in group for s in group)]] = np.nan
        return column


def standings(
    draws: SwapDraws,
    probabilities: Matrix,
    level: float,
    identical: Sequence[Sequence[int]] = (),
    p_values: Matrix | None = None,
) -> Standings:
    """All statements, from joint draws of the swaps. O(d·m + m²), and once more a letter."""
    pairwise = order.above(probabilities, level, identical)
    bands = rank_bands(draws.ranks(), level, identical)
    if p_values is None:
        above = bands.joint_high[:, None] < bands.joint_low
    else:
        above = pairwise = pairwise & np.triu(p_values <= 1 - level + 1e-12, 1)
        bands = _guaranteed_bands(bands, above)
    return Standings(probabilities, identical, pairwise, above, letters(above | above.T), bands)


def _guaranteed_bands(bands: RankBands, above: NDArray[np.bool_]) -> RankBands:
    """Bands that also hold whatever pairs are above each other allow; no interval promises less."""
    better, worse = above.sum(axis=0), above.sum(axis=1)
    low = np.minimum(bands.joint_low, 1 + better)
    high = np.maximum(bands.joint_high, len(above) - worse)
    return RankBands(low, high, low, high)
