"""Intervals of the true difference of two systems, from the same posterior as the probability of its sign.

The probability that the difference is below 0 is the estimator's own; how large it is on either side of 0
comes from the posterior given that side. So an interval excludes 0 exactly where the estimator says that
one system is above the other, whichever estimator it is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from truerank._support.types import Matrix, Vector
from truerank.numerics import special

REACH, POINTS = 1_000.0, 120
"""Half-width of the grid around a difference's center, in standard errors, and points on either side."""


@dataclass(frozen=True)
class Sizes:
    """Of K differences, how large each is on either side of 0, in its standard errors.

    Attributes:
        above: K × X rising sizes from 0 on, and at each the probability that a difference above 0 is no
            larger.
        below: the same of the sizes of a difference below 0.
    """

    above: tuple[Matrix, Matrix]
    below: tuple[Matrix, Matrix]


def quantiles(swapped: Vector, sizes: Sizes, share: float) -> Vector:
    """The quantile at `share` of K differences, in their standard errors."""
    found = np.empty(len(swapped))
    for i, p in enumerate(swapped):
        if p <= share:
            points, reached = sizes.above[0][i], sizes.above[1][i]
            found[i] = np.interp((share - p) / (1 - p) if p < 1 else 0.0, reached, points)
        else:
            points, reached = sizes.below[0][i], sizes.below[1][i]
            found[i] = -np.interp(1 - share / p, reached, points)
    return found


def sizes_of(centers: Vector, mass: Callable[[Matrix], Matrix]) -> Sizes:
    """Sizes given the sign, from the probability mass between 0 and any point."""
    away = np.sinh(np.linspace(0.0, np.arcsinh(REACH), POINTS))
    from_zero = np.broadcast_to(away, (len(centers), POINTS))
    around = np.sort(np.maximum(centers[:, None] + np.append(-away[::-1], away), 0.0), axis=1)
    around[:, 0] = 0.0
    return Sizes((around, _normed(mass(around))), (from_zero, _normed(mass(-from_zero))))


def sizes_by_t(centers: Vector, degrees: Vector) -> Sizes:
    """Sizes of t distributions around their centers: for estimators that give probabilities alone."""
    middle, degrees = centers[:, None], degrees[:, None]

    def mass(points: Matrix) -> Matrix:
        side = np.where(points < 0, -1.0, 1.0)  # the smaller tail, which keeps its digits
        tails = (special.stdtr(degrees, side * one) for one in (middle, middle - points))
        return np.abs(np.subtract(*tails))

    return sizes_of(np.abs(centers), mass)


def _normed(mass: Matrix) -> Matrix:
    """Mass as distribution functions; where there is none, all of it at 0."""
    total = mass[:, -1:]
    functions: Matrix = np.where(total > 0, mass / np.where(total > 0, total, 1.0), 1.0)
    return np.maximum.accumulate(functions, axis=1)
