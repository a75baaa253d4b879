"""The document collection as a sample: per-topic variance (yang-2018)."""

from truerank._support.imports import no_function
from truerank.documents.analysis import analyze
from truerank.documents.collection import DocumentCollection, DocumentList, read_collection
from truerank.documents.decomposition import Decomposition, decompose
from truerank.documents.document_analysis import DocumentAnalyses, DocumentAnalysis
from truerank.documents.measures import PlaceMeasure, place_measure
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
    "Decomposition",
    "DocumentAnalyses",
    "DocumentAnalysis",
    "DocumentCollection",
    "DocumentList",
    "DocumentModel",
    "DocumentSummary",
    "PlaceMeasure",
    "Samples",
    "Spread",
    "SummarizedSamples",
    "SummaryNumber",
    "SummaryNumbers",
    "SummaryResult",
    "analyze",
    "decompose",
    "place_measure",
    "read_collection",
    "register",
    "register_summary",
]

no_function(__name__, "documents.analyze(qrels, runs)")
