"""Document models: what another collection's document scores would look like, fitted to one list."""

from truerank.documents.models.model import DocumentModel, Sampler
from truerank.documents.models.model_registry import MODELS, document_model, register

__all__ = ["MODELS", "DocumentModel", "Sampler", "document_model", "register"]
