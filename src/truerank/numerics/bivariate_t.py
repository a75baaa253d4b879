"""The bivariate t distribution function, for many points at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from truerank._support.types import Matrix

NODES = 96  # quadrature nodes over the correlation: 2e-9 accurate
FARTHEST = 1e8  # points beyond it count as infinite


def bivariate_t_cdf(
    a: ArrayLike, b: ArrayLike, correlation: ArrayLike, degrees: float, quadrature: int = NODES
) -> Matrix:
    """P(A < a, B < b) for the standard bivariate t; normal where the degrees of freedom are infinite.

    Plackett's (1954) density in the correlation, with ρ = ±cos δ, is ``(1 + x/ν)^(−ν/2)/2π`` per radian, ``x
    = (a² + b² − 2ρab)/(1 − ρ²)``.
    """
    from truerank.numerics.special import stdtr

    given = (np.asarray(v, dtype=np.float64) for v in (a, b, correlation))
    x, y, rho = np.broadcast_arrays(*given)
    x, y = np.clip(x, -FARTHEST, FARTHEST), np.clip(y, -FARTHEST, FARTHEST)
    sign = np.where(rho < 0, -1.0, 1.0)
    first, second = stdtr(degrees, x), stdtr(degrees, y)
    end = np.where(sign > 0, np.minimum(first, second), np.maximum(first - stdtr(degrees, -y), 0.0))
    width = np.arccos(np.abs(rho))
    away, product = x - sign * y, sign * x * y
    nodes, weights = np.polynomial.legendre.leggauss(quadrature)
    total = np.zeros(x.shape)
    for v, weight in zip((nodes + 1) / 2, weights / 2, strict=True):
        angle = np.maximum(width * v**3, 1e-150)
        square = (away / np.sin(angle)) ** 2 + product / np.cos(angle / 2) ** 2
        density = np.exp(-square / 2 if np.isinf(degrees) else -degrees / 2 * np.log1p(square / degrees))
        total += weight * 3 * v * v * density
    return np.asarray(np.clip(end - sign * total * width / (2 * np.pi), 0.0, 1.0))
