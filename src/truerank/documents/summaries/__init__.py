"""Summaries of document samples: one file each, and one line in the registry."""

from truerank.documents.summaries.summary import (
    DocumentSummary,
    Spread,
    SummarisedSamples,
    SummaryNumber,
    SummaryNumbers,
    SummaryResult,
)
from truerank.documents.summaries.summary_registry import SUMMARIES, register_summary

__all__ = [
    "SUMMARIES",
    "DocumentSummary",
    "Spread",
    "SummarisedSamples",
    "SummaryNumber",
    "SummaryNumbers",
    "SummaryResult",
    "register_summary",
]
