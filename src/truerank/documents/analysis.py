"""`analyse`: how much a comparison of systems moves when the document collection is another sample."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from truerank._support.files import PathLike
from truerank._support.seeds import stream
from truerank._support.types import Matrix, Progress
from truerank._support.version import __version__
from truerank.documents.asl import SignificanceLevels, significance_levels
from truerank.documents.collection import DocumentCollection, read_collection
from truerank.documents.decomposition import SAMPLES as DECOMPOSITION_SAMPLES
from truerank.documents.decomposition import Decomposition, decompose
from truerank.documents.ed import EstimatedDifference, estimated_difference
from truerank.documents.error_rate import ErrorRateBin, error_rate, error_share
from truerank.documents.krcc import RankCorrelation, rank_correlation
from truerank.documents.measures import PlaceMeasure, place_measure
from truerank.documents.models import DocumentModel, document_model
from truerank.documents.models.continuous import lacks_spread
from truerank.documents.replicates import replicate_weights
from truerank.documents.samples import Samples, check_gradable, raw_scores, sample
from truerank.errors import InputError
from truerank.numerics.intervals import Interval, check_levels, quantile_interval
from truerank.numerics.paired_t import absolute_t_of_samples
from truerank.reliability.diagnostics import check_rankable
from truerank.scores import ScoreMatrix

if TYPE_CHECKING:
    import pandas as pd


SAMPLES = 10_000
"""B of error rate, ASL and ED (yang-2018 §4.2)."""

RANK_SAMPLES = 1_000
"""B of KRCC: the first of the samples."""


MISFIT = 0.1
"""Share of its raw mean by which a system's sampled mean may be off before it is worth a warning."""


@dataclass(frozen=True)
class SampledSystem:
    """One system's mean over topics, raw and sampled.

    Attributes:
        system: its name.
        mean: the raw mean.
        sampled_mean: mean over the samples; where it is off the raw one, the model is.
        sampled_sd: standard deviation over the samples.
        low: lower end of where a sample's mean falls.
        high: upper end.
    """

    system: str
    mean: float
    sampled_mean: float
    sampled_sd: float
    low: float
    high: float


@dataclass(frozen=True)
class DocumentSettings:
    """All that is needed to get the same digits again.

    Attributes:
        version: of truerank.
        seed: of everything random.
        samples: B of error rate, ASL and ED.
        rank_samples: B of KRCC.
        alpha: of the t tests and of ED.
        level: of all intervals.
    """

    version: str
    seed: int
    samples: int
    rank_samples: int
    alpha: float
    level: float


@dataclass(frozen=True, eq=False)
class DocumentAnalysis:
    """What another document collection of the same kind would do to a comparison of systems.

    Two kinds of interval go with it. An ``interval`` is Monte Carlo error: what a summary's digits
    are worth at this number of samples. A ``spread`` is about a single sample: where its value falls.

    Attributes:
        scores: the raw scores, columns in ranking order.
        model: name of the document model.
        error_rate: 21 bins of the sampled difference.
        error_spread: where a sample's share of pairs in the wrong order falls.
        error_share: that share's mean.
        krcc: the ranking's correlation with the raw one.
        asl: significance of the pairs, both readings.
        ed: the estimated difference.
        systems: one per system, best first.
        topic_means: n × m, mean sampled score of each topic, columns in ranking order.
        topic_deviations: n × m, its standard deviation over samples (the paper's Figure 1).
        decomposition: of the measure's variance; ``None`` unless asked for.
        warnings: what to know before quoting a number, one sentence each.
        settings: seed, samples and the like.
    """

    scores: ScoreMatrix
    model: str
    error_rate: tuple[ErrorRateBin, ...]
    error_share: float
    error_spread: Interval
    krcc: RankCorrelation
    asl: SignificanceLevels
    ed: EstimatedDifference
    systems: tuple[SampledSystem, ...]
    topic_means: Matrix
    topic_deviations: Matrix
    decomposition: Decomposition | None
    warnings: tuple[str, ...]
    settings: DocumentSettings

    @property
    def measure(self) -> str:
        """The measure's name."""
        return self.scores.measure

    @property
    def topic_error(self) -> float:
        """Mean absolute difference of a topic's mean sampled score from the raw one."""
        return float(np.abs(self.topic_means - self.scores.values).mean())

    def to_dict(self) -> dict[str, Any]:
        """The analysis as JSON-ready data, with the documented keys; ``None`` for what has no value."""
        from truerank.report.tables.documents import analysis_document

        return analysis_document(self)


