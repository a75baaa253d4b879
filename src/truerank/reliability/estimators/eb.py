"""`eb`: empirical Bayes over the standardized differences of all pairs.

A standardized difference z is on average larger than the true one, ζ, as the observed order is the one that
won. Here ζ has a prior, common to all pairs and learned from all (docs/methods/empirical-bayes.md).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

import truerank.reliability.estimators.groups as groups
from truerank._support.types import Matrix, Vector
from truerank.numerics.pairs import BLOCK_VALUES
from truerank.reliability.estimators.estimator import ABOUT, Fit, PairEstimator, TopicSample
from truerank.reliability.means import Means
from truerank.reliability.means.means import plain_means

EFFECT, EFFECT_SPREAD = 0.13, 0.9
"""Hyperprior of c, the squared effect size of one topic: median, and standard deviation of log c."""

STRENGTHS_SPREAD = 1.7
"""The standard deviation of log c where the means say how far apart systems usually are."""

SHAPE, SHAPE_SPREAD = 5.0, 0.4
"""Hyperprior of β, the shape of the prior: median, and standard deviation of log β."""

EFFECTS = np.geomspace(0.004, 4.0, 40)
SHAPES = np.array([1.0, 1.5, 2.0, 3.0, 4.5, 6.5, 9.0, 13.0])
"""The grid on which both hyperparameters are integrated out."""

LEVEL = 5.0
"""Nats below its peak at which the hyperprior of c levels off, so that differences by chance are believed."""

SMALLEST = 0.02
"""The least c·n on the grid: the variance of true differences over that of errors, which hide less."""

FAR, FAR_SHARE = 8.0, 0.02
"""Scale, in standard errors, and share of pairs that are apart beyond what the prior foresees.

