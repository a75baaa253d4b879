"""The normal distribution truncated to [0, 1]."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from truerank._support.types import Vector
from truerank.simulation.margins.base import ContinuousMargin, interior
from truerank.simulation.margins.family import ABOUT, MarginFamily

WIDEST = 2.0  # largest σ: beyond it the curvature over [0, 1] is nothing, and only the slope μ/σ² matters


@dataclass(frozen=True)
class TruncatedNormalMargin(ContinuousMargin):
    """N(mu, sigma²) given that it falls into [0, 1] (Urbano & Nagler 2018; docs/methods/simulation.md).

    Attributes:
        mu: mean before truncation; may lie outside [0, 1].
        sigma: standard deviation before truncation, above 0.
    """

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


TRUNCATED_NORMAL = MarginFamily(
    "truncated-normal",
    discrete=False,
    fit=TruncatedNormalMargin.fit,
    rebuild=TruncatedNormalMargin,
    **ABOUT["truncated-normal"],
)
