"""Resamples of n items (topics, or document samples) as counts, and p-values adjusted for many tests.

Counts are T × n, one row per resample, so that one matrix product gives all means: ``counts @ values / k``
for n × m values and resamples of k items. Resampling topics or flipping signs moves k statistics together, so
that the largest one reflects their dependence (Westfall & Young 1993).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from itertools import combinations_with_replacement

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from truerank._support.types import Matrix, Vector
from truerank.scores import TIE

Counts = NDArray[np.int32]

# Items drawn at a time (1 MB an array, which a core's cache holds). Streams do not depend on it.
CHUNK_VALUES = 1 << 17
# Items up to which a balanced bootstrap is one permutation; more are drawn in blocks.
WHOLE_VALUES = 1 << 23
MOST_BALANCED = 999_999_999  # the most items that NumPy's hypergeometric distribution takes


def count_matrix(items: NDArray[np.integer], n: int) -> Counts:
    """How often each of n items occurs in each row of T × k item numbers; T × n."""
    rows = len(items)
    cells = items + n * np.arange(rows)[:, None]
    return np.bincount(cells.ravel(), minlength=rows * n).reshape(rows, n).astype(np.int32)


def bootstrap_counts(n: int, resamples: int, rng: Generator, size: int | None = None) -> Counts:
    """The plain bootstrap: T resamples of `size` of n items, with replacement. O(T·(size + n))."""
    return np.concatenate([np.empty((0, n), np.int32), *bootstrap_blocks(n, resamples, rng, size)])


def bootstrap_blocks(n: int, resamples: int, rng: Generator, size: int | None = None) -> Iterator[Counts]:
    """The rows of :func:`bootstrap_counts` in blocks, so that memory does not grow with T."""
    size = n if size is None else size
    step = max(1, CHUNK_VALUES // max(size, n))
    for start in range(0, resamples, step):
        yield count_matrix(rng.integers(0, n, (min(step, resamples - start), size)), n)


def means_of(blocks: Iterable[Counts], values: NDArray[np.float64], size: int) -> NDArray[np.float64]:
    """T × m means of resamples of `size` items each, from blocks of their counts and n × m values."""
    result = [(counts / size) @ values for counts in blocks]
    return np.concatenate([np.empty((0, values.shape[1])), *result])


def balanced_counts(n: int, resamples: int, rng: Generator) -> Counts:
    """The balanced bootstrap: over all T resamples every item is drawn T times. O(T·n).

    One random permutation of T copies of each item, cut into rows (Davison, Hinkley & Schechtman 1986,
    doi:10.1093/biomet/73.3.555).
    """
    items = rng.permutation(np.repeat(np.arange(n, dtype=np.int32), resamples))
    return count_matrix(items.reshape(resamples, n), n)


def balanced_sums(values: NDArray[np.float64], resamples: int, rng: Generator) -> NDArray[np.float64]:
    """m × T sums of n × m values over the resamples of a balanced bootstrap. O(T·n·m)."""
    n, m = values.shape
    if n * resamples <= WHOLE_VALUES:
        return values.T @ balanced_counts(n, resamples, rng).T
    together = max(1, MOST_BALANCED // n)
    if resamples > together:
        parts = -(-resamples // together)
        sizes = [len(some) for some in np.array_split(np.arange(resamples), parts)]
        return np.concatenate([balanced_sums(values, size, rng) for size in sizes], axis=1)
    sums = np.zeros((m, resamples))
    room = np.full(resamples, n, dtype=np.int64)
    step = max(1, 2 * CHUNK_VALUES // resamples)
    for start in range(0, n, step):
        block = values[start : start + step]
        k = len(block)
        taken = rng.multivariate_hypergeometric(room, k * resamples, method="marginals")
        room -= taken
        items = rng.permutation(np.repeat(np.arange(k, dtype=np.int32), resamples))
        cells = items + k * np.repeat(np.arange(resamples), taken)
        counts = np.bincount(cells, minlength=k * resamples).reshape(resamples, k)
        sums += block.T @ counts.T.astype(np.float64)
    return sums


def multinomial_counts(n: int, resamples: int, rng: Generator) -> Counts:
    """Like :func:`bootstrap_counts`, each row one draw from its multinomial distribution. O(T·n)."""
    return rng.multinomial(n, np.full(n, 1 / n), resamples).astype(np.int32)


def disjoint_blocks(n: int, size: int, resamples: int, rng: Generator) -> Iterator[tuple[Counts, Counts]]:
    """T pairs of disjoint subsets of `size` of n items, without replacement, in blocks of bounded memory."""
    step = max(1, CHUNK_VALUES // n)
    for start in range(0, resamples, step):
        rows = min(step, resamples - start)
        order = rng.permuted(np.broadcast_to(np.arange(n), (rows, n)), axis=1)
        yield count_matrix(order[:, :size], n), count_matrix(order[:, size : 2 * size], n)


def all_resamples(n: int) -> tuple[Counts, NDArray[np.int64]]:
    """Every resample of n of n items, and how many of the nⁿ sequences of draws give it."""
    members = np.array(list(combinations_with_replacement(range(n), n)))
    counts = count_matrix(members, n)
    factorials = np.array([math.factorial(i) for i in range(n + 1)], dtype=np.int64)
    orders = factorials[n] // np.prod(factorials[counts], axis=1)
    return counts, orders


def order_of_rows(values: NDArray[np.float64]) -> NDArray[np.intp]:
    """An order of rows by their content, so that draws by place have the same digits for any input order."""
    ordered = np.sort(values, axis=1)
    return np.lexsort((ordered[:, 0], ordered[:, -1], ordered.sum(axis=1)))


def sign_vectors(n: int, most: int, rng: Generator) -> tuple[NDArray[np.float64], bool]:
    """Sign vectors of n items, and whether they are all: random ones where there are more than `most`."""
    if n - 1 < 62 and 2 ** (n - 1) <= most:
        bits = np.arange(2 ** (n - 1))[:, None] >> np.arange(n - 1)[None, :] & 1
        return np.hstack([np.ones((len(bits), 1)), bits * 2.0 - 1.0]), True
    return 2.0 * rng.integers(0, 2, (most, n), dtype=np.int8).astype(np.float64) - 1.0, False


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
    reached, total = _reached(observed, null, lambda block: block.max(axis=1, keepdims=True))
    return np.asarray((own + reached) / (own + total), dtype=np.float64)


def critical_values(largest: Matrix, level: float) -> Matrix:
    """What the largest statistics reach in 1 − level of the samples at most, the observed ones among them."""
    rank = math.ceil((1 + len(largest)) * level - 1e-9)
    return np.sort(largest, axis=0)[rank - 1] if rank <= len(largest) else np.full(largest.shape[1:], np.inf)


def _successive_maxima(block: Matrix) -> Matrix:
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
