"""Document models: what another collection's document scores would look like, fitted to one list."""

from truerank.documents.models.bst import BST
from truerank.documents.models.kde import KDE
from truerank.documents.models.model_registry import (
    MODELS,
    DocumentModel,
    Sampler,
    document_model,
    register,
)
from truerank.documents.models.normexp import NORMEXP

__all__ = ["BST", "KDE", "MODELS", "NORMEXP", "DocumentModel", "Sampler", "document_model", "register"]
