"""What to know before relying on a verdict."""

from __future__ import annotations

from truerank._support.arguments import either
from truerank._support.notes import Note
from truerank.reliability.pair.bounds import few_differ, rule_of
from truerank.reliability.pair.question import Question
from truerank.reliability.pair.verdict import Verdict

SKEWED = -1.0
"""Skewness of a claim's differences below which more claims are false than the level says."""


def findings_of(question: Question, verdict: Verdict) -> list[Note]:
    """On few differing topics, differences that are all the same, and skewness against the claim."""
    contrast = question.contrast
    if contrast.differing == 0:
        same = f"the two have the same score on every {question.arms.scores.unit.one}"
        return [Note("copies", f"{same}, which is no evidence that they are alike elsewhere")]
    found = []
    known = contrast.differences is not None and contrast.largest is not None
    how = "the exact bound decides" if known else "too few for a verdict"
    if not known and contrast.differences is not None:
        hint = either("range=(LOW, HIGH)", "--range LOW,HIGH")
        how += f". Where scores have a range, {hint} gives an exact bound"
    if few_differ(contrast.differing, contrast.units):
        units = question.arms.scores.unit_of(question.unit).many
        what = f"only {question.differing} of {question.count} {units} differ"
        found.append(Note("few-differ", what, meaning=f"rare losses may not have been seen yet; {how}"))
    elif contrast.error == 0:
        same = f"the same difference on every {question.arms.scores.unit.one}"
        copied = "" if contrast.weights is not None else "is one made from the other? "  # one may win all
        found.append(Note("constant-difference", same, meaning=f"{copied}No spread was seen; {how}"))
    skewness = -contrast.unit_skewness if verdict == "fail" else contrast.unit_skewness
    if verdict != "undecided" and rule_of(contrast) == "hall" and skewness < SKEWED:
        side = "gains" if verdict == "fail" else "losses"
        signed = f"{contrast.unit_skewness:+.1f}".replace("-", "−")
        what = f"a few large {side} speak against this verdict (skewness {signed})"
        often = "false claims on such differences were 7 to 9% in our tests with 20 to 50 topics, not 5%"
        found.append(Note("skewed", what, meaning=often))
    return found
