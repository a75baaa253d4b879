"""Document models: what another collection's document scores would look like, fitted to one list."""

from truerank.documents.models.model import MODELS, DocumentModel, Sampler, register

__all__ = ["MODELS", "DocumentModel", "Sampler", "register"]
