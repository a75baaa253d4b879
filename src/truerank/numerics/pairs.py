"""The differences between all pairs of systems, in blocks of bounded memory, and their squares."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from numpy.typing import NDArray

from truerank._support.resources import in_threads
from truerank._support.types import Matrix, Vector
from truerank.scores import TIE

# Differences in memory at a time for each thread (1 MB), or those of one pair where n is larger.
BLOCK_VALUES = 1 << 17
FEWEST_BLOCKS = 8  # blocks from which on threads save more than the millisecond that they take to start
MIRRORED = 256  # rows that are mirrored at a time


def over_pairs(
    values: Matrix,
    statistic: Callable[..., Matrix],
    *of_pairs: Matrix,
    where: NDArray[np.bool_] | None = None,
) -> Matrix:
    """A statistic of the n differences of every pair of columns i < j of n × m values, or of those `where`.

    It also gets what m × m tables have of each pair.
    """
    n, m = values.shape
    rows = np.ascontiguousarray(values.T)
    first, second = np.triu_indices(m, 1) if where is None else np.nonzero(where)
    step = max(1, BLOCK_VALUES // n)
    starts = range(0, len(first), step)
    table = np.zeros((m, m))

    def work(start: int) -> None:
        i, j = first[start : start + step], second[start : start + step]
        differences = rows[i]
        differences -= rows[j]
        table[i, j] = statistic(differences, *(known[i, j] for known in of_pairs))

    if len(starts) < FEWEST_BLOCKS:
        for start in starts:
            work(start)
    else:
        in_threads(work, starts)
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


MANY = 1_000  # columns from which on distances come from matrix products, about twenty times faster
# Distances below this share of the columns' own squares are computed pair by pair: products lose digits.
CANCELLING = 1e-3
BLOCK_ROWS = 256  # columns whose products with all others are made at a time


def squared_distances(values: Matrix, equal: float = 0.0) -> Matrix:
    """``Σ_t (x_ti − x_tj)²`` for all pairs i < j of columns of n × m values. O(n·m²)."""
    if values.shape[1] < MANY:
        return over_pairs(values, partial(_sums_of_squares, equal=equal))
    result = np.zeros((values.shape[1],) * 2)
    for start, part in distance_blocks(values, equal):
        result[start : start + len(part), start:] = part
    return result


def distance_blocks(values: Matrix, equal: float = 0.0) -> Iterator[tuple[int, Matrix]]:
    """Squared distances in blocks of rows, from the column of their first row on, each with that row."""
    m = values.shape[1]
    centered = values - values.mean(axis=1, keepdims=True)  # what all columns share cancels in differences
    squares = np.einsum("tj,tj->j", centered, centered)
    least = 2 * len(values) * min(equal, 1e150) ** 2
    for start in range(0, m, BLOCK_ROWS):
        block = slice(start, min(start + BLOCK_ROWS, m))
        part = centered[:, block].T @ centered[:, start:]
        part *= -2.0
        total = squares[block, None] + squares[start:]
        part += total
        total *= CANCELLING
        near = part <= np.maximum(total, least, out=total)
        part[np.tri(*part.shape, dtype=np.bool_)] = 0.0
        first, second = np.nonzero(np.triu(near, 1))
        part[first, second] = _exact(values, first + start, second + start, equal)
        yield start, part


def _exact(values: Matrix, first: NDArray[np.intp], second: NDArray[np.intp], equal: float) -> Vector:
    """Squared distances of some pairs of columns, from their differences."""
    result = np.empty(len(first))
    step = max(1, BLOCK_VALUES // len(values))
    for start in range(0, len(first), step):
        here = slice(start, start + step)
        differences = values[:, first[here]] - values[:, second[here]]
        result[here] = _sums_of_squares(np.ascontiguousarray(differences.T), equal)
    return result


def _sums_of_squares(differences: Matrix, equal: float) -> Vector:
    """Sums of squares of k × n differences; 0 where none is larger than `equal`."""
    result: Vector = np.einsum("kt,kt->k", differences, differences)
    small = np.flatnonzero(np.sqrt(result / max(differences.shape[1], 1)) <= equal * (1 + 1e-9))
    result[small[np.abs(differences[small]).max(axis=1, initial=0.0) <= equal]] = 0.0
    return result
