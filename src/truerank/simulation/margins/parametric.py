"""Margins with two parameters: beta and truncated normal, and beta-binomial on a finite support."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from truerank._support.types import Vector
from truerank.simulation.margins.base import ContinuousMargin, DiscreteMargin, counts_on, interior

SMALLEST, LARGEST = 1e-3, 1e6  # shapes of a beta margin
LEAST, MOST = -7.0, 12.0  # log shapes of a beta-binomial margin: nearly constant to nearly binomial
WIDEST = 2.0  # largest σ: beyond it the curvature over [0, 1] is nothing, and only the slope μ/σ² matters


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
        """Density."""
        from truerank.numerics.special import betaln, xlog1py, xlogy

        x = np.asarray(x, dtype=np.float64)
        inside = np.clip(x, 0.0, 1.0)
        with np.errstate(over="ignore", divide="ignore"):
            logs = xlogy(self.a - 1, inside) + xlog1py(self.b - 1, -inside) - betaln(self.a, self.b)
            return np.where(inside == x, np.exp(logs), 0.0)

    def cdf(self, x: ArrayLike) -> Vector:
        """P(X ≤ x)."""
        from truerank.numerics.special import betainc

        return betainc(self.a, self.b, np.clip(x, 0.0, 1.0))

    def quantile(self, u: ArrayLike) -> Vector:
        """Quantiles, to machine precision."""
        from truerank.numerics.special import betaincinv

        return betaincinv(self.a, self.b, np.asarray(u, dtype=np.float64))

    @property
    def mean(self) -> float:
        """a / (a + b)."""
        return self.a / (self.a + self.b)

    @property
    def variance(self) -> float:
        """ab / ((a + b)² (a + b + 1))."""
        total = self.a + self.b
        return self.a * self.b / (total**2 * (total + 1))


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

    def _ends(self) -> tuple[float, float, bool]:
        """The standardized ends of [0, 1], mirrored so that the nearer tail is the upper one."""
        low, high = -self.mu / self.sigma, (1 - self.mu) / self.sigma
        return (-high, -low, True) if self.mu > 0.5 else (low, high, False)

    def _log_mass(self) -> float:
        """log P(0 ≤ N ≤ 1), without cancellation far out in a tail."""
        from truerank.numerics.special import log_ndtr

        low, high, _ = self._ends()
        upper, beyond = float(log_ndtr(-low)), float(log_ndtr(-high))
        return upper + math.log1p(-math.exp(beyond - upper))

    def density(self, x: ArrayLike) -> Vector:
        """Density."""
        x = np.asarray(x, dtype=np.float64)
        z = (x - self.mu) / self.sigma
        logs = -0.5 * z**2 - math.log(self.sigma * math.sqrt(2 * math.pi)) - self._log_mass()
        return np.where((x >= 0) & (x <= 1), np.exp(logs), 0.0)

    def cdf(self, x: ArrayLike) -> Vector:
        """P(X ≤ x)."""
        from truerank.numerics.special import log_ndtr

        low, _, mirrored = self._ends()
        x = np.clip(x, 0.0, 1.0)
        z = (x - self.mu) / self.sigma * (-1 if mirrored else 1)
        start = log_ndtr(-low)
        # P(low ≤ N ≤ z) / P(low ≤ N ≤ high), both by differences of upper tails.
        share = -np.expm1(log_ndtr(-z) - start) / math.exp(self._log_mass() - start)
        share = np.clip(share, 0.0, 1.0)
        return 1 - share if mirrored else share

    def quantile(self, u: ArrayLike) -> Vector:
        """Quantiles, through logs of tail probabilities."""
        from truerank.numerics.special import log_ndtr, ndtri_exp

        low, high, mirrored = self._ends()
        u = np.asarray(u, dtype=np.float64)
        share = 1 - u if mirrored else u
        with np.errstate(divide="ignore"):
            tail = np.logaddexp(
                np.log1p(-np.clip(share, 0.0, 1.0)) + log_ndtr(-low), np.log(share) + log_ndtr(-high)
            )
        z = np.clip(-ndtri_exp(tail), low, high)
        return np.clip(self.mu + self.sigma * (-z if mirrored else z), 0.0, 1.0)


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
        """The mass of each point of the support."""
        masses = np.exp(_log_masses(len(self.support) - 1, self.a, self.b))
        return masses / masses.sum()


def _log_masses(top: int, a: float, b: float) -> Vector:
    from truerank.numerics.special import betaln

    j = np.arange(top + 1)
    log_choose = -np.log(top + 1) - betaln(top - j + 1, j + 1)
    return log_choose + betaln(j + a, top - j + b) - betaln(a, b)
