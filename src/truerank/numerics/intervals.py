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


def check_levels(levels: Sequence[float]) -> tuple[float, ...]:
    """The levels as they are.

    Raises:
        InputError: none given, or one outside (0, 1).
    """
    if not levels:
        raise InputError("at least one level is needed, e.g. 0.95")
    for level in levels:
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


def rank_intervals(
    ranks: NDArray[np.float64], level: float, identical: Sequence[Sequence[int]] = ()
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Lowest and highest rank of each system at that level, from k × m draws of ranks.

    Quantiles of the draws, rounded outwards to whole ranks. Systems with identical scores, which only
    the input order sets apart, share the interval that holds all of theirs.
    """
    low, high = np.quantile(ranks, [(1 - level) / 2, (1 + level) / 2], axis=0)
    low, high = np.floor(low), np.ceil(high)
    for group in identical:
        low[group], high[group] = low[group].min(), high[group].max()
    return low, high
