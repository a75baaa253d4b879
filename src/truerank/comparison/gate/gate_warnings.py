"""What to know before relying on a verdict."""

from __future__ import annotations

from truerank._support.arguments import either
from truerank.comparison.gate.bounds import few_differ, rule_of
from truerank.comparison.gate.decision import Finding
from truerank.comparison.gate.question import Question
from truerank.comparison.gate.verdict import Verdict

SKEWED = -1.0
"""Skewness of a claim's differences below which more claims are false than the level says."""


def units_text(unit: str) -> str:
    """The plural of a unit.

    >>> units_text("topic"), units_text("family of data sets")
    ('topics', 'families of data sets')
    """
    return "families of data sets" if unit.startswith("family") else f"{unit}s"


def findings_of(question: Question, verdict: Verdict) -> list[Finding]:
    """On few differing topics, differences that are all the same, and skewness against the claim."""
    contrast = question.contrast
    if contrast.differing == 0:
        same = (
            "the two have the same score on every topic, which is no evidence that they are alike elsewhere"
        )
        return [Finding(same)]
    found = []
    known = contrast.differences is not None and contrast.largest is not None
    how = "the exact bound decides" if known else "too few for a verdict"
    if not known and contrast.differences is not None:
        hint = either("range=(LOW, HIGH)", "--range LOW,HIGH")
        how += f". Where scores have a range, {hint} gives an exact bound"
    if few_differ(contrast.differing, contrast.units):
        what = f"only {question.differing} of {question.count} {units_text(question.unit)} differ"
        found.append(Finding(what, f"rare losses may not have been seen yet; {how}"))
    elif contrast.error == 0:
        meaning = "is one made from the other?" if contrast.weights is None else ""  # one may win all battles
        found.append(
            Finding("the same difference on every topic", f"{meaning} No spread was seen; {how}".strip())
        )
    skewness = -contrast.unit_skewness if verdict == "fail" else contrast.unit_skewness
    if verdict != "undecided" and rule_of(contrast) == "hall" and skewness < SKEWED:
        side = "gains" if verdict == "fail" else "losses"
        signed = f"{contrast.unit_skewness:+.1f}".replace("-", "−")
        what = f"a few large {side} speak against this verdict (skewness {signed})"
        found.append(
            Finding(
                what,
                "false claims on such differences were 7 to 9% in our tests with 20 to 50 topics, not 5%",
            )
        )
    return found
