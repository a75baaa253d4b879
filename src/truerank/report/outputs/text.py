"""A view in plain sentences."""

from __future__ import annotations

from truerank._support.wording import sentence
from truerank.report.view import View


def summary(view: View) -> str:
    """The answer, one sentence per line, the warnings behind an exclamation mark, and the notes."""
    verdict = [f"{view.badge[0].upper()}: {view.subject}"] if view.badge else []
    warnings = [f"! {sentence(warning)}" for warning in (*view.alerts, *view.warnings)]
    return "\n".join([*verdict, *view.answer, *warnings, *map(sentence, view.infos)])
