"""The sampling kernel: where the relevant documents stand in rankings of another collection.

For a list of N documents, r of them relevant, a sample has r* = min(Poisson(r), N) relevant documents and
N − r* others (yang-2018 §3.1). A measure depends only on the places of the relevant ones, so the others are
never drawn: the numbers of them between relevant documents are multinomial, with the model's probabilities.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from truerank.documents.collection import DocumentList
from truerank.documents.models import Sampler

BLOCK_VALUES = 1 << 17  # relevant documents drawn at a time (1 MB an array, and there are fewer than ten)


@dataclass(frozen=True, eq=False)
class RelevantPlaces:
    """Where the relevant documents stand in k rankings of one topic.

    Places are k × w, 1-based and ascending in each row, infinite past the ranking's last one. Grades are
    those at the places, 0 past the last; ``None`` where all count the same. Of the G levels, best first,
    `existing` says how many documents the topic has in each ranking, k × G.
    """

    places: NDArray[np.float64]
    grades: NDArray[np.int64] | None
    levels: NDArray[np.int64]
    existing: NDArray[np.int64]

    @property
    def total(self) -> NDArray[np.int64]:
        """R*: how many relevant documents the topic has in each sample, length k."""
        return self.existing.sum(axis=1)


def observed_places(documents: DocumentList) -> RelevantPlaces:
    """The places in the list as it is, one row."""
    at = documents.relevant
    grades = documents.grades[at][None, :]
    places = at[None, :].astype(np.float64) + 1.0
    return _with_missing(places, np.array([len(at)]), grades, documents.missing, _levels(documents))


def sampled_places(documents: DocumentList, sampler: Sampler, k: int, rng: Generator) -> RelevantPlaces:
    """The places in k samples of a list with at least one relevant document. O(k·r) time and memory."""
    result = sampled_counts(documents, k, rng)
    width = int(result.max())
    real = np.arange(width) < result[:, None]
    drawn = sampler.draw(int(result.sum()), rng)
    keys = np.full(real.shape, sampler.last, dtype=drawn.dtype)
    keys[real] = drawn
    keys.sort(axis=1)
    unreal = ~real
    above = sampler.above(keys)
    above[unreal] = 1.0
    # The others above the best, between neighbors, below the worst; rounding must not make a share negative.
    shares = np.ones((k, width + 1))
    shares[:, :width] = above
    shares[:, 1:] -= above
    np.maximum(shares, 0.0, out=shares)
    others = rng.multinomial(documents.retrieved - result, shares)[:, :width]
    # Summed as whole numbers, which is exact and ten times faster than with floats.
    places = np.cumsum(others, axis=1) + np.arange(1.0, width + 1)
    places[unreal] = np.inf
    levels = _levels(documents)
    grades = sampler.grades(keys) if len(levels) > 1 else None
    return _with_missing(places, result, grades, documents.missing, levels)


def _levels(documents: DocumentList) -> NDArray[np.int64]:
    """The different grades of the topic's relevant documents, retrieved or not, best first."""
    return np.unique(np.append(documents.grades[documents.relevant], documents.missing))[::-1]


def _with_missing(
    places: NDArray[np.float64],
    result: NDArray[np.int64],
    grades: NDArray[np.int64] | None,
    missing: NDArray[np.int64],
    levels: NDArray[np.int64],
) -> RelevantPlaces:
    """Places of `result` documents per row, in a topic that also has the `missing` ones."""
    if grades is not None and len(levels) > 1:
        existing = np.stack(
            [np.count_nonzero(grades == g, axis=1) + np.count_nonzero(missing == g) for g in levels], axis=1
        )
        there = existing.any(axis=0)
        if np.count_nonzero(there) > 1:
            return RelevantPlaces(places, grades, levels[there], existing[:, there])
    return RelevantPlaces(places, None, np.ones(1, dtype=np.int64), (result + len(missing))[:, None])


def sampled_counts(documents: DocumentList, k: int, rng: Generator) -> NDArray[np.int64]:
    """r* of k samples: min(Poisson(r), N), or N where all are relevant."""
    r, n = len(documents.relevant), documents.retrieved
    if r == n:
        return np.full(k, n, dtype=np.int64)
    return np.minimum(rng.poisson(r, k), n)


def block_size(documents: DocumentList) -> int:
    """How many samples of a list to draw at a time."""
    return max(1, BLOCK_VALUES // (len(documents.relevant) + 1))
