"""Confidence and bounds of a true difference: Hall's t, or the exact bound alone.

The exact bound decides alone where few units differ, where all differ by the same amount, and on request. It
needs one mean of scores with a known range. Otherwise there is no verdict in these cases: unseen losses
could be of any size. docs/experiments/gate.md shows how both rules perform.
"""

from __future__ import annotations

import math
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from truerank.numerics import hall
from truerank.reliability.pair.contrast import Contrast
from truerank.reliability.pair.exact import exact_bound, exact_confidence
from truerank.reliability.pair.outcomes import Outcomes

Rule: TypeAlias = Literal["hall", "exact"]
"""The rules: Hall's t, or the exact bound."""

FEW = 20.0
"""If fewer units differ than this, and fewer than half of all, rare losses may not have been seen."""


def few_differ(differing: Any, units: Any) -> NDArray[np.bool_]:
    """Whether so few units differ that only the exact bound is valid."""
    differing = np.asarray(differing, dtype=np.float64)
    return np.asarray((differing < FEW) & (differing < np.asarray(units) / 2), dtype=np.bool_)


def rule_of(contrast: Contrast) -> Rule:
    """The rule that decides about a difference."""
    few = bool(few_differ(contrast.differing, contrast.units))
    return "exact" if contrast.guaranteed or few or contrast.error == 0 else "hall"


def confidence_above(contrast: Contrast, value: float) -> float:
    """The confidence, in [0, 1], that the true difference is above a value; 0 where nothing decides."""
    if contrast.differing == 0:
        return 0.0
    if rule_of(contrast) == "hall":
        t = (contrast.estimate - value) / contrast.error
        return float(hall.confidence(t, contrast.skewness, contrast.degrees))
    if contrast.differences is None or contrast.largest is None:
        return 0.0
    if (outcomes := outcomes_of(contrast)) is not None:
        return outcomes.confidence(value / contrast.largest)
    return exact_confidence(contrast.differences, value, contrast.largest, contrast.weights)


def confidence_below(contrast: Contrast, value: float) -> float:
    """The confidence that the true difference is below a value, as :func:`confidence_above`."""
    return confidence_above(contrast.reversed(), -value)


def lower_bound(contrast: Contrast, level: float) -> float:
    """The value that the true difference is above at a level; −∞ where nothing bounds it."""
    from truerank.numerics.special import stdtrit

    if contrast.differing and rule_of(contrast) == "hall":
        a = hall.against(contrast.skewness)
        return contrast.estimate - float(hall.critical(stdtrit(contrast.degrees, level), a)) * contrast.error
    if contrast.differences is None or contrast.largest is None:
        return -math.inf
    if contrast.differing == 0:
        return -contrast.largest
    if (outcomes := outcomes_of(contrast)) is not None:
        return contrast.largest * outcomes.bound(level)
    return exact_bound(contrast.differences, level, contrast.largest, contrast.weights)


def outcomes_of(contrast: Contrast) -> Outcomes | None:
    """The gains and losses of scores of right or wrong; ``None`` of others, and with a guarantee."""
    if contrast.guaranteed or contrast.weights is not None or contrast.error == 0:
        return None
    if contrast.differences is None or contrast.largest is None:
        return None
    return Outcomes.of(contrast.differences, contrast.largest)


def upper_bound(contrast: Contrast, level: float) -> float:
    """The value that the true difference is below at a level; ∞ where nothing bounds it."""
    return -lower_bound(contrast.reversed(), level)
