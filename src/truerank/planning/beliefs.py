"""The distribution of the true contrasts of systems: after a pilot, or before any scores.

The contrast of a pair is δ, the true difference of the two means in standard deviations of one topic's
difference. `eb` gives it a prior and, from a pilot, a posterior (docs/methods/empirical-bayes.md). Planning
uses that estimator only through this file.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache, partial

import numpy as np
from numpy.typing import NDArray

from truerank._support.resources import one_blas_thread
from truerank._support.types import Matrix, Vector
from truerank.reliability.estimators import eb
from truerank.reliability.means import Means
from truerank.reliability.predictive import shrunk_covariance
from truerank.reliability.swaps import difference_deviations

POINTS = 32  # points of the hyperparameters' distribution that joint draws rest on
EDGES = eb.EDGES  # of slices of |ζ| = √n·|δ| with an even density; most lie where signs are in doubt
EVERY = 2
# Values of z for which posteriors are tabulated: every other one of `eb`'s.
STATISTICS = eb.STATISTICS[::EVERY]
UNIT = 50.0  # topics by which contrasts are scaled where there is no pilot
# Topics added, over those of the pilot, for which extensions are tabulated.
RATIOS = (0.0, 0.03, 0.1, 0.2, 0.4, 0.7, 1.0, 1.5, 2.5, 4.0, 7.0, 12.0, 20.0, 40.0)
RATIO_STEP = 0.1  # below this ratio the scale of `RATIOS` is linear, above logarithmic
SCORES = np.linspace(-5.0, 5.0, 81)  # normal scores of the tabulated quantiles of a posterior


@dataclass(frozen=True)
class Beliefs:
    """What is believed about the contrasts of m systems."""

    prior: eb.Prior
    systems: int  # m
    topics: float  # n, the effective topics of the pilot; 0 without one
    degrees: float  # ν of the pilot's standard deviations, the median over pairs; 0 without a pilot
    statistics: Matrix | None  # m × m, z above the diagonal, inf where all differences of a pair are equal
    covariance: Matrix  # m × m, of the systems' scores over topics; only those of differences matter

    @property
    def effect(self) -> float:
        """c, the squared effect size of one topic: its geometric mean over the grid."""
        return self.prior.effect

    @cached_property
    def pairs(self) -> Vector:
        """z of all pairs, in the order of ``np.triu_indices(m, 1)``."""
        if self.statistics is None:
            return np.zeros(self.systems * (self.systems - 1) // 2)
        return self.statistics[np.triu_indices(self.systems, 1)]

    def wrong(self, topics: Vector | list[float]) -> Vector:
        """The expected share of pairs that a new collection orders wrongly, for each number of its topics.

        ``mean_ij E[Φ(−√n′ |δ_ij|) | z_ij]``, averaged over the hyperparameters.
        """
        return np.array([self._mean(self._error_curve(n)) for n in topics])

    def tau(self, topics: float, extend: bool = False) -> float:
        """τ expected of so many effective topics, new ones or beside the pilot's."""
        wrong = self.wrong_by_extension if extend else self.wrong
        return float(1 - 2 * wrong([topics])[0])

    def _error_curve(self, topics: float) -> Vector:
        """The probability of the wrong order at each of `STATISTICS`; one number without a pilot."""
        curve: Vector = self._masses @ _mean_error(self._edges * np.sqrt(topics))
        return np.minimum.accumulate(curve)  # decreasing, apart from the error of the quadrature

    def wrong_by_extension(self, added: Vector | list[float]) -> Vector:
        """The expected share of pairs in the wrong order after k topics are added to the pilot's.

        With n + k topics the wrong side has probability ``Φ(−sign(δ)(√n z u + kδ)/√k)``, averaged jointly
        over ζ = √n δ and u = s/σ. Their density given z is ∝ π(ζ) f(u) u φ(zu − ζ).
        """
        return np.array([self._mean(self._extension_curve(k)) for k in added])

    def _extension_curve(self, added: float) -> Vector:
        """The probability of the wrong order after an extension, at each of `STATISTICS`."""
        if self.statistics is None:
            raise ValueError("without a pilot there is nothing to extend")
        ratio = added / self.topics
        if ratio == 0:
            return self._wrong_now
        if ratio >= RATIOS[-1]:
            return self._error_curve(self.topics + added)
        right = int(np.clip(np.searchsorted(RATIOS, ratio), 1, len(RATIOS) - 1))
        ends = [np.log(RATIO_STEP + RATIOS[at]) for at in (right - 1, right)]
        part = (np.log(RATIO_STEP + ratio) - ends[0]) / (ends[1] - ends[0])
        curves = self._extended
        return np.minimum.accumulate(np.exp((1 - part) * curves[right - 1] + part * curves[right]))

    @cached_property
    def _wrong_now(self) -> Vector:
        """The probability of the wrong order in the pilot itself, at each of `STATISTICS`."""
        return np.minimum.accumulate(np.sum(self._mixture * _likelihoods(self.degrees)[1], axis=1))

    @cached_property
    def _extended(self) -> Matrix:
        """Log of the probability of the wrong order, for each of `RATIOS` and of `STATISTICS`."""
        found = np.stack([np.sum(self._mixture * one, axis=1) for one in _wrong_likelihoods(self.degrees)])
        return np.log(np.maximum(found, 1e-300))

    def _mean(self, curve: Vector) -> float:
        """The mean over pairs of a curve over `STATISTICS`; 0 where all differences are equal."""
        return float(curve[0] if self.statistics is None else curve @ self._shares)

    @cached_property
    def _shares(self) -> Vector:
        """The share of the pairs at each of `STATISTICS`, each z divided between its neighbors."""
        known = self.pairs[np.isfinite(self.pairs)]
        shares: Vector = eb.counts(known, STATISTICS, np.ones(len(known))) / max(len(known), 1)
        return shares * (len(known) / len(self.pairs))

    @property
    def _edges(self) -> Vector:
        return EDGES / np.sqrt(self.topics or UNIT)

    @cached_property
    def _mixture(self) -> Matrix:
        """What turns the likelihood of ζ into its posterior, Z × slices."""
        above, below = _likelihoods(self.degrees)
        return self.prior.mixing(self.prior.densities @ (above + below).T).T @ self.prior.densities

    @cached_property
    def _masses(self) -> Matrix:
        """Posterior probability of |δ| between the edges, Z × slices; without a pilot, one row."""
        if self.statistics is None:
            return (self.prior.expected * np.diff(EDGES))[None, :]
        above, below = _likelihoods(self.degrees)
        return self._mixture * (above + below)

    def scales(self, first: int, second: int) -> tuple[Vector, Vector]:
        """Values of u = s/σ of two systems by their ranks, and the posterior probability of each."""
        nodes, weights = eb.scale_nodes(self.degrees)
        mixture = self._row(self._mixture, first, second)
        z = self._statistic(first, second)
        sides = (_sides(u, np.array([z])) for u in nodes)
        likely = np.array([mixture @ (right + wrong)[0] for right, wrong in sides])
        chances = weights * nodes * likely
        return nodes, chances / chances.sum()

    def _statistic(self, first: int, second: int) -> float:
        if self.statistics is None:
            return 0.0
        return float(min(self.statistics[first, second], STATISTICS[-1]))

    def _row(self, table: Matrix, first: int, second: int) -> Vector:
        """The row of a table over `STATISTICS` for one pair, between two of its rows."""
        if len(table) == 1:
            return table[0]
        z = self._statistic(first, second)
        at = int(np.clip(np.searchsorted(STATISTICS, z) - 1, 0, len(STATISTICS) - 2))
        part = (z - STATISTICS[at]) / (STATISTICS[at + 1] - STATISTICS[at])
        return (1 - part) * table[at] + part * table[at + 1]

    @cached_property
    def points(self) -> NDArray[np.intp]:
        """`POINTS` points of the hyperparameters, each for an equal share of their distribution."""
        return self.prior.points(POINTS)

    def quantiles(self, point: int) -> Matrix:
        """Quantiles of δ given the hyperparameters of one point, at the normal scores `SCORES`, Z × Q."""
        from truerank.numerics.special import ndtr

        prior = self.prior.densities[point]
        if self.statistics is None:
            upper = (prior * np.diff(EDGES))[None, :] / 2
            lower = upper
        else:
            above, below = _likelihoods(self.degrees)
            upper, lower = prior * above, prior * below
        masses = np.concatenate([lower[:, ::-1], upper], axis=1)
        ends = np.concatenate([-self._edges[:0:-1], self._edges])
        cumulated = np.concatenate([np.zeros((len(masses), 1)), np.cumsum(masses, axis=1)], axis=1)
        cumulated /= cumulated[:, -1:]
        levels = ndtr(SCORES)
        return np.stack([np.interp(levels, row, ends) for row in cumulated])

    @cached_property
    def places(self) -> tuple[NDArray[np.intp], NDArray[np.float32]]:
        """For each pair, m × m, its row in a table of quantiles, and its fraction of the way to the next."""
        m = self.systems
        if self.statistics is None:
            return np.zeros((m, m), dtype=np.intp), np.zeros((m, m), dtype=np.float32)
        z = np.minimum(self.statistics, STATISTICS[-1])
        rows = np.clip(np.searchsorted(STATISTICS, z) - 1, 0, len(STATISTICS) - 2)
        parts = (z - STATISTICS[rows]) / (STATISTICS[rows + 1] - STATISTICS[rows])
        return rows, parts.astype(np.float32)

    @cached_property
    def deviations(self) -> Matrix:
        return difference_deviations(self.covariance)


