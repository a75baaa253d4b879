"""Joint draws of the ranks: pairs swapped as often as they should be, each system with its own scale.

A coefficient sums over all pairs, and there one common scale serves (:mod:`truerank.reliability.swaps`). A
statement about all systems together depends on the extreme one. That is the system whose variance happens to
be too small on these few topics: all of its pairs look too sure together. So here every system's variance is
uncertain by itself (docs/methods/ranks.md).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from truerank._support.types import Matrix
from truerank.numerics.matrices import LARGE, root_of, times_root
from truerank.reliability.swaps import FURTHEST, SwapDraws, count_swaps, unit_root

KURTOSIS = 6.0
"""Of scores without their system and topic effects: at the upper end of real ones (docs/methods/ranks.md).

A variance estimated from ν + 1 scores of kurtosis κ varies as a χ² of 2ν/(κ − 1) degrees of freedom would.
"""

FARTHEST, STEP = 6.0, 0.004
"""Scales are tabulated at standard normal quantiles from minus to plus the first number, this far apart."""

BLOCK_VALUES = 1 << 17
"""Numbers in memory at a time (512 kB, a core's own cache), or those of one draw of very many systems."""


def scaled_draws(
    covariance: Matrix, degrees: float, k: int, rng: Generator, kurtosis: float = KURTOSIS
) -> NDArray[np.float32]:
    """k draws of correlated normals, each system times a random scale; m × k, single precision.

    ``W_i = Z_i √(ν'/χ²_i)``, Z ~ N(0, C), ν' = 2ν/(κ − 1). The χ²_i of two systems are as correlated as their
    sample variances: by the square of the correlation of their scores. O(m³ + k·m²).
    """
    return scaled(covariance, degrees, *normals(unit_root(covariance), k, rng), kurtosis)


def normals(root: Matrix, k: int, rng: Generator) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """k × m draws of correlated normals by a root of the covariance, and as many independent ones."""
    correlated, others = np.empty((2, k, len(root)), dtype=np.float32)
    for here in _blocks(correlated):
        rng.standard_normal(dtype=np.float32, out=correlated[here])
        rng.standard_normal(dtype=np.float32, out=others[here])
    _multiply(correlated, root)
    return correlated, others


def scaled(
    covariance: Matrix,
    degrees: float,
    normal: NDArray[np.float32],
    others: NDArray[np.float32],
    kurtosis: float = KURTOSIS,
) -> NDArray[np.float32]:
    """What :func:`scaled_draws` makes of two arrays of normals, whose memory it takes."""
    from truerank.numerics.special import gammaincinv, ndtr

    squared = _squared_correlations(covariance)
    large = len(squared) >= LARGE
    _multiply(others, root_of(squared.astype(np.float32) if large else squared, overwrite=True))
    half = degrees / (kurtosis - 1)
    points = np.arange(-FARTHEST, FARTHEST + STEP, STEP)
    scales_at = np.sqrt(half / gammaincinv(half, ndtr(points))).astype(np.float32)
    for here in _blocks(normal):
        place = np.rint((others[here] + FARTHEST) / STEP)
        normal[here] *= scales_at[np.clip(place, 0, len(points) - 1).astype(np.intp)]
    return np.ascontiguousarray(np.clip(normal, -FURTHEST, FURTHEST, out=normal).T)


def _blocks(values: NDArray[np.float32]) -> Iterator[slice]:
    step = max(1, BLOCK_VALUES // values.shape[1])
    return (slice(start, start + step) for start in range(0, len(values), step))


def _multiply(normal: NDArray[np.float32], root: NDArray[np.floating]) -> None:
    """Put ``normal @ root`` in place of the numbers, some rows after the other."""
    single = root.astype(np.float32, copy=False)
    for here in [slice(None)] if single.flags.fnc else _blocks(normal):
        normal[here] = times_root(normal[here], single)


def _squared_correlations(covariance: Matrix) -> Matrix:
    """Of every pair of systems; 0 with one of no variance, and 1 on the diagonal."""
    deviations = np.sqrt(np.diag(covariance))
    inverse = np.divide(1.0, deviations, out=np.zeros_like(deviations), where=deviations > 0)
    found: Matrix = covariance * inverse
    found *= inverse[:, None]
    found *= found
    np.fill_diagonal(found, 1.0)
    return found


def _lowest(rows: NDArray[np.floating], counts: NDArray[np.intp]) -> NDArray[np.floating]:
    """The last of the so many lowest numbers of each row; counts are in order, and rows are changed."""
    start = 0
    for stop in [*(np.flatnonzero(np.diff(counts)) + 1).tolist(), len(counts)]:
        rows[start:stop].partition(counts[start] - 1, axis=1)  # all rows of one count at once
        start = stop
    found: NDArray[np.floating] = rows[np.arange(len(rows)), counts - 1]
    return found


@dataclass(frozen=True, eq=False)
class PairDraws:
    """Every pair of m systems, best first, swapped in the share of k draws that its probability asks for.

    Attributes:
        values: m × k, a row for each system.
        thresholds: m × m above the diagonal; i and j are swapped where values[i] − values[j] is at most this.
    """

    values: NDArray[np.floating]
    thresholds: NDArray[np.floating]

    @classmethod
    def by_share(cls, values: NDArray[np.floating], probabilities: Matrix, rng: Generator) -> PairDraws:
        """Swap every pair in the share p_ij of the draws in which its difference is lowest. O(k·m²)."""
        m, k = values.shape
        thresholds = np.full((m, m), -np.inf, dtype=values.dtype)
        step = max(1, BLOCK_VALUES // k)
        for i in range(m):
            counts = np.minimum(probabilities[i] * k + rng.random(m), k).astype(np.intp)
            counts[probabilities[i] <= 0] = 0
            order = np.argsort(counts, kind="stable")
            order = order[np.searchsorted(counts[order], 1) :]
            for start in range(0, len(order), step):
                some = order[start : start + step]
                thresholds[i, some] = _lowest(values[i] - values[some], counts[some])
        return cls(values, thresholds)

    def swaps(self) -> SwapDraws:
        """How many better systems each falls behind, and how many worse ones it lets past, in each draw."""
        return count_swaps(self.values, np.nextafter(self.thresholds, np.inf))

    def better_than(self, i: int, rows: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Whether these systems, in ascending order, are truly better than system i, rows × k."""
        above = int(np.searchsorted(rows, i))
        first, last = rows[:above], rows[above:]
        better = np.empty((len(rows), self.values.shape[1]), dtype=bool)
        np.greater(self.values[first] - self.values[i], self.thresholds[first, i, None], out=better[:above])
        np.less_equal(self.values[i] - self.values[last], self.thresholds[i, last, None], out=better[above:])
        return better

    def ever_better(self, i: int) -> NDArray[np.bool_]:
        """Whether each system is truly better than system i in any draw; length m."""
        ever = self.thresholds[i] > -np.inf
        ever[:i] = True
        return ever
