"""The document collection as a sample: shared by all systems, or each system's own (yang-2018)."""

from truerank._support.imports import no_function
from truerank.documents.analysis import analyze
from truerank.documents.collection import DocumentList
from truerank.documents.document_analysis import DocumentAnalyses, DocumentAnalysis
from truerank.documents.models import MODELS, DocumentModel, register
from truerank.documents.samples import Samples
from truerank.documents.summary import (
    SUMMARIES,
    DocumentSummary,
    Spread,
    SummarizedSamples,
    SummaryNumber,
    SummaryNumbers,
    SummaryResult,
    register_summary,
)

__all__ = [
    "MODELS",
    "SUMMARIES",
    "DocumentAnalyses",
    "DocumentAnalysis",
    "DocumentList",
    "DocumentModel",
    "DocumentSummary",
    "Samples",
    "Spread",
    "SummarizedSamples",
    "SummaryNumber",
    "SummaryNumbers",
    "SummaryResult",
    "analyze",
    "register",
    "register_summary",
]

no_function(__name__, "documents.analyze(qrels, runs)")
