"""How a document analysis was computed, and what to know of its data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from truerank.documents.models import MODELS
from truerank.documents.summaries import SUMMARIES
from truerank.report.page import Section
from truerank.report.parts.methods import sources
from truerank.report.templating import fill
from truerank.report.words import described, level_text, sentence

if TYPE_CHECKING:
    from truerank.documents.analysis import DocumentAnalysis


def methods(analyses: Sequence[DocumentAnalysis]) -> Section:
    """The formulas of these analyses, by those who own them: their models and summaries."""
    first = analyses[0]
    body = fill(
        "documents-methods.html",
        models=described(MODELS, (a.model for a in analyses)),
        summaries=described(SUMMARIES, first.summaries),
        sources=sources,
        settings=first.settings,
        level=level_text(first.settings.level),
        decomposed=first.decomposition is not None,
    )
    return Section("methods", "Methods", "How it was computed", body)


def warnings(found: Sequence[str]) -> Section:
    """What to know before quoting a number."""
    body = fill("documents-warnings.html", warnings=[sentence(warning) for warning in found])
    return Section("warnings", "Warnings", "Before you quote a number", body)
