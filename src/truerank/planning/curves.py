"""By number of topics: coefficients, and the chance that the first places come out right.

What to expect, where it will fall, and when a target is reached. It rests on joint draws from what is
believed, or on collections drawn from a simulation model whose truth is known.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from truerank._support.seeds import stream
from truerank._support.types import Matrix, Vector
from truerank.coefficients import Coefficient
from truerank.errors import InputError
from truerank.numerics.intervals import first_reach, number_interval, predicted
from truerank.numerics.pairs import root_of
from truerank.planning.beliefs import POINTS, SCORES, Beliefs
from truerank.planning.plan_results import Criterion, CurvePoint, Needed, curve_points
from truerank.reliability.swaps import count_swaps
from truerank.scores import TIE

# Numbers of topics that are tried; a target that needs more than the last is out of reach.
SIZES = (
    *(5, 7, 10, 15, 20, 30, 40, 50, 75, 100, 150, 200, 300, 400, 500, 750, 1_000, 1_500, 2_000, 3_000, 5_000),
    *(7_500, 10_000, 15_000, 20_000, 30_000, 50_000, 75_000, 100_000),
)
TRUTHS = 256  # draws of the truth that are followed
NOISES = 400  # collections for each of them
COLLECTIONS = 400  # drawn from a model, by default
POOL = 5_000  # simulated topics that they are drawn from
MOST = 1_000  # topics of each


def total_sizes(pilot: float, extend: bool) -> Vector:
    """The numbers of topics to try; for an extension, the pilot's and those above it."""
    if not extend:
        return np.array(SIZES, dtype=np.float64)
    return np.array([pilot, *(size for size in SIZES if size > pilot)], dtype=np.float64)


@dataclass(frozen=True)
class Curve:
    """One coefficient over S numbers of topics, from k draws of the truth."""

    coefficient: str
    topics: Vector  # S, increasing
    expected: Vector  # S, the coefficient expected
    low: Vector  # S, lower end of where the coefficient of one collection falls
    high: Vector
    truths: Matrix  # k × S, the coefficient expected if the truth were that of a draw
    lows: Matrix  # k × S, the lower end then
    spread: Vector  # S, width of the interval around it
    level: float

    def points(self, last: float = math.inf) -> tuple[CurvePoint, ...]:
        return curve_points(self.topics, self.expected, self.low, self.high, last=last)

    def at(self, topics: float) -> float:
        return float(np.interp(np.log(topics), np.log(self.topics), self.expected))

    def needed(self, target: float) -> tuple[Needed, Needed]:
        """The fewest topics at which the expectation, and at which the lower end, reaches a target."""
        asked: tuple[tuple[Criterion, Vector, Matrix], ...] = (
            ("expected", self.expected, self.truths),
            ("low", self.low, self.lows),
        )
        found = []
        for criterion, curve, truths in asked:
            topics = first_reach(self.topics, curve, target)
            interval = self._interval(truths, target, topics)
            found.append(Needed(self.coefficient, target, criterion, topics, *interval))
        return found[0], found[1]

    def needed_width(self, width: float) -> Needed:
        """The fewest topics at which the coefficient's interval is no wider than this."""
        topics = first_reach(self.topics, -self.spread, -width)
        interval = (math.inf, math.inf)
        if math.isfinite(topics):
            there = float(np.interp(np.log(topics), np.log(self.topics), self.truths.mean(axis=0)))
            interval = self._interval(self.truths, there, topics)
        return Needed("width", width, "expected", topics, *interval)

    def _interval(self, truths: Matrix, target: float, topics: float) -> tuple[float, float]:
        """The numbers of topics at which the truths reach a target, and `topics`."""
        each = np.array([first_reach(self.topics, one, target) for one in truths])
        low, high = number_interval(each, self.level)
        return min(low, topics), max(high, topics)


