"""Document models: what another collection's document scores would look like, fitted to one list."""

from truerank.documents.models.model import DocumentModel, Sampler
from truerank.documents.models.model_registry import MODELS, register

__all__ = ["MODELS", "DocumentModel", "Sampler", "register"]
