"""One-sided confidence and bounds of a difference, on the safe side of skewness and rare losses.

A t interval errs too often toward the longer tail: a candidate that seldom loses, but then much, passes too
easily. Two corrections stand against it; their numbers were chosen on some populations and checked on others
(docs/experiments/gate.md).

One more loss: where differences have heavier tails than normal ones, an unobserved difference is added to
them. It is as far below their mean as the most distant one on either side. A long tail of gains suggests that
losses may have one too, which few topics need not show.

Skewness: Hall's (1992) monotone transformation of t takes it out. Few topics give the skewness badly and on
    average too small. So it is multiplied by :data:`STRETCH` and moved :data:`CAUTION` standard errors toward
    the side that makes the claim harder. The standard error is that of as many normal differences as there
    are topics that differ. With the weight of the added loss, skewness toward gains counts against the claim
    too.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from truerank._support.types import Vector

if TYPE_CHECKING:
    from truerank.comparison.gate.contrast import Contrast

STRETCH = 2.0
"""By how much more skewed than in their sample differences are taken to be."""

CAUTION = 2.0
"""Standard errors of the skewness that it is moved by, against the claim."""

HEAVY = 0.5
"""Excess kurtosis at which the added loss counts as a whole topic; below it, in proportion."""

SHOWN = 75.0
"""Units from which on the added loss counts less: many topics show what their tails are."""

FURTHEST = 1e6
"""A studentized difference beyond which none decides."""


@dataclass(frozen=True)
class Shape:
    """What a studentized difference needs to know of the units' differences; arrays, without axes for one
    pair.

    Attributes:
        units: n, the effective number.
        degrees: of freedom of the standard error.
        differing: how many units are no tie.
        skewness: of a unit's difference.
        kurtosis: in excess of the normal distribution's.
        below: how far the lowest is below the mean, in standard deviations.
        above: how far the highest is above it.
    """

    units: Vector
    degrees: Vector
    differing: Vector
    skewness: Vector
    kurtosis: Vector
    below: Vector
    above: Vector


def shape_of(contrast: Contrast) -> Shape:
    """The shape of one comparison's differences, from its influence rows."""
    n, error = contrast.units, contrast.error
    rows = contrast.rows / error if error > 0 else np.zeros(1)
    kurtosis = excess_kurtosis(n * float(np.sum(rows**4)), n) if error > 0 else 0.0
    found = (
        n,
        contrast.degrees,
        contrast.differing,
        contrast.unit_skewness,
        kurtosis,
        -float(rows.min()) * math.sqrt(n - 1),
        float(rows.max()) * math.sqrt(n - 1),
    )
    return Shape(*(np.asarray(one, dtype=np.float64) for one in found))


def excess_kurtosis(ratio: ArrayLike, n: float) -> Vector:
    """The unbiased sample excess kurtosis, from ``nΣ(d − d̄)⁴/(Σ(d − d̄)²)²``; infinite below 4 units."""
    if n <= 3:
        return np.full(np.shape(ratio), np.inf)
    excess = np.asarray(ratio, dtype=np.float64) - 3
    return (n - 1) / ((n - 2) * (n - 3)) * ((n + 1) * excess + 6)


def weight_of_loss(shape: Shape) -> Vector:
    """How much the added loss counts, from 0 (tails no heavier than normal ones) to 1 (as a whole topic)."""
    heavy = np.clip(shape.kurtosis / HEAVY, 0.0, 1.0)
    return heavy * np.minimum(1.0, SHOWN / shape.units)


def cautious_skewness(skewness: ArrayLike, differing: ArrayLike, weight: ArrayLike = 0.0) -> Vector:
    """The skewness of an estimate as a lower bound takes it: 0 or less."""
    skewed = np.asarray(skewness, dtype=np.float64)
    against = np.where(skewed < 0, skewed, -np.asarray(weight, dtype=np.float64) * skewed)
    allowance = CAUTION * math.sqrt(6) / np.maximum(np.asarray(differing, dtype=np.float64), 1.0)
    return np.minimum(STRETCH * against - allowance, 0.0)


