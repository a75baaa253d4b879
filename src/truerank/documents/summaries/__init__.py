"""Summaries of document samples: one file each, and one line in the registry."""

from truerank.documents.summaries.summary import (
    DocumentSummary,
    Spread,
    SummarizedSamples,
    SummaryNumber,
    SummaryNumbers,
    SummaryResult,
)
from truerank.documents.summaries.summary_registry import SUMMARIES, register_summary

__all__ = [
    "SUMMARIES",
    "DocumentSummary",
    "Spread",
    "SummarizedSamples",
    "SummaryNumber",
    "SummaryNumbers",
    "SummaryResult",
    "register_summary",
]