def curve_of(
    beliefs: Beliefs,
    coefficient: Coefficient,
    draws: CollectionDraws,
    topics: Vector,
    extend: bool,
    level: float,
) -> Curve:
    """The curve of a coefficient from joint draws at these numbers of topics."""
    from truerank.numerics.special import ndtr

    added = topics - beliefs.topics if extend else topics
    wrong = beliefs.wrong_by_extension(added) if extend else beliefs.wrong(topics)
    drawn = draws.values[coefficient.name]
    weights = coefficient.weights(beliefs.systems)[0]
    if np.ptp(weights) == 0:
        expected = 1 - weights[0] * len(beliefs.pairs) * wrong
    else:
        expected = _controlled(drawn, draws.values["tau"], 1 - 2 * wrong)
    expected = np.maximum.accumulate(np.minimum(expected, 1.0))
    moved = np.clip(drawn + (expected - drawn.mean(axis=1))[:, None], -1.0, 1.0)
    low, high = predicted(drawn, level)  # not moved: what one collection can have
    histogram = draws.contrasts[coefficient.name]
    missing = histogram @ ndtr(-bin_centers()[:, None] * np.sqrt(topics))
    # The histograms weigh pairs by true ranks and ignore extension, so they are right up to a common factor.
    missing *= (1 - expected) / np.maximum(missing.mean(axis=0), 1e-300)
    truths = 1 - missing
    left = moved - truths.T
    ends = np.quantile(left, [(1 - level) / 2, (1 + level) / 2], axis=1)
    # Like that of a count, the spread of a collection grows with the root of the number of wrong pairs.
    luck = np.sqrt(missing)
    worst = np.quantile(left / np.maximum(luck.T, 1e-9), (1 - level) / 2, axis=1)
    return Curve(
        coefficient.name,
        topics,
        expected,
        np.maximum.accumulate(low),
        np.maximum.accumulate(high),
        truths,
        truths + np.minimum(worst, 0.0) * luck,
        np.minimum.accumulate(ends[1] - ends[0]),
        level,
    )


def _controlled(drawn: Matrix, tau: Matrix, expected: Vector) -> Vector:
    """Means of the draws, with τ as a control variate, whose expectation is known."""
    centered, with_tau = drawn - drawn.mean(axis=1)[:, None], tau - tau.mean(axis=1)[:, None]
    variance = np.sum(with_tau**2, axis=1)
    slope = np.sum(centered * with_tau, axis=1) / np.where(variance > 0, variance, 1.0)
    return drawn.mean(axis=1) + slope * (expected - tau.mean(axis=1))


def winner_chances(
    beliefs: Beliefs, draws: CollectionDraws, added: Vector, rng: np.random.Generator
) -> Matrix:
    """For K draws of the truth, the chance that the first places come out right, by S numbers of topics."""
    m = beliefs.systems
    noise = (rng.standard_normal((NOISES, m)) @ root_of(beliefs.covariance)).T
    deviations = beliefs.deviations
    chances = np.ones((min(TRUTHS, len(draws.above)), len(added)))
    for draw in range(len(chances)):
        a, b = draws.above[draw], draws.below[draw]
        scale = deviations[a, b]
        moving = np.flatnonzero(scale > 0)
        if not len(moving):
            continue
        y = (noise[a[moving]] - noise[b[moving]]) / scale[moving, None]
        lead, pilot = draws.leads[draw, moving, None], draws.pilot_leads[draw, moving, None]
        if lead.min() > 0 and not pilot.any():  # each collection is right from one size on
            from_size = np.sort(np.max(-y / lead, axis=0))
            chances[draw] = np.searchsorted(from_size, np.sqrt(added)) / NOISES
            continue
        for place, k in enumerate(added):
            ahead = pilot + k * lead + np.sqrt(k) * y
            chances[draw, place] = np.mean(np.min(ahead, axis=0) > 0)
    return chances


def winner_curve(
    chances: Matrix, topics: Vector, target: float, level: float
) -> tuple[tuple[CurvePoint, ...], tuple[Needed, Needed]]:
    """The curve of these chances, with its interval over draws of the truth, and the topics needed."""
    chances = np.maximum.accumulate(chances, axis=1)
    expected = chances.mean(axis=0)
    low, high = np.quantile(chances, [(1 - level) / 2, (1 + level) / 2], axis=0)
    each = np.array([first_reach(topics, one, target) for one in chances])
    interval = number_interval(each, level)
    return curve_points(topics, expected, low, high), (
        Needed("winner", target, "expected", first_reach(topics, expected, target), *interval),
        # The end of an interval has no interval.
        Needed("winner", target, "low", interval[1]),
    )


def chance_at(points: Sequence[CurvePoint], topics: float) -> float:
    sizes, chances = [p.topics for p in points], [p.estimate for p in points]
    return float(np.interp(np.log(topics), np.log(sizes), chances))


def known_curves(
    model: Any,
    coefficients: Sequence[Coefficient],
    level: float,
    collections: int,
    seed: int,
    places: int = 1,
) -> tuple[dict[str, Curve], Vector]:
    """The coefficients of collections of up to `MOST` topics, and the chance of the first places."""
    sizes = np.array([size for size in SIZES if size <= MOST])
    truth = np.asarray(model.true_means, dtype=np.float64)
    best = np.sort(truth)[::-1][:places] - TIE
    values = {c.name: np.empty((len(sizes), collections)) for c in coefficients}
    first = np.empty((len(sizes), collections))
    pool = model.sample(POOL, seed).values
    pool = pool + (truth - pool.mean(axis=0))
    rng = stream(seed, "collections")
    for number in range(collections):
        drawn = pool[rng.integers(POOL, size=MOST)]
        means = np.cumsum(drawn, axis=0)[sizes - 1] / sizes[:, None]
        order = np.argsort(-np.round(means, 12), axis=1, kind="stable")
        swaps = count_swaps(np.ascontiguousarray(truth[order].T), -TIE, coefficients)
        for c in coefficients:
            values[c.name][:, number] = swaps.coefficient(c)
        first[:, number] = np.all(truth[order[:, :places]] >= best, axis=1)
    topics = sizes.astype(np.float64)
    return {name: _curve(name, topics, found, level) for name, found in values.items()}, first.mean(axis=1)


