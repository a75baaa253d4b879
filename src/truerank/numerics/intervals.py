"""Intervals of a coefficient at any level: normal, and quantiles of its predictive draws."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from truerank.errors import InputError


@dataclass(frozen=True)
class Interval:
    """An interval that should hold the coefficient with the true ranking, with probability `level`.

    Attributes:
        level: in (0, 1).
        low: lower end; only a ``normal`` one can be below −1.
        high: upper end; only a ``normal`` one can be above 1.
        method: ``quantile`` of the predictive draws, or ``normal``: estimate ± z·sd.
    """

    level: float
    low: float
    high: float
    method: Literal["quantile", "normal"]


def check_levels(levels: float | Sequence[float]) -> tuple[float, ...]:
    """The levels as a tuple; one alone stands for a list of one.

    Raises:
        InputError: none given, or one outside (0, 1).
    """
    if not isinstance(levels, Sequence | np.ndarray):
        levels = [levels]
    if len(levels) == 0:
        raise InputError("at least one level is needed, e.g. 0.95")
    for level in levels:
        if isinstance(level, bool | str) or not isinstance(level, int | float | np.number):
            raise InputError(f"a level must be a number between 0 and 1, not {level!r}")
        if not 0 < level < 1:
            hint = f"; write {level / 100:g} for {level:g}%" if 1 < level < 100 else ""
            raise InputError(f"a level must be between 0 and 1, not {level:g}{hint}")
    return tuple(float(level) for level in levels)


def quantile_interval(draws: NDArray[np.float64], level: float) -> Interval:
    """The central interval of the draws, by linearly interpolated quantiles."""
    low, high = np.quantile(draws, [(1 - level) / 2, (1 + level) / 2])
    return Interval(level, float(low), float(high), "quantile")


def normal_interval(estimate: float, variance: float, level: float) -> Interval:
    """``estimate ± z·sd`` (bavdaz-2018 §4.2.1); a negative sampled variance counts as 0."""
    from scipy.special import ndtri

    half = float(ndtri((1 + level) / 2)) * math.sqrt(max(variance, 0.0))
    return Interval(level, estimate - half, estimate + half, "normal")
