"""The document models by name."""

from __future__ import annotations

from truerank._support.registry import Registry
from truerank.documents.models.bst import BST
from truerank.documents.models.kde import KDE
from truerank.documents.models.model import DocumentModel
from truerank.documents.models.normexp import NORMEXP

MODELS: Registry[DocumentModel] = Registry("document model", BST, KDE, NORMEXP)
"""The document models by name.

Example:
    >>> from truerank.documents import MODELS
    >>> list(MODELS)
    ['bst', 'kde', 'normexp']
"""
register = MODELS.register
"""Make a document model known by its name, to :func:`truerank.documents.analyze` and the command line.

Example:
    >>> from truerank.documents import MODELS, register
    >>> register(MODELS["bst"])
    Traceback (most recent call last):
    truerank.errors.InputError: document model 'bst' exists already; choose another name
"""
document_model = MODELS.find  # the document model of a name; a model itself is given back
