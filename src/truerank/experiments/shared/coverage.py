"""What an interval did where the truth is known: whether it contained it, and how wide it was."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from truerank.numerics.intervals import Interval

Outcome = tuple[float, float]
"""Whether the interval holds the truth (1 or 0; a share, of several truths), and its width."""


def outcome(interval: Interval | None, actual: float) -> Outcome:
    """Whether the interval holds the actual coefficient (1.0 or 0.0), and its width; NaN for none.

    Example:
        >>> outcome(Interval(0.95, 0.5, 0.75, "quantile"), 0.6)
        (1.0, 0.25)
    """
    if interval is None:
        return math.nan, math.nan
    return float(interval.low <= actual <= interval.high), interval.high - interval.low


def outcomes(levels: Sequence[float], of: Callable[[float], Outcome], kind: str = "") -> dict[str, float]:
    """The outcome at every nominal level as fields of a row: ``covered_95``, ``width_95`` and so on.

    Args:
        levels: nominal levels in (0, 1).
        of: from a level to the outcome of its interval.
        kind: of interval, where a row has several: ``covered_normal_95``.
    """
    fields: dict[str, float] = {}
    for level in levels:
        ending = f"{kind}_{100 * level:g}" if kind else f"{100 * level:g}"
        fields[f"covered_{ending}"], fields[f"width_{ending}"] = of(level)
    return fields
