"""The bivariate t distribution function, for many points at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from truerank._support.types import Matrix

NODES = 64
"""Quadrature nodes over the scale; 1e-9 accurate from two degrees of freedom up."""


def bivariate_t_cdf(
    a: ArrayLike, b: ArrayLike, correlation: ArrayLike, degrees: float, quadrature: int = NODES
) -> Matrix:
    """P(A < a, B < b) for standard bivariate t: the normal one averaged over their common scale."""
    from scipy.special import chdtri

    a, b, correlation = np.broadcast_arrays(*(np.asarray(v, dtype=np.float64) for v in (a, b, correlation)))
    nodes, weights = np.polynomial.legendre.leggauss(quadrature)
    # The substitution u = v²(3 − 2v) flattens both ends, where the quantile function is steep.
    v = (nodes + 1) / 2
    u = v * v * (3 - 2 * v)
    mass = weights / 2 * 6 * v * (1 - v)
    total = np.zeros(a.shape)
    for share, weight in zip(u, mass, strict=True):
        scale = np.sqrt(chdtri(degrees, 1 - share) / degrees)
        total += weight * bivariate_normal_cdf(a * scale, b * scale, correlation)
    return total


def bivariate_normal_cdf(a: ArrayLike, b: ArrayLike, correlation: ArrayLike) -> Matrix:
    """P(A < a, B < b) for standard bivariate normal variables, by Owen's T function."""
    from scipy.special import ndtr, owens_t

    a, b, r = np.broadcast_arrays(*(np.asarray(v, dtype=np.float64) for v in (a, b, correlation)))
    # Owen's formula divides by a and b; a shift far below any tolerance keeps them off zero.
    a, b = (np.where(np.abs(v) < 1e-150, 1e-150, v) for v in (a, b))
    root = np.sqrt(np.clip(1 - r * r, 1e-30, None))
    with np.errstate(over="ignore", invalid="ignore"):
        first = owens_t(a, (b / a - r) / root)
        second = owens_t(b, (a / b - r) / root)
    opposite = np.where((a < 0) != (b < 0), 0.5, 0.0)
    inside: Matrix = (ndtr(a) + ndtr(b)) / 2 - first - second - opposite
    same, against = np.minimum(ndtr(a), ndtr(b)), np.clip(ndtr(a) - ndtr(-b), 0, None)
    inside = np.where(r >= 1 - 1e-12, same, np.where(r <= -1 + 1e-12, against, inside))
    never = np.isneginf(a) | np.isneginf(b)
    return np.where(never, 0.0, np.clip(inside, 0.0, 1.0))
