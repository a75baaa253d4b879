"""Margins: the distribution of each system's score over the population of topics."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray

from truerank._support.types import Vector
from truerank.errors import InputError

SHAPES = ("bounded", "free")
"""What the shapes of beta and beta-binomial margins may be: 1 or more, or any positive number.

Below 1 the density is infinite at an end of [0, 1], or the masses rise towards an end of the support.

Example:
    >>> from truerank.simulation.margins import SHAPES
    >>> SHAPES
    ('bounded', 'free')
"""

TOLERANCE = 5e-7  # error, in probability, in the middle of a cell; elsewhere in it a few times as much
ROUNDS = 25  # halvings of a cell before it is left as it is (a CDF may be almost a step there)

# Continuous families are fitted to scores pulled this far inside [0, 1]. A density may be infinite at 0 and
# 1, while real scores of exactly 0 are common; they are published with four decimals, so 0 means less than
# that.
EDGE = 1e-4
SMALLEST, LARGEST = 1e-3, 1e6  # shapes of a beta margin
LEAST, MOST = -7.0, 12.0  # log shapes of a beta-binomial margin: nearly constant to nearly binomial
WIDEST = 2.0  # largest σ: beyond it the curvature over [0, 1] is nothing, and only the slope μ/σ² matters
CLOSE = 1e-9  # how close the mean of a moved margin comes to the wanted one
STEEPEST = 1e9  # the largest power that a margin is moved by


def interior(scores: ArrayLike) -> Vector:
    """Scores no nearer than `EDGE` to 0 and 1."""
    return np.clip(np.asarray(scores, dtype=np.float64), EDGE, 1 - EDGE)


@dataclass(frozen=True)
class QuantileTable:
    """Monotone cubic interpolation of an inverse CDF between points chosen by its own error."""

    nodes: Vector
    values: Vector

    @classmethod
    def build(cls, cdf: Callable[[Vector], Vector], low: float, high: float) -> QuantileTable:
        """Tabulate a continuous CDF on [low, high], halving cells until each is right to `TOLERANCE`."""
        ends = 2.0 ** -np.arange(7.0, 31.0)
        start = np.concatenate([[0.0], ends[::-1], np.arange(1, 64) / 64, 1 - ends, [1.0]])
        nodes = low + (high - low) * np.unique(start)
        values = cdf(nodes)
        open_cells = np.ones(len(nodes) - 1, dtype=bool)
        for _ in range(ROUNDS):
            kept = _increasing(values)
            inverse = _inverse(nodes[kept], values[kept])
            middle = (values[:-1] + values[1:]) / 2
            test = np.flatnonzero(open_cells & (np.diff(values) > TOLERANCE))
            guess = inverse(middle[test])
            wrong = test[np.abs(cdf(guess) - middle[test]) > TOLERANCE]
            wrong = wrong[nodes[wrong + 1] - nodes[wrong] > 1e-13 * (high - low)]
            if len(wrong) == 0:
                break
            between = (nodes[wrong] + nodes[wrong + 1]) / 2
            # From here on only the new cells and their neighbors can be wrong.
            touched = np.zeros(len(open_cells), dtype=bool)
            for shift in (-2, -1, 0, 1, 2):
                touched[np.clip(wrong + shift, 0, len(touched) - 1)] = True
            open_cells = np.insert(touched, wrong + 1, True)
            nodes = np.insert(nodes, wrong + 1, between)
            values = np.insert(values, wrong + 1, cdf(between))
        kept = _increasing(values)
        values = values.copy()
        values[kept[-1]] = 1.0
        return cls(nodes[kept], values[kept])

    @cached_property
    def _interpolant(self) -> Any:
        return _inverse(self.nodes, self.values)

    def __call__(self, u: ArrayLike) -> Vector:
        return self._interpolant(np.clip(np.asarray(u, dtype=np.float64), self.values[0], 1.0))

    @cached_property
    def quadrature(self) -> tuple[Vector, Vector]:
        """Probabilities u and weights ``Q′(u) du``: ``Σ weights · H(u)`` is ``∫ H(F(x)) dx``."""
        points, weights = np.polynomial.legendre.leggauss(6)
        ends = 2.0 ** -np.arange(1.0, 41.0)
        edges = np.unique(np.concatenate([self.values, ends, 1 - ends]))
        half = np.diff(edges)[:, None] / 2
        u = (edges[1:] + edges[:-1])[:, None] / 2 + half * points
        slopes = half * weights * np.maximum(self._interpolant.derivative()(u), 0.0) + 1e-300
        # The weights of a panel sum to its width in x exactly, even where it is so thin in u that its slopes
        # round to 0 (the far tail of a narrow distribution).
        shares = slopes / slopes.sum(axis=1, keepdims=True)
        return u.ravel(), (shares * np.diff(self(edges))[:, None]).ravel()


def _increasing(values: Vector) -> NDArray[np.intp]:
    """Indices along which the values grow strictly; the last of them has the greatest value."""
    highest = np.maximum.accumulate(values)
    return np.flatnonzero(np.diff(highest, prepend=-1.0) > 1e-15)


def _inverse(nodes: Vector, values: Vector) -> Any:
    from scipy.interpolate import PchipInterpolator

    return PchipInterpolator(values, nodes)


class Margin(ABC):
    """A distribution on [0, 1]: that of one system's score on a random topic (docs/methods/simulation.md).

    Methods take and return arrays of any shape. Margins are immutable; what is worked out once is
    kept.

    Attributes:
        family: the name under which it is registered and saved.
        degrees: number of parameters, or effective degrees of freedom, for AIC and BIC.
        discrete: whether it has masses on finitely many scores.

    Example:
        >>> from truerank.simulation.margin_families import fit_margin
        >>> scores = np.random.default_rng(1).beta(1, 3, 500)
        >>> margin = fit_margin(scores, ["beta", "truncated-normal"])
        >>> margin.family, round(margin.mean, 2)
        ('beta', 0.26)
        >>> margin.quantile(margin.cdf([0.1, 0.5])).round(6)
        array([0.1, 0.5])
        >>> margin.sample(3, np.random.default_rng(2)).shape
        (3,)
    """

    family: ClassVar[str]
    degrees: float
    discrete: bool = False

    @abstractmethod
    def density(self, x: ArrayLike) -> Vector:
        """Density of a continuous margin, mass of a discrete one."""

    @abstractmethod
    def cdf(self, x: ArrayLike) -> Vector:
        """P(X ≤ x)."""

    @abstractmethod
    def quantile(self, u: ArrayLike) -> Vector:
        """The smallest x with ``cdf(x) ≥ u``."""

    @abstractmethod
    def expectation_panels(self) -> tuple[float, Vector, Vector, Vector]:
        """What E[X] and E[X²] under ``H ∘ F`` are sums of, for any increasing H from [0, 1] onto itself.

        The least score, and of panels scores x, CDF values u and weights w: ``E[X] = least + Σ w (1 − H(u))``
        and ``E[X²] = least² + Σ 2 x w (1 − H(u))``.
        """

    @cached_property
    def mean(self) -> float:
        """E[X] = ∫ (1 − F)."""
        least, _, values, weights = self.expectation_panels()
        return least + float(weights @ (1 - values))

    @cached_property
    def variance(self) -> float:
        """Var[X] = least² + ∫ 2x (1 − F) dx − E[X]²."""
        least, scores, values, weights = self.expectation_panels()
        square = least**2 + float((2 * weights * scores) @ (1 - values))
        return max(0.0, square - self.mean**2)

    def log_likelihood(self, scores: ArrayLike) -> float:
        """Σ log density; −inf where a score is impossible. A continuous margin takes `interior` scores."""
        distinct, counts = np.unique(scores if self.discrete else interior(scores), return_counts=True)
        with np.errstate(divide="ignore"):
            return float(np.sum(counts * np.log(self.density(distinct))))

    def parameters(self) -> dict[str, Any]:
        """What rebuilds the margin through its class's constructor, for JSON: a dataclass's fields."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]
        return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}

    def sample(self, k: int, rng: Generator) -> Vector:
        """k independent draws."""
        return self.quantile(rng.random(k))