A broken system, far from all others, must not tell how close those are to each other.
"""

LARGEST = 1_000.0
"""Standardized differences beyond it count as this."""

NARROWEST, LEAST_SPREAD = 0.02, -3.0
"""Standard deviation of ζ of equal systems; log of the least spread in a group that is told from none."""

NO_WEIGHT = 1e-18
"""Points of the hyperparameters less probable than that count for nothing."""

NOTHING = 1e-290
"""Densities below it count as 0: processors take six times as long for products that underflow."""

UNLIKELY = 1e-40
"""Scales less probable than that count for nothing: of 49 degrees of freedom, two in five."""

REACH = 9.0
"""Standard deviations of a normal distribution beyond which there is nothing: 1e-19."""


def eb(values: Matrix) -> Matrix:
    """Swap probabilities by empirical Bayes. O(n·m²), and tables for n, kept."""
    return posterior(plain_means(values)).probabilities()


@dataclass(frozen=True, eq=False)
class Prior:
    """The prior of true contrasts, as far as it is known: its hyperparameters have probabilities."""

    effects: Vector  # c at each of the H points of the grid
    shapes: Vector  # β there
    weights: Vector  # probability of each point
    densities: Matrix  # of |ζ| = √n·|δ| between `EDGES` at each point, H × slices
    topics: float  # n, the effective topics that δ is multiplied by the root of
    directions: float = 0.0  # effective number of independent directions that the weights rest on
    grouped: float = 0.0  # weight of rows for groups of nearly equal systems, which are the last ones

    @property
    def effect(self) -> float:
        """c: the geometric mean."""
        return float(np.exp(self.weights @ np.log(self.effects)))

    @property
    def shape(self) -> float:
        """β: the geometric mean."""
        return float(np.exp(self.weights @ np.log(self.shapes)))

    def mixing(self, evidence: Matrix) -> Matrix:
        """The factor of each row of `densities`, from the density of K observations under it, H × K."""
        factors = np.zeros_like(evidence)
        used = np.flatnonzero(self.weights > NO_WEIGHT)
        factors[used] = self.weights[used, None] / evidence[used]
        return factors

    @property
    def expected(self) -> Vector:
        """The density of |ζ| between `EDGES`, averaged over the hyperparameters."""
        return self.weights @ self.densities

    def points(self, count: int) -> NDArray[np.intp]:
        """So many of the H points, each for an equal share of their distribution."""
        order = np.lexsort((self.shapes, self.effects))
        ends = np.cumsum(self.weights[order])
        places = np.searchsorted(ends, (np.arange(count) + 0.5) / count * ends[-1])
        return order[np.minimum(places, len(order) - 1)]

    def swapped(self, statistics: Vector, degrees: Vector) -> Vector:
        """The probability of the wrong order of pairs with these statistics."""
        found = np.zeros_like(statistics)
        for at, share in nodes(degrees):
            table = self._tables(at)
            curve = np.einsum("hz,hz->z", self.mixing(table.density), table.wrong)
            np.minimum.accumulate(curve, out=curve)  # it falls, but for the quadrature's error
            for here in blocks(len(statistics)):
                found[here] += share[here] * np.interp(statistics[here], STATISTICS, curve)
        return found

    def _tables(self, degrees: float) -> Tables:
        """The tables, also for the rows of groups."""
        known = tables(degrees, self.topics)
        if len(known.wrong) == len(self.densities):
            return known
        more = _of_rows(self.densities[len(known.wrong) :], degrees)
        return Tables(*map(np.concatenate, zip(known, more, strict=True)))

    def moments(self, statistics: Vector, degrees: Vector) -> tuple[Vector, Vector]:
        """Mean and variance of ζ/u, the true difference in standard errors, at these statistics."""
        first, second = np.zeros_like(statistics), np.zeros_like(statistics)
        for at, share in nodes(degrees):
            found = self._tables(at)
            factors = self.mixing(found.density)
            for total, table in ((first, found.first), (second, found.second)):
                total += share * np.interp(statistics, STATISTICS, np.einsum("hz,hz->z", factors, table))
        return first, second - first**2


@dataclass(frozen=True, eq=False)
class Posterior:
    """What all pairs together say of the prior, and with it of each pair."""

    statistics: Matrix  # m × m, z above the diagonal; see `standardized`
    degrees: float | Matrix  # their degrees of freedom: one number for all, or m × m
    prior: Prior

    @property
    def tau(self) -> float:
        """τ expected of the ranking."""
        return float(1 - 2 * self.probabilities()[np.triu_indices(len(self.statistics), 1)].mean())

    def probabilities(self, overwrite: bool = False) -> Matrix:
        """m × m swap probabilities, averaged over the hyperparameters; or in place of the statistics."""
        found = self.statistics if overwrite else np.zeros(self.statistics.shape)
        for here, upper in pair_blocks(len(found), self.degrees):
            z = self.statistics[here][upper]
            seen = self.prior.swapped(z, of_pairs(self.degrees, here, upper))
            seen[np.isinf(z)] = 0.0
            found[here][upper] = seen
        return found


def posterior(means: Means) -> Posterior:
    """Fit the prior of the true standardized differences to means of systems in ranking order."""
    z = standardized(means)
    return Posterior(z, means.pair_degrees, learned(means, z))


_LEARNED: WeakKeyDictionary[Means, Prior] = WeakKeyDictionary()
"""What was learned from means in use: several ask for the posterior, and only the m × m numbers are large."""


def learned(means: Means, z: Matrix | None = None) -> Prior:
    """The prior with the weight of each point of its hyperparameters after all pairs are seen."""
    if means in _LEARNED:
        return _LEARNED[means]
    z = standardized(means) if z is None else z
    directions = effective_directions(means)
    effects, shapes = grid(means.effective)
    log_likelihood, pairs = np.zeros(len(effects)), 0
    for here, usable in pair_blocks(len(z), means.pair_degrees):
        usable &= np.isfinite(z[here])  # pairs with equal differences tell nothing
        seen = z[here][usable]
        pairs += len(seen)
        for at, share in nodes(of_pairs(means.pair_degrees, here, usable)):
            count = counts(seen, STATISTICS, share)
            met = np.flatnonzero(count)
            density = tables(at, means.effective).density[:, met]
            log_likelihood += np.log(density) @ count[met]
    log_prior = log_hyperprior(effects, shapes, *_usual(means))
    log_weights = log_prior + directions * (log_likelihood / max(pairs, 1))
    weights = np.exp(log_weights - log_weights.max())
    weights /= weights.sum()
    alone = Prior(effects, shapes, weights, _prior(means.effective), means.effective, directions)
    _LEARNED[means] = _with_groups(alone, means)
    return _LEARNED[means]


def _with_groups(prior: Prior, means: Means) -> Prior:
    """The prior with one row for each fit of groups that is not improbable."""
    found, m = groups.fitted(means), len(means.theta)
    if found is None:
        return prior
    weights = found.weights(m, prior.directions, _log_spreads(means))
    chosen = np.argwhere(weights > groups.LEAST)
    if not len(chosen):
        return prior
    weight = weights[tuple(chosen.T)]
    pair = np.sqrt(2 * m / (m - 1))
    at, spreads = found.means / pair, groups.SPREADS * np.sqrt(2) / pair
    rows = np.array([_between(at[k, t], found.shares[k, t], spreads[t]) for k, t in chosen])
    middles = (EDGES[1:] + EDGES[:-1]) / 2
    squares = np.maximum(rows @ (middles**2 * np.diff(EDGES)), SMALLEST)
    rows = (1 - FAR_SHARE) * rows + FAR_SHARE * _far()
    return replace(
        prior,
        effects=np.append(prior.effects, squares / means.effective),
        shapes=np.append(prior.shapes, np.full(len(rows), 2.0)),
        weights=np.append(prior.weights * (1 - weight.sum()), weight),
        densities=np.concatenate([prior.densities, rows]),
        grouped=float(weight.sum()),
    )


def _between(at: Vector, shares: Vector, spread: float) -> Vector:
    """The density of |ζ| in each slice, of pairs of systems from groups at these ζ with these shares."""
    from truerank.numerics.special import ndtr

    there, width = shares > 0, max(spread, NARROWEST)
    away = np.subtract.outer(at[there], at[there]).ravel()
    share = np.multiply.outer(shares[there], shares[there]).ravel()
    below = ndtr((EDGES[:, None] - away) / width) - ndtr(-(EDGES[:, None] + away) / width)
    return np.asarray(np.diff(below, axis=0) @ share / np.diff(EDGES))


def _log_spreads(means: Means) -> Vector:
    """Log of the prior of the spreads within one group: that of c."""
    spreads = np.maximum(groups.SPREADS, np.sqrt(SMALLEST))
    log = np.log(spreads)
    ends = np.concatenate([[LEAST_SPREAD], (log[1:] + log[:-1]) / 2, [log[-1] + 0.4]])
    median, spread = _usual(means)
    squared = (np.log(spreads**2 / means.effective / median) / spread) ** 2
    found = np.logaddexp(-0.5 * squared, -LEVEL) + np.log(np.diff(ends))
    return np.asarray(found - np.logaddexp.reduce(found))


def _usual(means: Means) -> tuple[float, float]:
    """Median of c beforehand, and standard deviation of log c; of strengths in their own unit."""
    if means.usual_spread is None:
        return EFFECT, EFFECT_SPREAD
    errors = means.deviations[np.triu_indices(len(means.theta), 1)]
    of_pair = float(np.median(errors[errors > 0] ** 2)) if np.any(errors > 0) else 1.0
    return 2 * means.usual_spread**2 / of_pair / means.effective, STRENGTHS_SPREAD


def standardized(means: Means) -> Matrix:
    """``z_ij = (θ̂_i − θ̂_j)/s_ij`` above the diagonal, at least 0; inf where all differences are equal."""
    z = np.zeros((len(means.theta),) * 2)
    for start, block, _ in statistic_blocks(means):
        z[start : start + len(block), start:] = block
    return z


def statistic_blocks(means: Means) -> Iterator[tuple[int, Matrix, Matrix]]:
    """z and the deviations, block by block of rows, from the column of the first of them on."""
    for start, deviations in means.deviation_blocks():
        z = means.contrasts[start : start + len(deviations), None] - means.contrasts[start:]
        equal = deviations <= 0
        np.divide(z, deviations, out=z, where=~equal)
        np.clip(z, 0.0, LARGEST, out=z)
        z[equal] = np.inf
        z[np.tri(*z.shape, dtype=np.bool_)] = 0.0
        yield start, z, deviations


def pair_blocks(m: int, degrees: float | Matrix) -> Iterator[tuple[tuple[slice, slice], NDArray[np.bool_]]]:
    """Some rows of m × m after the other, from the column of the first on, and what is above the diagonal."""
    # One block where pairs differ in degrees of freedom, for then one range of them serves all.
    step = m if isinstance(degrees, np.ndarray) else max(1, BLOCK_VALUES // m)
    for start in range(0, m, step):
        shape = min(step, m - start), m - start
        yield (slice(start, start + step), slice(start, m)), ~np.tri(*shape, dtype=np.bool_)


def of_pairs(degrees: float | Matrix, here: tuple[slice, slice], where: NDArray[np.bool_]) -> Vector:
    """The degrees of freedom of some pairs of a block of m × m."""
    if isinstance(degrees, np.ndarray):
        return degrees[here][where]
    return np.broadcast_to(degrees, int(np.count_nonzero(where)))


def blocks(count: int) -> Iterator[slice]:
    """Slices of so many pairs, that what is computed of them takes little memory."""
    for start in range(0, count, BLOCK_VALUES):
        yield slice(start, start + BLOCK_VALUES)


NODES_RATIO = 2.0
"""Ratio of neighboring degrees of freedom at which tables are made, where pairs differ in theirs."""


def nodes(degrees: Vector) -> Iterator[tuple[float, Vector]]:
    """Degrees of freedom at which tables are needed, and each pair's share of each, linear in 1/ν."""
    if len(degrees) == 0:
        return
    if np.ptp(degrees) <= 1e-9 * degrees[0]:
        # Without the last digits, which are rounding: tables are kept by this number.
        yield float(f"{degrees[0]:.12g}"), np.broadcast_to(1.0, len(degrees))
        return
    place = np.log(degrees) / np.log(NODES_RATIO)
    low, high = int(np.floor(place.min())), int(np.floor(place.max())) + 1
    at = NODES_RATIO ** np.arange(low, high + 1)
    left = np.clip(np.searchsorted(at, degrees, side="right") - 1, 0, len(at) - 2)
    part = np.clip((1 / at[left] - 1 / degrees) / (1 / at[left] - 1 / at[left + 1]), 0.0, 1.0)
    for node, value in enumerate(at):
        share = np.where(left == node, 1 - part, 0.0) + np.where(left + 1 == node, part, 0.0)
        if share.any():
            yield float(value), share


