"""Scores of several runs together: pass@k, pass^k and the best of k, without bias.

Equations are numbered in docs/methods/noise.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from truerank._support.types import Vector

Kind = Literal["any", "all", "best"]

# By the beginning of the name, what counts over k runs: any success, all successes, or the best score.
OVER_RUNS: dict[str, Kind] = {"pass@": "any", "pass^": "all", "best@": "best"}


@dataclass(frozen=True)
class OverRuns:
    """A score over any k runs of a cell."""

    name: str  # as requested
    kind: Kind
    k: int

    @property
    def successes(self) -> bool:
        return self.kind != "best"

    def of(self, cell: NDArray[np.intp], scores: Vector, counts: NDArray[np.intp]) -> tuple[Vector, Vector]:
        """The score of each cell, and its variance over runs; NaN where that is unknown."""
        if self.kind == "best":
            return best_of(cell, scores, counts, self.k), np.full(len(counts), np.nan)
        with np.errstate(invalid="ignore"):
            right = np.bincount(cell, scores, minlength=len(counts)).astype(np.float64)
        return pass_of(right, counts, self.k, self.kind == "any")


def chosen_share(part: Vector, whole: NDArray[np.intp], k: int) -> Vector:
    """``C(part, k)/C(whole, k)``: the chance that k draws without replacement all come from the part."""
    result = np.ones(len(part))
    with np.errstate(invalid="ignore", divide="ignore"):
        for i in range(k):
            result = result * np.maximum(part - i, 0.0) / (whole - i)
    return result


def pass_of(right: Vector, counts: NDArray[np.intp], k: int, any_of: bool) -> tuple[Vector, Vector]:
    """pass^k or pass@k of cells, from their successes, and its run variance where K ≥ 2k (eq. 21, 22)."""
    part = counts - right if any_of else right
    share = chosen_share(part, counts, k)
    share = np.where(counts >= k, share, np.nan)
    variance = share**2 - chosen_share(part, counts, 2 * k)
    variance = np.where(counts >= 2 * k, variance, np.nan)
    return (1 - share if any_of else share), variance


def best_of(cell: NDArray[np.intp], scores: Vector, counts: NDArray[np.intp], k: int) -> Vector:
    """The expected best of k runs: order statistics weighted ``C(i − 1, k − 1)/C(K, k)`` (eq. 23)."""
    order = np.lexsort((scores, cell))
    here = cell[order]
    first = np.concatenate([[0], np.cumsum(counts)])[here]
    place = np.arange(len(order)) - first  # i − 1
    whole = counts[here]
    with np.errstate(invalid="ignore", divide="ignore"):
        # C(i−1, k−1)/C(K, k) = k/K · C(i−1, k−1)/C(K−1, k−1)
        weight = k / whole * chosen_share(place.astype(np.float64), whole - 1, k - 1)
        result = np.bincount(here, weight * scores[order], minlength=len(counts))
    return np.where(counts >= k, result, np.nan)
