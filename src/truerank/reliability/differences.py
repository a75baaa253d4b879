"""Intervals of the true difference of two systems, from the same posterior as the probability of its sign.

The probability that the difference is below 0 is the estimator's own; how large the difference is on either side
of 0 comes from the posterior given that side. So an interval leaves 0 out exactly where the estimator says that
one system is above the other, whichever the estimator is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from truerank._support.types import Matrix, Vector

SizesGivenSign = Callable[[Vector, Vector], tuple[Matrix, Matrix]]


@dataclass(frozen=True)
class Sizes:
    """Of K differences, how large they are on either side of 0, in their standard errors.

    Attributes:
        points: X sizes from 0 on.
        above: K × X; the distribution function of a difference that is above 0, at those points.
        below: K × X; that of the size of one that is below 0.
    """

    points: Vector
    above: Matrix
    below: Matrix


def quantiles(swapped: Vector, sizes: Sizes, share: float) -> Vector:
    """The quantile at `share` of K differences, in their standard errors.

    Args:
        swapped: P(difference < 0), K of them.
        sizes: given their sign.
        share: in (0, 1).

    Returns:
        K quantiles: below 0 exactly where `swapped` is more than `share`.
    """
    found = np.empty(len(swapped))
    for i, p in enumerate(swapped):
        if share >= p:
            within = (share - p) / (1 - p) if p < 1 else 0.0
            found[i] = np.interp(within, sizes.above[i], sizes.points)
        else:
            found[i] = -np.interp(1 - share / p, sizes.below[i], sizes.points)
    return found


POINTS = 240
"""Sizes at which the distribution functions are known."""


def sizes_by_t(centres: Vector, degrees: Vector, largest: float = 60.0) -> Sizes:
    """Sizes given the sign, of t distributions around their centres: for estimators of probabilities alone.

    Args:
        centres: in standard errors, K.
        degrees: of freedom, K.
        largest: how far beyond the centre, in standard errors, the points reach.
    """
    from scipy.special import stdtr

    centres, degrees = centres[:, None], degrees[:, None]
    points = _points(float(np.abs(centres).max(initial=0.0)) + largest)
    right = stdtr(degrees, centres) - stdtr(degrees, centres - points)
    left = stdtr(degrees, -centres) - stdtr(degrees, -centres - points)
    return Sizes(points, _normed(right), _normed(left))


def _points(largest: float) -> Vector:
    """Dense around 0."""
    return np.sinh(np.linspace(0.0, np.arcsinh(largest), POINTS))


def _normed(mass: Matrix) -> Matrix:
    """Cumulated mass as distribution functions; where there is none, all of it at 0."""
    total = mass[:, -1:]
    functions: Matrix = np.where(total > 0, mass / np.where(total > 0, total, 1.0), 1.0)
    return np.maximum.accumulate(functions, axis=1)