def effective_directions(means: Means) -> float:
    """``(tr Σ)²/tr Σ²`` of correlations without what all share, in [1, m − 1]; unbiased if normal."""
    n, m = means.rows.shape
    e = means.rows / max(np.abs(means.rows).max(), 1e-300)
    # What all systems share counts for nothing. One noisy system must not pass for it: systems are weighted
    # by what is left of them, and then standardized.
    e = e - e.mean(axis=1, keepdims=True)
    precision = 1 / np.maximum(e.var(axis=0), 1e-12)
    e -= (e @ precision / precision.sum())[:, None]
    for _ in range(2):
        deviations = e.std(axis=0)
        e /= np.where(deviations > 1e-12, deviations, np.inf)
        e -= e.mean(axis=1, keepdims=True)
    gram = e @ e.T if n < m else e.T @ e
    trace, square = float(np.trace(gram)), float(np.sum(gram**2))
    v = means.common_degrees
    of_square = v * v / ((v - 1) * (v + 2)) * (square - trace**2 / v) if v > 1 else 0.0
    if of_square <= 0:
        return float(max(m - 1, 1))
    return float(np.clip(trace**2 / of_square - 2 / v, 1.0, max(m - 1, 1)))


def counts(z: Vector, points: Vector, weights: Vector) -> Vector:
    """How many z are at each point, each of that weight, divided between its two neighbors."""
    total = np.zeros(len(points))
    for here in blocks(len(z)):
        some, weight = z[here], weights[here]
        right = np.clip(np.searchsorted(points, some), 1, len(points) - 1)
        part = (some - points[right - 1]) / (points[right] - points[right - 1])
        total += np.bincount(right, weight * part, len(points))
        total += np.bincount(right - 1, weight * (1 - part), len(points))
    return total