class ContinuousMargin(Margin):
    """A margin with a density: subclasses give density and CDF, the rest is numerical."""

    @cached_property
    def table(self) -> QuantileTable:
        return QuantileTable.build(self.cdf, 0.0, 1.0)

    def quantile(self, u: ArrayLike) -> Vector:
        """The score below which a share u of topics lies; accurate to 4e-6 in u."""
        return self.table(u)

    def expectation_panels(self) -> tuple[float, Vector, Vector, Vector]:
        values, weights = self.table.quadrature
        return float(self.table.nodes[0]), self.quantile(values), values, weights


class DiscreteMargin(Margin):
    """A margin on finitely many scores: subclasses give the masses, the rest follows."""

    support: tuple[float, ...]
    discrete: ClassVar[bool] = True  # type: ignore[misc]

    @property
    @abstractmethod
    def masses(self) -> Vector:
        """The mass of each point of the support."""

    @cached_property
    def points(self) -> Vector:
        return np.asarray(self.support, dtype=np.float64)

    @cached_property
    def cumulative(self) -> Vector:
        sums = np.cumsum(self.masses)
        return np.minimum(sums / sums[-1], 1.0)

    def density(self, x: ArrayLike) -> Vector:
        index, inside = positions(x, self.points)
        return np.where(inside, self.masses[index], 0.0)

    def cdf(self, x: ArrayLike) -> Vector:
        below = np.searchsorted(self.points, np.asarray(x, dtype=np.float64) + 1e-9, side="right")
        return np.append(0.0, self.cumulative)[below]

    def quantile(self, u: ArrayLike) -> Vector:
        index = np.searchsorted(self.cumulative, np.asarray(u, dtype=np.float64) - 1e-15)
        return self.points[np.minimum(index, len(self.points) - 1)]

    def expectation_panels(self) -> tuple[float, Vector, Vector, Vector]:
        x = self.points
        return float(x[0]), (x[1:] + x[:-1]) / 2, self.cumulative[:-1], np.diff(x)


