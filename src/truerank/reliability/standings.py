"""Where the systems stand: rank ranges from joint draws, or a guarantee for all pairs; all else follows.

The ranges hold for all systems together. The guarantee holds whatever the truth is: every difference in
standard errors is compared, step-down, with the largest in normal samples (docs/methods/ranks.md).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from string import ascii_lowercase

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from truerank._support.types import Matrix, Vector
from truerank.numerics import special
from truerank.numerics.pairs import absolute_t_of_samples, root_of
from truerank.numerics.resampling import critical_values, step_down_p_values
from truerank.reliability.means import Means
from truerank.reliability.swaps import SwapDraws

Ranks = NDArray[np.int64]
Reached = NDArray[np.int64]

BLOCK_VALUES = 1 << 17
"""Counts in memory at a time (1 MB), or those of one system."""


@dataclass(frozen=True)
class RankBands:
    """Best and worst true rank of each of m systems: of the interval of each alone, and of all together."""

    low: Ranks
    high: Ranks
    joint_low: Ranks
    joint_high: Ranks


def rank_bands(
    ranks: NDArray[np.integer], level: float, identical: Sequence[Sequence[int]] = ()
) -> RankBands:
    """Intervals of every system's rank alone, and of all ranks together, from k × m draws of ranks."""
    k, m = ranks.shape
    places = np.subtract(ranks.T, 1, order="C")
    least = np.full(k, k)
    for rows, better, worse in _reached(places):
        here = np.arange(len(better))[:, None], places[rows]
        np.minimum(least, np.minimum(better[here], worse[here]).min(axis=0), out=least)
    own = (1 - level) / 2 * k
    needed = int(np.ceil(level * k - 1e-9))
    common = min(own, np.partition(least, k - needed)[k - needed] - 1)
    ends = np.empty((4, m), dtype=np.int64)
    for rows, better, worse in _reached(places):
        for low, high, tail in ((0, 1, own), (2, 3, common)):
            ends[low, rows] = (better > tail).argmax(axis=1) + 1
            ends[high, rows] = m - (worse > tail)[:, ::-1].argmax(axis=1)
    observed = np.arange(1, m + 1)  # of thousands of systems the leader may hardly ever be first in the draws
    ends[::2], ends[1::2] = np.minimum(ends[::2], observed), np.maximum(ends[1::2], observed)
    for group in identical:
        ends[::2, group] = ends[::2, group].min(axis=1, keepdims=True)
        ends[1::2, group] = ends[1::2, group].max(axis=1, keepdims=True)
    return RankBands(*ends)


def consistent(bands: RankBands) -> RankBands:
    """Bands in which no system has a rank that others must have, as where only k reach the first k ranks."""
    m = len(bands.low)
    high = _within_their_ranks(bands.joint_low, bands.joint_high)
    low = m + 1 - _within_their_ranks(m + 1 - high, m + 1 - bands.joint_low)
    return RankBands(np.clip(bands.low, low, high), np.clip(bands.high, low, high), low, high)


def _within_their_ranks(low: Ranks, high: Ranks) -> Ranks:
    """The worst ranks of systems, cut to the first k where only k systems reach these."""
    ranks = np.arange(1, len(low) + 1)
    taken = np.searchsorted(np.sort(low), ranks, side="right") == ranks
    last = np.minimum.accumulate(np.where(taken, ranks, len(low))[::-1])[::-1]
    return np.minimum(high, last[low - 1])