def after_pilot(means: Means) -> Beliefs:
    """The posterior of `eb` after a pilot, from its means of systems in ranking order. O(N·m²)."""
    found = eb.posterior(means)
    return Beliefs(
        found.prior,
        len(means.theta),
        means.effective,
        means.common_degrees,
        found.statistics,
        coupling(means.rows, means.common_degrees),
    )


@one_blas_thread()
def tau_of_twice(means: Means) -> float:
    """τ expected of twice as many topics (clusters, data sets) like these. O(N·m²)."""
    parts = means.components
    gain = 2.0 if parts is None else parts.gain("topic", 2)
    return after_pilot(means).tau(gain * means.effective)


def before_scores(systems: int, effect: float | None = None) -> Beliefs:
    """The prior for m systems without scores: `eb`'s hyperprior, learned from test collections."""
    effects, shapes = eb.grid(1)
    log_prior = eb.log_hyperprior(effects, shapes)
    if effect is not None:
        nearest = effects == eb.EFFECTS[np.abs(np.log(eb.EFFECTS / effect)).argmin()]
        log_prior = np.where(nearest, log_prior, -np.inf)
        effects = np.where(nearest, effect, effects)
    weights = np.exp(log_prior - log_prior.max())
    densities = eb.slices_of(UNIT, effects, shapes)
    prior = eb.Prior(effects, shapes, weights / weights.sum(), densities, UNIT)
    return Beliefs(prior, systems, 0, 0, None, np.eye(systems) / 2)


