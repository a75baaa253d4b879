"""The fewest topics that reach a target, by a function of their number or by a curve over some numbers."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from truerank._support.types import Vector
from truerank._support.wording import MOST_TOPICS


def whole(topics: float) -> float:
    """The least whole number of topics, at least 1; infinite beyond a million."""
    # A number that is above a whole one only by rounding must not become the next one.
    return math.inf if topics > MOST_TOPICS else max(1.0, float(math.ceil(topics * (1 - 1e-12))))


def fewest(value: Callable[[int], float], target: float, least: int = 1) -> float:
    """The fewest topics at which an increasing function reaches a target; infinite beyond a million."""
    low, high = least - 1, least
    while value(high) < target:
        low, high = high, 2 * high
        if high > MOST_TOPICS:
            return math.inf
    while high - low > 1:
        middle = (low + high) // 2
        if value(middle) < target:
            low = middle
        else:
            high = middle
    return high


def first_reach(topics: Vector, values: Vector, target: float) -> float:
    """The fewest whole topics at which an increasing curve reaches a target; infinite where it never does."""
    reached: NDArray[np.intp] = np.flatnonzero(values >= target)
    if not len(reached):
        return math.inf
    at = int(reached[0])
    log = math.log(topics[at])
    if at > 0:
        part = (target - values[at - 1]) / (values[at] - values[at - 1])
        log = (1 - part) * math.log(topics[at - 1]) + part * log
    return float(math.ceil(math.exp(log) * (1 - 1e-9)))


def number_interval(numbers: Vector, level: float) -> tuple[float, float]:
    """The central interval of numbers of topics, some of which may be infinite, by order statistics."""
    low, high = np.quantile(numbers, [(1 - level) / 2, (1 + level) / 2], method="inverted_cdf")
    return float(low), float(high)