def _reached(places: Ranks) -> Iterator[tuple[slice, Reached, Reached]]:
    """Block by block of systems, s × m each: the draws at place r or better, and at r or worse."""
    m, k = places.shape
    step = max(1, BLOCK_VALUES // m)
    for start in range(0, m, step):
        some = places[start : start + step]
        cells = some + m * np.arange(len(some))[:, None]
        counts = np.bincount(cells.ravel(), minlength=some.shape[0] * m).reshape(-1, m)
        better = counts.cumsum(axis=1)
        yield slice(start, start + len(some)), better, k - better + counts


@dataclass(frozen=True)
class Standings:
    """All statements on the ranks of m systems, at one level."""

    pairwise: NDArray[np.bool_]  # m × m, where p is enough for the pair; with the guarantee for all pairs
    above: NDArray[np.bool_]  # m × m, where the row's range ends before the column's; or `pairwise`
    letters: tuple[str | None, ...]  # two share one where neither is above the other; None of very many
    bands: RankBands  # each alone and all together (the same with the guarantee)


def above_in_pairs(
    probabilities: Matrix, level: float, identical: Sequence[Sequence[int]] = ()
) -> NDArray[np.bool_]:
    """Where the row's system is above the column's, m × m; from swap probabilities above the diagonal."""
    found = np.zeros(probabilities.shape, dtype=np.bool_)
    for s, row in enumerate(probabilities):  # of thousands of systems a table of numbers would be large
        swapped, kept = row[s + 1 :], 1 - row[s + 1 :]
        found[s, s + 1 :] = (kept >= level) & (kept > 0.5)
        found[s + 1 :, s] = (swapped >= level) & (swapped > 0.5)
    for group in identical:
        found[np.ix_(group, group)] = False
    return found


def standings(
    draws: SwapDraws,
    probabilities: Matrix,
    level: float,
    identical: Sequence[Sequence[int]] = (),
    p_values: Matrix | None = None,
) -> Standings:
    """All statements, from joint draws of the swaps. O(d·m + m²), and once more a letter."""
    pairwise = above_in_pairs(probabilities, level, identical)
    bands = consistent(rank_bands(draws.ranks(), level, identical))
    if p_values is None:
        above = bands.joint_high[:, None] < bands.joint_low
    else:
        # Bands also hold whatever the pairs above each other allow; no interval promises less.
        above = pairwise = pairwise & np.triu(p_values <= 1 - level + 1e-12, 1)
        low = np.minimum(bands.joint_low, 1 + above.sum(axis=0))
        high = np.maximum(bands.joint_high, len(above) - above.sum(axis=1))
        bands = RankBands(low, high, low, high)
    return Standings(pairwise, above, letters(above | above.T), bands)


MOST_SYSTEMS = 300
"""Systems that have letters at most: more would have hundreds, which take most of the time."""


def letters(apart: NDArray[np.bool_]) -> tuple[str | None, ...]:
    """The letters of m systems: two of them share one if and only if they are not apart. O(L·m²).

    Each pair that no letter joins yet gets a new one, which goes to as many more systems as fit. In the end
    letters that join no pair alone are removed (Gramm, Guo, Hüffner & Niedermeier 2007,
    doi:10.1016/j.csda.2006.09.035, after Piepho 2004).
    """
    if len(apart) > MOST_SYSTEMS:
        return (None,) * len(apart)
    groups = groups_of(apart)
    lengths = itertools.count(1)
    every = (
        "".join(name) for length in lengths for name in itertools.product(ascii_lowercase, repeat=length)
    )
    names = list(itertools.islice(every, len(groups)))
    between = "" if len(names) <= len(ascii_lowercase) else " "
    return tuple(
        between.join(name for name, group in zip(names, groups, strict=True) if group[s])
        for s in range(len(apart))
    )


def groups_of(apart: NDArray[np.bool_]) -> list[NDArray[np.bool_]]:
    """The groups that letters stand for: masks of m systems, in the order of their first systems."""
    m, alike, groups = len(apart), ~apart, []
    joining = np.zeros(apart.shape, dtype=np.int32)  # how many groups each pair is in
    for s in range(m):
        while (left := (alike[s] & (joining[s] == 0))[s:]).any():
            partner = m - 1 - int(left[::-1].argmax())
            group = np.zeros(m, dtype=np.bool_)
            group[[s, partner]] = True
            fit = alike[s] & alike[partner] & ~group
            while fit.any():
                best = int(fit.argmax())  # the first in the ranking
                group[best] = True
                fit &= alike[best] & ~group
            joining[np.ix_(group, group)] += 1
            groups.append(group)
    needed = []
    for group in reversed(groups):  # without those all of whose pairs (and systems) are in others too
        if joining[np.ix_(group, group)].min() > 1:
            joining[np.ix_(group, group)] -= 1
        else:
            needed.append(group)
    return sorted(needed, key=lambda group: tuple(np.flatnonzero(group)))


SAMPLES = 2_000
"""Samples of the largest difference; a p-value near 0.05 is known to 0.005."""

SURE = 1e12
"""Statistics beyond it count as this: pairs that differ by the same on every topic."""

SAMPLED_VALUES = 1 << 22
"""Covariances, or scores, in memory at a time (32 MB)."""


@dataclass(frozen=True)
class Guarantee:
    """All pairs of m systems, tested at once, m × m: adjusted p-values, and simultaneous intervals."""

    p_values: Matrix
    low: Matrix
    high: Matrix


def guarantee(
    means: Means, covariance: Matrix, level: float, rng: Generator, samples: int = SAMPLES
) -> Guarantee:
    """Step-down p-values of all pairs by the largest studentized difference, and simultaneous intervals."""
    m = len(means.theta)
    upper = np.triu_indices(m, 1)
    differences, errors = means.differences[upper], means.deviations[upper]
    common = max(round(means.common_degrees), 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(differences == 0, 0.0, np.minimum(np.abs(differences / errors), SURE))
    observed = _carried(t, means.degrees[upper], common)
    largest = np.empty(0)

    def null() -> Iterator[Matrix]:
        nonlocal largest
        for block in _statistics(covariance, common, samples, rng):
            largest = np.append(largest, block.max(axis=1))
            yield block

    p = step_down_p_values(observed, null())
    # The interval excludes 0 where the test separates the pair in its first step.
    critical = critical_values(largest, level)
    half = _carried(np.full(len(p), critical), np.full(len(p), common), means.degrees[upper]) * errors
    half[errors == 0] = 0.0
    adjusted, low, high = np.ones((m, m)), np.zeros((m, m)), np.zeros((m, m))
    adjusted[upper] = adjusted.T[upper] = p
    low[upper], high[upper] = differences - half, differences + half
    low.T[upper], high.T[upper] = -high[upper], -low[upper]
    return Guarantee(adjusted, low, high)


def _carried(t: Vector, degrees: Vector, to: Vector | int) -> Vector:
    """The t of other degrees of freedom with the same p-value; the same t where there is no p left."""
    if np.all(np.asarray(degrees) == to):
        return t
    tail = special.stdtr(degrees, -t)
    return np.where((tail > 0) & np.isfinite(t), -special.stdtrit(to, np.maximum(tail, 1e-300)), t)


def _statistics(covariance: Matrix, degrees: int, samples: int, rng: Generator) -> Iterator[Matrix]:
    """|t| of all pairs in samples of normal scores of equal systems: blocks of rows of B × m(m−1)/2."""
    m = len(covariance)
    root = root_of(covariance / max(float(np.diag(covariance).max()), 1e-300))
    step = max(1, SAMPLED_VALUES // (m * max(m, degrees)))
    for start in range(0, samples, step):
        rows = min(step, samples - start)
        yield absolute_t_of_samples(rng.standard_normal((rows, degrees + 1, m)) @ root)
