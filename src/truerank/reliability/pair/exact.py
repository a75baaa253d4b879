"""A bound for bounded scores that is valid however few topics differ (Gaffke 2005).

The mean is resampled with weights from a Dirichlet distribution, as in the Bayesian bootstrap, with one more
topic on which the candidate does as badly as scores allow. The level's lower quantile of that mean is the
bound: where scores are 0 or 1 and the candidate never wins, it is that of Clopper and Pearson. No sample is
drawn: weighted sums of exponential variables have a distribution that one integral gives.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from truerank._support.types import Vector
from truerank.scores import TIE

STEP = 0.02
"""Of the trapezoid rule on the logarithm of the frequency, which converges exponentially: errors of 1e-8."""

FURTHEST = 100.0
"""A fraction of the range of differences that no verdict ever reaches."""


def exact_confidence(
    differences: Vector, value: float, largest: float, weights: Vector | None = None, times: float = 1.0
) -> float:
    """The confidence, in [0, 1], that the true mean difference is above a value.

    ``1 − P(Σ E_t w_t (d_t − value) + E_0 w (−largest − value) ≤ 0)`` with E standard exponential variables
    and w the largest weight, by inversion of the characteristic function. O(different values × 1,300).
    """
    w = np.ones(len(differences)) if weights is None else weights
    each = np.append(w, np.max(w)) * (np.append(differences, -largest) - value)
    distances, place = np.unique(each, return_inverse=True)
    counts = np.bincount(place.ravel(), np.append(np.full(len(differences), times), 1.0))
    keep = np.abs(distances) > TIE
    distances, counts = distances[keep], counts[keep]
    if not (distances < 0).any():
        return 1.0
    if not (distances > 0).any():
        return 0.0
    logarithms = np.arange(-18.0, 8.0, STEP)
    products = distances[:, None] * np.exp(logarithms) / np.sqrt(np.sum(counts * distances**2))
    phases = counts @ np.arctan(products)
    sizes = np.exp(-0.5 * (counts @ np.log1p(products**2)))
    below = 0.5 - float(np.sum(sizes * np.sin(phases))) * STEP / np.pi
    return min(max(1.0 - below, 0.0), 1.0)


def exact_bound(differences: Vector, level: float, largest: float, weights: Vector | None = None) -> float:
    """The lower bound of the true mean difference at a level."""

    def excess(value: float) -> float:
        return exact_confidence(differences, value, largest, weights) - level

    lowest = -largest + 1e-9
    if excess(lowest) <= 0:
        return -largest
    return zero(excess, lowest, float(np.max(differences)), 1e-10)


def exact_reach(
    differences: Vector, value: float, largest: float, level: float, times: float, weights: Vector | None
) -> float:
    """How far above a value the mean of `times` as many such differences must be for a verdict.

    It may be further than scores allow; then there is none.
    """
    centered = differences - np.average(differences, weights=weights)

    def excess(reach: float) -> float:
        return exact_confidence(centered + value + reach, value, largest, weights, times) - level

    if excess(0.0) >= 0:
        return 0.0
    furthest = FURTHEST * largest
    return zero(excess, 0.0, furthest, 1e-4 * largest) if excess(furthest) > 0 else furthest


def zero(function: Callable[[float], float], low: float, high: float, tolerance: float) -> float:
    """A zero of a continuous function between two points of opposite sign (Chandrupatla 1997).

    Inverse quadratic interpolation where the last three points make it safe, halving elsewhere.
    """
    a, b = high, low
    at_a, at_b = function(a), function(b)
    step = 0.5
    while True:
        x = a + step * (b - a)
        at_x = function(x)
        if (at_x > 0) == (at_a > 0):
            c, at_c = a, at_a
        else:
            c, at_c, b, at_b = b, at_b, a, at_a
        a, at_a = x, at_x
        best, least = (a, at_a) if abs(at_a) < abs(at_b) else (b, at_b)
        smallest = max(tolerance, 1e-15 * abs(best)) / abs(b - a)
        if least == 0 or smallest > 0.5:
            return best
        place, height = (a - b) / (c - b), (at_a - at_b) / (at_c - at_b) if at_c != at_b else math.inf
        if height**2 < place and (1 - height) ** 2 < 1 - place:
            step = at_a / (at_b - at_a) * at_c / (at_b - at_c)
            step += (c - a) / (b - a) * at_a / (at_c - at_a) * at_b / (at_c - at_b)
        else:
            step = 0.5
        step = min(max(step, smallest), 1 - smallest)
