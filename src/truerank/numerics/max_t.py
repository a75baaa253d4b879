"""P-values adjusted for many tests: by the largest statistic, after Westfall and Young, and by Holm's rule.

Each of k hypotheses has an influence on every topic (for a pair of systems, the difference of their scores),
an n × k matrix. Resampling topics or flipping signs moves all k statistics together, so that the largest one
reflects their dependence. Callers bring the influences: of pairs, of pipelines or of ranks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from truerank._support.types import Matrix, Vector
from truerank.numerics.resampling import CHUNK_VALUES
from truerank.scores import TIE

ROUNDING = 1e-9  # statistics this close, relative to the observed one, count as equal


def step_down_p_values(observed: Vector, null: Iterable[Matrix], own: int = 1) -> Vector:
    """Step-down max-T p-values: each statistic against the largest of those that are no larger than it.

    ``p_(i) = max_{j ≤ i} (own + #{b: max_{l ≥ j} T*_{b(l)} ≥ t_(j)}) / (own + B)``, statistics in decreasing
    order (Westfall & Young 1993). The chance of any false positive stays at α where the joint distribution of
    the statistics of true hypotheses does not depend on which others are true. O(B·k + k log k).
    """
    order = np.argsort(-observed, kind="stable")
    reached, total = _reached(observed[order], null, lambda block: _successive_maxima(block[:, order]))
    p = np.empty(len(observed))
    p[order] = np.maximum.accumulate((own + reached) / (own + total))
    return p


def single_step_p_values(observed: Vector, null: Iterable[Matrix], own: int = 1) -> Vector:
    """Single-step max-T p-values: every statistic against the largest of all k. O(B·k)."""
    reached, total = _reached(observed, null, lambda block: block.max(axis=1, keepdims=True))
    return np.asarray((own + reached) / (own + total), dtype=np.float64)


def _successive_maxima(block: Matrix) -> Matrix:
    """The largest value of each row from each column on."""
    return np.maximum.accumulate(block[:, ::-1], axis=1)[:, ::-1]


def _reached(
    observed: Vector, null: Iterable[Matrix], largest: Callable[[Matrix], Matrix]
) -> tuple[NDArray[np.int64], int]:
    """How many rows' largest statistics reach each observed one, and the number of rows."""
    least = observed - ROUNDING * np.maximum(np.abs(observed), 1.0)
    reached = np.zeros(len(observed), dtype=np.int64)
    total = 0
    for block in null:
        reached += np.count_nonzero(largest(block) >= least, axis=0)
        total += len(block)
    return reached, total


def signed_statistics(influences: Matrix, signs: Matrix) -> Iterator[Matrix]:
    """|t| of the n influences of k hypotheses under sign vectors, up to one increasing function. O(B·n·k).

    ``|Σ_t s_t d_t| / √(Σ_t d_t²)``. Flipping signs leaves the squares as they are. So this and the absolute t
    statistic of the flipped differences put all sign vectors and all hypotheses into the same order. 0 where
    all influences are 0.
    """
    size = np.sqrt(np.sum(influences**2, axis=0))
    size[size <= TIE] = np.inf
    for rows in blocks(len(signs), influences.shape[1]):
        yield np.abs(signs[rows] @ influences) / size


def blocks(rows: int, columns: int) -> Iterator[slice]:
    """Slices of the rows of a matrix, each with a bounded number of values."""
    step = max(1, CHUNK_VALUES // max(columns, 1))
    return (slice(start, start + step) for start in range(0, rows, step))


def holm(p: Vector) -> Vector:
    """P-values adjusted by Holm's step-down rule, which needs no dependence."""
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    found = np.empty_like(p)
    found[order] = np.minimum(stepped, 1.0)
    return found
