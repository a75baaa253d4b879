"""Resamples of n items (topics, or document samples) as counts: how often each resample has each item.

Every function gives T × n counts, a row a resample, so that one matrix product gives all means:
``counts @ values / k`` for n × m values and resamples of k items.
"""

from __future__ import annotations

import math
from itertools import combinations_with_replacement

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

Counts = NDArray[np.int32]

CHUNK_VALUES = 1 << 20
"""Items drawn at a time (8 MB an array). Streams do not depend on it."""


def count_matrix(items: NDArray[np.integer], n: int) -> Counts:
    """How often each of n items is in each row of T × k item numbers; T × n.

    >>> count_matrix(np.array([[0, 2, 2], [1, 0, 1]]), 3).tolist()
    [[1, 0, 2], [1, 2, 0]]
    """
    rows = len(items)
    cells = items + n * np.arange(rows)[:, None]
    return np.bincount(cells.ravel(), minlength=rows * n).reshape(rows, n).astype(np.int32)


def bootstrap_counts(n: int, resamples: int, rng: Generator, size: int | None = None) -> Counts:
    """The plain bootstrap: T resamples of `size` of n items, drawn with replacement. O(T·(size + n)).

    Args:
        n: how many items there are.
        resamples: T.
        rng: random generator; row by row, ``size`` numbers a row.
        size: items in a resample; n unless given.

    Returns:
        T × n; each row sums to `size`.
    """
    size = n if size is None else size
    counts = np.empty((resamples, n), dtype=np.int32)
    step = max(1, CHUNK_VALUES // max(size, n))
    for start in range(0, resamples, step):
        rows = min(step, resamples - start)
        counts[start : start + rows] = count_matrix(rng.integers(0, n, (rows, size)), n)
    return counts


def balanced_counts(n: int, resamples: int, rng: Generator) -> Counts:
    """The balanced bootstrap: over all T resamples every item is drawn T times. O(T·n).

    One random permutation of T copies of each item, cut into rows (Davison, Hinkley & Schechtman 1986,
    doi:10.1093/biomet/73.3.555).

    Returns:
        T × n; each row sums to n, each column to T.
    """
    items = rng.permutation(np.repeat(np.arange(n, dtype=np.int32), resamples))
    return count_matrix(items.reshape(resamples, n), n)


def multinomial_counts(n: int, resamples: int, rng: Generator) -> Counts:
    """As :func:`bootstrap_counts`, each row drawn at once from its multinomial distribution. O(T·n).

    The distribution is the same; the stream, and so the digits of a seed, is not.
    """
    return rng.multinomial(n, np.full(n, 1 / n), resamples).astype(np.int32)


def disjoint_counts(n: int, size: int, resamples: int, rng: Generator) -> tuple[Counts, Counts]:
    """T pairs of disjoint subsets of `size` of n items each, without replacement; two T × n. O(T·n)."""
    order = rng.permuted(np.broadcast_to(np.arange(n), (resamples, n)), axis=1)
    return count_matrix(order[:, :size], n), count_matrix(order[:, size : 2 * size], n)


def all_resamples(n: int) -> tuple[Counts, NDArray[np.int64]]:
    """Every resample of n of n items, and in how many of the nⁿ orders it can be drawn.

    There are C(2n − 1, n) of them, so this is for a dozen items at most.

    >>> counts, orders = all_resamples(2)
    >>> counts.tolist(), orders.tolist()
    ([[2, 0], [1, 1], [0, 2]], [1, 2, 1])
    """
    members = np.array(list(combinations_with_replacement(range(n), n)))
    counts = count_matrix(members, n)
    factorials = np.array([math.factorial(i) for i in range(n + 1)], dtype=np.int64)
    orders = factorials[n] // np.prod(factorials[counts], axis=1)
    return counts, orders


def sign_vectors(n: int, most: int, rng: Generator) -> tuple[NDArray[np.float64], bool]:
    """Sign vectors of n items: all different ones where they are no more than `most`, or random ones.

    A vector and its negative are the same to a two-sided test, so all are the 2ⁿ⁻¹ with + for the first.

    Args:
        n: how many items there are.
        most: vectors to draw where there are more different ones.
        rng: random generator, asked for signs only where they are drawn.

    Returns:
        The vectors, a row each, of 1 and −1; and whether they are all.

    Example:
        >>> sign_vectors(3, 10, np.random.default_rng(0))[0].tolist()
        [[1.0, -1.0, -1.0], [1.0, 1.0, -1.0], [1.0, -1.0, 1.0], [1.0, 1.0, 1.0]]
    """
    if n - 1 < 62 and 2 ** (n - 1) <= most:
        bits = np.arange(2 ** (n - 1))[:, None] >> np.arange(n - 1)[None, :] & 1
        return np.hstack([np.ones((len(bits), 1)), bits * 2.0 - 1.0]), True
    return 2.0 * rng.integers(0, 2, (most, n), dtype=np.int8).astype(np.float64) - 1.0, False
