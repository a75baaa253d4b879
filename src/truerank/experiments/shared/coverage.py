"""What an interval did where the truth is known: whether it contained it, and how wide it was."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from truerank._support.types import Vector
from truerank.experiments.shared.summaries import percent
from truerank.numerics.intervals import Interval, normal_interval, quantile_interval

Outcome = tuple[float, float]
"""Whether the interval holds the truth (1 or 0; a share, of several truths), and its width."""


def outcomes(levels: Sequence[float], of: Callable[[float], Outcome], kind: str = "") -> dict[str, float]:
    """The outcome at every nominal level as fields of a row: ``covered_95``, ``width_normal_95`` …"""
    fields: dict[str, float] = {}
    for level, name in zip(levels, percent(levels), strict=True):
        ending = f"{kind}_{name}" if kind else name
        fields[f"covered_{ending}"], fields[f"width_{ending}"] = of(level)
    return fields


def of_draws(draws: Vector | None, actual: float) -> Callable[[float], Outcome]:
    """From a level to the outcome of the quantiles' interval; NaN with fewer than two draws."""
    if draws is None or len(draws) < 2:
        return lambda level: (math.nan, math.nan)
    return lambda level: _outcome(quantile_interval(draws, level), actual)


def of_normal(estimate: float, variance: float | None, actual: float) -> Callable[[float], Outcome]:
    """From a level to the outcome of the normal interval; NaN without a variance."""
    if variance is None:
        return lambda level: (math.nan, math.nan)
    return lambda level: _outcome(normal_interval(estimate, variance, level), actual)


def _outcome(interval: Interval | None, actual: float) -> Outcome:
    if interval is None:
        return math.nan, math.nan
    return float(interval.low <= actual <= interval.high), interval.high - interval.low