def positions(scores: ArrayLike, support: Vector) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """The index of the nearest point of the support, and whether the score equals it up to rounding."""
    x = np.asarray(scores, dtype=np.float64)
    if len(support) == 1:
        return np.zeros(x.shape, dtype=np.intp), np.abs(x - support[0]) <= EDGE
    right = np.clip(np.searchsorted(support, x), 1, len(support) - 1)
    index = np.where(x - support[right - 1] <= support[right] - x, right - 1, right)
    gaps = np.diff(support)
    nearest_gap = np.minimum(np.append(gaps, np.inf), np.append(np.inf, gaps))
    tolerance = np.minimum(EDGE, nearest_gap / 4)[index]
    return index, np.abs(x - support[index]) <= tolerance


def counts_on(scores: ArrayLike, support: Vector | None) -> tuple[Vector, tuple[float, ...]]:
    """How many of the scores lie on each point of the support, and these points."""
    if support is None:
        raise InputError("a discrete margin needs a support; give the scores that can occur")
    x = np.asarray(scores, dtype=np.float64)
    index, inside = positions(x, support)
    if not inside.all():
        raise InputError(
            f"the score {x[~inside][0]:g} is not on the support ({len(support)} values, "
            f"{support[0]:g} to {support[-1]:g}); give the right support, or none for a continuous measure"
        )
    return np.bincount(index, minlength=len(support)).astype(np.float64), tuple(support.tolist())


@dataclass(frozen=True)
class PointMargin(DiscreteMargin):
    """A constant score on every topic, which is fitted to a constant column."""

    value: float
    family: ClassVar[str] = "point"
    degrees: ClassVar[float] = 1.0  # type: ignore[misc]

    @property
    def support(self) -> tuple[float, ...]:  # type: ignore[override]
        return (self.value,)

    @property
    def masses(self) -> Vector:
        return np.ones(1)


