"""Joint draws: true contrasts of all systems, then the means of a collection, then its ranking.

The true contrasts of a draw share one value of the hyperparameters, and are as dependent as the pilot's
swaps: the quantiles of all pairs come from one vector of correlated normals. The noise of the collection is
another such vector. So every pair has its own posterior, as in the closed form. What pairs share, the draws
share too: how far apart the systems are, and which of them a topic moves together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from truerank._support.types import Matrix, Vector
from truerank.coefficients import Coefficient
from truerank.errors import InputError
from truerank.numerics.matrices import root_of
from truerank.planning.beliefs import POINTS, SCORES, Beliefs

WORK = 8_000_000  # pairs times draws, by default
FEWEST, MOST = 96, 2_048  # draws for very many, and for few systems
CHUNK = 64  # draws at a time
SMALLEST, LARGEST = 1e-4, 60.0  # smallest and largest size of a contrast that the histograms resolve
BINS = 256
CONTENDERS = 64  # systems nearest to a draw's best one that may come out above it


@dataclass(frozen=True)
class CollectionDraws:
    """Results of k draws for collections of S sizes.

    The first places are right if each system of `above` comes out above the one of `below`: its successor, or
    one of the systems nearest to the last place.
    """

    values: dict[str, Matrix]  # by coefficient, its value in each draw, S × k
    contrasts: dict[str, Matrix]  # by coefficient, k × `BINS`: sizes of contrasts, by the weight of the pair
    above: NDArray[np.intp]  # k × c
    below: NDArray[np.intp]  # k × c
    leads: Matrix  # k × c, how far `above` is ahead, in deviations of one topic
    pilot_leads: Matrix  # how far in the pilot's sums over topics; 0 where it is not extended


def draws_for(systems: int) -> int:
    """The default number of draws for that many systems, a multiple of `POINTS`."""
    pairs = max(1, systems * (systems - 1) // 2)
    return POINTS * round(min(max(WORK / pairs, FEWEST), MOST) / POINTS)


def draw_collections(
    beliefs: Beliefs,
    topics: Sequence[float],
    coefficients: Sequence[Coefficient],
    draws: int,
    rng: Generator,
    extend: bool = False,
    first: int = 1,
) -> CollectionDraws:
    """Draw true contrasts, then the means of collections of each size, and the coefficients between them.

    The `first` places are followed. Pairs of a draw can form a cycle, so a system's rank is 1 + the number of
    systems that the draw puts above it.
    """
    m = beliefs.systems
    weights = {c.name: column_weights(c, m) for c in coefficients}
    points = np.repeat(beliefs.points, max(1, -(-draws // POINTS)))
    rng.shuffle(points)  # so that every chunk, and every subset of the draws, has all of them
    sizes = np.asarray(topics, dtype=np.float64)
    different, which = np.unique(points, return_inverse=True)
    tables = np.stack([beliefs.quantiles(int(point)) for point in different]).astype(np.float32)
    deviations = beliefs.deviations
    inverse = np.divide(1.0, deviations, out=np.zeros_like(deviations), where=deviations > 0)
    inverse = inverse.astype(np.float32)
    root = root_of(beliefs.covariance)
    normal = (rng.standard_normal((2 * len(points), m)) @ root).T.astype(np.float32)
    found: list[CollectionDraws] = []
    for start in range(0, len(points), CHUNK):
        of = which[start : start + CHUNK]
        both = normal[:, 2 * start : 2 * (start + len(of))]
        truth, noise = (np.ascontiguousarray(half) for half in np.split(both, 2, axis=1))
        contrasts, sums = _contrasts(beliefs, tables, of, inverse, truth, extend)
        found.append(_rank(contrasts, sums, inverse, noise, sizes, weights, first))
    return CollectionDraws(
        {c.name: np.concatenate([one.values[c.name] for one in found], axis=1) for c in coefficients},
        {c.name: np.concatenate([one.contrasts[c.name] for one in found]) for c in coefficients},
        *(
            np.concatenate([getattr(one, name) for one in found])
            for name in ("above", "below", "leads", "pilot_leads")
        ),
    )


def column_weights(coefficient: Coefficient, systems: int) -> Vector:
    """The weight of a wrong pair by the rank of its lower system, length m."""
    weights = coefficient.weights(systems)
    columns: Vector = weights[0].copy()
    if not np.array_equal(np.triu(weights, 1), np.triu(np.broadcast_to(columns, weights.shape), 1)):
        raise InputError(
            f"no plan by {coefficient.name!r}: its weights depend on the upper system's rank; take tau or "
            "tau_ap"
        )
    return columns


# For each system i a number for every system j > i and every draw, (m − 1 − i) × k.
Rows = list[NDArray[np.float32]]


def _contrasts(
    beliefs: Beliefs,
    tables: NDArray[np.float32],
    of: NDArray[np.intp],
    inverse: NDArray[np.float32],
    truth: NDArray[np.float32],
    extend: bool,
) -> tuple[Rows, Rows]:
    """True contrasts of all pairs in every draw; and, for an extension, the pilot's sums in units of σ."""
    step = np.float32(SCORES[1] - SCORES[0])
    _, height, width = tables.shape
    flat = tables.ravel()
    table_of = (of * (height * width)).astype(np.int32)
    rows, parts = beliefs.places
    statistics = beliefs.statistics
    contrasts: Rows = []
    sums: Rows = []
    for i in range(beliefs.systems - 1):
        score = (truth[i] - truth[i + 1 :]) * inverse[i, i + 1 :, None]
        score -= np.float32(SCORES[0])
        score *= 1 / step
        np.clip(score, 0, width - 1.001, out=score)
        place = score.astype(np.int32)
        score -= place
        place += table_of
        place += (rows[i, i + 1 :] * width).astype(np.int32)[:, None]
        drawn = _between(flat, place, score)
        if height > 1:
            place += width
            drawn += parts[i, i + 1 :, None] * (_between(flat, place, score) - drawn)
        contrasts.append(drawn)
        if extend and statistics is not None:
            z = np.where(np.isfinite(statistics[i, i + 1 :]), statistics[i, i + 1 :], 1e3)[:, None]
            sums.append((np.sqrt(beliefs.topics) * z * _scale(z, drawn, beliefs)).astype(np.float32))
    return contrasts, sums


