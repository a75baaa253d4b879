"""Joint draws of the ranks: pairs swapped as often as they should be, each system with its own scale.

A coefficient sums over all pairs, and there one common scale serves (:mod:`truerank.reliability.swaps`). A
statement about all systems together depends on the extreme one. That is the system whose variance happens to
be too small on these few topics: all of its pairs look too sure together. So here every system's variance is
uncertain by itself (docs/methods/ranks.md).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from truerank._support.types import Matrix
from truerank.numerics.matrices import LARGE, root_of, times_root
from truerank.reliability.swaps import FURTHEST, SwapDraws, tally, tile_shape, unbuffered, unit_root

KURTOSIS = 6.0
"""Of scores without their system and topic effects: at the upper end of real ones (docs/methods/ranks.md).

A variance estimated from ν + 1 scores of kurtosis κ varies as a χ² of 2ν/(κ − 1) degrees of freedom would.
"""

FARTHEST, STEP = 6.0, 0.004
"""Scales are tabulated at standard normal quantiles from minus to plus the first number, this far apart."""

SORTED = 500
"""So many numbers NumPy sorts in less time than it selects one of them; of more, a sample is sorted."""

AWAY = 2.5
"""Standard errors from where a sample says that a number is, within which it is looked for."""

WHOLE_BITS, WIDE = 14, 8
"""Draws of up to the second number times the median are whole numbers of so many bits.

Differences of these fit 16 bits with the sign. With few topics a few draws are a million times as large.
"""

LARGEST = (1 << 15) - 1
"""Differences beyond it count as this, where they are whole numbers."""

BLOCK_VALUES = 1 << 17
"""Numbers in memory at a time (512 kB, a core's own cache), or those of one draw of very many systems."""

_Number = TypeVar("_Number", np.floating, np.integer)


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


def swaps_by_share(values: NDArray[np.floating], probabilities: Matrix, rng: Generator) -> SwapDraws:
    """Swap every pair in the share p_ij of the draws in which its difference is lowest."""
    m, k = values.shape
    counts, last = np.zeros((m, m), dtype=np.int32), np.zeros(m, dtype=np.intp)
    for i in range(m):
        rounding, possible = rng.random(probabilities[i].shape), np.flatnonzero(probabilities[i])
        counts[i, possible] = np.minimum(probabilities[i, possible] * k + rounding[possible], k)
        last[i] = np.flatnonzero(counts[i])[-1:].sum()
    scratch = np.empty(tile_shape(values), dtype=values.dtype)
    sizes = np.abs(values)
    usual = min(sizes.max(initial=0.0), WIDE * np.median(sizes) or np.inf)
    values = np.ldexp(values, WHOLE_BITS - np.frexp(usual)[1])

    def swapped(i: int, at: slice, tile: NDArray[np.floating], out: NDArray[np.bool_]) -> None:
        wanted = counts[i, at]
        some = np.flatnonzero(wanted)
        if len(some) == len(tile):
            differences = np.subtract(values[i], tile, out=scratch[: len(tile)])
            _mark_lowest(differences, wanted, out)
        else:
            differences = tile[some]
            np.subtract(values[i], differences, out=differences)
            marked = np.empty((len(some), k), dtype=np.bool_)
            _mark_lowest(differences, wanted[some], marked)
            out[:] = False
            out[some] = marked

    with unbuffered(k):
        gained, lost = tally(values, swapped, last)
    return SwapDraws(gained, np.ascontiguousarray(lost))


def _mark_lowest(rows: NDArray[np.floating], wanted: NDArray[np.integer], out: NDArray[np.bool_]) -> None:
    """Mark the lowest numbers of each row, as many as are wanted, and what equals the last of them.

    As whole numbers of 16 bits few are sorted in half the time. Where these cannot tell the last from the
    next, the numbers themselves decide.
    """
    again, places = np.arange(len(rows)), wanted - 1
    if rows.shape[1] <= 2 * SORTED:
        whole = np.clip(rows, -LARGEST, LARGEST).astype(np.int16)
        lowest = _lowest(whole, places)
        last = lowest[again, places]
        np.less_equal(whole, last[:, None], out=out)
        again = np.flatnonzero(last == lowest[again, np.minimum(wanted, lowest.shape[1] - 1)])
    if len(again) == len(rows):
        np.less_equal(rows, order_statistics(rows, places)[:, None], out=out)
    else:
        out[again] = rows[again] <= order_statistics(rows[again], places[again])[:, None]


def _lowest(rows: NDArray[_Number], places: NDArray[np.integer]) -> NDArray[_Number]:
    """The lowest numbers of each row, rising: as many as the places need, from 0, and often one more."""
    n, most = rows.shape[1], int(places.max(initial=0)) + 1
    half = n // 2
    if n <= SORTED or most > half:
        return np.sort(rows, axis=1)
    # Of two halves, one rising and one falling, the lower numbers of each place are the lowest of all.
    most = min(most + 1, half)
    lowest, right = np.sort(rows[:, half:], axis=1)[:, :most], -rows[:, :half]
    right.sort(axis=1)
    right = right[:, -most:]
    np.minimum(lowest, np.negative(right, out=right), out=lowest)
    lowest.sort(axis=1)
    return lowest


def order_statistics(rows: NDArray[_Number], places: NDArray[np.integer]) -> NDArray[_Number]:
    """The number at a place of each row once it is sorted, from 0. O(n) a row of n.

    A sorted sample of the row says between which two numbers it lies, and only those between them are sorted.
    """
    count, n = rows.shape
    each = np.arange(count)
    if n <= 2 * SORTED or not count:
        return _lowest(rows, places)[each, places]
    sample = np.sort(rows[:, :SORTED], axis=1)
    share = (places + 0.5) / n
    center, away = share * SORTED, AWAY * np.sqrt(SORTED * share * (1 - share)) + 1
    low, high = np.floor(center - away).astype(np.intp) - 1, np.ceil(center + away).astype(np.intp)
    least = np.where(low >= 0, sample[each, np.maximum(low, 0)], -np.inf).astype(rows.dtype)
    most = np.where(high < SORTED, sample[each, np.minimum(high, SORTED - 1)], np.inf).astype(rows.dtype)
    above = rows > least[:, None]
    between = rows <= most[:, None]
    between &= above
    chosen = np.flatnonzero(between)
    ends = np.searchsorted(chosen, np.arange(count + 1) * n)
    counts, width = np.diff(ends), np.arange(max(np.diff(ends).max(initial=0), 1))
    within = (
        np.append(rows.ravel().take(chosen), np.inf)
        .astype(rows.dtype)
        .take(ends[:-1, None] + width, mode="clip")
    )
    within[width >= counts[:, None]] = np.inf
    left = places - n + above.view(np.uint8).sum(axis=1, dtype=np.uint32).astype(np.intp)
    within.sort(axis=1)
    found = within[each, np.clip(left, 0, len(width) - 1)]
    for row in np.flatnonzero((left < 0) | (left >= counts)).tolist():  # the sample was too far off
        found[row] = np.partition(rows[row], places[row])[places[row]]
    return found