@dataclass(frozen=True)
class BetaMargin(ContinuousMargin):
    """Beta(a, b) on [0, 1] (Urbano & Nagler 2018; docs/methods/simulation.md)."""

    a: float
    b: float
    family: ClassVar[str] = "beta"
    degrees: ClassVar[float] = 2.0  # type: ignore[misc]

    @classmethod
    def fit(cls, scores: ArrayLike, support: Vector | None = None, smallest: float = SMALLEST) -> BetaMargin:
        """Maximum likelihood, with shapes of `smallest` or more, from the two mean logs. O(n).

        The log-likelihood is concave in (a, b), so where the search stops is the maximum, also on an edge.
        """
        from scipy.optimize import minimize

        from truerank.numerics.special import betaln, psi

        del support
        x = interior(scores)
        mean_log, mean_log_rest = np.log(x).mean(), np.log1p(-x).mean()

        def loss(logs: Vector) -> tuple[float, Vector]:
            a, b = np.exp(logs)
            value = betaln(a, b) - (a - 1) * mean_log - (b - 1) * mean_log_rest
            both = psi(a + b)
            slope = np.array([a * (psi(a) - both - mean_log), b * (psi(b) - both - mean_log_rest)])
            return float(value), slope

        mean, variance = x.mean(), max(x.var(), 1e-12)
        precision = max(mean * (1 - mean) / variance - 1, 0.1)
        start = np.log(np.clip([mean * precision, (1 - mean) * precision], smallest, LARGEST))
        bounds = [(np.log(smallest), np.log(LARGEST))] * 2
        result = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds, options={"ftol": 1e-14})
        a, b = np.exp(result.x)
        return cls(float(a), float(b))

    def density(self, x: ArrayLike) -> Vector:
        from truerank.numerics.special import betaln, xlog1py, xlogy

        x = np.asarray(x, dtype=np.float64)
        inside = np.clip(x, 0.0, 1.0)
        with np.errstate(over="ignore", divide="ignore"):
            logs = xlogy(self.a - 1, inside) + xlog1py(self.b - 1, -inside) - betaln(self.a, self.b)
            return np.where(inside == x, np.exp(logs), 0.0)

    def cdf(self, x: ArrayLike) -> Vector:
        from truerank.numerics.special import betainc

        return betainc(self.a, self.b, np.clip(x, 0.0, 1.0))

    def quantile(self, u: ArrayLike) -> Vector:
        from truerank.numerics.special import betaincinv

        return betaincinv(self.a, self.b, np.asarray(u, dtype=np.float64))

    @cached_property
    def mean(self) -> float:
        return self.a / (self.a + self.b)

    @cached_property
    def variance(self) -> float:
        return self.mean * (1 - self.mean) / (self.a + self.b + 1)


