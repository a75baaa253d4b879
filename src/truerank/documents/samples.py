"""Samples of the document collection: where relevant documents stand, and every system's mean in each.

Where each list has its model, one of N documents, r of them relevant, has in a sample r* = min(Poisson(r), N)
relevant documents and N − r* others (yang-2018 §3.1). A measure depends only on the places of the relevant
ones, so the others are never drawn: the numbers of them between relevant documents are multinomial, with the
model's probabilities. A chunk of samples is an independent task: it depends only on the collection, the
model, the measure, its number and the seed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from truerank._support.resources import Progress
from truerank._support.seeds import stream
from truerank._support.types import Matrix
from truerank.documents.collection import DocumentCollection, DocumentList
from truerank.documents.measures import PlaceMeasure, RelevantPlaces
from truerank.documents.models import DocumentModel, Sampler
from truerank.errors import InputError
from truerank.numerics.intervals import check_levels
from truerank.scores import ScoreMatrix

Copies = NDArray[np.uint8]

LIST_VALUES = 1 << 17  # relevant documents of one list drawn at a time (1 MB an array, fewer than ten arrays)
# Copies of documents counted at a time (1 MB, and at most eight times that for each array of places).
BLOCK_VALUES = 1 << 20
# Copies of documents drawn at a time: their counters fit a processor's second cache.
DRAWN_VALUES = 1 << 15


def observed_places(documents: DocumentList) -> RelevantPlaces:
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


SAMPLES = 1_000
RANK_SAMPLES = 1_000  # B of KRCC: the first of the samples (yang-2018 §4.2)


@dataclass(frozen=True)
class DocumentSettings:
    """All that is needed to reproduce these numbers.

    Attributes:
        version: of truerank.
        seed: of everything random.
        samples: B of the error rate.
        rank_samples: B of KRCC.
        level: of all intervals.
    """

    version: str
    seed: int
    samples: int
    rank_samples: int
    level: float

    def __post_init__(self) -> None:
        check_levels([self.level])
        if self.samples < 2 or self.rank_samples < 2:
            raise InputError("at least two samples are needed; thousands are better")


CHUNK = 2_000  # samples in a chunk. Part of the seed's meaning: another size gives other digits.


@dataclass(frozen=True, eq=False)
class Samples:
    """B samples of the document collection, topics fixed."""

    means: Matrix  # B × m, each system's mean score
    topic_means: Matrix  # n × m, mean of each topic's score over the samples
    topic_variances: Matrix  # n × m, its variance over the samples (B − 1); NaN for one sample

    @property
    def count(self) -> int:
        return len(self.means)


def raw_scores(collection: DocumentCollection, measure: PlaceMeasure) -> ScoreMatrix:
    """The scores of the lists as they are: what ``ir_measures`` gives."""
    judged = collection.at_level(measure.level, measure.graded)
    values = [
        [float(measure.scores(observed_places(row[topic]))[0]) for row in judged.lists]
        for topic in range(collection.n)
    ]
    return ScoreMatrix.build(
        values, collection.topics, collection.systems, measure.name, notes=collection.notes
    )


def chunk_sizes(samples: int) -> list[int]:
    return [min(CHUNK, samples - start) for start in range(0, samples, CHUNK)]


def averaged(scores: NDArray[np.float64]) -> Samples:
    """What is kept of samples: size × n × m scores."""
    return Samples(
        means=scores.mean(axis=1),
        topic_means=scores.mean(axis=0),
        topic_variances=scores.var(axis=0, ddof=1) if len(scores) > 1 else np.full(scores.shape[1:], np.nan),
    )


def sampled_scores(
    collection: DocumentCollection,
    measure: PlaceMeasure,
    model: DocumentModel,
    chunk: int,
    size: int,
    seed: int,
    done: Callable[[float], None] | None = None,
) -> NDArray[np.float64]:
    """The scores of one chunk, size × n × m, the same whatever other measures there are.

    O(size·n·Σ r) time, or Σ N if shared; 8·n·m·size bytes. `done` is called with the share that is done.
    """
    check_gradable(collection, measure, model)
    judged = collection.at_level(measure.level, measure.graded)
    scores = np.empty((size, collection.n, collection.m))
    names = judged.topics if model.shared else judged.systems
    for place, name in enumerate(names):
        if model.shared:
            rng = stream(seed, "documents", model.name, name, chunk)
            scores[:, place] = shared_scores(judged, place, measure, size, rng).T
        else:
            for t, (topic, documents) in enumerate(zip(judged.topics, judged.lists[place], strict=True)):
                rng = stream(seed, "documents", model.name, name, topic, chunk)
                scores[:, t, place] = list_scores(documents, measure, model, size, rng)
        if done:
            done((place + 1) / len(names))
    return scores


def list_scores(
    documents: DocumentList, measure: PlaceMeasure, model: DocumentModel, k: int, rng: np.random.Generator
) -> Matrix:
    """k sampled scores of one list by itself; 0 where it has no relevant document to sample. O(k·r)."""
    scores = np.zeros(k)
    if model.fit is None or len(documents.relevant) == 0:
        return scores
    sampler = model.fit(documents)
    step = max(1, LIST_VALUES // (len(documents.relevant) + 1))
    for start in range(0, k, step):
        block = scores[start : start + step]
        block[:] = measure.scores(sampled_places(documents, sampler, len(block), rng))
    return scores


def check_gradable(collection: DocumentCollection, measure: PlaceMeasure, model: DocumentModel) -> None:
    if measure.graded and not model.draws_documents and collection.graded:
        raise InputError(
            f"{measure.name} on graded judgments needs a model that draws documents, and {model.name} "
            "draws scores; use the model shared or bst"
        )


def join(parts: Sequence[Samples]) -> Samples:
    """Chunks joined in order; moments are pooled without cancellation (Chan, Golub & LeVeque 1983)."""
    means = np.concatenate([part.means for part in parts])
    counts = np.array([part.count for part in parts], dtype=np.float64)[:, None, None]
    of_parts = np.stack([part.topic_means for part in parts])
    topic_means = np.sum(counts * of_parts, axis=0) / len(means)
    between = np.sum(counts * (of_parts - topic_means) ** 2, axis=0)
    within = np.stack([part.topic_variances for part in parts])
    within = np.sum(np.where(counts > 1, (counts - 1) * within, 0.0), axis=0)
    with np.errstate(invalid="ignore"):
        variances = (within + between) / (len(means) - 1 or np.nan)
    return Samples(means, topic_means, variances)


def sample(
    collection: DocumentCollection,
    measure: PlaceMeasure,
    model: DocumentModel,
    samples: int,
    seed: int = 0,
    progress: Progress | None = None,
) -> Samples:
    """All samples, one chunk after another. Takes 8·B·m bytes beside those of a chunk."""
    parts = []
    sizes = chunk_sizes(samples)
    label = f"{measure.name}, {model.name}: samples of documents"
    for chunk, size in enumerate(sizes):

        def done(share: float, before: int = sum(sizes[:chunk]), size: int = size) -> None:
            if progress:
                progress(before + int(size * share), samples, label)

        done(0)
        parts.append(averaged(sampled_scores(collection, measure, model, chunk, size, seed, done)))
    return join(parts)
