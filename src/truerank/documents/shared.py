"""Document samples that all systems share: the bootstrap of Cormack & Lynam 2006, topic by topic.

Every document of a topic, retrieved or not, is in a sample Poisson(c) times (c = 1: a collection as large as
this one). Each system ranks the sampled documents in its own order.
"""

from __future__ import annotations

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from truerank.documents.collection import DocumentCollection, DocumentList
from truerank.documents.measures import PlaceMeasure
from truerank.documents.resample import RelevantPlaces
from truerank.numerics.poisson_table import PoissonTable

Copies = NDArray[np.integer]

# Copies of documents counted at a time (1 MB, and at most eight times that for each array of places).
BLOCK_VALUES = 1 << 20
# Copies of documents drawn at a time (0.5 MB of random words, which a processor's cache holds).
DRAWN_VALUES = 1 << 16


def shared_scores(
    collection: DocumentCollection, topic: int, measure: PlaceMeasure, k: int, size: float, rng: Generator
) -> NDArray[np.float64]:
    """Scores of all systems on one topic in k shared samples, m × k. O(k·Σ N)."""
    lists = [row[topic] for row in collection.lists]
    grades = collection.judged[topic]
    known = max(len(grades), *(int(documents.documents.max(initial=-1)) + 1 for documents in lists))
    table = PoissonTable(size)
    scores = np.empty((len(lists), k))
    step = max(1, BLOCK_VALUES // max(known, 1))
    for start in range(0, k, step):
        count = min(step, k - start)
        copies = drawn_copies(table, known, count, rng)
        levels = np.unique(grades[grades > 0])[::-1]
        if len(levels) == 0:
            levels = np.ones(1, dtype=np.int64)
        relevant = copies[: len(grades)]
        existing = np.stack([relevant[grades == g].sum(axis=0, dtype=np.int64) for g in levels], axis=1)
        for s, documents in enumerate(lists):
            result = copied_places(documents, copies, levels, existing)
            scores[s, start : start + count] = measure.scores(result)
    return scores


def drawn_copies(table: PoissonTable, known: int, k: int, rng: Generator) -> Copies:
    """How often each document is in each of k samples, known × k; drawn sample by sample."""
    copies: Copies = np.empty((known, k), dtype=table.dtype)
    step = max(1, DRAWN_VALUES // max(known, 1))
    for start in range(0, k, step):
        count = min(step, k - start)
        copies[:, start : start + count] = table.draw((count, known), rng).T
    return copies


def copied_places(
    documents: DocumentList, copies: Copies, levels: NDArray[np.int64], existing: NDArray[np.int64]
) -> RelevantPlaces:
    """The places of a list's relevant documents when each document has that many copies."""
    at = documents.relevant
    if len(at) == 0:
        none = np.full((copies.shape[1], 0), np.inf)
        grades = none.astype(np.int64) if len(levels) > 1 else None
        return RelevantPlaces(none, grades, levels, existing)
    listed = copies.take(documents.documents[: int(at[-1]) + 1], axis=0)
    times = listed[at].T.astype(np.int64)
    # Sums from each relevant document to the next, then over these: fast, because relevant ones are few.
    between = np.add.reduceat(listed, np.append(0, at[:-1] + 1), axis=0, dtype=np.int64)
    until = np.cumsum(between, axis=0).T
    before = until - times
    result = times.sum(axis=1)
    real = np.arange(int(result.max(initial=0))) < result[:, None]
    flat = times.ravel()
    first = np.repeat(np.cumsum(flat) - flat, flat)
    places = np.full(real.shape, np.inf)
    places[real] = np.repeat(before.ravel(), flat) + (np.arange(len(first)) - first) + 1
    if len(levels) < 2:
        return RelevantPlaces(places, None, levels, existing)
    grades = np.zeros(real.shape, dtype=np.int64)
    grades[real] = np.repeat(np.broadcast_to(documents.grades[at], times.shape).ravel(), flat)
    return RelevantPlaces(places, grades, levels, existing)
