"""The normal mixture on a cautious score: for scores without a range, and valid for many topics.

A z score that is looked at after every topic exceeds 1.64 sooner or later. Robbins (1970) compares it with a
limit that grows with the topics. The score is Student's t, corrected for skewness more cautiously than in a
gate, whose correction was not measured under optional stopping. Equations are those of
docs/methods/looking.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from truerank._support.types import Vector
from truerank.numerics import hall
from truerank.scores import TIE

RHO = 0.15  # the true effect, in standard deviations of a topic, that the mixture finds fastest
FIRST = 10  # the fewest topics: with fewer the score is not normal enough
# How many times the skewness counts, and its standard errors by which it is moved against the claim.
STRETCH, CAUTION = 1.5, 2.0
FURTHEST = 1e4  # a z score beyond which none says more

Numbers = NDArray[np.float64]


def log_mixture(z: ArrayLike, topics: ArrayLike) -> Numbers:
    """The logarithm of the evidence M of z scores of n topics (equation 6); increasing in z."""
    from truerank.numerics.special import log_ndtr

    w = np.asarray(topics, dtype=np.float64) * RHO**2
    at = np.clip(z, -FURTHEST, FURTHEST)
    found: Numbers = (
        math.log(2) - np.log1p(w) / 2 + w * at**2 / (2 * (1 + w)) + log_ndtr(at * np.sqrt(w / (1 + w)))
    )
    return found


def critical_z(topics: ArrayLike, alpha: float) -> Vector:
    """The z score at which n topics reach evidence of 1/α, by Newton's method from above."""
    from truerank.numerics.special import ndtr

    n = np.atleast_1d(np.asarray(topics, dtype=np.float64))
    w = n * RHO**2
    shrink = w / (1 + w)
    target = math.log(1 / alpha)
    z = np.sqrt(2 * (target + np.log1p(w) / 2) / shrink)  # without Φ, which is above the solution
    for _ in range(12):
        over = log_mixture(z, n) - target
        density = np.exp(-shrink * z**2 / 2) / math.sqrt(2 * math.pi)
        slope = shrink * z + np.sqrt(shrink) * density / ndtr(z * np.sqrt(shrink))
        z = z - over / slope
    return np.asarray(z, dtype=np.float64)


@dataclass(frozen=True)
class Moments:
    """Moments of the first n differences, for their score; arrays of one shape."""

    n: Numbers  # topics
    mean: Numbers
    error: Numbers  # standard error of the mean; 0 where all differences are equal
    skewness: Numbers  # of the mean: the sample skewness over √n
    differing: Numbers  # how many differences are not ties

    def mirrored(self) -> Moments:
        """The moments of the opposite differences."""
        return Moments(self.n, -self.mean, self.error, -self.skewness, self.differing)

    def __getitem__(self, chosen: Any) -> Moments:
        parts = (self.n, self.mean, self.error, self.skewness, self.differing)
        return Moments(*(np.broadcast_to(part, self.mean.shape)[chosen] for part in parts))


def running_moments(differences: ArrayLike) -> Moments:
    """The moments after each topic, topics on the last axis; O(1) a topic."""
    d = np.asarray(differences, dtype=np.float64)
    shift = d[..., :1]
    moved = d - shift  # far from 0 sums of powers would lose digits
    n = np.arange(1.0, d.shape[-1] + 1)
    first, second, third = (np.cumsum(moved**power, axis=-1) for power in (1, 2, 3))
    return moments_of_sums(n, shift, first, second, third, np.cumsum(np.abs(d) > TIE, axis=-1))


def moments_of_sums(n: Any, shift: Any, first: Any, second: Any, third: Any, differing: ArrayLike) -> Moments:
    """The moments of n differences, from sums of powers of these less a shift."""
    count = np.asarray(n, dtype=np.float64)
    mean = np.asarray(first, dtype=np.float64) / count
    squares = np.maximum(second - count * mean**2, 0.0)
    cubes = third - 3 * mean * second + 2 * count * mean**3
    tiny = squares <= 1e-13 * np.asarray(second) + count * TIE**2
    squares = np.where(tiny, 0.0, squares)
    with np.errstate(divide="ignore", invalid="ignore"):
        error = np.sqrt(squares / (count * (count - 1)))
        factor = count * np.sqrt(count - 1) / (count - 2) / np.sqrt(count)
        skewness = np.where(squares > 0, factor * cubes / squares**1.5, 0.0)
    error, skewness = (np.where(count > 2, part, 0.0) for part in (error, skewness))
    return Moments(count, mean + shift, error, skewness, np.asarray(differing, dtype=np.float64))


def cautious(found: Moments) -> Numbers:
    """The skewness a in a lower bound, 0 or less (equation 4)."""
    allowance = CAUTION * math.sqrt(6) / np.maximum(found.differing, 1.0)
    return np.minimum(STRETCH * found.skewness - allowance, 0.0)


def t_scores(found: Moments, value: float) -> Numbers:
    """How many standard errors the mean is above v; −∞ where no topic differs."""
    gap = found.mean - value
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(found.error > 0, gap / found.error, np.where(gap > 0, np.inf, -np.inf))
    return np.where(found.differing > 0, t, -np.inf)


def z_scores(found: Moments, value: float) -> Numbers:
    """The cautious score against v as a normal score (equation 5).

    Where most topics are ties, scores are cut off at the flat point of the transformation.
    """
    t, a = t_scores(found, value), cautious(found)
    with np.errstate(divide="ignore"):
        summit = np.where((found.differing < found.n / 2) & (a < 0), -3 / a, np.inf)
    return hall.normal_scores(hall.transformed(np.minimum(t, summit), a), np.maximum(found.n - 1, 1.0))


def bounds_at(found: Moments, z: ArrayLike) -> Numbers:
    """Lower bounds of the true difference, against which the scores are z; −∞ where there is none."""
    from truerank.numerics.special import ndtr, stdtrit

    tail = ndtr(-np.asarray(z, dtype=np.float64))
    g = -stdtrit(np.maximum(found.n - 1, 1.0), tail)
    a = cautious(found)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = hall.critical(g, a)
        summit = np.where(found.differing < found.n / 2, -3 / a, np.inf)
        low = found.mean - t * found.error
    some = (found.differing > 0) & (found.n > 2) & ~((a < 0) & (t > summit))
    return np.where(some, low, -np.inf)