def analyse(
    qrels: PathLike | pd.DataFrame | Mapping[Any, Mapping[Any, int]],
    runs: PathLike | Sequence[PathLike] | Mapping[str, Any],
    measure: str | Any = "AP",
    model: str | DocumentModel = "bst",
    *,
    relevance_level: int | None = None,
    names: str = "tag",
    samples: int = SAMPLES,
    rank_samples: int = RANK_SAMPLES,
    alpha: float = 0.05,
    level: float = 0.95,
    decomposition: int = DECOMPOSITION_SAMPLES,
    seed: int = 0,
    progress: Progress | None = None,
) -> DocumentAnalysis:
    """How much do ranking and significance move when the documents are sampled again?

    Args:
        qrels: a file in TREC's format, a data frame, or a dictionary topic → document → relevance.
        runs: files or folders in TREC's format, or a mapping from names to files, data frames or
            dictionaries.
        measure: AP, P@k, Rprec, RR, nDCG, nDCG@k, R@k …
        model: ``bst``, ``kde``, ``normexp`` or one that was registered.
        relevance_level: lowest grade that counts as relevant.
        names: whether a file's system is called by its ``tag`` or its ``file``.
        samples: B of error rate, ASL and ED.
        rank_samples: B of KRCC, no more than `samples`.
        alpha: of the t tests and of ED, in (0, 1).
        level: of all intervals, in (0, 1).
        decomposition: shared samples for the decomposition of variance; 0 leaves it out.
        seed: the same seed gives the same digits.
        progress: called with (done, total, label) as the work goes on.

    Returns:
        The analysis. O(B·Σ r) time; see :func:`truerank.documents.samples.sample` for memory.

    Raises:
        InputError: files that cannot be used, scores that cannot be ranked, a measure that places
            do not give, a graded measure under a model without grades, or an argument out of range.
        UnknownNameError: an unknown measure or model.

    Example:
        >>> qrels = {t: {f"d{i}": int(i % 3 == 0) for i in range(30)} for t in "abcde"}
        >>> def run(step):
        ...     return {t: {d: float(-i * step % (31 + k)) for i, d in enumerate(qrels[t])}
        ...             for k, t in enumerate(qrels)}
        >>> result = analyse(qrels, {"one": run(2), "two": run(5)}, samples=200, decomposition=0)
        >>> 0 <= result.krcc.mean <= 1
        True
    """
    collection = read_collection(qrels, runs, names=names, progress=progress)
    wanted = place_measure(measure, relevance_level)
    result = analyse_collection(
        collection,
        wanted,
        model,
        samples=samples,
        rank_samples=rank_samples,
        alpha=alpha,
        level=level,
        seed=seed,
        progress=progress,
    )
    if not decomposition:
        return result
    parts = decompose(collection, wanted, samples=decomposition, level=level, seed=seed, progress=progress)
    return replace(result, decomposition=parts)


def analyse_collection(
    collection: DocumentCollection,
    measure: PlaceMeasure,
    model: str | DocumentModel = "bst",
    *,
    samples: int = SAMPLES,
    rank_samples: int = RANK_SAMPLES,
    alpha: float = 0.05,
    level: float = 0.95,
    seed: int = 0,
    progress: Progress | None = None,
) -> DocumentAnalysis:
    """:func:`analyse` on a collection that was read, without the decomposition.

    Raises:
        InputError: as :func:`analyse`.
        UnknownNameError: an unknown model.
    """
    found = document_model(model)
    settings = DocumentSettings(__version__, seed, samples, min(rank_samples, samples), alpha, level)
    check_settings(settings)
    check_gradable(collection, measure, found)
    scores = raw_scores(collection, measure)
    check_rankable(scores)
    ranked = collection.select(scores.order)
    drawn = sample(ranked, measure, found, samples, seed, progress)
    return summarise(scores.ranked(), drawn, found, settings, model_notes(ranked, measure, found))