def _between(
    flat: NDArray[np.float32], place: NDArray[np.int32], part: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Linear interpolation between the numbers at a place and after it."""
    low = flat.take(place)
    high = flat[1:].take(place)
    high -= low
    high *= part
    high += low
    return high


def _scale(z: Matrix, contrasts: NDArray[np.float32], beliefs: Beliefs) -> Matrix:
    """The most likely u = s/σ of a pair, given its z and its true contrast."""
    zeta = np.sqrt(beliefs.topics) * contrasts
    nu = beliefs.degrees
    product = z * zeta
    return (product + np.sqrt(product**2 + 4 * nu * (nu + z**2))) / (2 * (nu + z**2))


def _rank(
    contrasts: Rows,
    sums: Rows,
    inverse: NDArray[np.float32],
    noise: NDArray[np.float32],
    sizes: Vector,
    weights: dict[str, Vector],
    first: int,
) -> CollectionDraws:
    """The coefficients at every size, from the sizes between which each pair is in the wrong order."""
    m, k = noise.shape
    true_losses = np.zeros((m, k), dtype=np.int32)
    for i, mine in enumerate(contrasts):
        loses = mine < 0
        true_losses[i] += np.add.reduce(loses, axis=0, dtype=np.int32)
        true_losses[i + 1 :] += ~loses
    # By system, draw and size: how many systems it is wrongly below, and wrongly above.
    steps = len(sizes) + 1
    behind, ahead = (np.zeros(m * k * steps, dtype=np.int64) for _ in range(2))
    for i, mine in enumerate(contrasts):
        g = (noise[i] - noise[i + 1 :]) * inverse[i, i + 1 :, None]
        pair, low, high = _wrong_between(mine.ravel(), g.ravel(), sums[i].ravel() if sums else None, sizes)
        draw = pair % k
        other = i + 1 + pair // k
        first_is_above = mine.ravel()[pair] > 0
        for count, system in (
            (behind, np.where(first_is_above, i, other)),
            (ahead, np.where(first_is_above, other, i)),
        ):
            cell = (system * k + draw) * steps
            np.add.at(count, cell + low, 1)
            np.add.at(count, cell + high, -1)
    below, above = (np.cumsum(count.reshape(m, k, steps), axis=2)[:, :, :-1] for count in (behind, ahead))
    losses = np.minimum(true_losses[:, :, None] + below - above, m - 1)
    return CollectionDraws(
        {name: (1.0 - np.sum(columns[losses] * below, axis=0)).T for name, columns in weights.items()},
        _histograms(contrasts, true_losses, weights),
        *_leads(contrasts, sums, true_losses, first),
    )


def _wrong_between(
    contrasts: NDArray[np.float32],
    noise: NDArray[np.float32],
    sums: NDArray[np.float32] | None,
    sizes: Vector,
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]:
    """The pairs that are ever in the wrong order, and the sizes between which they are.

    The sum over topics of a pair's difference is ``kδ + √k g``, plus the pilot's in an extension. In √k this
    has one or two sign changes, so a pair is wrong between two sizes.
    """
    towards = np.copysign(noise, noise * contrasts)  # the noise in the direction of the truth
    size = np.abs(contrasts)
    if sums is None:
        at = np.flatnonzero(-towards > np.float32(np.sqrt(sizes[0])) * size)
        with np.errstate(divide="ignore"):
            end = (towards[at].astype(np.float64) / size[at]) ** 2
        return at, np.zeros(len(at), dtype=np.intp), np.searchsorted(sizes, end)
    pilot = np.copysign(sums, contrasts * sums)
    discriminant = towards * towards - 4 * size * pilot
    at = np.flatnonzero((pilot < 0) | ((towards < 0) & (discriminant > 0)))
    d, t, b = (array[at].astype(np.float64) for array in (size, towards, pilot))
    # Roots of d x² + t x + b, x = √k, written so that nothing cancels.
    half = np.sqrt(np.maximum(t * t - 4 * d * b, 0.0))
    with np.errstate(divide="ignore", invalid="ignore"):
        q = -(t + np.copysign(half, t)) / 2
        roots = np.stack([np.where(d > 0, q / d, np.inf), np.where(q != 0, b / q, 0.0)])
    roots = np.sort(roots, axis=0)
    start = np.where(b < 0, 0.0, np.maximum(roots[0], 0.0))
    low, high = (np.searchsorted(sizes, edge**2) for edge in (start, np.maximum(roots[1], 0.0)))
    return at, low, high


def _histograms(
    contrasts: Rows, true_losses: NDArray[np.int32], weights: dict[str, Vector]
) -> dict[str, Matrix]:
    """For each draw the sizes of its contrasts, weighted by the rank of the truly lower system, k × bins."""
    m, k = true_losses.shape
    found = {name: np.zeros(k * BINS) for name in weights}
    scale = np.float32((BINS - 1) / np.log(LARGEST / SMALLEST))
    offset = np.arange(k, dtype=np.int32) * BINS
    ranks = np.minimum(true_losses, m - 1)
    for i, mine in enumerate(contrasts):
        bins = np.abs(mine)
        bins *= np.float32(1 / SMALLEST)
        np.log(np.maximum(bins, 1, out=bins), out=bins)
        bins *= scale
        places = np.minimum(bins, BINS - 1, out=bins).astype(np.int32)
        places += offset
        flat = places.ravel()
        for name, columns in weights.items():
            if np.ptp(columns) == 0:
                found[name] += columns[0] * np.bincount(flat, minlength=k * BINS)
            else:
                lower = np.where(mine < 0, columns[ranks[i]], columns[ranks[i + 1 :]])
                found[name] += np.bincount(flat, lower.ravel(), minlength=k * BINS)
    return {name: histogram.reshape(k, BINS) for name, histogram in found.items()}


def bin_centers() -> Vector:
    """The size of a contrast that each bin of a histogram stands for."""
    step = np.log(LARGEST / SMALLEST) / (BINS - 1)
    return SMALLEST * np.exp((np.arange(BINS) + 0.5) * step)


def _leads(
    contrasts: Rows, sums: Rows, true_losses: NDArray[np.int32], first: int
) -> tuple[NDArray[np.intp], NDArray[np.intp], Matrix, Matrix]:
    """The pairs that decide the first places of each draw, and how far the better one is ahead."""
    m, k = true_losses.shape
    top = np.argsort(true_losses, axis=0, kind="stable")[:first]
    leads, pilot_leads = np.zeros((k, m)), np.zeros((k, m))
    for rows, into in ((contrasts, leads), (sums, pilot_leads)):
        if not rows:
            continue
        for draw, b in enumerate(top[-1].tolist()):
            into[draw, :b] = [-rows[i][b - i - 1, draw] for i in range(b)]
            if b < m - 1:
                into[draw, b + 1 :] = rows[b][:, draw]
    others = leads.copy()
    others[np.arange(k), top] = np.inf
    near = np.argsort(others, axis=1, kind="stable")[:, : min(CONTENDERS, m - first)]
    above = np.concatenate([top[:-1].T, np.repeat(top[-1:].T, near.shape[1], axis=1)], axis=1)
    below = np.concatenate([top[1:].T, near], axis=1)
    ahead, pilot_ahead = (
        np.concatenate([_successors(rows, top), np.take_along_axis(values, near, axis=1)], axis=1)
        for rows, values in ((contrasts, leads), (sums, pilot_leads))
    )
    return above, below, ahead, pilot_ahead


def _successors(rows: Rows, top: NDArray[np.intp]) -> Matrix:
    """How far each first place is ahead of the next one, k × (places − 1)."""
    found = np.zeros((top.shape[1], len(top) - 1))
    for (draw, place), _ in np.ndenumerate(found):
        a, b = int(top[place, draw]), int(top[place + 1, draw])
        if rows:
            found[draw, place] = rows[a][b - a - 1, draw] if a < b else -rows[b][a - b - 1, draw]
    return found
