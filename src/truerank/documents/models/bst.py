"""`bst`: documents are drawn from those retrieved, with replacement (yang-2018 §3.1).

Equal scores keep the order of their documents' ids, so a sampled ranking is the raw one with documents
repeated or left out. Everything follows from the places of the relevant documents.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from truerank.documents.collection import DocumentList
from truerank.documents.models.model import ABOUT, DocumentModel, Keys


@dataclass(frozen=True)
class RankedDocuments:
    """Draws of the list's own relevant documents; a key is the document's place among them."""

    share_above: NDArray[np.float64]
    grade: NDArray[np.int64]

    @property
    def last(self) -> int:
        """The number of relevant documents, r."""
        return len(self.grade) - 1

    def draw(self, size: int, rng: Generator) -> Keys:
        """Uniform on the r relevant documents."""
        return rng.integers(0, self.last, size, dtype=np.uint16 if self.last < 2**16 else np.int64)

    def above(self, keys: Keys) -> NDArray[np.float64]:
        """Exact."""
        return self.share_above[keys]

    def grades(self, keys: Keys) -> NDArray[np.int64]:
        """Draws keep the grades of their documents."""
        return self.grade[keys]


def fit(documents: DocumentList) -> RankedDocuments:
    """The empirical model of a list. O(N)."""
    places = documents.relevant
    non_relevant = max(documents.retrieved - len(places), 1)
    share = (places - np.arange(len(places))) / non_relevant
    return RankedDocuments(np.append(share, 1.0), np.append(documents.grades[places], 0))


BST = DocumentModel("bst", fit=fit, draws_documents=True, **ABOUT["bst"])