def summarise(
    scores: ScoreMatrix,
    samples: Samples,
    model: DocumentModel,
    settings: DocumentSettings,
    notes: Sequence[str] = (),
) -> DocumentAnalysis:
    """All summaries of samples that are there already.

    Args:
        scores: the raw scores, columns in ranking order.
        samples: drawn of the systems in that order.
        model: that they are drawn from.
        settings: of the analysis.
        notes: to go before the scores' own among the warnings.
    """
    level, alpha = settings.level, settings.alpha
    weights = replicate_weights(samples.count, stream(settings.seed, "documents", "replicates"))
    few = replicate_weights(settings.rank_samples, stream(settings.seed, "documents", "rank replicates"))
    raw_t = absolute_t_of_samples(scores.values[None])[0]
    shares = error_share(scores.means, samples.means)
    systems = _systems(scores, samples, level)
    return DocumentAnalysis(
        scores=scores,
        model=model.name,
        error_rate=error_rate(scores.means, samples.means, weights, level),
        error_share=float(shares.mean()),
        error_spread=quantile_interval(shares, level),
        krcc=rank_correlation(samples.means[: settings.rank_samples], few, level),
        asl=significance_levels(raw_t, samples.t, scores.n, alpha, weights, level),
        ed=estimated_difference(samples.means, samples.t, alpha, weights, level),
        systems=systems,
        topic_means=samples.topic_means,
        topic_deviations=np.sqrt(samples.topic_variances),
        decomposition=None,
        warnings=(*misfits(systems, model.name), *notes, *scores.notes),
        settings=settings,
    )


def model_notes(collection: DocumentCollection, measure: PlaceMeasure, model: DocumentModel) -> list[str]:
    """What the document model meets in these lists, one sentence each."""
    lists = [documents for row in collection.at_level(measure.level).lists for documents in row]
    total = len(lists)
    notes = []
    bare = sum(len(documents.relevant) == 0 for documents in lists)
    if bare:
        notes.append(
            f"{bare} of {total} lists (system and topic) without relevant documents; "
            "they score 0 in every sample"
        )
    full = sum(0 < len(documents.relevant) == documents.retrieved for documents in lists)
    if full:
        notes.append(f"{full} of {total} lists with nothing but relevant documents; so are their samples")
    longest = max(documents.retrieved for documents in lists)
    short = [
        system
        for system, row in zip(collection.systems, collection.lists, strict=True)
        if max(documents.retrieved for documents in row) < longest
    ]
    if short:
        notes.append(
            f"{len(short)} of {collection.m} runs never list as many documents as others ({longest}); "
            f"samples are as long as the list sampled ({', '.join(short[:3])}{', …' * (len(short) > 3)})"
        )
    if not model.draws_documents:
        poor = sum(lacks_spread(documents) for documents in lists if len(documents.relevant))
        if poor:
            notes.append(
                f"{poor} of {total} lists with fewer than two distinct scores among the relevant documents "
                f"or the others; these are drawn with replacement instead of by {model.name}"
            )
    return notes


def misfits(systems: Sequence[SampledSystem], model: str) -> list[str]:
    """A warning on the systems whose samples are far from their raw mean: there the model is wrong."""
    off = [s for s in systems if abs(s.sampled_mean - s.mean) > MISFIT * s.mean]
    if not off:
        return []
    listed = ", ".join(f"{s.system} {s.mean:.3f} → {s.sampled_mean:.3f}" for s in off[:3])
    return [
        f"the model {model} does not fit {len(off)} of {len(systems)} runs, whose sampled mean is off the "
        f"raw one by more than {MISFIT:.0%} ({listed}{', …' * (len(off) > 3)}); "
        "as happens where scores are only ranks"
    ]


def check_settings(settings: DocumentSettings) -> None:
    """Refuse settings out of range.

    Raises:
        InputError: which.
    """
    check_levels([settings.level])
    if not 0 < settings.alpha < 1:
        raise InputError(f"alpha must be between 0 and 1, not {settings.alpha:g}")
    if settings.samples < 2 or settings.rank_samples < 2:
        raise InputError("at least two samples are needed; thousands are better")


def _systems(scores: ScoreMatrix, samples: Samples, level: float) -> tuple[SampledSystem, ...]:
    low, high = np.quantile(samples.means, [(1 - level) / 2, (1 + level) / 2], axis=0)
    columns = (scores.means, samples.means.mean(axis=0), samples.means.std(axis=0, ddof=1), low, high)
    return tuple(
        SampledSystem(system, *(float(column[s]) for column in columns))
        for s, system in enumerate(scores.systems)
    )
