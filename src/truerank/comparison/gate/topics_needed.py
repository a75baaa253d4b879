"""How many topics would decide what these leave open."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from truerank._support.types import Vector
from truerank.comparison.gate.contrast import Contrast
from truerank.comparison.gate.studentized import cautious_skewness, critical

MOST = 1e7
"""More topics than this are none that anybody has."""

WIDTH = 0.5
"""Standard deviation, in margins, of what the true difference is believed to be on either side of −margin."""

POINTS = 101
"""Equally likely values of the true difference on either side."""

SPREADS = 15
"""Equally likely values of its spread."""

CENTRAL = 0.8
"""Probability of the interval of the number."""


@dataclass(frozen=True)
class TopicsNeeded:
    """Topics in all, these and new ones added to them, at which it is as likely as not that they decide.

    Attributes:
        topics: the median over what the true difference may be; ``None`` beyond 10 million.
        low: an end of the 80% interval.
        high: the other; ``None`` where no number is enough.
    """

    topics: int | None
    low: int | None
    high: int | None

    def times(self, factor: float) -> TopicsNeeded:
        """The numbers of units of unequal weight, of which so many are worth one of these."""
        sizes = (self.topics, self.low, self.high)
        return TopicsNeeded(*(None if n is None else math.ceil(n * factor - 1e-9) for n in sizes))


def topics_needed(contrast: Contrast, margin: float, level: float) -> TopicsNeeded | None:
    """How many topics would decide; ``None`` where nothing differs, so that nothing is known.

    The true difference is believed to be what the topics say of it, and before them to be about as far from
    −margin as 0 is, on either side: alike, or worse by twice the margin (:data:`WIDTH`). Without a margin
    only the topics speak. Its spread is as unsure as its degrees of freedom. O(1).

    Args:
        contrast: of candidate and baseline, undecided.
        margin: 0 or more.
        level: of each bound.

    Example:
        >>> from truerank.comparison.gate.contrast import plain_contrast
        >>> d = np.array([0.1, -0.2, 0.05, 0.02, -0.07, 0.1, 0.0, -0.06, 0.03, 0.05])
        >>> topics_needed(plain_contrast(d), 0.02, 0.95)
        TopicsNeeded(topics=107, low=50, high=686)
    """
    if contrast.error == 0 or contrast.differing == 0:
        return None
    from scipy.special import chdtri

    gaps, weights = _believed(contrast, margin)
    likely = (np.arange(SPREADS) + 0.5) / SPREADS
    deviations = contrast.deviation * np.sqrt(contrast.degrees / chdtri(contrast.degrees, 1 - likely))
    every_gap, every_deviation = (one.ravel() for one in np.meshgrid(gaps, deviations))
    needed = deciding_topics(contrast, margin, level, every_gap, every_deviation, contrast.unit_skewness)
    order = np.argsort(needed)
    share = np.cumsum(np.tile(weights, SPREADS)[order])
    places = np.searchsorted(share / share[-1], [(1 - CENTRAL) / 2, 0.5, (1 + CENTRAL) / 2])
    low, middle, high = needed[order][np.minimum(places, len(needed) - 1)]
    return TopicsNeeded(_whole(middle), _whole(low), _whole(high))


def _believed(contrast: Contrast, margin: float) -> tuple[Vector, Vector]:
    """How far the true difference may be above −margin, and how likely each of these is."""
    from scipy.special import ndtri

    points = ndtri((np.arange(POINTS) + 0.5) / POINTS)
    gap, error = contrast.estimate + margin, contrast.error
    if margin == 0:
        return gap + error * points, np.ones(POINTS)
    before = (WIDTH * margin) ** 2
    together = before + error**2
    gaps, weights = [], []
    for centre in (margin, -margin):
        gaps.append(
            (centre * error**2 + gap * before) / together + math.sqrt(before / together) * error * points
        )
        weights.append(
            np.full(POINTS, math.exp(-((gap - centre) ** 2 - (abs(gap) - margin) ** 2) / (2 * together)))
        )
    return np.concatenate(gaps), np.concatenate(weights)


def deciding_topics(
    contrast: Contrast, margin: float, level: float, gaps: Vector, deviations: Vector, skewness: float
) -> Vector:
    """The topics in all at which typical new ones, added to these, let a bound reach −margin.

    Args:
        contrast: of the topics that there are, undecided.
        margin: 0 or more.
        level: of each bound.
        gaps: k true differences plus the margin.
        deviations: k, of a topic's difference.
        skewness: of a topic's difference.

    Returns:
        k numbers, more than there are; infinite beyond 10 million.
    """
    from scipy.special import ndtri

    z, share = float(ndtri(level)), contrast.differing / contrast.units
    towards = np.where(gaps < 0, -1.0, 1.0)
    observed = contrast.units * (contrast.estimate + margin)

    def decides(n: Vector) -> NDArray[np.bool_]:
        quantile = z + (z**3 + z) / (4 * np.maximum(n - 1, 2.0))  # of t, to first order
        allowed = cautious_skewness(towards * skewness / np.sqrt(n), share * n)
        reached = towards * (observed + (n - contrast.units) * gaps) / (deviations * np.sqrt(n))
        return reached >= critical(quantile, allowed, share < 0.5)

    fewest = math.log(contrast.units + 1)
    low, high = np.full(len(gaps), fewest), np.full(len(gaps), max(math.log(MOST), fewest))
    enough = decides(np.exp(high))
    for _ in range(40):
        middle = (low + high) / 2
        there = decides(np.exp(middle))
        low, high = np.where(there, low, middle), np.where(there, middle, high)
    return np.where(enough, np.ceil(np.exp(high) - 1e-6), np.inf)


def _whole(value: float) -> int | None:
    return int(value) if math.isfinite(value) else None
