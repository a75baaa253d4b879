"""The paired randomization test that papers report beside the t-test, for a pair of systems; two-sided."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.random import Generator

from truerank._support.types import Vector
from truerank.numerics.resampling import CHUNK_VALUES, sign_vectors
from truerank.scores import TIE

PERMUTATIONS = 10_000  # sign vectors of the randomization test
# Groups of eight differences that are looked up at a time: 2 kB each, so that all stay in a core's cache.
TABLES = 256
BYTES = 1 << 24  # random bytes in memory at a time, or those of one step
MANY = 1 << 16  # differences of which no sign is drawn one by one beyond these
GROUPS = 1000  # different sizes at most whose signs are drawn together


def randomization_p_value(differences: Vector, rng: Generator, permutations: int = PERMUTATIONS) -> float:
    """The paired randomization test's, ``(1 + as extreme)/(1 + permutations)``; exact for few differences."""
    d = differences[np.abs(differences) > TIE]
    n = len(d)
    if n == 0:
        return 1.0
    least = abs(float(d.sum())) - TIE * n
    d = np.sort(np.abs(d))  # so that the same scores have the same digits, in whatever order and direction
    if 2 ** (min(n, 62) - 1) <= permutations:
        signs, _ = sign_vectors(n, permutations, rng)
        return float(np.mean(np.abs(signs @ d) >= least))
    reached = 0
    draw = _flipped_sums if n <= MANY else _many_flipped_sums
    for flipped in draw(d, permutations, rng):
        reached += int(np.count_nonzero(np.abs(flipped) >= least))
    return (1 + reached) / (1 + permutations)


def _many_flipped_sums(d: Vector, permutations: int, rng: Generator) -> Iterator[Vector]:
    """The same for very many differences in ascending order, without a random sign for each.

    Differences of one size have a binomial number of minus signs. Where there are many sizes, the largest
    differences get their signs one by one, and the sum of the others is drawn from a normal distribution:
    none of them has more than 1/65,536 of the variance, so p differs by less than 1e-3.
    """
    sizes, counts = np.unique(np.rint(d / TIE), return_counts=True)
    if len(sizes) <= GROUPS:
        total = np.zeros(permutations)
        for size, count in zip(sizes.tolist(), counts.tolist(), strict=True):
            total += TIE * size * (count - 2.0 * rng.binomial(count, 0.5, permutations))
        yield total
        return
    smaller, largest = d[:-MANY], d[-MANY:]
    deviation = float(np.sqrt(smaller @ smaller))
    for total in _flipped_sums(largest, permutations, rng):
        yield total + rng.normal(0, deviation, len(total))


def _flipped_sums(d: Vector, permutations: int, rng: Generator) -> Iterator[Vector]:
    """Sums of differences under random signs: a random byte for every eight of them, looked up in a table."""
    groups = -(-len(d) // 8)
    padded = np.zeros((groups, 8))
    padded.ravel()[: len(d)] = d
    minus = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).astype(np.float64)
    table = padded.sum(axis=1, keepdims=True) - 2 * padded @ minus.T
    places = 256 * np.arange(min(groups, TABLES))
    step = max(1, CHUNK_VALUES // groups)
    together = step * max(1, BYTES // (step * groups))
    for first in range(0, permutations, together):
        starts = range(first, min(first + together, permutations), step)
        # The generator is asked step by step: it drops what is left of four bytes after each.
        drawn = np.concatenate(
            [
                np.frombuffer(rng.bytes(rows * groups), dtype=np.uint8).reshape(rows, groups)
                for rows in (min(step, permutations - start) for start in starts)
            ]
        )
        total = np.zeros(len(drawn))
        for group in range(0, groups, TABLES):
            some = drawn[:, group : group + TABLES]
            total += table[group : group + TABLES].ravel()[some + places[: some.shape[1]]].sum(axis=1)
        yield total
