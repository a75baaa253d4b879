"""What to know before relying on a verdict."""

from __future__ import annotations

from truerank.comparison.gate.decision import Finding
from truerank.comparison.gate.question import Question
from truerank.comparison.gate.studentized import STRETCH

SKEWED = 2.0
"""Differences more skewed than this, in truth, leave the bounds less sure than their level says."""


def units_text(unit: str) -> str:
    """The plural of a unit.

    >>> units_text("topic"), units_text("family of data sets")
    ('topics', 'families of data sets')
    """
    return "families of data sets" if unit.startswith("family") else f"{unit}s"


def findings_of(question: Question, exact: bool, few: float) -> list[Finding]:
    """On few differing topics, skewness, and differences that are all the same."""
    contrast, units, differing = question.contrast, question.count, question.differing
    if contrast.differing == 0:
        same = (
            "the two have the same score on every topic, which is no evidence that they are alike elsewhere"
        )
        return [Finding(same)]
    found = []
    if contrast.differing < few:
        how = "the bounds are wider for it" + (", or exact for scores between 0 and 1" if exact else "")
        what = units_text(question.unit)
        only = f"only {differing} of {units} {what} differ"
        if differing == units:
            only = f"only {units} {what}"
        if round(contrast.units) < units:
            only += f", as sure together as {contrast.units:.0f} of equal weight would be"
        found.append(Finding(only, f"rare losses may not have been seen yet; {how}"))
    if contrast.error == 0 and contrast.weights is None:  # one may win all battles
        found.append(Finding("the same difference on every topic", "is one made from the other?"))
    skewness = contrast.unit_skewness
    if STRETCH * abs(skewness) > SKEWED:
        side = "losses" if skewness < 0 else "gains"
        signed = f"{skewness:+.1f}".replace("-", "−")
        what = f"a few large {side} make up much of the difference (skewness {signed})"
        found.append(Finding(what, "with such scores the bounds hold less surely than their level says"))
    return found