class Tables(NamedTuple):
    """Under each row of a prior's densities, at each of `STATISTICS`, H × Z."""

    density: Matrix  # of z
    wrong: Matrix  # the part of it where ζ is negative
    first: Matrix  # the density times E[ζ/u | z]
    second: Matrix  # the density times E[(ζ/u)² | z]


STATISTICS = np.sinh(np.linspace(0.0, np.arcsinh(LARGEST), 256))
"""The z at which tables are made."""

EDGES = np.concatenate([np.arange(0.0, 6.0, 0.05), np.geomspace(6.0, 4 * LARGEST, 180)])
"""Between them lie the slices of |ζ|."""


@lru_cache(maxsize=64)
def tables(degrees: float, topics: float) -> Tables:
    """The tables for that many degrees of freedom and effective topics; n − 1 and n for a plain mean."""
    return _of_rows(_prior(topics), degrees)


def _of_rows(densities: Matrix, degrees: float) -> Tables:
    above, wrong, first, second = (densities @ kernel.T for kernel in kernels(degrees))
    return Tables(above + wrong, wrong, first, second)


def grid(topics: float) -> tuple[Vector, Vector]:
    """c and β at each of the H points, for that many effective topics."""
    step = EFFECTS[1] / EFFECTS[0]
    more = max(0, int(np.ceil(np.log(EFFECTS[0] * topics / SMALLEST) / np.log(step) - 1e-9)))
    effects, shapes = np.meshgrid(np.append(EFFECTS[0] / step ** np.arange(more, 0, -1), EFFECTS), SHAPES)
    return effects.ravel(), shapes.ravel()