@dataclass(frozen=True)
class TruncatedNormalMargin(ContinuousMargin):
    """N(mu, sigma²) given that it falls into [0, 1] (Urbano & Nagler 2018; docs/methods/simulation.md)."""

    mu: float
    sigma: float
    family: ClassVar[str] = "truncated-normal"
    degrees: ClassVar[float] = 2.0  # type: ignore[misc]

    @classmethod
    def fit(cls, scores: ArrayLike, support: Vector | None = None) -> TruncatedNormalMargin:
        """Maximum likelihood. O(n), a millisecond.

        The density is ``exp(φ₁z − φ₂z²)/Z`` of the scaled score z, an exponential family, so minus
        the log-likelihood is convex in (φ₁, φ₂) and its slope is a difference of moments.
        """
        from scipy.optimize import minimize

        del support
        x = interior(scores)
        scale = math.sqrt(float(np.mean(x**2)))
        first, second = float(np.mean(x)) / scale, 1.0
        nodes, weights = _nodes()
        z = nodes / scale
        log_weights = np.log(weights)

        def loss(phi: Vector) -> tuple[float, Vector]:
            exponents = phi[0] * z - phi[1] * z**2 + log_weights
            top = exponents.max()
            mass = np.exp(exponents - top)
            total = mass.sum()
            value = top + math.log(total) - phi[0] * first + phi[1] * second
            slope = np.array([mass @ z / total - first, second - mass @ z**2 / total])
            return float(value), slope

        variance = max(float(x.var()) / scale**2, 1e-10)
        start = np.array([first / variance, 0.5 / variance])
        least = 0.5 * (scale / WIDEST) ** 2
        result = minimize(
            loss,
            start,
            jac=True,
            method="L-BFGS-B",
            bounds=[(None, None), (least, 0.5 * (scale / 1e-5) ** 2)],
            options={"ftol": 1e-15, "gtol": 1e-9, "maxiter": 500},
        )
        sigma = scale / math.sqrt(2 * result.x[1])
        return cls(float(result.x[0] / scale * sigma**2), float(sigma))

    @cached_property
    def _law(self) -> Any:
        from scipy.stats import truncnorm

        return truncnorm(-self.mu / self.sigma, (1 - self.mu) / self.sigma, self.mu, self.sigma)

    def density(self, x: ArrayLike) -> Vector:
        return self._law.pdf(x)

    def cdf(self, x: ArrayLike) -> Vector:
        return self._law.cdf(x)

    def quantile(self, u: ArrayLike) -> Vector:
        return np.clip(self._law.ppf(u), 0.0, 1.0)


def _nodes() -> tuple[Vector, Vector]:
    """Gauss–Legendre nodes on [0, 1], crowding towards both ends for very narrow distributions."""
    points, weights = np.polynomial.legendre.leggauss(8)
    ends = 2.0 ** -np.arange(6.0, 24.0)
    edges = np.concatenate([[0.0], ends[::-1], np.arange(2, 63) / 64, 1 - ends, [1.0]])
    half, center = np.diff(edges)[:, None] / 2, (edges[1:] + edges[:-1])[:, None] / 2
    return (center + half * points).ravel(), (half * weights).ravel()


@dataclass(frozen=True)
class BetaBinomialMargin(DiscreteMargin):
    """The position in the support, 0 … k, is binomial with a Beta(a, b) chance; P@k is the plain case.

    From Urbano & Nagler (2018); see docs/methods/simulation.md.
    """

    support: tuple[float, ...]
    a: float
    b: float
    family: ClassVar[str] = "beta-binomial"
    degrees: ClassVar[float] = 2.0  # type: ignore[misc]

    @classmethod
    def fit(
        cls, scores: ArrayLike, support: Vector | None = None, least: float = LEAST
    ) -> BetaBinomialMargin:
        """Maximum likelihood over log a and log b from `least` to `MOST`. O(n + k)."""
        from scipy.optimize import minimize

        counts, points = counts_on(scores, support)
        top = len(points) - 1
        if top == 0:
            return cls(points, 1.0, 1.0)

        def loss(logs: Vector) -> float:
            return -float(counts @ _log_masses(top, *np.exp(logs))) / counts.sum()

        share = np.clip(counts @ np.arange(top + 1) / counts.sum() / top, 0.02, 0.98)
        start = np.maximum(np.log([2 * share, 2 * (1 - share)]), least)
        result = minimize(loss, start, method="L-BFGS-B", bounds=[(least, MOST)] * 2, options={"ftol": 1e-13})
        a, b = np.exp(result.x)
        return cls(points, float(a), float(b))

    @cached_property
    def masses(self) -> Vector:
        masses = np.exp(_log_masses(len(self.support) - 1, self.a, self.b))
        return masses / masses.sum()


def _log_masses(top: int, a: float, b: float) -> Vector:
    from truerank.numerics.special import betaln

    j = np.arange(top + 1)
    log_choose = -np.log(top + 1) - betaln(top - j + 1, j + 1)
    return log_choose + betaln(j + a, top - j + b) - betaln(a, b)