def with_one_more_loss(t: ArrayLike, shape: Shape) -> Vector:
    """The studentized difference from a value once the loss that was not observed is among the differences.

    The loss is as far below the mean as any difference is from it, and counts as :func:`weight_of_loss` says.
    Increasing in t. Of nine ties and a gain of 1 the added loss is 0.8 below 0: little remains of the gain.

    >>> from truerank.comparison.gate.contrast import plain_contrast
    >>> one = shape_of(plain_contrast(np.array([1.0] + [0.0] * 9)))
    >>> round(float(with_one_more_loss(1.0, one)), 6)
    0.149071
    """
    n = shape.units
    given = np.asarray(t, dtype=np.float64)
    weight = weight_of_loss(shape)
    gap = np.clip(given, -FURTHEST, FURTHEST) / np.sqrt(n)  # the mean above the value, in standard deviations
    distance = np.maximum(shape.below, shape.above)  # of the loss, from the mean
    together = n + weight
    squares = n - 1 + distance**2 * weight * n / together
    moved = gap - weight * distance / together
    return np.where(weight > 0, moved / np.sqrt(squares / (together * (together - 1))), given)


def transformed(t: ArrayLike, skewness: ArrayLike, mostly_ties: ArrayLike) -> Vector:
    """Hall's transformation ``T + aT²/3 + a²T³/27 + a/6`` of studentized estimates, increasing in T.

    >>> transformed([2.0, 2.0, 9.0], [0.0, -0.2, -0.6], [False, False, True]).round(3).tolist()
    [2.0, 1.712, 1.567]
    """
    a = np.asarray(skewness, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        summit = np.where(np.asarray(mostly_ties) & (a < 0), -3 / a, np.inf)
        T = np.minimum(np.asarray(t, dtype=np.float64), summit)
        g = T + a * T**2 / 3 + a**2 * T**3 / 27 + a / 6
    return np.where(np.isfinite(T), g, T)


def corrected(t: ArrayLike, shape: Shape) -> Vector:
    """The studentized difference with both corrections, to be compared with Student’s t; increasing in t."""
    a = cautious_skewness(shape.skewness / np.sqrt(shape.units), shape.differing, weight_of_loss(shape))
    return transformed(with_one_more_loss(t, shape), a, shape.differing < shape.units / 2)


def confidence_of(t: ArrayLike, shape: Shape) -> Vector:
    """The confidence, in [0, 1], that the true difference is above a value from which it is t away."""
    from scipy.special import stdtr

    return stdtr(shape.degrees, corrected(t, shape))


def critical(level: float, shape: Shape) -> Vector:
    """The t at which :func:`confidence_of` reaches a level above ½; infinite where none does."""
    from scipy.special import stdtrit

    quantile: Vector = np.asarray(stdtrit(shape.degrees, level))
    high = np.full(np.shape(quantile), FURTHEST)
    low = np.zeros_like(high)
    enough = corrected(high, shape) >= quantile
    for _ in range(64):
        middle = (low + high) / 2
        there = corrected(middle, shape) >= quantile
        low, high = np.where(there, low, middle), np.where(there, middle, high)
    return np.where(enough, high, np.inf)


def studentized_confidence(contrast: Contrast, value: float) -> float:
    """The confidence, in [0, 1], that the true difference is above a value."""
    gap = contrast.estimate - value
    t = gap / contrast.error if contrast.error > 0 else math.copysign(math.inf, gap) if gap else 0.0
    return float(confidence_of(t, shape_of(contrast)))


def studentized_bound(contrast: Contrast, level: float) -> float:
    """The lower bound of the true difference at a level above ½; −∞ where there is none."""
    beyond = float(critical(level, shape_of(contrast)))
    if contrast.error == 0:
        return contrast.estimate if math.isfinite(beyond) else -math.inf
    return contrast.estimate - beyond * contrast.error
