"""Where the systems stand: everything that is said of their ranks, from one set of draws and one rule.

Statements about pairs, one system, all systems together and the best answer different questions. Here they
are computed together, so that no two contradict each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from truerank._support.types import Matrix, Vector
from truerank.reliability import order
from truerank.reliability.best import BestSet, best_set
from truerank.reliability.cuts import Tiers, tiers
from truerank.reliability.letters import letters
from truerank.reliability.ranks import RankBands, rank_bands
from truerank.reliability.swaps import SwapDraws


@dataclass(frozen=True)
class Standings:
    """All statements on the ranks of m systems, at one level.

    Attributes:
        swapped: m × m, p_ij above the diagonal.
        probability: m × m, P(row above column); NaN where there is no order.
        above: m × m, where that is enough: the one rule.
        letters: of each system; two share one where neither is above the other; ``None`` of very many.
        bands: intervals of the ranks, each alone and all together (the same with the guarantee); none crosses
            a cut of `tiers`.
        tiers: cuts that hold together, and together with the bands.
        best: the set that holds the best k.
        first: of each system, the probability of being the best.
    """

    swapped: Matrix
    probability: Matrix
    above: NDArray[np.bool_]
    letters: tuple[str | None, ...]
    bands: RankBands
    tiers: Tiers
    best: BestSet
    first: Vector


def standings(
    draws: SwapDraws,
    probabilities: Matrix,
    level: float,
    k: int = 1,
    identical: Sequence[Sequence[int]] = (),
    p_values: Matrix | None = None,
) -> Standings:
    """All statements, from joint draws of the swaps. O(d·m + m²), and once more a cut or a letter."""
    probability = order.probabilities_above(probabilities, identical)
    above = order.above(probability, level)
    if p_values is not None:
        above &= np.triu(p_values <= 1 - level + 1e-12, 1)
    ranks = draws.ranks()
    cuts = tiers(draws, level, above)
    bands = rank_bands(ranks, level, identical, cuts.tiers)
    best = best_set(ranks, k, level, identical, above)
    first = best.members if k == 1 else best_set(ranks, 1, level, identical).members
    if p_values is not None:
        bands, best = _guaranteed_bands(bands, above), _guaranteed_best(best, above, k)
    return Standings(
        probabilities,
        probability,
        above,
        letters(above | above.T),
        bands,
        cuts,
        best,
        first,
    )


def _guaranteed_bands(bands: RankBands, above: NDArray[np.bool_]) -> RankBands:
    """Bands that also hold whatever pairs are above each other allow; no interval promises less."""
    better, worse = above.sum(axis=0), above.sum(axis=1)
    low = np.minimum(bands.joint_low, 1 + better)
    high = np.maximum(bands.joint_high, len(above) - worse)
    return RankBands(low, high, low, high)


def _guaranteed_best(best: BestSet, above: NDArray[np.bool_], k: int) -> BestSet:
    """The set and everyone who has fewer than k systems above."""
    possible = set(np.flatnonzero(above.sum(axis=0) < k).tolist())
    return replace(best, systems=tuple(sorted(possible | set(best.systems))))
