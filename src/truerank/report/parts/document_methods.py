"""How a document analysis was computed, and what to know of its data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from truerank.documents.models import MODELS
from truerank.report.page import Section
from truerank.report.templating import fill
from truerank.report.words import level_text, printable, sentence

if TYPE_CHECKING:
    from truerank.documents.analysis import DocumentAnalysis

EXPLAINED = ("bst", "kde", "normexp")
"""Models that the template knows; any other is named by its label."""


def methods(analyses: Sequence[DocumentAnalysis]) -> Section:
    """The formulas behind these analyses, and only these."""
    names = [a.model for a in analyses]
    body = fill(
        "documents-methods.html",
        names=names,
        others=[
            (printable(n), printable(MODELS[n].label) if n in MODELS else "")
            for n in names
            if n not in EXPLAINED
        ],
        settings=analyses[0].settings,
        level=level_text(analyses[0].settings.level),
        decomposed=analyses[0].decomposition is not None,
    )
    return Section("methods", "Methods", "How it was computed", body)


def warnings(found: Sequence[str]) -> Section:
    """What to know before quoting a number."""
    body = fill("documents-warnings.html", warnings=[sentence(warning) for warning in found])
    return Section("warnings", "Warnings", "Before you quote a number", body)
