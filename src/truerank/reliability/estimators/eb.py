"""`eb`: empirical Bayes over the standardised differences of all pairs.

The observed order is the one that happened to win, so a standardised difference z is on average
larger than the true one, ζ, and plug-in estimators are too sure. Here ζ has a prior, common to all
pairs, whose scale and shape are learnt from the z of all pairs. Derivation, evidence and limits:
docs/empirical-bayes.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from truerank._support.types import Matrix, Vector
from truerank.numerics.paired_t import mean_and_deviation
from truerank.numerics.pairs import over_pairs
from truerank.reliability.estimators.estimator import Fit, Learnt, PairEstimator, TopicSample

EFFECT, EFFECT_SPREAD = 0.13, 0.9
"""Hyperprior of c, the squared effect size of one topic: median, and standard deviation of log c."""

SHAPE, SHAPE_SPREAD = 5.0, 0.4
"""Hyperprior of β, the shape of the prior: median, and standard deviation of log β."""

EFFECTS = np.geomspace(0.004, 4.0, 40)
SHAPES = np.array([1.0, 1.5, 2.0, 3.0, 4.5, 6.5, 9.0, 13.0])
"""The grid on which both hyperparameters are integrated out."""

FAR, FAR_SHARE = 8.0, 0.02
"""Scale, in standard errors, and share of pairs that are apart beyond what the prior foresees.

