"""The beta distribution."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from truerank._support.types import Vector
from truerank.simulation.margins.base import ContinuousMargin, interior
from truerank.simulation.margins.family import ABOUT, MarginFamily

LARGEST = 1e6
SMALLEST = 1e-3


@dataclass(frozen=True)
class BetaMargin(ContinuousMargin):
    """Beta(a, b) on [0, 1] (Urbano & Nagler 2018; docs/methods/simulation.md).

    Attributes:
        a: first shape, above 0; the weight towards 1.
        b: second shape, above 0; the weight towards 0.
    """

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


BETA = MarginFamily(
    "beta",
    discrete=False,
    fit=BetaMargin.fit,
    rebuild=BetaMargin,
    fit_bounded=partial(BetaMargin.fit, smallest=1.0),
    **ABOUT["beta"],
)
