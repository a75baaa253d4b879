"""Squared distances between all pairs of columns: pair by pair, or of thousands by matrix products."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from truerank._support.types import Matrix, Vector
from truerank.numerics.pairs import BLOCK_VALUES, over_pairs

MANY = 1_000
"""From so many columns on distances come from matrix products: some twenty times less work."""

CANCELLING = 1e-3
"""Distances below that share of the columns' own squares are found pair by pair: products leave few digits
of them."""

BLOCK_ROWS = 256
"""Columns whose products with all others are made at a time."""


def squared_distances(values: Matrix, equal: float = 0.0) -> Matrix:
    """``Σ_t (x_ti − x_tj)²`` for all pairs i < j of columns of n × m values. O(n·m²).

    >>> squared_distances(np.array([[1.0, 2.0, 2.0], [4.0, 2.0, 2.0]])).tolist()
    [[0.0, 5.0, 5.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    """
    m = values.shape[1]
    if m < MANY:
        return over_pairs(values, partial(_sums_of_squares, equal=equal))
    centered = values - values.mean(axis=1, keepdims=True)  # what all columns share cancels in differences
    squares = np.einsum("tj,tj->j", centered, centered)
    rows = np.ascontiguousarray(values.T)
    least = 2 * len(values) * min(equal, 1e150) ** 2
    found = np.zeros((m, m))
    for start in range(0, m, BLOCK_ROWS):
        block = slice(start, min(start + BLOCK_ROWS, m))
        part = found[block, start:]
        np.matmul(centered[:, block].T, centered[:, start:], out=part)
        part *= -2.0
        total = squares[block, None] + squares[start:]
        part += total
        near = part <= np.maximum(CANCELLING * total, least)
        part[np.tri(*part.shape, dtype=np.bool_)] = 0.0
        first, second = np.nonzero(np.triu(near, 1))
        found[first + start, second + start] = _exact(rows, first + start, second + start, equal)
    return found


def _exact(rows: Matrix, first: NDArray[np.intp], second: NDArray[np.intp], equal: float) -> Vector:
    """Squared distances of some pairs of rows, from their differences."""
    found = np.empty(len(first))
    step = max(1, BLOCK_VALUES // rows.shape[1])
    for start in range(0, len(first), step):
        here = slice(start, start + step)
        found[here] = _sums_of_squares(rows[first[here]] - rows[second[here]], equal)
    return found


def _sums_of_squares(differences: Matrix, equal: float) -> Vector:
    """Of k × n differences; 0 where none is larger than `equal`."""
    found: Vector = np.einsum("kt,kt->k", differences, differences)
    small = np.flatnonzero(np.sqrt(found / max(differences.shape[1], 1)) <= equal * (1 + 1e-9))
    found[small[np.abs(differences[small]).max(axis=1, initial=0.0) <= equal]] = 0.0
    return found
