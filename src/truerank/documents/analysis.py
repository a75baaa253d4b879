"""`analyze`: how much a ranking of systems moves when the document collection is another sample."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from truerank._support.notes import Note
from truerank._support.resources import Progress
from truerank._support.version import __version__
from truerank.documents.collection import DocumentCollection, read_collection
from truerank.documents.document_analysis import DocumentAnalysis, SampledSystem
from truerank.documents.measures import PlaceMeasure, place_measure
from truerank.documents.models import DocumentModel, document_model, lacks_spread
from truerank.documents.samples import (
    RANK_SAMPLES,
    SAMPLES,
    DocumentSettings,
    Samples,
    check_gradable,
    raw_scores,
    sample,
)
from truerank.documents.summary import SUMMARIES, SummarizedSamples
from truerank.readers.runs import QrelsSource, RunNames, RunsSource
from truerank.reliability.diagnostics import check_rankable
from truerank.scores import ScoreMatrix


def analyze(
    qrels: QrelsSource,
    runs: RunsSource,
    measure: str | Any = "AP",
    model: str | DocumentModel = "shared",
    *,
    relevance_level: int | None = None,
    names: RunNames = "tag",
    samples: int = SAMPLES,
    rank_samples: int = RANK_SAMPLES,
    level: float = 0.95,
    seed: int = 0,
    progress: Progress | None = None,
) -> DocumentAnalysis:
    """How much does the ranking move when the documents are sampled again?

    Args:
        qrels: a file in TREC's format, a data frame, or a dictionary topic → document → relevance.
        runs: files or folders in TREC's format, or a mapping from names to files, data frames or
            dictionaries.
        measure: AP, P@k, Rprec, RR, nDCG, nDCG@k, R@k …
        model: ``shared``: all systems rank the same sampled documents; ``bst``, ``kde`` or one that was
            registered: each system's documents are drawn by themselves, as in yang-2018.
        relevance_level: lowest grade that counts as relevant.
        names: whether a file's system is called by its ``tag`` or its ``file``.
        samples: B of the error rate.
        rank_samples: B of KRCC, no more than `samples`.
        level: of all intervals, in (0, 1).
        seed: the same seed gives the same digits.
        progress: called with (done, total, label) as the work goes on.

    Returns:
        The analysis. O(B·Σ N) time, O(B·Σ r) for ``bst`` and ``kde``; 8·B·m bytes and 8·n·m·2,000.

    Raises:
        InputError: files or scores that cannot be used, a measure that the places or the model do not give,
            or an argument out of range.
        UnknownNameError: an unknown measure or model.

    Example:
        >>> qrels = {t: {f"d{i}": int(i % 3 == 0) for i in range(30)} for t in "abcde"}
        >>> def run(step):
        ...     return {t: {d: float(-i * step % (31 + k)) for i, d in enumerate(qrels[t])}
        ...             for k, t in enumerate(qrels)}
        >>> result = analyze(qrels, {"one": run(2), "two": run(5)}, samples=200)
        >>> 0 <= result.krcc.mean <= 1
        True
    """
    collection = read_collection(qrels, runs, names=names, progress=progress)
    wanted = place_measure(measure, relevance_level)
    return analyze_collection(
        collection,
        wanted,
        model,
        samples=samples,
        rank_samples=rank_samples,
        level=level,
        seed=seed,
        progress=progress,
    )


def analyze_collection(
    collection: DocumentCollection,
    measure: PlaceMeasure,
    model: str | DocumentModel = "shared",
    *,
    samples: int = SAMPLES,
    rank_samples: int = RANK_SAMPLES,
    level: float = 0.95,
    seed: int = 0,
    progress: Progress | None = None,
) -> DocumentAnalysis:
    """:func:`analyze` on a collection that was read."""
    result = document_model(model)
    settings = DocumentSettings(__version__, seed, samples, min(rank_samples, samples), level)
    check_gradable(collection, measure, result)
    scores = raw_scores(collection, measure)
    check_rankable(scores)
    ranked = collection.select(scores.order)
    drawn = sample(ranked, measure, result, samples, seed, progress)
    return summarize(scores.ranked(), drawn, result, settings, model_notes(ranked, measure, result))


def summarize(
    scores: ScoreMatrix,
    samples: Samples,
    model: DocumentModel,
    settings: DocumentSettings,
    notes: Sequence[Note] = (),
) -> DocumentAnalysis:
    """All summaries of given samples; scores and samples are in ranking order."""
    given = SummarizedSamples(scores, samples, settings)
    ends = [(1 - settings.level) / 2, (1 + settings.level) / 2]
    low, high = np.quantile(samples.means, ends, axis=0)
    columns = (scores.means, samples.means.mean(axis=0), samples.means.std(axis=0, ddof=1), low, high)
    systems = tuple(
        SampledSystem(system, *(float(column[s]) for column in columns))
        for s, system in enumerate(scores.systems)
    )
    return DocumentAnalysis(
        scores=scores,
        model=model.name,
        summaries={name: summary.compute(given) for name, summary in SUMMARIES.items()},
        systems=systems,
        topic_means=samples.topic_means,
        topic_deviations=np.sqrt(samples.topic_variances),
        notes=(*misfits(systems, model), *notes, *scores.notes),
        settings=settings,
    )


MISFIT = 0.1  # share of its raw mean by which a system's sampled mean may be off before it is worth a warning


def model_notes(collection: DocumentCollection, measure: PlaceMeasure, model: DocumentModel) -> list[Note]:
    """Notes on lists that the document model cannot fit as they are."""
    lists = [documents for row in collection.at_level(measure.level).lists for documents in row]
    total = len(lists)
    notes = []
    bare = sum(len(documents.relevant) == 0 for documents in lists)
    if bare:
        notes.append(Note("lists", {"case": "none-relevant", "lists": bare, "of": total}))
    if model.shared:
        return notes
    full = sum(0 < len(documents.relevant) == documents.retrieved for documents in lists)
    if full:
        notes.append(Note("lists", {"case": "all-relevant", "lists": full, "of": total}))
    longest = max(documents.retrieved for documents in lists)
    short = [
        system
        for system, row in zip(collection.systems, collection.lists, strict=True)
        if max(documents.retrieved for documents in row) < longest
    ]
    if short:
        notes.append(
            Note("lists", {"case": "short", "of": collection.m, "longest": longest}, systems=tuple(short))
        )
    if not model.draws_documents:
        poor = sum(lacks_spread(documents) for documents in lists if len(documents.relevant))
        if poor:
            notes.append(
                Note("lists", {"case": "no-spread", "lists": poor, "of": total, "model": model.name})
            )
    return notes


def misfits(systems: Sequence[SampledSystem], model: DocumentModel) -> list[Note]:
    """A note on the systems whose samples are far from their raw mean, where the model does not fit."""
    off = [s for s in systems if abs(s.sampled_mean - s.mean) > MISFIT * s.mean]
    if not off:
        return []
    facts = {
        "model": model.name,
        "of": len(systems),
        "beyond": MISFIT,
        "shared": model.shared,
        "means": [[s.system, float(s.mean), float(s.sampled_mean)] for s in off[:3]],
    }
    return [Note("model-misfit", facts, systems=tuple(s.system for s in off))]
