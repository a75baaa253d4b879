"""The document models by name."""

from __future__ import annotations

from truerank._support.registry import Registry
from truerank.documents.models.bst import BST
from truerank.documents.models.kde import KDE
from truerank.documents.models.model import DocumentModel
from truerank.documents.models.normexp import NORMEXP

MODELS: Registry[DocumentModel] = Registry("document model")
register = MODELS.register
document_model = MODELS.find

for _model in (BST, KDE, NORMEXP):
    register(_model)