def log_hyperprior(
    effects: Vector, shapes: Vector, median: float = EFFECT, spread: float = EFFECT_SPREAD
) -> Vector:
    """Log of the weak prior of c and β at each point of a grid, with that median of c; level far from it."""
    log_prior = np.logaddexp(-0.5 * (np.log(effects / median) / spread) ** 2, -LEVEL)
    log_prior -= 0.5 * (np.log(shapes / SHAPE) / SHAPE_SPREAD) ** 2
    steps = np.log(np.gradient(np.log(SHAPES)))  # SHAPES are not evenly spaced
    return log_prior + np.repeat(steps, len(effects) // len(SHAPES))


@lru_cache(maxsize=64)
def _prior(topics: float) -> Matrix:
    """The prior density of |ζ| in each slice, H × slices."""
    return slices_of(topics, *grid(topics), FAR_SHARE)


def slices_of(topics: float, effects: Vector, shapes: Vector, far_share: float = 0.0) -> Matrix:
    """The prior density in each slice for any spreads."""
    slices = (1 - far_share) * _slices(EDGES / np.sqrt(topics), effects, shapes)
    return slices / np.diff(EDGES) + far_share * _far()


def _far() -> Vector:
    """The density of |ζ| of pairs that are apart beyond what the prior foresees, in each slice."""
    return np.asarray(np.diff(np.arctan(EDGES / FAR)) * 2 / np.pi / np.diff(EDGES))


@lru_cache(maxsize=64)
def kernels(degrees: float) -> tuple[Matrix, Matrix, Matrix, Matrix]:
    """What a uniform |ζ| in a slice means for each z: four Z × (edges − 1).

    The density of z where ζ is positive and where it is negative; then the density times E[(ζ/u)^k | z], for
    k = 1, 2 and both signs. Given u, c = zu is normal around ζ: over a slice of ζ the moments 0, 1 and 2 are
    u·P, c·P − Δφ(ζ − c) and ((c² + 1)·P − Δ[(ζ + c)·φ(ζ − c)])/u.
    """
    from truerank.numerics.special import ndtr

    u, weight = scale_nodes(degrees)
    made = np.zeros((4, len(STATISTICS), len(EDGES) - 1))
    for row, z in enumerate(STATISTICS):
        c = z * u
        of_mass = np.stack([weight * u, weight * c, weight / u * (c**2 + 1)])
        of_height = np.stack([weight, weight / u, weight / u * c]) / np.sqrt(2 * np.pi)
        for place, side in enumerate((1, -1)):
            near = np.flatnonzero((side * EDGES > c[0] - REACH) & (side * EDGES < c[-1] + REACH))
            if not len(near):
                continue
            here = slice(max(near[0] - 1, 0), near[-1] + 2)
            edges = side * EDGES[here]
            away = edges - c[:, None]
            mass = of_mass @ ndtr(away)
            height, slope, curve = of_height @ np.exp(-0.5 * away**2)
            moments = side * np.diff([mass[0], mass[1] - height, mass[2] - edges * slope - curve], axis=1)
            slices = slice(here.start, here.start + moments.shape[1])
            made[place, row, slices] = moments[0]
            made[2:, row, slices] += moments[1:]
    made[np.abs(made) < NOTHING] = 0.0
    return made[0], made[1], made[2], made[3]


def _slices(edges: Vector, effects: Vector, shapes: Vector) -> Matrix:
    """Prior probability of |ζ|/√n between neighboring edges, H × (edges − 1)."""
    from truerank.numerics.special import gamma, gammainc

    b = shapes[:, None]
    a = np.sqrt(2 * effects[:, None] / np.pi) * gamma(1 / b) / gamma(2 / b)
    return np.diff(gammainc(1 / b, (edges / a) ** b), axis=1)


def scale_nodes(degrees: float) -> tuple[Vector, Vector]:
    """Nodes and weights for u = s/σ, √(χ²/ν): dense where u is likely, and down to the least that matters."""
    from truerank.numerics.special import gammaincinv, gammaln

    half = degrees / 2
    low, high = np.log(gammaincinv(half, [1e-13, 1 - 1e-13]) / half) / 2
    x = np.linspace(low, high, 80)
    if (least := np.log(0.1 / LARGEST)) < low:
        x = np.concatenate([np.linspace(least, low, 56, endpoint=False), np.linspace(low, high, 64)])
    log_weight = 2 * half * x - half * np.exp(2 * x) + half * np.log(half) - gammaln(half)
    steps = np.diff(x)
    weights = np.exp(log_weight) * (np.append(steps, 0.0) + np.insert(steps, 0, 0.0)) / 2
    weights /= weights.sum()
    likely = weights > UNLIKELY
    return np.exp(x[likely]), weights[likely]


def _fit(sample: TopicSample) -> Fit:
    """Probabilities and what was learned, from one posterior."""
    found = posterior(sample.means)
    names = "effect", "shape", "directions", "grouped"  # c, β, r and ω
    numbers = {name: float(getattr(found.prior, name)) for name in names}
    return Fit(found.probabilities(overwrite=True), numbers)


EB = PairEstimator("eb", probabilities=_fit, needs="rows", **ABOUT["eb"])
