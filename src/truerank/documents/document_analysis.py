"""What an analysis of document samples finds: frozen results, and the same as JSON-ready data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, TypeVar

from truerank._support.plain import plain
from truerank._support.registry import explained
from truerank._support.types import Matrix
from truerank.documents.decomposition import Decomposition
from truerank.documents.models import MODELS
from truerank.documents.settings import DocumentSettings
from truerank.documents.summaries import SUMMARIES, SummaryNumber, SummaryResult
from truerank.documents.summaries.asl import SignificanceLevels
from truerank.documents.summaries.ed import EstimatedDifference
from truerank.documents.summaries.error_rate import ErrorRateBin, ErrorRates
from truerank.documents.summaries.krcc import RankCorrelation
from truerank.documents.summaries.summary import ends
from truerank.numerics.intervals import Interval
from truerank.scores import ScoreMatrix

R = TypeVar("R", bound=SummaryResult)


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


@dataclass(frozen=True, eq=False)
class DocumentAnalysis:
    """What another document collection of the same kind would do to a comparison of systems.

    Two kinds of interval go with it. An ``interval`` is Monte Carlo error: what a summary's digits
    are worth at this number of samples. A ``spread`` is about a single sample: where its value falls.

    Attributes:
        scores: the raw scores, columns in ranking order.
        model: name of the document model.
        summaries: what every summary found, by the summary's name, in the order of
            :data:`truerank.documents.SUMMARIES`.
        systems: one per system, best first.
        topic_means: n × m, mean sampled score of each topic, columns in ranking order.
        topic_deviations: n × m, its standard deviation over samples (the paper's Figure 1).
        decomposition: of the measure's variance; ``None`` unless asked for.
        warnings: what to know before quoting a number, one sentence each.
        settings: seed, samples and the like.

    Example:
        >>> from truerank.documents import analyze
        >>> qrels = {t: {f"d{i}": int(i % 3 == 0) for i in range(9)} for t in "abc"}
        >>> runs = {s: {t: {f"d{i}": float(i * k % 7) for i in range(9)} for t in "abc"}
        ...         for k, s in enumerate(("one", "two"), start=2)}
        >>> result = analyze(qrels, runs, samples=50, decomposition=0)
        >>> [system.system for system in result.systems], sorted(result.to_dict())[:2]
        (['one', 'two'], ['asl', 'decomposition'])
    """

    scores: ScoreMatrix
    model: str
    summaries: Mapping[str, SummaryResult]
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
    def error_spread(self) -> Interval:
        """Where a sample's share of pairs in the wrong order falls."""
        return self._found(ErrorRates).spread

    @property
    def krcc(self) -> RankCorrelation:
        """The ranking's correlation with the raw one."""
        return self._found(RankCorrelation)

    @property
    def asl(self) -> SignificanceLevels:
        """Significance of the pairs, both readings."""
        return self._found(SignificanceLevels)

    @property
    def ed(self) -> EstimatedDifference:
        """The estimated difference."""
        return self._found(EstimatedDifference)

    @property
    def topic_error(self) -> float:
        """Mean absolute difference of a topic's mean sampled score from the raw one."""
        return self.summaries["topic_error"].numbers()[0].value

    def _found(self, kind: type[R]) -> R:
        return next(result for result in self.summaries.values() if isinstance(result, kind))

    def to_dict(self) -> dict[str, Any]:
        """The analysis as JSON-ready data, with the documented keys; ``None`` for what has no value."""
        found, level = self.summaries, self.settings.level
        model = MODELS.get(self.model)
        intervals = {name: result.intervals() for name, result in found.items()}
        spreads = {
            number.spread.key: {"mean": number.value, **ends(number.spread.interval)}
            for number in self.numbers
            if number.spread is not None
        }
        document: dict[str, Any] = {
            "measure": self.measure,
            "model": self.model,
            "topics": self.scores.n,
            "systems": self.scores.m,
            **{name: result.value() for name, result in found.items()},
            "intervals": {
                "level": level,
                **{name: shown for name, shown in intervals.items() if shown is not None},
            },
            "spread": {"level": level, **spreads},
        }
        for result in found.values():
            document |= result.more()
        document |= {
            "ranking": [asdict(system) for system in self.systems],
            "decomposition": None if self.decomposition is None else self.decomposition.to_dict(),
            "explained": {
                "model": None if model is None else explained(model),
                **{name: explained(SUMMARIES[name]) for name in found if name in SUMMARIES},
            },
            "warnings": self.warnings,
            "settings": asdict(self.settings),
        }
        return plain(document)
