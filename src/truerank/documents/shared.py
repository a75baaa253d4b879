"""Samples of the document collection that all systems share.

Every document of a topic's pool, retrieved or judged, is in a sample Poisson(1) times, with its grade (after
Cormack & Lynam 2006). Each system ranks the sampled documents in its own order, copies of a document next
to each other.
"""

from __future__ import annotations

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from truerank._support.types import Matrix
from truerank.documents.collection import DocumentCollection, DocumentList
from truerank.documents.measures import PlaceMeasure
from truerank.documents.resample import RelevantPlaces

Copies = NDArray[np.uint8]

# Copies of documents counted at a time (1 MB, and at most eight times that for each array of places).
BLOCK_VALUES = 1 << 20
# Copies of documents drawn at a time: their counters fit a processor's second cache.
DRAWN_VALUES = 1 << 15


def shared_scores(
    collection: DocumentCollection, topic: int, measure: PlaceMeasure, k: int, rng: Generator
) -> Matrix:
    """Scores of all systems on one topic in k samples, m × k. O(k·Σ N)."""
    lists = [row[topic] for row in collection.lists]
    grades = collection.judged[topic]
    levels = np.unique(grades[grades > 0])[::-1]
    scores = np.zeros((len(lists), k))
    if len(levels) == 0:
        return scores
    # Documents below every system's last relevant one move nothing, and are not drawn.
    reach = [one.documents[: int(one.relevant.max(initial=-1)) + 1] for one in lists]
    pool, rows = np.unique(np.concatenate([np.arange(len(grades)), *reach]), return_inverse=True)
    rows_of = np.split(rows[len(grades) :], np.cumsum([len(one) for one in reach])[:-1])
    step = max(1, BLOCK_VALUES // len(pool))
    for start in range(0, k, step):
        copies = drawn_copies(len(pool), min(step, k - start), rng)
        relevant = copies[: len(grades)]
        existing = np.stack([relevant[grades == g].sum(axis=0, dtype=np.int64) for g in levels], axis=1)
        for s, (documents, own) in enumerate(zip(lists, rows_of, strict=True)):
            places = copied_places(documents, copies.take(own, axis=0), levels, existing)
            scores[s, start : start + len(existing)] = measure.scores(places)
    return scores


def drawn_copies(pool: int, k: int, rng: Generator) -> Copies:
    """How often each of `pool` documents is in each of k samples, pool × k.

    Poisson(pool) documents fall on the pool at random, so that each falls on Poisson(1), independently.
    A count above 255 has a probability below 1e-500.
    """
    copies = np.empty((pool, k), dtype=np.uint8)
    step = max(1, DRAWN_VALUES // pool)
    for start in range(0, k, step):
        count = min(step, k - start)
        fallen = rng.integers(0, pool * count, rng.poisson(pool * count), dtype=np.int32)
        counts = np.bincount(fallen, minlength=pool * count)
        copies[:, start : start + count] = counts.reshape(count, pool).T
    return copies


def copied_places(
    documents: DocumentList, listed: Copies, levels: NDArray[np.int64], existing: NDArray[np.int64]
) -> RelevantPlaces:
    """The places of a list's relevant documents when its documents, down to the last of these, have copies.

    `listed` says how many, one row per document and one column per sample.
    """
    at = documents.relevant
    if len(at) == 0:
        none = np.full((listed.shape[1], 0), np.inf)
        grades = none.astype(np.int64) if len(levels) > 1 else None
        return RelevantPlaces(none, grades, levels, existing)
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
