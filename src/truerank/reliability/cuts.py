"""Tiers as cuts through the ranking: each system above a cut is truly above all systems below it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from truerank._support.types import Vector
from truerank.reliability.swaps import SwapDraws


@dataclass(frozen=True)
class Tiers:
    """The tiers of m ranked systems.

    Attributes:
        tiers: of each system, 1 the best; m of them.
        probability: that every cut between two tiers holds; 1 where there is one tier.
        cuts: the probability that a cut behind each of the first m − 1 ranks holds by itself.
    """

    tiers: tuple[int, ...]
    probability: float
    cuts: Vector


def tiers(draws: SwapDraws, level: float, above: NDArray[np.bool_] | None = None) -> Tiers:
    """As many cuts as hold together with that probability.

    >>> import numpy as np
    >>> gained = np.array([[0, 0, 0]] * 97 + [[0, 1, 0]] * 3)
    >>> lost = np.array([[0, 0, 0]] * 97 + [[1, 0, 0]] * 3)
    >>> found = tiers(SwapDraws(gained, lost), 0.95)
    >>> found.tiers, found.cuts.tolist(), found.probability
    ((1, 2, 3), [0.97, 1.0], 0.97)
    """
    swapped_across = np.cumsum(draws.lost - draws.gained, axis=1)[:, :-1]
    holds = np.ascontiguousarray((swapped_across == 0).T)
    if above is not None:
        holds[~_all_above(above)] = False
    cuts: Vector = np.count_nonzero(holds, axis=1) / holds.shape[1]
    likely = np.flatnonzero(cuts >= level)
    together, chosen = _together(holds[likely], level)
    starts = np.zeros(len(holds) + 1, dtype=np.intp)
    starts[likely[chosen] + 1] = 1
    return Tiers(tuple((1 + np.cumsum(starts)).tolist()), together, cuts)


def _all_above(above: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Of each of the m − 1 cuts, whether every system before it is above every one behind it."""
    m = len(above)
    # The last rank that each system is not above; what is behind a cut must be behind that of all before it.
    behind = np.where(np.triu(~above, 1), np.arange(m), -1).max(axis=1)
    return np.maximum.accumulate(behind)[:-1] <= np.arange(m - 1)


def _together(holds: NDArray[np.bool_], level: float) -> tuple[float, list[int]]:
    """Rows that are all true in at least that share of the columns, and the share."""
    columns = holds.shape[1]
    needed = level * columns - 1e-9
    chosen: list[int] = []
    left = list(range(len(holds)))
    share = 1.0
    while left:
        counts = np.count_nonzero(holds[left], axis=1)
        if counts.max() < needed:
            break
        first = left[int(counts.argmax())]
        chosen.append(first)
        left.remove(first)
        share = float(counts.max() / columns)
        holds = holds & holds[first]
    return share, chosen
