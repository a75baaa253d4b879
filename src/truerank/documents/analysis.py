"""`analyze`: how much a ranking of systems moves when the document collection is another sample."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from truerank._support.display import Shown
from truerank._support.notes import Note, Noted, Notes
from truerank._support.plain import Written
from truerank._support.registry import Explanation, explained
from truerank._support.resources import Progress
from truerank._support.seeds import stream
from truerank._support.tables import Column, Name, Number
from truerank._support.tables import Interval as Between
from truerank._support.types import Correlation, Length, Level, Matrix, OrNaN, Unwritten, Whole
from truerank._support.version import __version__
from truerank.documents.collection import DocumentCollection, read_collection
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
from truerank.documents.summaries import (
    SUMMARIES,
    ErrorRateBin,
    SummaryNumber,
    count_errors,
    error_bins,
    replicate_weights,
    sampled_tau,
)
from truerank.errors import InputError
from truerank.numerics.intervals import Ends, quantile_interval
from truerank.readers.runs import QrelsSource, RunNames, RunsSource
from truerank.reliability.diagnostics import check_rankable
from truerank.scores import ScoreMatrix


@dataclass(frozen=True)
class SampledSystem:
    """One system's mean over topics, raw and sampled.

    Attributes:
        system: its name.
        mean: the raw mean.
        sampled_mean: mean over the samples; where it is far from the raw one, the model does not fit.
        sampled_sd: standard deviation over the samples.
        low: lower end of the interval in which a sample's mean falls.
        high: upper end.
    """

    system: Annotated[str, Column("System", Name())]
    mean: Annotated[float, Column("Raw", Number(digits=4))]
    sampled_mean: Annotated[float, Column("Sampled", Number(digits=4))]
    sampled_sd: Annotated[float, Column("sd", Number(digits=4), details=True)]
    low: Annotated[
        float, Column("{level} of collections", Between(high="high"), meaning="where a sample's mean falls")
    ]
    high: float


@dataclass(frozen=True)
class Around:
    """A mean over samples, and the interval in which a single one falls.

    Attributes:
        mean: over the samples; NaN where it has none.
        low: lower quantile of the samples; NaN where there is none.
        high: upper quantile; NaN where there is none.
    """

    mean: OrNaN
    low: OrNaN
    high: OrNaN


@dataclass(frozen=True)
class MonteCarlo:
    """Monte Carlo error: how exact a summary is at this number of samples.

    Attributes:
        level: of the intervals, in (0, 1).
        krcc: of KRCC.
        error_rate: of the error rate, one per bin.
    """

    level: Level
    krcc: Ends
    error_rate: tuple[Ends, ...]


@dataclass(frozen=True)
class Spreads:
    """Intervals in which the values of a single sample fall, with their means.

    Attributes:
        level: of the intervals, in (0, 1).
        tau: τ with the raw ranking.
        wrong_order: share of pairs in a different order.
    """

    level: Level
    tau: Around
    wrong_order: Around


@dataclass(frozen=True)
class Explained:
    """Explanations of the model and of the summaries.

    Attributes:
        model: the document model.
        krcc: the rank correlation.
        error_rate: the error rate.
        topic_error: the difference of a topic's score.
    """

    model: Explanation
    krcc: Explanation
    error_rate: Explanation
    topic_error: Explanation


@dataclass(frozen=True, eq=False, repr=False)
class DocumentAnalysis(Noted, Written, Shown):
    """The effect of another collection of documents, by one measure and one document model.

    Attributes:
        measure: its name.
        model: name of the document model, e.g. shared.
        topics: how many.
        systems: how many.
        krcc: mean Kendall's τ between the raw ranking and that of a sample, in [−1, 1].
        error_rate: 21 bins of the sampled difference.
        topic_error: mean absolute difference of a topic's sampled score from the raw one.
        intervals: Monte Carlo error: how exact the summaries are at this number of samples.
        spread: intervals in which the values of a single sample fall, with their means.
        ranking: one per system, best first.
        explained: explanations of the model and of the summaries.
        notes: what to know before quoting a number.
        settings: seed, samples and the like.
        scores: the raw scores, columns in ranking order.
        topic_means: n × m, mean sampled score of each topic, columns in ranking order.
        topic_deviations: n × m, its standard deviation over samples (the paper's Figure 1).
        more: numbers that an experiment adds.

    Example:
        >>> from truerank.documents import analyze
        >>> qrels = {t: {f"d{i}": int(i % 3 == 0) for i in range(9)} for t in "abc"}
        >>> runs = {s: {t: {f"d{i}": float(i * k % 7) for i in range(9)} for t in "abc"}
        ...         for k, s in enumerate(("one", "two"), start=2)}
        >>> result = analyze(qrels, runs, samples=50)
        >>> [system.system for system in result.ranking], list(result.to_dict())[:2]
        (['one', 'two'], ['measure', 'model'])
    """

    measure: str
    model: str
    topics: Whole
    systems: Whole
    krcc: Correlation
    error_rate: Annotated[tuple[ErrorRateBin, ...], Length(21)]
    topic_error: float
    intervals: MonteCarlo
    spread: Spreads
    ranking: tuple[SampledSystem, ...]
    explained: Explained
    notes: Notes
    settings: DocumentSettings
    scores: Unwritten[ScoreMatrix]
    topic_means: Unwritten[Matrix]
    topic_deviations: Unwritten[Matrix]
    more: Unwritten[tuple[SummaryNumber, ...]] = ()

    def __repr__(self) -> str:
        of = f"{self.systems} systems, {self.topics} topics"
        return f"<DocumentAnalysis: {self.measure}, {of}, model {self.model}>"

    @property
    def numbers(self) -> tuple[SummaryNumber, ...]:
        """The numbers of all summaries, in order."""
        tau, wrong = self.spread.tau, self.spread.wrong_order
        return (
            SummaryNumber(
                "KRCC: mean τ", self.krcc, self.intervals.krcc, tau, "τ with the raw ranking", "krcc"
            ),
            SummaryNumber("Pairs in another order", wrong.mean, None, wrong, "pairs in the wrong order"),
            *self.more,
            SummaryNumber("|sampled − raw| of a topic", self.topic_error),
        )


@dataclass(frozen=True, eq=False, repr=False)
class DocumentAnalyses(Shown):
    """Analyses of the same runs by several document models, side by side; the first one leads.

    Attributes:
        analyses: one per document model.

    Raises:
        InputError: no analyses, or of different measures or systems.

    Example:
        >>> from truerank.documents import analyze
        >>> qrels = {t: {f"d{i}": int(i % 3 == 0) for i in range(9)} for t in "abc"}
        >>> runs = {s: {t: {f"d{i}": float(i * k % 7) for i in range(9)} for t in "abc"}
        ...         for k, s in enumerate(("one", "two"), start=2)}
        >>> both = [analyze(qrels, runs, "AP", name, samples=50) for name in ("bst", "kde")]
        >>> DocumentAnalyses(tuple(both)).to_frame()["summary"][0]
        'KRCC: mean τ'
    """

    analyses: tuple[DocumentAnalysis, ...]

    def __post_init__(self) -> None:
        if not self.analyses:
            raise InputError("There is no analysis to show. Give one per document model.")
        if len({(item.measure, item.scores.systems) for item in self.analyses}) > 1:
            raise InputError("The analyses are of different measures or systems. Give those of one measure.")

    def __repr__(self) -> str:
        return f"<DocumentAnalyses: {self.measure}, models {', '.join(item.model for item in self.analyses)}>"

    @property
    def measure(self) -> str:
        return self.analyses[0].measure

    def to_dict(self) -> dict[str, Any] | list[dict[str, Any]]:
        """The one analysis as JSON-ready data, or a list of several."""
        documents = [item.to_dict() for item in self.analyses]
        return documents[0] if len(documents) == 1 else documents


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
        >>> 0 <= result.krcc <= 1
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
    means, level = samples.means, settings.level
    weights = replicate_weights(len(means), stream(settings.seed, "documents", "replicates"))
    rng = stream(settings.seed, "documents", "rank replicates")
    tau = sampled_tau(means[: settings.rank_samples])
    of_tau = replicate_weights(settings.rank_samples, rng) @ tau / len(tau)
    counts, errors = count_errors(scores.means, means)
    wrong = errors.sum(axis=1) / math.comb(scores.m, 2)
    bins = error_bins(counts, errors, weights, level)
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2], axis=0)
    columns = (scores.means, means.mean(axis=0), means.std(axis=0, ddof=1), low, high)
    ranking = tuple(
        SampledSystem(system, *(float(column[s]) for column in columns))
        for s, system in enumerate(scores.systems)
    )
    return DocumentAnalysis(
        measure=scores.measure,
        model=model.name,
        topics=scores.n,
        systems=scores.m,
        krcc=float(tau.mean()),
        error_rate=bins,
        topic_error=float(np.abs(samples.topic_means - scores.values).mean()),
        intervals=MonteCarlo(
            level,
            Ends(*quantile_interval(of_tau.astype(np.float64), level)),
            tuple(Ends(*b.interval) for b in bins),
        ),
        spread=Spreads(level, *(Around(float(x.mean()), *quantile_interval(x, level)) for x in (tau, wrong))),
        ranking=ranking,
        explained=Explained(explained(model), *map(explained, SUMMARIES.values())),
        notes=(*misfits(ranking, model), *notes, *scores.notes),
        settings=settings,
        scores=scores,
        topic_means=samples.topic_means,
        topic_deviations=np.sqrt(samples.topic_variances),
    )


MISFIT = 0.1  # share of its raw mean by which a system's sampled mean may be off before it is worth a warning


def model_notes(collection: DocumentCollection, measure: PlaceMeasure, model: DocumentModel) -> list[Note]:
    lists = [documents for row in collection.at_level(measure.level).lists for documents in row]

    def note(case: str, number: int, **more: str) -> list[Note]:
        return [Note("lists", {"case": case, "lists": number, "of": len(lists), **more})] if number else []

    notes = note("none-relevant", sum(len(documents.relevant) == 0 for documents in lists))
    if model.shared:
        return notes
    notes += note("all-relevant", sum(0 < len(one.relevant) == one.retrieved for one in lists))
    reaches = [max(documents.retrieved for documents in row) for row in collection.lists]
    short = [system for system, n in zip(collection.systems, reaches, strict=True) if n < max(reaches)]
    if short:
        facts = {"case": "short", "of": collection.m, "longest": max(reaches)}
        notes.append(Note("lists", facts, systems=tuple(short)))
    if not model.draws_documents:
        poor = sum(lacks_spread(documents) for documents in lists if len(documents.relevant))
        notes += note("no-spread", poor, model=model.name)
    return notes


def misfits(systems: Sequence[SampledSystem], model: DocumentModel) -> list[Note]:
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