@dataclass(frozen=True)
class MovedMargin(Margin):
    """A margin composed with a beta CDF, so that its mean is `wanted`.

    The mean grows with a and falls with b, so the nearest solution with a, b ≥ 1 changes one of them:
    ``G = Fᵃ`` moves up, ``1 − (1 − F)ᵇ`` moves down. The support stays.
    :func:`with_mean` makes one. From Urbano & Nagler (2018); see docs/methods/simulation.md, Expected value.
    """

    base: Margin  # that was moved, with CDF F
    a: float  # 1 or more; above 1 where the mean was moved up
    b: float  # 1 or more; above 1 where the mean was moved down
    wanted: float  # the mean now, in (0, 1)

    family = property(lambda self: self.base.family)
    degrees = property(lambda self: self.base.degrees)
    discrete = property(lambda self: self.base.discrete)
    mean = property(lambda self: self.wanted)

    def density(self, x: ArrayLike) -> Vector:
        if self.discrete:
            before = self.base.cdf(x) - self.base.density(x)
            return self._moved(self.base.cdf(x)) - self._moved(np.clip(before, 0.0, 1.0))
        values = self.base.cdf(x)
        with np.errstate(divide="ignore", over="ignore"):
            slope = self.a * values ** (self.a - 1) * self.b * (1 - values) ** (self.b - 1)
        return slope * self.base.density(x)

    def cdf(self, x: ArrayLike) -> Vector:
        return self._moved(self.base.cdf(x))

    def quantile(self, u: ArrayLike) -> Vector:
        u = np.asarray(u, dtype=np.float64)
        if self.b > 1:
            return self.base.quantile(-np.expm1(np.log1p(-np.minimum(u, 1 - 1e-16)) / self.b))
        return self.base.quantile(u ** (1 / self.a))

    def expectation_panels(self) -> tuple[float, Vector, Vector, Vector]:
        least, scores, values, weights = self.base.expectation_panels()
        return least, scores, self._moved(values), weights

    def parameters(self) -> dict[str, Any]:
        return {"a": self.a, "b": self.b, "wanted": self.wanted}

    def _moved(self, values: Vector) -> Vector:
        return _power(values, self.a, self.b)


def _power(values: Vector, a: float, b: float) -> Vector:
    """Beta(a, b) CDF where one of a and b is 1."""
    with np.errstate(divide="ignore"):
        return -np.expm1(b * np.log1p(-values)) if b > 1 else values**a


def with_mean(margin: Margin, mean: float) -> Margin:
    """The margin moved to a wanted expected value, to 1e-9. O(100) times a sum over its panels.

    A margin that was moved before is moved from its base, not moved again. From Urbano & Nagler (2018);
    see docs/methods/simulation.md, Expected value.
    """
    from scipy.optimize import brentq

    base = margin.base if isinstance(margin, MovedMargin) else margin
    if abs(base.mean - mean) <= 1e-12:
        return base
    if not 0 < mean < 1:
        raise InputError(
            f"a wanted mean must lie between 0 and 1, not at {mean:g}; use a point margin for that"
        )
    least, _, values, weights = base.expectation_panels()

    def excess(log_power: float) -> float:
        power = math.exp(log_power)
        moved = _power(values, power, 1.0) if up else _power(values, 1.0, power)
        return least + float(weights @ (1 - moved)) - mean

    up = True  # a power of 1 moves nothing, so `excess(0)` is the same for both directions
    up = excess(0.0) < 0
    root, end = math.log(STEEPEST), excess(math.log(STEEPEST))
    if abs(end) > CLOSE and (end > 0) != up:
        raise InputError(
            f"no mean of {mean:g} within reach: moving this {base.family} margin "
            f"{'up' if up else 'down'} ends at {end + mean:g}; give the system another margin first"
        )
    if (end > 0) == up:
        root = float(brentq(excess, 0.0, root, xtol=1e-14, rtol=1e-15))
    power = math.exp(root)
    return MovedMargin(base, power if up else 1.0, 1.0 if up else power, float(mean))
