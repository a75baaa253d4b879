"""The answer of a document analysis: how much ranking and significance move, and what would help."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from markupsafe import Markup

from truerank.documents.models import MODELS
from truerank.report.templating import fill
from truerank.report.words import level_text, number, percent, printable, sentence, span

if TYPE_CHECKING:
    from truerank.documents.document_analysis import DocumentAnalysis


def subject(a: DocumentAnalysis) -> str:
    """What was analysed: ``AP · 12 systems · 100 topics · documents sampled``."""
    return f"{printable(a.measure)} · {a.scores.m} systems · {a.scores.n} topics · documents sampled"


def ranking_sentence(a: DocumentAnalysis) -> Markup:
    """How much the ranking moves."""
    spread = a.krcc.spread
    return Markup(
        "By the model {} of the documents{}, another document collection of the same kind puts {} of the "
        "pairs of systems in another order: <strong>τ = {}</strong> with the ranking here ({} in {} of such "
        "collections)."
    ).format(
        printable(a.model),
        f" ({MODELS[a.model].label})" if a.model in MODELS else "",
        percent(a.error_share, 1),
        number(a.krcc.mean, 2),
        span(spread.low, spread.high, 2),
        level_text(a.settings.level),
    )


def significance_sentence(a: DocumentAnalysis) -> str:
    """How much the significance of differences moves."""
    return (
        f"Here {percent(a.asl.raw_significant)} of the pairs differ significantly; in such a collection "
        f"{percent(a.asl.mean)} do on average, and {percent(a.asl.above)} in nearly every one."
    )


def advice_sentence(a: DocumentAnalysis) -> str:
    """Whether more topics or more documents would help; empty without a decomposition."""
    return sentence(a.decomposition.advice) if a.decomposition else ""


def answer(analyses: Sequence[DocumentAnalysis], warnings: int) -> Markup:
    """The head of the page; the first analysis leads."""
    first = analyses[0]
    expected, low, high = (
        round(100 * (1 - share))
        for share in (first.error_share, first.error_spread.high, first.error_spread.low)
    )
    return fill(
        "documents-answer.html",
        ranking=ranking_sentence(first),
        significance=significance_sentence(first),
        advice=advice_sentence(first),
        others=[(ranking_sentence(a), significance_sentence(a)) for a in analyses[1:]],
        share={"expected": expected, "low": low, "high": high},
        level=level_text(first.settings.level),
        warnings=warnings,
    )
