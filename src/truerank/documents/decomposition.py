"""Where the variance of scores comes from, and whether more topics or more documents would help.

    score = mean + system + topic + system × topic + documents + system × documents

Documents are nested in topics. Samples of documents that all systems share (Cormack & Lynam 2006), topic by
topic, give the two document components by analysis of variance. The raw scores less these give the other
three (method of moments; Searle, Casella & McCulloch 1992).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from truerank._support.display import Shown
from truerank._support.plain import Written
from truerank._support.resources import Progress
from truerank._support.seeds import stream
from truerank._support.tables import Column, Number, Percent, Text
from truerank._support.types import Matrix, Unwritten, Whole, WrittenAs
from truerank.documents.collection import DocumentCollection, DocumentList
from truerank.documents.measures import PlaceMeasure
from truerank.documents.resample import RelevantPlaces
from truerank.documents.samples import raw_scores
from truerank.documents.summaries import sampled_tau
from truerank.documents.summary import Around
from truerank.errors import InputError
from truerank.numerics.intervals import Interval, quantile_interval
from truerank.numerics.matrices import two_way_residuals
from truerank.numerics.poisson_table import PoissonTable
from truerank.numerics.resampling import multinomial_counts

Sampled = Literal["documents", "topics", "both"]  # what is sampled again
SAMPLES = 500  # shared document samples of either size


@dataclass(frozen=True)
class Component:
    """One source of variance.

    Attributes:
        source: ``system``, ``topic``, ``system × topic``, ``documents`` (what moves all systems
            alike when a topic's documents are others) or ``system × documents``.
        variance: of one score; an estimate below 0 counts as 0.
        share: of the sum of all.
    """

    source: Annotated[str, Column("Source", Text())]
    variance: Annotated[float, Column("Variance", Number(digits=5))]
    share: Annotated[float, Column("Share", Percent())]


@dataclass(frozen=True)
class Design:
    """The precision of a comparison of two systems with another test collection.

    Attributes:
        change: ``none``, ``twice the topics``, ``twice the documents``, ``all documents`` (no
            document variance left, the most that documents can give).
        standard_error: of the difference of two systems' means, over topics and documents.
    """

    change: str
    standard_error: float


@dataclass(frozen=True)
class Movement:
    """How much the ranking moves when a part of the test collection is sampled again.

    Attributes:
        sampled: ``documents``, ``topics`` or ``both``.
        tau: mean τ with the raw ranking.
        spread: quantiles of τ over the samples.
        difference_sd: root mean square, over pairs, of the sd of the difference of two means.
    """

    sampled: Sampled
    tau: Annotated[float, WrittenAs(tau="around")]
    spread: Unwritten[Interval]
    difference_sd: float

    @property
    def around(self) -> Around:
        """τ with the raw ranking, and where it falls."""
        return Around(self.tau, *self.spread)


@dataclass(frozen=True, repr=False)
class Decomposition(Written, Shown):
    """The variance of one measure's scores.

    Attributes:
        measure: its name.
        samples: number of shared document samples, of either size.
        components: five, system first.
        designs: four, the present one first.
        movements: the ranking's, by what is sampled. ``both`` counts the documents' share twice (the
            topics seen carry it already), so it errs on the side of movement.

    Example:
        >>> from truerank.documents.collection import read_collection
        >>> from truerank.documents.measures import place_measure
        >>> qrels = {t: {f"d{i}": int(i % 3 == 0) for i in range(9)} for t in "abc"}
        >>> runs = {s: {t: {f"d{i}": float(i * k % 7) for i in range(9)} for t in "abc"}
        ...         for k, s in enumerate(("one", "two"), start=2)}
        >>> found = decompose(read_collection(qrels, runs), place_measure("AP"), samples=20)
        >>> [design.change for design in found.designs]
        ['none', 'twice the topics', 'twice the documents', 'all documents']
    """

    measure: Unwritten[str]
    samples: Whole
    components: tuple[Component, ...]
    designs: tuple[Design, ...]
    movements: Annotated[tuple[Movement, ...], WrittenAs("movements", "advice")]

    def __repr__(self) -> str:
        return f"<Decomposition: {self.measure}, {self.samples:,} samples>"

    @property
    def advice(self) -> str:
        """What helps a comparison more, in one sentence."""
        now, topics, documents, all_documents = (design.standard_error for design in self.designs)
        if now == 0:
            return "the differences between systems are the same on every topic"
        more, larger, most = (1 - other / now for other in (topics, documents, all_documents))
        by_documents = f"by {larger:.0%}" if larger >= 0.005 else "not at all"
        return (
            f"more {'topics' if more >= larger else 'documents'} would help more. Twice the topics narrow "
            f"a comparison of two systems by {more:.0%}, twice the documents {by_documents} (no document "
            f"noise at all: {most:.0%})"
        )


def decompose(
    collection: DocumentCollection,
    measure: PlaceMeasure,
    *,
    samples: int = SAMPLES,
    level: float = 0.95,
    seed: int = 0,
    progress: Progress | None = None,
) -> Decomposition:
    """Decompose the variance of a measure's scores; see ``docs/methods/documents.md``.

    Topics are resampled with replacement for ``topics`` and ``both``. O(samples·n·m·N) time.
    """
    if collection.m < 2 or collection.n < 2 or samples < 2:
        raise InputError("a decomposition needs two systems, two topics and two samples, or more of each")
    scores = raw_scores(collection, measure)
    order = scores.order
    ranked, raw = collection.select(order).at_level(measure.level, measure.graded), scores.values[:, order]
    rng = stream(seed, "documents", "topics")
    drawn_topics = multinomial_counts(collection.n, samples, rng).astype(np.float64)
    label = f"{measure.name}: topics of the decomposition"
    present, doubled = DocumentVariance(), DocumentVariance()
    of_documents, of_both = np.zeros((samples, ranked.m)), np.zeros((samples, ranked.m))
    for t, topic in enumerate(ranked.topics):
        if progress:
            progress(t, ranked.n, label)
        for size, variance in ((1, present), (2, doubled)):
            rng = stream(seed, "documents", "shared", topic, size)
            drawn = shared_scores(ranked, t, measure, samples, size, rng)
            variance.add(drawn)
            if size == 1:
                of_documents += drawn.T
                of_both += drawn_topics[:, t, None] * drawn.T
    means: dict[Sampled, Matrix] = {
        "documents": of_documents / ranked.n,
        "topics": drawn_topics @ raw / ranked.n,
        "both": of_both / ranked.n,
    }
    components, designs = components_and_designs(raw, present, doubled)
    if progress:
        progress(ranked.n, ranked.n, label)
    return Decomposition(
        measure=measure.name,
        samples=samples,
        components=components,
        designs=designs,
        movements=tuple(_movement(name, sampled, level) for name, sampled in means.items()),
    )


class DocumentVariance:
    """The two document components, gathered topic by topic from m × k shared samples."""

    def __init__(self) -> None:
        """Nothing gathered yet."""
        self.topics = 0
        self.between = 0.0  # Σ over topics of the mean square of samples
        self.residual = 0.0  # … of systems × samples

    def add(self, scores: Matrix) -> None:
        """Take in one topic's scores, m × k."""
        m, k = scores.shape
        centered = scores - scores.mean(axis=1, keepdims=True)
        common = centered.mean(axis=0)
        self.topics += 1
        self.between += m * float(common @ common) / (k - 1)
        self.residual += float(np.sum((centered - common) ** 2)) / ((m - 1) * (k - 1))

    def with_system(self) -> float:
        """Variance of system × documents."""
        return self.residual / self.topics

    def common(self, m: int) -> float:
        """Variance of documents, the same for all systems."""
        return (self.between - self.residual) / self.topics / m


def components_and_designs(
    raw: Matrix, present: DocumentVariance, doubled: DocumentVariance
) -> tuple[tuple[Component, ...], tuple[Design, ...]]:
    """The components from the raw scores (n × m) and the two sizes of document samples, and designs."""
    n, m = raw.shape
    of_system, of_topic = raw.mean(axis=0), raw.mean(axis=1)
    square = float(np.sum(two_way_residuals(raw) ** 2)) / ((n - 1) * (m - 1))
    documents, with_system = present.common(m), present.with_system()
    variances = {
        "system": float(of_system.var(ddof=1)) - square / n,
        "topic": float(of_topic.var(ddof=1)) - square / m - documents,
        "system × topic": square - with_system,
        "documents": documents,
        "system × documents": with_system,
    }
    variances = {source: max(variance, 0.0) for source, variance in variances.items()}
    total = sum(variances.values())
    components = tuple(
        Component(source, variance, variance / total if total else np.nan)
        for source, variance in variances.items()
    )
    topics = variances["system × topic"]
    designs = {
        "none": (topics + with_system) / n,
        "twice the topics": (topics + with_system) / (2 * n),
        "twice the documents": (topics + doubled.with_system()) / n,
        "all documents": topics / n,
    }
    return components, tuple(Design(name, float(np.sqrt(2 * v))) for name, v in designs.items())


def _movement(sampled: Sampled, means: Matrix, level: float) -> Movement:
    tau = sampled_tau(means)
    covariance = np.cov(means, rowvar=False)
    m = len(covariance)
    # Σ over pairs of var(a − b) is m·trace − the sum of all covariances.
    squares = m * np.trace(covariance) - covariance.sum()
    mean_square = max(float(squares), 0.0) / (m * (m - 1) / 2)
    return Movement(sampled, float(tau.mean()), quantile_interval(tau, level), float(np.sqrt(mean_square)))


# Samples that all systems share

Copies = NDArray[np.integer]

# Copies of documents counted at a time (1 MB, and at most eight times that for each array of places).
BLOCK_VALUES = 1 << 20
# Copies of documents drawn at a time (0.5 MB of random words, which a processor's cache holds).
DRAWN_VALUES = 1 << 16


def shared_scores(
    collection: DocumentCollection, topic: int, measure: PlaceMeasure, k: int, size: float, rng: Generator
) -> NDArray[np.float64]:
    """Scores of all systems on one topic in k shared samples, m × k. O(k·Σ N).

    Every document, retrieved or not, is in a sample Poisson(size) times; each system ranks the sampled ones.
    """
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
