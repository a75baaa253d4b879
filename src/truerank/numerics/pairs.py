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
    values: Matrix | NDArray[np.signedinteger],
    statistic: Callable[..., Matrix],
    *of_pairs: Matrix,
    workspace: int = 0,
    where: NDArray[np.bool_] | None = None,
    shape: tuple[int, ...] = (),
) -> Matrix:
    """A statistic of the n differences of every pair of columns i < j of n × m values, or of those `where`.

    It also gets what m × m tables have of each pair, and may give several numbers, of that shape.
    """
    n, m = values.shape
    rows = np.ascontiguousarray(values.T)

    def of_some(first: NDArray[np.intp], second: NDArray[np.intp]) -> Matrix:
        differences = rows[first]
        differences -= rows[second]
        return statistic(differences, *(table[first, second] for table in of_pairs))

    pairs = np.triu_indices(m, 1) if where is None else np.nonzero(where)
    return _in_blocks(m, max(1, BLOCK_VALUES // max(n, workspace)), of_some, FEWEST_BLOCKS, pairs, shape)


def over_counts(values: NDArray[np.signedinteger], statistic: Callable[[Matrix], Matrix]) -> Matrix:
    """Like `over_pairs`, for a statistic of how often each whole difference occurs, k × (2·range + 1)."""
    n, m = values.shape
    rows = np.ascontiguousarray(values.T, dtype=np.intp)
    largest = int(np.ptp(rows))
    width = 2 * largest + 1
    few = max(1, BLOCK_VALUES // n)

    def of_pairs(first: NDArray[np.intp], second: NDArray[np.intp]) -> Matrix:
        counts = np.empty((len(first), width))
        for begin in range(0, len(first), few):
            here = slice(begin, begin + few)
            cells = rows[first[here]]
            cells -= rows[second[here]]
            cells += (largest + width * np.arange(len(cells)))[:, None]
            found = np.bincount(cells.ravel(), minlength=len(cells) * width)
            counts[here] = found.reshape(-1, width)
        return statistic(counts)

    return _in_blocks(m, max(1, BLOCK_VALUES // width), of_pairs)


def _in_blocks(
    m: int,
    step: int,
    of_pairs: Callable[[NDArray[np.intp], NDArray[np.intp]], Matrix],
    fewest: int = 2,
    pairs: tuple[NDArray[np.intp], ...] = (),
    shape: tuple[int, ...] = (),
) -> Matrix:
    """m × m: a function of the columns of each pair, above the diagonal, `step` pairs at a time."""
    first, second = pairs or np.triu_indices(m, 1)
    starts = range(0, len(first), step)

    def work(start: int) -> None:
        here = slice(start, start + step)
        table[..., first[here], second[here]] = of_pairs(first[here], second[here])

    table = np.zeros((*shape, m, m))
    if len(starts) < fewest:
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


MOST_DECIMALS = 6
NOISE = 1e-12  # how far a score may be from the decimal number that it stands for


def whole_numbers(values: Matrix) -> NDArray[np.signedinteger] | None:
    """The values times the power of ten that makes all of them whole; ``None`` if there is none. O(n·m)."""
    largest = float(np.abs(values).max(initial=0.0))
    for decimals in range(MOST_DECIMALS + 1):
        scale = 10.0**decimals
        if not largest * scale < 2**30:
            return None
        # The first row decides for most tables.
        for rows in (values[:1], values):
            if np.abs(rows - np.rint(rows * scale) / scale).max(initial=0.0) > NOISE:
                break
        else:
            return np.rint(values * scale).astype(np.int16 if largest * scale < 2**14 else np.int32)
    return None
