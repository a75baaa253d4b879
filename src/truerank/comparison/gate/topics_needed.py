"""How many topics would decide what these leave open."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from truerank._support.types import Vector
from truerank._support.wording import MOST_TOPICS
from truerank.comparison.gate.bounds import EXACT, FEW, uses_exact
from truerank.comparison.gate.contrast import Contrast
from truerank.comparison.gate.exact import exact_reach
from truerank.comparison.gate.studentized import critical, shape_of

SPREADS = 25
"""Equally likely values of the true spread."""

GRID = 120
"""Numbers of topics that are looked at, evenly spaced on the logarithm; between them it is interpolated."""

APART = 2.5
"""Of the numbers of topics at which the exact bound is looked at, each is so many times the one before."""


@dataclass(frozen=True)
class TopicsNeeded:
    """Topics in all, these and new ones added to them, at which a verdict becomes likely.

    Attributes:
        topics: where the chance of a verdict is one half; ``None`` beyond a million.
        low: where it is 10%.
        high: where it is 90%.
    """

    topics: int | None
    low: int | None
    high: int | None

    def times(self, factor: float) -> TopicsNeeded:
        """The numbers of units of unequal weight, of which so many are worth one of these."""
        sizes = (
            None if n is None else math.ceil(n * factor - 1e-9) for n in (self.topics, self.low, self.high)
        )
        return TopicsNeeded(*(None if n is None or n > MOST_TOPICS else n for n in sizes))


def topics_needed(
    contrast: Contrast, margin: float, level: float, largest: float | None = None, few: float = FEW
) -> TopicsNeeded | None:
    """How many topics would decide; ``None`` where nothing differs, so that nothing is known.

    `largest` and `few` are those of :func:`lower_bound`, which decides.

    >>> from truerank.comparison.gate.contrast import plain_contrast
    >>> d = np.array([0.1, -0.2, 0.05, 0.02, -0.07, 0.1, 0.0, -0.06, 0.03, 0.05])
    >>> topics_needed(plain_contrast(d), 0.02, 0.95)
    TopicsNeeded(topics=84, low=41, high=1059)
    """
    if contrast.differing == 0 or (contrast.error == 0 and not uses_exact(contrast, largest, few)):
        return None
    first = math.floor(contrast.units) + 1
    if first >= MOST_TOPICS:
        return TopicsNeeded(None, None, None)
    sizes = np.geomspace(first, MOST_TOPICS, GRID)
    above, below = deciding_chance(contrast, margin, level, sizes, largest, few)
    chance = np.maximum.accumulate(above + below)
    return TopicsNeeded(*(_first(sizes, chance, target) for target in (0.5, 0.1, 0.9)))


def deciding_chance(
    contrast: Contrast,
    margin: float,
    level: float,
    topics: ArrayLike,
    largest: float | None = None,
    few: float = FEW,
) -> tuple[Vector, Vector]:
    """The chance that a bound reaches −margin once there are that many topics, these among them.

    The better of both bounds counts, as in :func:`lower_bound`.
    """
    from scipy.special import chdtri, ndtr

    n = np.asarray(topics, dtype=np.float64)
    units, degrees, deviation = contrast.units, contrast.degrees, contrast.deviation
    likely = (np.arange(SPREADS) + 0.5) / SPREADS
    truly = (deviation * np.sqrt(degrees / chdtri(degrees, likely)))[:, None]
    new = n - units
    observed = np.sqrt((degrees * deviation**2 + new * truly**2) / (degrees + new))
    still = truly * np.sqrt(1 / units - 1 / n)  # how far the mean may still move
    chances = []
    for one, gap in (
        (contrast, contrast.estimate + margin),
        (contrast.reversed(), -contrast.estimate - margin),
    ):
        shape = replace(
            shape_of(one),
            units=n,
            degrees=degrees * n / units,
            differing=one.differing * n / units,
        )
        value = one.estimate - gap
        exact = _exact_reach(one, value, level, n, largest, few)
        if deviation > 0:
            needed = np.minimum(critical(level, shape) / np.sqrt(n), exact / deviation) * observed
        else:
            needed = np.broadcast_to(exact, still.shape)
        with np.errstate(divide="ignore"):
            reached = (gap - needed) / still
        chances.append(np.asarray(ndtr(reached).mean(axis=0), dtype=np.float64))
    return chances[0], chances[1]


def _exact_reach(
    one: Contrast, value: float, level: float, topics: Vector, largest: float | None, few: float
) -> Vector:
    """How far above a value the mean must be for the exact bound to decide, by topics; ∞ where it is not
    asked."""
    found = np.full(topics.shape, np.inf)
    if one.differences is None or largest is None or not uses_exact(one, largest, few):
        return found
    always = uses_exact(one, largest, 0.0)
    asked = always | (one.differing * topics / one.units < EXACT * few)
    if not asked.any():
        return found
    first, last = float(topics[asked].min()), float(topics[asked].max())
    points = np.geomspace(first, last, 2 + int(math.log(last / first, APART)))
    reach = [
        exact_reach(one.differences, value, largest, level, n / one.units, one.weights)
        for n in points.tolist()
    ]
    logarithms = np.log(np.maximum(reach, 1e-12))
    found[asked] = np.exp(np.interp(np.log(topics[asked]), np.log(points), logarithms))
    return found


def _first(sizes: Vector, chance: Vector, target: float) -> int | None:
    """The fewest topics with that chance; ``None`` where none of them has it."""
    place = int(np.searchsorted(chance, target))
    if place == len(sizes):
        return None
    if place == 0:
        return math.ceil(sizes[0] - 1e-6)
    low, high = chance[place - 1], chance[place]
    share = (target - low) / (high - low)
    return math.ceil(
        math.exp((1 - share) * math.log(sizes[place - 1]) + share * math.log(sizes[place])) - 1e-6
    )
