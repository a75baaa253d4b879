"""What to know before relying on a verdict."""

from __future__ import annotations

from truerank.comparison.gate.bounds import FEW
from truerank.comparison.gate.contrast import Contrast
from truerank.comparison.gate.studentised import STRETCH

SKEWED = 2.0
"""Differences more skewed than this, in truth, leave the bounds less sure than their level says."""


def warnings_of(contrast: Contrast, exact: bool, unit: str = "topic") -> list[str]:
    """Sentences on few differing topics, skewness, and differences that are all the same."""
    if contrast.differing == 0:
        return [
            "the two have the same score on every topic, which is no evidence that they are alike elsewhere"
        ]
    found = []
    if contrast.differing < FEW:
        how = (
            "the bounds allow for it, with the exact bound for scores between 0 and 1 among them"
            if exact
            else "the bounds are wider for it"
        )
        units = "families of data sets" if unit.startswith("family") else f"{unit}s"
        of = f"{contrast.differing:.0f} of {contrast.units:.0f} {units} differ"
        found.append(
            f"only {of}: what the others could still do is not known well, and losses that are rare may not "
            f"have shown at all; {how}, but look at what differs"
        )
    if contrast.error == 0:
        found.append("the same difference on every topic: is one made from the other?")
    skewness = contrast.unit_skewness
    if STRETCH * abs(skewness) > SKEWED:
        side = "losses" if skewness < 0 else "gains"
        found.append(
            f"a few large {side} make up much of the difference (skewness {skewness:+.1f}): with such "
            "scores the bounds hold less surely than their level says"
        )
    return found
