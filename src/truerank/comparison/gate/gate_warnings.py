"""What to know before relying on a verdict."""

from __future__ import annotations

from truerank._support.notes import Note
from truerank.comparison.gate.question import Question
from truerank.comparison.gate.studentized import STRETCH

SKEWED = 2.0
"""Differences more skewed than this, in truth, leave the bounds less sure than their level says."""


def findings_of(question: Question, exact: bool, few: float) -> list[Note]:
    """On few differing topics, skewness, and differences that are all the same."""
    contrast, units, differing = question.contrast, question.count, question.differing
    if contrast.differing == 0:
        same = f"the two have the same score on every {question.arms.scores.unit.one}"
        return [Note("copies", f"{same}, which is no evidence that they are alike elsewhere")]
    found = []
    if contrast.differing < few:
        how = "the bounds are wider for it" + (", or exact for scores between 0 and 1" if exact else "")
        what = question.arms.scores.unit_of(question.unit).many
        only = f"only {differing} of {units} {what} differ"
        if differing == units:
            only = f"only {units} {what}"
        if round(contrast.units) < units:
            only += f", as sure together as {contrast.units:.0f} of equal weight would be"
        unseen = f"rare losses may not have been seen yet; {how}"
        found.append(Note("few-differ", only, meaning=unseen))
    if contrast.error == 0 and contrast.weights is None:  # one may win all battles
        same = f"the same difference on every {question.arms.scores.unit.one}"
        found.append(Note("constant-difference", same, meaning="is one made from the other?"))
    skewness = contrast.unit_skewness
    if STRETCH * abs(skewness) > SKEWED:
        side = "losses" if skewness < 0 else "gains"
        signed = f"{skewness:+.1f}".replace("-", "−")
        what = f"a few large {side} make up much of the difference (skewness {signed})"
        unsure = "with such scores the bounds hold less surely than their level says"
        found.append(Note("skewed", what, meaning=unsure))
    return found
