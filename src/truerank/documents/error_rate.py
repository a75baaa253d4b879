"""Error rate: how often two systems change places, by how far apart a sample puts them.

Algorithm 1 of yang-2018 (after Voorhees & Buckley 2002): over pairs of systems and samples i, with
the raw difference d and the sampled one dⁱ, an error is d·dⁱ < 0; counts go by |dⁱ| into 21 bins.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from truerank._support.types import Matrix
from truerank.documents.replicates import Weights
from truerank.numerics.intervals import Interval, quantile_interval
from truerank.scores import TIE

Counts = NDArray[np.int64]

EDGES = np.arange(21) / 100
"""Lower ends of the bins (0, 0.01), [0.01, 0.02), …, [0.20, ∞)."""

BLOCK_VALUES = 1 << 21


@dataclass(frozen=True)
class ErrorRateBin:
    """One bin of |dⁱ|.

    Attributes:
        low: lower end, in the bin but for 0.
        high: upper end, not in the bin; infinite for the last.
        count: pairs and samples in the bin.
        errors: those with the other sign than the raw difference.
        error_rate: errors / count; NaN where the bin is empty.
        interval: Monte Carlo interval of the error rate; NaN ends where the bin is empty.
    """

    low: float
    high: float
    count: int
    errors: int
    error_rate: float
    interval: Interval


def count_errors(raw_means: Matrix, means: Matrix) -> tuple[Counts, Counts]:
    """Pairs and errors per sample and bin. O(B·m²).

    A sampled difference within 1e-12 of 0 counts nowhere; a raw one is tied and gives no errors.

    Args:
        raw_means: m.
        means: B × m.

    Returns:
        Two B × 21 arrays: pairs, and those among them that are errors.
    """
    first, second = np.triu_indices(len(raw_means), 1)
    raw = raw_means[first] - raw_means[second]
    sign = np.where(np.abs(raw) <= TIE, 0.0, np.sign(raw))
    counts, errors = (np.zeros((len(means), len(EDGES)), dtype=np.int64) for _ in range(2))
    step = max(1, BLOCK_VALUES // len(first))
    for start in range(0, len(means), step):
        block = means[start : start + step]
        difference = block[:, first] - block[:, second]
        size = np.abs(difference)
        # A difference that rounding left just below an edge is in the bin above it.
        place = np.searchsorted(EDGES, size + TIE, side="right") - 1
        place += len(EDGES) * np.arange(len(block))[:, None]
        apart = size > TIE
        wrong = apart & (difference * sign < 0)
        for table, chosen in ((counts, apart), (errors, wrong)):
            found = np.bincount(place[chosen], minlength=len(block) * len(EDGES))
            table[start : start + step] = found.reshape(len(block), len(EDGES))
    return counts, errors


def error_rate(raw_means: Matrix, means: Matrix, weights: Weights, level: float) -> tuple[ErrorRateBin, ...]:
    """The error rate of each of the 21 bins, with the interval from replicates of the samples.

    Args:
        raw_means: m.
        means: B × m.
        weights: replicates × B, of :func:`truerank.documents.replicates.replicate_weights`.
        level: of the intervals.
    """
    counts, errors = count_errors(raw_means, means)
    with np.errstate(invalid="ignore"):
        rates = errors.sum(axis=0) / counts.sum(axis=0)
        replicates = (weights @ errors.astype(np.float32)) / (weights @ counts.astype(np.float32))
    bins = []
    for b, low in enumerate(EDGES):
        seen = replicates[:, b][np.isfinite(replicates[:, b])].astype(np.float64)
        nothing = Interval(level, np.nan, np.nan, "quantile")
        bins.append(
            ErrorRateBin(
                low=float(low),
                high=float(EDGES[b + 1]) if b + 1 < len(EDGES) else np.inf,
                count=int(counts[:, b].sum()),
                errors=int(errors[:, b].sum()),
                error_rate=float(rates[b]),
                interval=quantile_interval(seen, level) if len(seen) else nothing,
            )
        )
    return tuple(bins)


def error_share(raw_means: Matrix, means: Matrix) -> Matrix:
    """Share of pairs in the wrong order in each sample, length B."""
    _, errors = count_errors(raw_means, means)
    m = len(raw_means)
    share: Matrix = errors.sum(axis=1) / (m * (m - 1) / 2)
    return share
