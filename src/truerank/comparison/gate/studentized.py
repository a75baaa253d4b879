"""One-sided confidence and bounds from a studentized difference, on the safe side of its skewness.

A t interval errs too often towards the longer tail: a candidate that seldom loses, but then much, passes too
easily. Hall's (1992) monotone transformation of t takes the skewness out. It needs the skewness, which few
topics give badly and on average too small; so it is taken :data:`STRETCH` times and :data:`CAUTION` standard
errors towards the side that is harder on the claim, the standard error being that of as many normal
differences as there are topics that differ. Both numbers were chosen on simulated populations and checked on
others (docs/experiments/gate.md).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from truerank._support.types import Vector
from truerank.comparison.gate.contrast import Contrast

STRETCH = 1.5
"""By how much more skewed than in their sample differences are taken to be."""

CAUTION = 2.0
"""Standard errors of the skewness that it is moved by, against the claim."""


def cautious_skewness(skewness: ArrayLike, differing: ArrayLike) -> Vector:
    """The skewness of an estimate as a lower bound takes it: 0 or less.

    Args:
        skewness: of estimates, as :attr:`Contrast.skewness`.
        differing: of how many units the differences are not 0.
    """
    allowance = CAUTION * math.sqrt(6) / np.maximum(np.asarray(differing, dtype=np.float64), 1.0)
    cautious: Vector = np.minimum(STRETCH * np.asarray(skewness, dtype=np.float64) - allowance, 0.0)
    return cautious


def transformed(t: ArrayLike, skewness: ArrayLike, mostly_ties: ArrayLike) -> Vector:
    """Hall's transformation ``T + aT²/3 + a²T³/27 + a/6`` of studentized estimates, increasing in T.

    For a < 0 it is flat at T = −3/a. Where most units are ties it stays at that height: beyond it T is large
    because the few units that differ happen to be alike, not because the difference is sure.

    Args:
        t: (estimate − value)/standard error; may be infinite.
        skewness: a, at most 0.
        mostly_ties: whether most units are ties.

    Example:
        >>> transformed([2.0, 2.0, 9.0], [0.0, -0.2, -0.6], [False, False, True]).round(3).tolist()
        [2.0, 1.712, 1.567]
    """
    a = np.asarray(skewness, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        summit = np.where(np.asarray(mostly_ties) & (a < 0), -3 / a, np.inf)
        T = np.minimum(np.asarray(t, dtype=np.float64), summit)
        g = T + a * T**2 / 3 + a**2 * T**3 / 27 + a / 6
    found: Vector = np.where(np.isfinite(T), g, T)
    return found


def critical(quantile: ArrayLike, skewness: ArrayLike, mostly_ties: ArrayLike) -> Vector:
    """The T that :func:`transformed` takes to a quantile above 0; infinite where it takes none there.

    >>> critical(1.7, [0.0, -0.2, -0.8], [False, False, True]).round(3).tolist()
    [1.7, 1.984, inf]
    """
    a = np.minimum(np.asarray(skewness, dtype=np.float64), -1e-12)
    inside = a * (np.asarray(quantile) - a / 6)
    beyond = np.where(np.asarray(mostly_ties), np.inf, -3 / a * (1 + np.cbrt(np.maximum(-1 - inside, 0.0))))
    within = 3 / a * np.expm1(np.log1p(np.maximum(inside, -1 + 1e-15)) / 3)
    found: Vector = np.where(inside > -1, within, beyond)
    return found


def is_mostly_ties(contrast: Contrast) -> bool:
    """Whether fewer than half of the units differ."""
    return contrast.differing < contrast.units / 2


def studentized_confidence(contrast: Contrast, value: float) -> float:
    """The confidence, in [0, 1], that the true difference is above a value."""
    from scipy.special import stdtr

    gap = contrast.estimate - value
    a = float(cautious_skewness(contrast.skewness, contrast.differing))
    t = gap / contrast.error if contrast.error > 0 else math.copysign(math.inf, gap) if gap else 0.0
    return float(stdtr(contrast.degrees, transformed(t, a, is_mostly_ties(contrast))))


def studentized_bound(contrast: Contrast, level: float) -> float:
    """The lower bound of the true difference at a level above ½; −∞ where there is none."""
    from scipy.special import stdtrit

    a = float(cautious_skewness(contrast.skewness, contrast.differing))
    beyond = float(critical(stdtrit(contrast.degrees, level), a, is_mostly_ties(contrast)))
    if contrast.error == 0:
        return contrast.estimate if math.isfinite(beyond) else -math.inf
    return contrast.estimate - beyond * contrast.error
