"""Confidence and bounds of a true difference: studentized, or exact where few topics differ.

The studentized bound is always computed. Where scores are bounded, and not many topics differ, the exact one
is too, and the better of the two counts. In families the limit is higher, because each comparison needs a
higher level. Few topics make the first very cautious, and the second is cautious by nature: together they err
less often than the level allows (docs/experiments/gate.md).
"""

from __future__ import annotations

import math

from truerank.comparison.gate.contrast import Contrast
from truerank.comparison.gate.exact import exact_bound, exact_confidence
from truerank.comparison.gate.studentized import studentized_bound, studentized_confidence

FEW = 20.0
"""With fewer topics that differ a studentized difference says too little of how much others could."""

EXACT = 3.0
"""The exact bound is asked up to so many times :data:`FEW` topics, from where on it decides no more than the
studentized one. Asked with fewer only, 30 topics would decide less often than 20."""


def few_of(comparisons: int, level: float) -> float:
    """How few differing topics leave rare losses unseen, where comparisons are judged together.

    >>> few_of(1, 0.95), round(few_of(13, 0.95), 1)
    (20.0, 32.3)
    """
    from scipy.special import ndtri

    return FEW * float(ndtri(level ** (1 / comparisons)) / ndtri(level))


def uses_exact(contrast: Contrast, largest: float | None, few: float = FEW) -> bool:
    """Whether the exact bound is asked too: not many topics differ, of a mean of bounded scores.

    Of battles it always is: outcomes of 0 and 1 fill the range that it allows for. Where all topics differ by
    as much, it is the only one: no spread was seen to studentize by.
    """
    asked = contrast.differing < EXACT * few or contrast.weights is not None or contrast.error == 0
    return asked and contrast.differences is not None and largest is not None


def confidence_above(
    contrast: Contrast, value: float, largest: float | None = None, few: float = FEW
) -> float:
    """The confidence, in [0, 1], that the true difference is above a value; 0 where no unit differs."""
    if contrast.differing == 0:
        return 0.0
    found = []
    if uses_exact(contrast, largest, few) and contrast.differences is not None and largest is not None:
        found.append(exact_confidence(contrast.differences, value, largest, contrast.weights))
    if contrast.error > 0 or not found:
        found.append(studentized_confidence(contrast, value))
    return max(found)


def confidence_below(
    contrast: Contrast, value: float, largest: float | None = None, few: float = FEW
) -> float:
    """The confidence that the true difference is below a value, as :func:`confidence_above`."""
    return confidence_above(contrast.reversed(), -value, largest, few)


def lower_bound(contrast: Contrast, level: float, largest: float | None = None, few: float = FEW) -> float:
    """The value that the true difference is above at a level; −∞ (or −largest) where nothing bounds it."""
    if contrast.differing == 0:
        return -math.inf if largest is None else -largest
    found = [] if largest is None else [-largest]
    exact = uses_exact(contrast, largest, few)
    if exact and contrast.differences is not None and largest is not None:
        found.append(exact_bound(contrast.differences, level, largest, contrast.weights))
    if contrast.error > 0 or not exact:
        found.append(studentized_bound(contrast, level))
    return max(found)


def upper_bound(contrast: Contrast, level: float, largest: float | None = None, few: float = FEW) -> float:
    """The value that the true difference is below at a level; ∞ where nothing bounds it."""
    return -lower_bound(contrast.reversed(), level, largest, few)
