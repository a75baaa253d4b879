"""Document models by name: how one topic's document scores would come out in another collection.

A model, fitted to one document list, draws places of relevant documents, and gives the probability that a
non-relevant one is ranked above them. The rest is in :mod:`truerank.documents.resample`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from truerank._support.registry import Entry, Registry, explained_from
from truerank.documents.collection import DocumentList

ABOUT = explained_from(__file__)  # texts of the models, by name
Keys = NDArray[Any]  # places of relevant draws as numbers that sort from best to worst


class Sampler(Protocol):
    """A model fitted to one document list with at least one relevant document.

    Example:
        >>> import numpy as np
        >>> from truerank.documents import (read_collection)
        >>> from truerank.documents.models.model import document_model
        >>> collection = read_collection({"q": {"a": 1, "b": 0}}, {"s": {"q": {"b": 2.0, "a": 1.0}}})
        >>> sampler = document_model("bst").fit(collection.lists[0][0])
        >>> keys = sampler.draw(3, np.random.default_rng(0))
        >>> keys.tolist(), sampler.above(keys).tolist(), sampler.grades(keys).tolist()
        ([0, 0, 0], [1.0, 1.0, 1.0], [1, 1, 1])
    """

    @property
    def last(self) -> float:
        """A key that sorts after every draw, or equal to the worst."""

    def draw(self, size: int, rng: Generator) -> Keys:
        """Keys of `size` independent draws of a relevant document."""

    def above(self, keys: Keys) -> NDArray[np.float64]:
        """For each key, or `last`, the probability that a non-relevant draw is ranked above it."""

    def grades(self, keys: Keys) -> NDArray[np.int64] | None:
        """The grade of each key's document (0 for `last`); ``None`` where a draw is not a document."""


@dataclass(frozen=True)
class DocumentModel(Entry):
    """A way to draw the documents of another collection of the same kind.

    Attributes:
        fit: from a list with r ≥ 1 relevant documents to its sampler.
        draws_documents: whether a draw of a relevant document is one of the list's own, with its
            grade, so that graded measures are possible; otherwise it is a score.

    Example:
        >>> from truerank.documents.models.model import document_model
        >>> model = document_model("kde")
        >>> model.label, model.draws_documents, model.references
        ('kernel density', False, ('yang-2018', 'scott-1992'))
    """

    fit: Callable[[DocumentList], Sampler]
    draws_documents: bool = False


MODELS: Registry[DocumentModel] = Registry(
    "document model", homes={f"documents.models.{name}": name for name in ("bst", "kde", "normexp")}
)
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