def _mean_error(edges: Vector) -> Vector:
    """The mean of Φ(−x) between neighboring edges."""
    from truerank.numerics.special import ndtr

    whole = edges * ndtr(-edges) - np.exp(-(edges**2) / 2) / np.sqrt(2 * np.pi)
    width = np.diff(edges)
    narrow = width < 1e-6
    middle = ndtr(-(edges[1:] + edges[:-1]) / 2)
    mean: Vector = np.where(narrow, middle, np.diff(whole) / np.where(narrow, 1.0, width))
    return np.maximum(mean, 0.0)


def _likelihoods(degrees: float) -> tuple[Matrix, Matrix]:
    """The likelihood of +|ζ| and of −|ζ| between the edges, given each z: two arrays, Z × slices."""
    above, below, *_ = eb.kernels(degrees)
    return above[::EVERY], below[::EVERY]


@lru_cache(maxsize=16)
def _wrong_likelihoods(degrees: float) -> tuple[Matrix, ...]:
    """The likelihood of |ζ| with the wrong order after an extension, for each of `RATIOS`."""
    from truerank.numerics.special import ndtr

    middles = (EDGES[1:] + EDGES[:-1]) / 2
    nodes, weights = (array[::2] for array in eb.scale_nodes(degrees))
    found = [np.zeros((len(STATISTICS), len(middles))) for _ in RATIOS]
    for u, weight in zip(nodes, weights / weights.sum(), strict=True):
        right, wrong = (weight * u * side for side in _sides(u))
        center = (STATISTICS * u)[:, None]
        found[0] += wrong
        for ratio, into in zip(RATIOS[1:], found[1:], strict=True):
            k = np.sqrt(ratio)
            into += right * ndtr(-(center / k + middles * k))
            into += wrong * ndtr(center / k - middles * k)
    for array in found:
        array.setflags(write=False)
    return tuple(found)


def _sides(u: float, statistics: Vector = STATISTICS) -> tuple[Matrix, Matrix]:
    """Probability that ±|ζ| lies between the edges when it is normal around zu; Z × slices each."""
    from truerank.numerics.special import ndtr

    center = (statistics * u)[:, None]
    return np.diff(ndtr(EDGES - center), axis=1), -np.diff(ndtr(-EDGES - center), axis=1)


def coupling(rows: Matrix, degrees: float) -> Matrix:
    """The m × m covariance of the joint draws, from N × m influence rows.

    Correlations are shrunk just enough that tr C² is unbiased (docs/methods/planning.md).
    """
    return shrunk_covariance(rows, partial(unbiased_spread, degrees=degrees))


def unbiased_spread(centered: Matrix, degrees: float) -> Matrix:
    """The covariance of N × m centered data, shrunk to a multiple of the identity until tr C² is unbiased.

    For normal data with ν degrees of freedom ``ν²/((ν − 1)(ν + 2)) (tr S² − (tr S)²/ν)`` is an unbiased
    estimate of tr Σ² (Srivastava 2005).
    """
    m, v = centered.shape[1], degrees
    sample = centered.T @ centered / v
    mean = float(np.trace(sample)) / m
    squared = float(np.sum(sample**2))
    round_part = m * mean**2
    if v <= 1 or squared <= round_part:
        return mean * np.eye(m)
    unbiased = v * v / ((v - 1) * (v + 2)) * (squared - (m * mean) ** 2 / v)
    kept = np.sqrt(np.clip((unbiased - round_part) / (squared - round_part), 0.0, 1.0))
    return (1 - kept) * mean * np.eye(m) + kept * sample
