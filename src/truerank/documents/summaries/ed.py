"""ED: the difference between two systems that goes with significance in a share α of the samples.

Algorithm 4 of yang-2018 (after Sakai 2006): for each pair, the sampled difference |z̄ⁱ| at the
⌈αB⌉-th largest |t|; then the maximum over pairs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from truerank._support.types import Matrix
from truerank.documents.summaries.summary import (
    ABOUT,
    DocumentSummary,
    SummarizedSamples,
    SummaryNumber,
    SummaryResult,
    Weights,
)
from truerank.numerics.intervals import Interval, quantile_interval


@dataclass(frozen=True, eq=False)
class EstimatedDifference(SummaryResult):
    """ED, the maximum over pairs; the pair that it comes from, the better system first; and its interval.

    As the maximum of many noisy numbers, ED moves up when they are resampled, and its interval with it.
    """

    difference: float
    pair: tuple[int, int]
    of_pairs: Matrix
    interval: Interval
    systems: tuple[str, ...] = ()

    def numbers(self) -> tuple[SummaryNumber, ...]:
        """The difference."""
        return (SummaryNumber("ed", "ED: estimated difference", self.difference, self.interval, column="ed"),)

    def more(self) -> dict[str, Any]:
        """The two systems."""
        return {"ed_pair": list(self.systems)}


def estimated_difference(
    means: Matrix, t: Matrix, alpha: float, weights: Weights, level: float
) -> EstimatedDifference:
    """ED from B × m means and B × pairs |t|. O(m²·B log B)."""
    samples = len(t)
    # Rounding must not raise a whole α·B: 0.07 · 100 is 7.000000000000001.
    rank = max(1, math.ceil(alpha * samples - 1e-9))
    # A replicate's rank-th largest is among these samples, except once in 10⁹.
    reach = min(samples, rank + 10 + math.ceil(6 * math.sqrt(rank)))
    upper = np.triu_indices(means.shape[1], 1)
    of_pairs = np.empty(len(upper[0]))
    replicated = np.zeros(len(weights))
    for pair, (i, j) in enumerate(zip(*upper, strict=True)):
        gap = np.abs(means[:, i] - means[:, j])
        order = np.lexsort((-gap, -t[:, pair]))[:reach]
        of_pairs[pair] = gap[order[rank - 1]]
        taken = np.cumsum(weights[:, order], axis=1)
        place = np.minimum(np.count_nonzero(taken < rank, axis=1), reach - 1)
        np.maximum(replicated, gap[order[place]], out=replicated)
    largest = int(np.argmax(of_pairs))
    return EstimatedDifference(
        difference=float(of_pairs[largest]),
        pair=(int(upper[0][largest]), int(upper[1][largest])),
        of_pairs=of_pairs,
        interval=quantile_interval(replicated, level),
    )


def compute(given: SummarizedSamples) -> EstimatedDifference:
    """ED over all samples, with the names of the two systems."""
    samples, settings = given.samples, given.settings
    result = estimated_difference(samples.means, samples.t, settings.alpha, given.weights, settings.level)
    return replace(result, systems=tuple(given.scores.systems[s] for s in result.pair))


ED = DocumentSummary("ed", compute=compute, **ABOUT["ed"])
