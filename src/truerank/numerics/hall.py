"""Student's t, corrected for skewness that makes a claim look better than it is (Hall 1992).

A t interval misses too often on the side of the longer tail. Hall's monotone transformation of t removes the
skewness. Only skewness toward losses is corrected: correcting for gains would let a claim hold earlier.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from truerank._support.types import Vector

LEAST = 1e-7  # skewness of a mean below which the transformation is the identity


def against(skewness: ArrayLike) -> Vector:
    """The skewness of a mean that counts against the claim that it is above a value: 0 or less."""
    return np.minimum(np.asarray(skewness, dtype=np.float64), 0.0)


def transformed(t: ArrayLike, a: ArrayLike) -> Vector:
    """``g = T + aT²/3 + a²T³/27 + a/6``, increasing in T (Hall 1992, eq. 2.2 of the monotone kind)."""
    T, a = np.asarray(t, dtype=np.float64), np.asarray(a, dtype=np.float64)
    with np.errstate(invalid="ignore", over="ignore"):
        g = T + a * T**2 / 3 + a**2 * T**3 / 27 + a / 6
    return np.where(np.isfinite(g), g, T)


def critical(quantile: ArrayLike, a: ArrayLike) -> Vector:
    """The T whose transform is a quantile: ``(3/a)(∛(1 + a(q − a/6)) − 1)``."""
    q, a = np.asarray(quantile, dtype=np.float64), np.asarray(a, dtype=np.float64)
    safe = np.where(a < -LEAST, a, -1.0)
    return np.where(a < -LEAST, 3 / safe * (np.cbrt(1 + safe * (q - safe / 6)) - 1), q)


def confidence(t: ArrayLike, skewness: ArrayLike, degrees: ArrayLike) -> Vector:
    """The confidence, in [0, 1], that a true mean is above a value t errors away from its estimate."""
    from truerank.numerics.special import stdtr

    freedom = np.asarray(degrees, dtype=np.float64)
    return np.asarray(stdtr(freedom, transformed(t, against(skewness))), dtype=np.float64)


def normal_scores(g: ArrayLike, degrees: ArrayLike) -> Vector:
    """Studentized scores as normal scores, through the opposite tail, so that high ones keep their digits."""
    from truerank.numerics.special import ndtri, stdtr

    scores, freedom = np.asarray(g, dtype=np.float64), np.asarray(degrees, dtype=np.float64)
    tail: Vector = np.asarray(stdtr(freedom, -np.abs(scores)), dtype=np.float64)
    return np.asarray(-np.sign(scores) * ndtri(tail), dtype=np.float64)