def _curve(name: str, topics: Vector, values: Matrix, level: float) -> Curve:
    expected = np.maximum.accumulate(values.mean(axis=1))
    low, high = map(np.maximum.accumulate, predicted(values, level))
    return Curve(
        name,
        topics,
        expected,
        low,
        high,
        expected[None, :],
        low[None, :],
        np.minimum.accumulate(high - low),
        level,
    )


WORK = 8_000_000  # pairs times draws, by default
FEWEST_DRAWS, MOST_DRAWS = 96, 2_048  # draws for very many, and for few systems
CHUNK, MOST_VALUES = 64, 1 << 22  # draws, and pairs times draws, at a time
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
    pairs = max(1, systems * (systems - 1) // 2)
    return POINTS * round(min(max(WORK / pairs, FEWEST_DRAWS), MOST_DRAWS) / POINTS)


def draw_collections(
    beliefs: Beliefs,
    topics: Sequence[float],
    coefficients: Sequence[Coefficient],
    draws: int,
    rng: Generator,
    extend: bool = False,
    first: int = 1,
) -> CollectionDraws:
    """Draw true contrasts, then the means of collections of each size, and the coefficients between them."""
    m = beliefs.systems
    weights = {c.name: column_weights(c, m) for c in coefficients}
    points = np.repeat(beliefs.points, -(-draws // POINTS))
    rng.shuffle(points)  # so that every chunk, and every subset of the draws, has all of them
    points = points[:draws]
    sizes = np.asarray(topics, dtype=np.float64)
    different, which = np.unique(points, return_inverse=True)
    tables = np.stack([beliefs.quantiles(int(point)) for point in different]).astype(np.float32)
    root = root_of(beliefs.covariance)
    normal = (rng.standard_normal((2 * len(points), m)) @ root).T.astype(np.float32)
    i, j = np.triu_indices(m, 1)
    deviations = beliefs.deviations[i, j]
    inverse = np.divide(1.0, deviations, out=np.zeros_like(deviations), where=deviations > 0)
    inverse = inverse.astype(np.float32)[:, None]
    found: list[CollectionDraws] = []
    step = min(CHUNK, max(1, MOST_VALUES // len(i)))
    for start in range(0, len(points), step):
        of = which[start : start + step]
        both = normal[:, 2 * start : 2 * (start + len(of))]
        truth, noise = ((half[i] - half[j]) * inverse for half in np.split(both, 2, axis=1))
        contrasts, sums = _contrasts(beliefs, tables, of, truth, extend)
        found.append(_rank(contrasts, sums, noise, sizes, weights, first))
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


Pairs = NDArray[np.float32]  # a number for every pair i < j of systems and every draw, m(m − 1)/2 × k


def _contrasts(
    beliefs: Beliefs, tables: Pairs, of: NDArray[np.intp], score: Pairs, extend: bool
) -> tuple[Pairs, Pairs | None]:
    """True contrasts of all pairs in every draw; and, for an extension, the pilot's sums in units of σ."""
    step = np.float32(SCORES[1] - SCORES[0])
    _, height, width = tables.shape
    flat = tables.ravel()
    upper = np.triu_indices(beliefs.systems, 1)
    rows, parts = (one[upper][:, None] for one in beliefs.places)
    score -= np.float32(SCORES[0])
    score *= 1 / step
    np.clip(score, 0, width - 1.001, out=score)
    place = score.astype(np.int32)
    score -= place
    place += (of * (height * width)).astype(np.int32)
    place += (rows * width).astype(np.int32)
    drawn = _between(flat, place, score)
    if height > 1:
        place += width
        drawn += parts * (_between(flat, place, score) - drawn)
    if not extend or beliefs.statistics is None:
        return drawn, None
    z = np.where(np.isfinite(beliefs.pairs), beliefs.pairs, 1e3)[:, None]
    return drawn, (np.sqrt(beliefs.topics) * z * _scale(z, drawn, beliefs)).astype(np.float32)


def _between(flat: Pairs, place: NDArray[np.int32], part: Pairs) -> Pairs:
    low = flat.take(place)
    return low + part * (flat[1:].take(place) - low)


def _scale(z: Matrix, contrasts: Pairs, beliefs: Beliefs) -> Matrix:
    """The most likely u = s/σ of a pair, given its z and its true contrast."""
    zeta = np.sqrt(beliefs.topics) * contrasts
    nu = beliefs.degrees
    product = z * zeta
    return (product + np.sqrt(product**2 + 4 * nu * (nu + z**2))) / (2 * (nu + z**2))


def _rank(
    contrasts: Pairs,
    sums: Pairs | None,
    noise: Pairs,
    sizes: Vector,
    weights: dict[str, Vector],
    first: int,
) -> CollectionDraws:
    """The coefficients at every size: the sum over topics of a pair's difference is ``kδ + √k g``.

    In an extension the pilot's comes on top.
    """
    draws = contrasts.shape[1]
    m = len(next(iter(weights.values())))
    i, j = (systems[:, None] for systems in np.triu_indices(m, 1))
    better, worse = np.where(contrasts > 0, i, j), np.where(contrasts > 0, j, i)

    def counted(systems: NDArray[np.intp], cells: NDArray[np.intp]) -> NDArray[np.intp]:
        """How often each system is in these cells of pairs × draws, m × k."""
        places = systems.ravel()[cells] * draws + cells % draws
        return np.bincount(places, minlength=m * draws).reshape(m, draws)

    true_losses = counted(np.where(contrasts < 0, i, j), np.arange(contrasts.size))
    values = {name: np.empty((len(sizes), draws)) for name in weights}
    signed, fixed = np.abs(contrasts).astype(np.float64), 0.0 if sums is None else sums.astype(np.float64)
    towards = np.copysign(1.0, contrasts)  # the direction of the truth
    moving, fixed = noise * towards, fixed * towards
    for place, k in enumerate(sizes):
        wrong = np.flatnonzero(np.sqrt(k) * (np.sqrt(k) * signed + moving) + fixed < 0)
        behind, ahead = counted(better, wrong), counted(worse, wrong)
        losses = np.minimum(true_losses + behind - ahead, m - 1)
        for name, columns in weights.items():
            values[name][place] = 1.0 - np.sum(columns[losses] * behind, axis=0)
    histograms = _histograms(contrasts, true_losses, worse, weights)
    return CollectionDraws(values, histograms, *_leads(contrasts, sums, true_losses, first))


def _histograms(
    contrasts: Pairs, true_losses: NDArray[np.intp], worse: NDArray[np.intp], weights: dict[str, Vector]
) -> dict[str, Matrix]:
    """For each draw the sizes of its contrasts, weighted by the rank of the truly lower system, k × bins."""
    m, k = true_losses.shape
    draws = np.arange(k)
    bins = np.log(np.maximum(np.abs(contrasts) * np.float32(1 / SMALLEST), 1))
    bins *= np.float32((BINS - 1) / np.log(LARGEST / SMALLEST))
    places = (np.minimum(bins, BINS - 1).astype(np.int32) + draws * BINS).ravel()
    ranks = np.minimum(true_losses, m - 1)[worse, draws].ravel()
    return {
        name: np.bincount(places, columns[ranks], k * BINS).astype(np.float64).reshape(k, BINS)
        for name, columns in weights.items()
    }


def bin_centers() -> Vector:
    """The size of a contrast that each bin of a histogram stands for."""
    step = np.log(LARGEST / SMALLEST) / (BINS - 1)
    return SMALLEST * np.exp((np.arange(BINS) + 0.5) * step)


def _leads(
    contrasts: Pairs, sums: Pairs | None, true_losses: NDArray[np.intp], first: int
) -> tuple[NDArray[np.intp], NDArray[np.intp], Matrix, Matrix]:
    """The pairs that decide the first places of each draw, and how far the better one is ahead."""
    m, k = true_losses.shape
    draws = np.arange(k)[:, None]

    def leads(pairs: Pairs, above: NDArray[np.intp], below: NDArray[np.intp]) -> Matrix:
        """How far one system is ahead of another in each draw."""
        low, high = np.minimum(above, below), np.maximum(above, below)
        place = np.minimum(low * (2 * m - low - 1) // 2 + high - low - 1, len(pairs) - 1)
        return np.where(above == below, 0.0, np.where(above < below, 1, -1) * pairs[place, draws])

    top = np.argsort(true_losses, axis=0, kind="stable")[:first].T
    others = leads(contrasts, top[:, -1:], np.arange(m)[None, :])
    others[draws, top] = np.inf
    near = np.argsort(others, axis=1, kind="stable")[:, : min(CONTENDERS, m - first)]
    above = np.concatenate([top[:, :-1], np.repeat(top[:, -1:], near.shape[1], axis=1)], axis=1)
    below = np.concatenate([top[:, 1:], near], axis=1)
    ahead = leads(contrasts, above, below)
    return above, below, ahead, np.zeros_like(ahead) if sums is None else leads(sums, above, below)
