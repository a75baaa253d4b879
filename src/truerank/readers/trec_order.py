"""The order in which trec_eval ranks the documents of a topic, whatever the ranks in the file say."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray


def as_stored(scores: ArrayLike) -> NDArray[np.float32]:
    """Scores as trec_eval stores them, in 32 bits: closer ones tie, and so do all beyond that range.

    >>> as_stored([1.0, 1.0 + 1e-9]).tolist()
    [1.0, 1.0]
    """
    with np.errstate(over="ignore"):
        stored: NDArray[np.float32] = np.asarray(scores, dtype=np.float64).astype(np.float32)
    return stored


def trec_order(documents: Mapping[str, float]) -> list[str]:
    """Documents of one topic, best first: by score as 32-bit number, then by id, both descending.

    That is the order of trec_eval 9 (``comp_sim_docno`` in its ``form_res_rels.c``). O(N log N).

    >>> trec_order({"a": 1.0, "b": 1.0 + 1e-9, "c": 2.0})
    ['c', 'b', 'a']
    """
    stored = as_stored(np.fromiter(documents.values(), np.float64, len(documents))).tolist()
    return [document for _, document in sorted(zip(stored, documents, strict=True), reverse=True)]
