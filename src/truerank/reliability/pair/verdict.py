"""The verdict on one difference: p-values and bounds against a margin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from truerank.reliability.pair.bounds import confidence_above, confidence_below, lower_bound, upper_bound
from truerank.reliability.pair.contrast import Contrast

Verdict: TypeAlias = Literal["better", "pass", "undecided", "fail"]
"""The verdict of a gate on a candidate.

Example:
    >>> from typing import get_args
    >>> from truerank.comparison.gate import Verdict
    >>> get_args(Verdict)
    ('better', 'pass', 'undecided', 'fail')
"""

VERDICTS: tuple[Verdict, ...] = ("better", "pass", "undecided", "fail")
"""From the best to the worst.

Example:
    >>> from truerank.comparison.gate import VERDICTS
    >>> VERDICTS.index("better") < VERDICTS.index("fail")
    True
"""


SHOWN = {"undecided": "inconclusive"}
"""Verdicts that people read otherwise than files have them."""


def verdict_of(better: bool, within: bool, beyond: bool) -> Verdict:
    """The first that is established at the level: *better*, *pass*, *fail*; else *undecided*."""
    if better:
        return "better"
    if within:
        return "pass"
    return "fail" if beyond else "undecided"


@dataclass(frozen=True)
class Statement:
    """A verdict and the bounds that imply it.

    Attributes:
        verdict: what is established at the level.
        low: what the true difference is above; −∞ where nothing bounds it.
        high: what it is below; ∞ in the same cases.
    """

    verdict: Verdict
    low: float
    high: float


def p_values(contrast: Contrast, margin: float) -> tuple[float, float, float]:
    """One-sided p-values of *better*, *pass* and *fail*."""
    return (
        1 - confidence_above(contrast, 0.0),
        1 - confidence_above(contrast, -margin),
        1 - confidence_below(contrast, -margin),
    )


def stated(
    contrast: Contrast,
    margin: float,
    level: float,
    judged: Sequence[float],
    levels: tuple[float, float] | None = None,
) -> Statement:
    """The verdict on a difference at a level, with its bounds."""
    low_level, high_level = levels or (level, level)
    better, within, beyond = (bool(p <= 1 - level + 1e-12) for p in judged)
    # Bounds and p-values agree except for rounding, which must not make a bound contradict its verdict.
    low, high = lower_bound(contrast, low_level), upper_bound(contrast, high_level)
    low = max(low, 0.0) if better else min(low, 0.0)
    low = max(low, -margin) if within else min(low, -margin)
    high = min(high, -margin) if beyond else max(high, -margin)
    return Statement(verdict_of(better, within, beyond), low, high)
