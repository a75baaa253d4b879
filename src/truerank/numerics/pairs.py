"""The differences between all pairs of systems, in blocks of bounded memory."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from truerank._support.threads import in_threads
from truerank._support.types import Matrix
from truerank.scores import TIE

BLOCK_VALUES = 1 << 17
"""Differences in memory at a time for each thread (1 MB), or those of one pair where n is larger."""


FEWEST_BLOCKS = 8
"""Blocks from which on threads bring more than starting them costs, a millisecond."""

MIRRORED = 256
"""Rows that are mirrored at a time."""


def over_pairs(
    values: Matrix | NDArray[np.signedinteger], statistic: Callable[[Matrix], Matrix], workspace: int = 0
) -> Matrix:
    """A statistic of the n differences of every pair of columns i < j of n × m values."""
    n, m = values.shape
    rows = np.ascontiguousarray(values.T)
    first, second = np.triu_indices(m, 1)
    results = np.empty(len(first))
    step = max(1, BLOCK_VALUES // max(n, workspace))

    def work(start: int) -> None:
        stop = min(start + step, len(first))
        differences = np.empty((stop - start, n), rows.dtype)
        done = 0
        while done < len(differences):  # a stretch of pairs with the same first system after the other
            i, j = first[start + done], second[start + done]
            more = min(m - j, len(differences) - done)
            np.subtract(rows[i], rows[j : j + more], out=differences[done : done + more])
            done += more
        results[start:stop] = statistic(differences)

    starts = range(0, len(first), step)
    if len(starts) < FEWEST_BLOCKS:
        for start in starts:
            work(start)
    else:
        in_threads(work, starts)
    table = np.zeros((m, m))
    table[first, second] = results
    return table


def over_counts(values: NDArray[np.signedinteger], statistic: Callable[[Matrix], Matrix]) -> Matrix:
    """The same for a statistic of how often each difference occurs, k × (2·range + 1), of whole numbers."""
    n, m = values.shape
    rows = np.ascontiguousarray(values.T, dtype=np.intp)
    largest = int(np.ptp(rows))
    width = 2 * largest + 1
    first, second = np.triu_indices(m, 1)
    results = np.empty(len(first))
    step, few = max(1, BLOCK_VALUES // width), max(1, BLOCK_VALUES // n)

    def work(start: int) -> None:
        stop = min(start + step, len(first))
        counts = np.empty((stop - start, width))
        for begin in range(start, stop, few):
            here = slice(begin, min(begin + few, stop))
            cells = rows[first[here]]
            cells -= rows[second[here]]
            cells += (largest + width * np.arange(len(cells)))[:, None]
            found = np.bincount(cells.ravel(), minlength=len(cells) * width)
            counts[begin - start : here.stop - start] = found.reshape(-1, width)
        results[start:stop] = statistic(counts)

    in_threads(work, range(0, len(first), step))
    table = np.zeros((m, m))
    table[first, second] = results
    return table


def mirror(table: Matrix) -> None:
    """Put what is above the diagonal of an m × m table below it too, where there are zeros."""
    m = len(table)
    for start in range(0, m, MIRRORED):
        rows = slice(start, min(start + MIRRORED, m))
        here = table[rows, rows]
        here += np.triu(here, 1).T
        table[rows.stop :, rows] = table[rows, rows.stop :].T


def all_equal(differences: Matrix) -> NDArray[np.bool_]:
    """For k × n differences: which pairs differ by the same amount on every topic (within 1e-12)."""
    return np.ptp(differences, axis=1) <= TIE