One system that is broken, or in a class of its own, is far from all others; it must not tell how close
those are to each other.
"""

LARGEST = 1_000.0
"""Standardised differences beyond it count as this."""


def eb(values: Matrix) -> Matrix:
    """Swap probabilities by empirical Bayes. O(n·m²), and a table for each n, kept.

    Args:
        values: n × m scores in ranking order, n ≥ 3.

    Returns:
        m × m, p_ij above the diagonal; 0 where all differences of a pair are equal.
    """
    return posterior(values).probabilities()


@dataclass(frozen=True)
class Posterior:
    """What all pairs together say of the prior, and with it of each pair.

    Attributes:
        statistics: m × m, ``z_ij = √n·mean/s`` of the differences, above the diagonal; inf where
            they are all equal.
        effects: c at each point of the hyperparameters' grid, length H.
        shapes: β there.
        weights: posterior probability of each point.
        directions: effective number of independent directions that the weights rest on.
        topics: n.
    """

    statistics: Matrix
    effects: Vector
    shapes: Vector
    weights: Vector
    directions: float
    topics: int

    @property
    def effect(self) -> float:
        """c: the geometric mean over the posterior."""
        return float(np.exp(self.weights @ np.log(self.effects)))

    @property
    def shape(self) -> float:
        """β: the geometric mean over the posterior."""
        return float(np.exp(self.weights @ np.log(self.shapes)))

    def probabilities(self) -> Matrix:
        """m × m swap probabilities, averaged over the hyperparameters."""
        table = tables(self.topics)
        curve = self.weights @ table.swapped
        upper = np.triu_indices(len(self.statistics), 1)
        z = self.statistics[upper]
        found = np.zeros_like(self.statistics)
        found[upper] = np.where(np.isinf(z), 0.0, np.interp(z, table.statistics, curve))
        return found


def posterior(values: Matrix) -> Posterior:
    """Fit the prior of the true standardised differences to n × m scores in ranking order."""
    n, m = values.shape
    z = over_pairs(values, standardised)
    table = tables(n)
    seen = z[np.triu_indices(m, 1)]
    shares = _shares(seen[np.isfinite(seen)], table.statistics)  # pairs with equal differences tell nothing
    directions = effective_directions(values)
    log_weights = table.log_prior + directions * (table.log_density @ shares)
    weights = np.exp(log_weights - log_weights.max())
    return Posterior(z, table.effects, table.shapes, weights / weights.sum(), directions, n)


def standardised(differences: Matrix) -> Vector:
    """``√n·mean/s`` of k × n differences, at least 0; inf where all are equal."""
    mean, deviation = mean_and_deviation(differences)
    equal = deviation == 0
    z = np.sqrt(differences.shape[1]) * mean / np.where(equal, 1.0, deviation)
    return np.where(equal, np.inf, np.clip(z, 0.0, LARGEST))


def effective_directions(values: Matrix) -> float:
    """In how many independent directions the systems differ from topic to topic, in [1, m − 1].

    ``(tr Σ)²/tr Σ²`` of the correlations of the scores without their topic effect; both are estimated
    as if they were covariances of normal scores, without bias then. O(n·m·min(n, m)).
    """
    n, m = values.shape
    e = values / max(np.abs(values).max(), 1e-300)
    e = e - e.mean(axis=0)
    for _ in range(2):  # standardised first: one noisy system must not pass for the topics' own effect
        deviations = e.std(axis=0)
        e /= np.where(deviations > 1e-12, deviations, np.inf)
        e -= e.mean(axis=1, keepdims=True)
    gram = (e @ e.T if n < m else e.T @ e) / (n - 1)
    trace, square = float(np.trace(gram)), float(np.sum(gram**2))
    v = n - 1
    of_square = v * v / ((v - 1) * (v + 2)) * (square - trace**2 / v) if v > 1 else 0.0
    if of_square <= 0:
        return float(max(m - 1, 1))
    return float(np.clip(trace**2 / of_square - 2 / v, 1.0, max(m - 1, 1)))


def _shares(z: Vector, points: Vector) -> Vector:
    """The share of z at each point, each z divided between its two neighbours."""
    right = np.clip(np.searchsorted(points, z), 1, len(points) - 1)
    part = (z - points[right - 1]) / (points[right] - points[right - 1])
    shares = np.bincount(right, part, len(points)) + np.bincount(right - 1, 1 - part, len(points))
    return shares / max(len(z), 1)


@dataclass(frozen=True)
class Tables:
    """For one number of topics: densities and swap probabilities at every z and hyperparameter.

    Attributes:
        statistics: the Z points of z, from 0 to `LARGEST`.
        effects: c of the H hyperparameters.
        shapes: β of them.
        log_prior: log of the hyperprior, length H.
        log_density: log of the density of z, H × Z.
        swapped: P(ζ < 0 | z), H × Z.
    """

    statistics: Vector
    effects: Vector
    shapes: Vector
    log_prior: Vector
    log_density: Matrix
    swapped: Matrix


@lru_cache(maxsize=64)
def tables(n: int) -> Tables:
    """The tables for n topics: z given ζ is noncentral t with n − 1 degrees of freedom.

    Given u = s/σ, zu is normal around ζ, so a slice of ζ has its probability in closed form; u is
    integrated by the trapezoidal rule in log u.
    """
    from scipy.special import ndtr

    z = np.sinh(np.linspace(0.0, np.arcsinh(LARGEST), 256))
    edges = np.concatenate([np.arange(0.0, 6.0, 0.05), np.geomspace(6.0, 4 * LARGEST, 180)])
    effects, shapes = (a.ravel() for a in np.meshgrid(EFFECTS, SHAPES))
    slices = (1 - FAR_SHARE) * _slices(edges / np.sqrt(n), effects, shapes)
    slices += FAR_SHARE * np.diff(np.arctan(edges / FAR)) * 2 / np.pi
    prior = slices / np.diff(edges)

    above, below = (np.zeros((len(z), len(edges) - 1)) for _ in range(2))
    for u, weight in zip(*_scale_nodes(n - 1), strict=True):
        centre = (z * u)[:, None]
        above += weight * u * np.diff(ndtr(edges - centre), axis=1)
        below += weight * u * -np.diff(ndtr(-edges - centre), axis=1)
    right, wrong = prior @ above.T, prior @ below.T
    density = right + wrong
    swapped = np.minimum.accumulate(wrong / density, axis=1)  # it falls, but for the quadrature's error

    log_prior = -0.5 * (np.log(effects / EFFECT) / EFFECT_SPREAD) ** 2
    log_prior -= 0.5 * (np.log(shapes / SHAPE) / SHAPE_SPREAD) ** 2
    log_prior += np.repeat(np.log(np.gradient(np.log(SHAPES))), len(EFFECTS))  # SHAPES are not evenly spaced
    made = Tables(z, effects, shapes, log_prior, np.log(density), swapped)
    for array in vars(made).values():
        array.setflags(write=False)
    return made


def _slices(edges: Vector, effects: Vector, shapes: Vector) -> Matrix:
    """Prior probability of |ζ|/√n between neighbouring edges, H × (edges − 1).

    Generalised normal: density ∝ exp(−(x/a)^β), with a such that E|x| = √(2c/π), as a normal of
    variance c has.
    """
    from scipy.special import gamma, gammainc

    b = shapes[:, None]
    a = np.sqrt(2 * effects[:, None] / np.pi) * gamma(1 / b) / gamma(2 / b)
    slices: Matrix = np.diff(gammainc(1 / b, (edges / a) ** b), axis=1)
    return slices


def _scale_nodes(degrees: int) -> tuple[Vector, Vector]:
    """Nodes and weights for u = s/σ, √(χ²/ν): dense where u is likely, and down to the least that matters.

    A z in the hundreds comes from a u near 0, so there P(ζ < 0 | z) levels off instead of vanishing.
    """
    from scipy.special import gammaincinv, gammaln

    half = degrees / 2
    low, high = np.log(gammaincinv(half, [1e-13, 1 - 1e-13]) / half) / 2
    least = np.log(0.1 / LARGEST)
    if least < low:
        x = np.concatenate([np.linspace(least, low, 56, endpoint=False), np.linspace(low, high, 64)])
    else:
        x = np.linspace(low, high, 80)
    log_weight = 2 * half * x - half * np.exp(2 * x) + half * np.log(half) - gammaln(half)
    steps = np.diff(x)
    weights = np.exp(log_weight) * (np.append(steps, 0.0) + np.insert(steps, 0, 0.0)) / 2
    return np.exp(x), weights / weights.sum()


def _fit(sample: TopicSample) -> Fit:
    """Probabilities and what was learnt, from one posterior."""
    found = posterior(sample.values)
    learnt = (
        Learnt("effect", "c", found.effect, "squared effect size of one topic"),
        Learnt("shape", r"\beta", found.shape, "shape of the prior"),
        Learnt("directions", "r", found.directions, "independent directions that they rest on"),
    )
    return Fit(found.probabilities(), learnt)


EB = PairEstimator(
    "eb",
    "empirical Bayes",
    lambda sample: eb(sample.values),
    learn=_fit,
    explanation=r"""
    The observed order is the one that happened to win, so observed differences are larger than the true
    ones on average. A pair’s difference in standard errors, $$z_{ij} = \sqrt{n}\,\frac{\hat\mu}{s},$$
    follows a noncentral t distribution with $n-1$ degrees of freedom around the true one, $\zeta_{ij}$.
    In standard deviations of one topic that is $x = \zeta_{ij}/\sqrt{n}$, whose prior is common to all
    pairs: a generalised normal distribution of scale $\sqrt{c}$ and shape $\beta$, its density being
    $$f(x) \propto \exp\left(-|x/a|^{\beta}\right),$$ $$E|x| = \sqrt{2c/\pi}$$ ($a$ follows). Both $c$
    and $\beta$ are averaged over: a weak hyperprior, weighted by the likelihood of the $z$ of all
    pairs. Pairs are not independent, so it counts as many of them as the scores have independent
    directions, $r$; and two pairs in a hundred may be apart by far more ($|\zeta|$ half-Cauchy, of
    scale 8), so that a broken system does not tell how close the others are.
    """,
    formula=r"p_{ij} = P\left(\zeta_{ij} < 0 \mid z_{ij}\right)",
    references=("truerank",),
    reading="allows for the observed order being the one that happened to win: the fewer the topics, the "
    "further it may lie from the others.",
)
