"""Intervals of a number, and the fewest topics at which a function or a curve reaches a target."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from truerank._support.plain import Written
from truerank._support.types import Level, Matrix, OrNaN, Vector
from truerank._support.wording import MOST_TOPICS
from truerank.errors import InputError


@dataclass(frozen=True)
class Interval(Written):
    """An interval of an uncertain number: the one kind that all results use.

    ``low, high = interval`` gives its ends, as do ``interval[0]`` and ``interval[1]``.

    Attributes:
        level: its confidence level, in (0, 1).
        low: lower end; for a coefficient only a ``normal`` one can be below −1.
        high: upper end; for a coefficient only a ``normal`` one can be above 1.
        method: ``quantile`` of draws, replicates or resamples; ``normal``: estimate ± z·sd; ``kendall``:
            of τ over systems, see :func:`truerank.kendall_interval`; ``feldt`` or ``arteaga``: of an index of
            generalizability theory; ``wilson``: of a share.

    Example:
        >>> interval = Interval(0.95, 0.6, 0.9, "quantile")
        >>> low, high = interval
        >>> low, high, interval[1], interval.to_dict()["method"]
        (0.6, 0.9, 0.9, 'quantile')
    """

    level: Level
    low: float
    high: float
    method: Literal["quantile", "normal", "kendall", "feldt", "arteaga", "wilson"]

    def __iter__(self) -> Iterator[float]:
        return iter((self.low, self.high))

    def __getitem__(self, end: int) -> float:
        return (self.low, self.high)[end]


@dataclass(frozen=True)
class Ends:
    """The two ends of an interval whose level is stated elsewhere.

    Attributes:
        low: lower end; NaN where it has no value.
        high: upper end; NaN where it has no value.
    """

    low: OrNaN
    high: OrNaN


def check_levels(levels: float | Sequence[float]) -> tuple[float, ...]:
    """The levels, checked; a single number stands for a list of one."""
    several = (levels,) if isinstance(levels, int | float | np.number | str) else tuple(levels)
    if not several:
        raise InputError("at least one level is needed, e.g. 0.95")
    for level in several:
        if not isinstance(level, int | float | np.number):
            raise InputError(f"a level must be a number between 0 and 1, not {level!r}")
        if not 0 < level < 1:
            hint = f"; write {level / 100:g} for {level:g}%" if 1 < level < 100 else ""
            raise InputError(f"a level must be between 0 and 1, not {level:g}{hint}")
    return tuple(float(level) for level in several)


def quantile_interval(draws: NDArray[np.float64], level: float) -> Interval:
    low, high = np.quantile(draws, [(1 - level) / 2, (1 + level) / 2])
    return Interval(level, float(low), float(high), "quantile")


def predicted(draws: Matrix, level: float) -> tuple[Vector, Vector]:
    """The ends of the central intervals of R rows of draws: draws themselves, rounded outward, R each."""
    low = np.quantile(draws, (1 - level) / 2, axis=1, method="lower")
    return low, np.quantile(draws, (1 + level) / 2, axis=1, method="higher")


def normal_interval(estimate: float, variance: float, level: float) -> Interval:
    """``estimate ± z·sd`` (Bavdaz 2018, §4.2.1); a negative sampled variance counts as 0."""
    from truerank.numerics.special import ndtri

    half = float(ndtri((1 + level) / 2)) * math.sqrt(max(variance, 0.0))
    return Interval(level, estimate - half, estimate + half, "normal")


def t_half(degrees: Any, level: float) -> Any:
    from truerank.numerics.special import stdtrit

    return stdtrit(degrees, (1 + level) / 2)


def in_unit_range(values: Matrix) -> bool:
    """Whether all scores lie between 0 and 1; empty cells (NaN) do not count."""
    return bool(np.nanmin(values) >= 0 and np.nanmax(values) <= 1)


def unit_interval(
    means: Vector, half: Vector, topics: float, level: float, centers: Vector | None = None
) -> tuple[Vector, Vector]:
    """Wilson's intervals (1927), for means of any scores between 0 and 1; they stay in that range."""
    from truerank.numerics.special import ndtri

    spread = means * (1 - means)
    constant = ndtri((1 + level) / 2) ** 2 / topics
    share = np.where(spread > 0, half**2 / np.where(spread > 0, spread, 1.0), constant)
    around = means if centers is None else centers
    center = (around + share / 2) / (1 + share)
    width = np.sqrt(share * around * (1 - around) + share**2 / 4) / (1 + share)
    return np.clip(center - width, 0.0, 1.0), np.clip(center + width, 0.0, 1.0)


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
    between = range(low + 1, high)
    return between.start + bisect_left(between, True, key=lambda topics: not value(topics) < target)


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
