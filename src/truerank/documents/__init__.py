"""The document collection as a sample: shared by all systems, or each system's own (yang-2018)."""

from truerank.documents.analysis import DocumentAnalyses, DocumentAnalysis, analyze
from truerank.documents.collection import DocumentList
from truerank.documents.models import MODELS, DocumentModel, register

__all__ = [
    "MODELS",
    "DocumentAnalyses",
    "DocumentAnalysis",
    "DocumentList",
    "DocumentModel",
    "analyze",
    "register",
]
