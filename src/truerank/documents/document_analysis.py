"""The results of an analysis of document samples, and their JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Annotated, Any, TypeVar

from truerank._support.display import Shown
from truerank._support.notes import Note, Noted, Notes
from truerank._support.plain import plain
from truerank._support.registry import Explanation, explained
from truerank._support.tables import Column, Name, Number
from truerank._support.tables import Interval as Between
from truerank._support.types import Correlation, Inlined, Length, Level, Matrix, Whole
from truerank.documents.models import MODELS
from truerank.documents.samples import DocumentSettings
from truerank.documents.summaries import ErrorRateBin, ErrorRates, RankCorrelation
from truerank.documents.summary import SUMMARIES, Around, SummaryNumber, SummaryResult
from truerank.errors import InputError
from truerank.numerics.intervals import Ends
from truerank.scores import ScoreMatrix

R = TypeVar("R", bound=SummaryResult)


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


KNOWN = ("krcc", "error_rate", "topic_error")  # the package's summaries; others are plug-ins


@dataclass(frozen=True)
class MonteCarlo:
    """Monte Carlo error: how exact a summary is at this number of samples.

    Attributes:
        level: of the intervals, in (0, 1).
        krcc: of KRCC.
        error_rate: of the error rate, one per bin.
        plugged: of a summary of a plug-in.
    """

    level: Level
    krcc: Ends
    error_rate: tuple[Ends, ...]
    plugged: Annotated[dict[str, Any], Inlined()]


@dataclass(frozen=True)
class Spreads:
    """Intervals in which the values of a single sample fall, with their means.

    Attributes:
        level: of the intervals, in (0, 1).
        tau: τ with the raw ranking.
        wrong_order: share of pairs in a different order.
        plugged: of a summary of a plug-in.
    """

    level: Level
    tau: Around
    wrong_order: Around
    plugged: Annotated[dict[str, Around], Inlined()]


@dataclass(frozen=True)
class Explained:
    """Explanations of the model and of the summaries.

    Attributes:
        model: the document model; ``None`` if it is not known.
        krcc: the rank correlation.
        error_rate: the error rate.
        topic_error: the difference of a topic's score.
        plugged: a summary of a plug-in.
    """

    model: Explanation | None
    krcc: Explanation
    error_rate: Explanation
    topic_error: Explanation
    plugged: Annotated[dict[str, Explanation], Inlined()]


@dataclass(frozen=True)
class AnalysisDocument(Noted):
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
        plugged: a summary of a plug-in.
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
    plugged: Annotated[dict[str, Any], Inlined()]


@dataclass(frozen=True, eq=False, repr=False)
class DocumentAnalysis(Noted, Shown):
    """How another document collection of the same kind would change a comparison of systems.

    There are two kinds of intervals. An ``interval`` is Monte Carlo error: how exact a summary is at this
    number of samples. A ``spread`` is the interval in which the value of a single sample falls.

    Attributes:
        scores: the raw scores, columns in ranking order.
        model: name of the document model.
        summaries: the results of all summaries, by name, in the order of
            :data:`truerank.documents.SUMMARIES`.
        systems: one per system, best first.
        topic_means: n × m, mean sampled score of each topic, columns in ranking order.
        topic_deviations: n × m, its standard deviation over samples (the paper's Figure 1).
        notes: what to know before quoting a number.
        settings: seed, samples and the like.

    Example:
        >>> from truerank.documents import analyze
        >>> qrels = {t: {f"d{i}": int(i % 3 == 0) for i in range(9)} for t in "abc"}
        >>> runs = {s: {t: {f"d{i}": float(i * k % 7) for i in range(9)} for t in "abc"}
        ...         for k, s in enumerate(("one", "two"), start=2)}
        >>> result = analyze(qrels, runs, samples=50)
        >>> [system.system for system in result.systems], sorted(result.to_dict())[:2]
        (['one', 'two'], ['error_rate', 'explained'])
    """

    scores: ScoreMatrix
    model: str
    summaries: Mapping[str, SummaryResult]
    systems: tuple[SampledSystem, ...]
    topic_means: Matrix
    topic_deviations: Matrix
    notes: tuple[Note, ...]
    settings: DocumentSettings

    def __repr__(self) -> str:
        m, n = self.scores.m, self.scores.n
        return f"<DocumentAnalysis: {self.measure}, {m} systems, {n} topics, model {self.model}>"

    @property
    def measure(self) -> str:
        """The measure's name."""
        return self.scores.measure

    @property
    def numbers(self) -> tuple[SummaryNumber, ...]:
        """The numbers of all summaries, in order."""
        return tuple(number for result in self.summaries.values() for number in result.numbers())

    @property
    def error_rate(self) -> tuple[ErrorRateBin, ...]:
        """21 bins of the sampled difference."""
        return self._found(ErrorRates).bins

    @property
    def error_share(self) -> float:
        """Mean share of pairs in the wrong order in a sample."""
        return self._found(ErrorRates).share

    @property
    def krcc(self) -> RankCorrelation:
        """The ranking's correlation with the raw one."""
        return self._found(RankCorrelation)

    @property
    def topic_error(self) -> float:
        """Mean absolute difference of a topic's mean sampled score from the raw one."""
        return self.summaries["topic_error"].numbers()[0].value

    def _found(self, kind: type[R]) -> R:
        return next(result for result in self.summaries.values() if isinstance(result, kind))

    def to_dict(self) -> dict[str, Any]:
        """The analysis as JSON-ready data, with the documented keys; ``None`` for what has no value."""
        results, level = self.summaries, self.settings.level
        model = MODELS.get(self.model)
        values: dict[str, Any] = {name: result.value() for name, result in results.items()}
        intervals = {name: result.intervals() for name, result in results.items()}
        spreads = {
            number.spread.key: Around(number.value, *number.spread.interval)
            for number in self.numbers
            if number.spread is not None
        }
        document = AnalysisDocument(
            measure=self.measure,
            model=self.model,
            topics=self.scores.n,
            systems=self.scores.m,
            **_known(AnalysisDocument, values),
            intervals=MonteCarlo(
                level,
                **_known(MonteCarlo, {name: item for name, item in intervals.items() if item is not None}),
            ),
            spread=Spreads(level, **_known(Spreads, spreads)),
            ranking=self.systems,
            explained=Explained(
                None if model is None else explained(model),
                **_known(Explained, {name: explained(SUMMARIES[name]) for name in results}),
            ),
            notes=self.notes,
            settings=self.settings,
        )
        return plain(document)


def _known(kind: type, values: Mapping[str, Any]) -> dict[str, Any]:
    """Values as arguments of a class: its fields by their names, all others as `plugged`."""
    own = {item.name for item in fields(kind)}
    return {name: item for name, item in values.items() if name in own} | {
        "plugged": {name: item for name, item in values.items() if name not in own}
    }


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
        """The measure's name."""
        return self.analyses[0].measure

    def to_dict(self) -> dict[str, Any] | list[dict[str, Any]]:
        """The one analysis as JSON-ready data, or a list of several."""
        documents = [item.to_dict() for item in self.analyses]
        return documents[0] if len(documents) == 1 else documents
