"""Summaries of document samples: their class, their input and their results; and the summaries by name."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from truerank._support.registry import Entry, Registry, explained_from
from truerank._support.seeds import stream
from truerank._support.types import OrNaN
from truerank.documents.samples import DocumentSettings, Samples
from truerank.numerics.intervals import Ends, Interval
from truerank.numerics.resampling import bootstrap_counts
from truerank.scores import ScoreMatrix

# How often each bootstrap replicate has each sample: replicates × B, rows summing to B.
Weights = NDArray[np.float32]

REPLICATES = 400  # bootstrap replicates that a Monte Carlo interval is made of
ABOUT = explained_from(__file__)  # texts of the summaries, by name


@dataclass(frozen=True, eq=False)
class SummarizedSamples:
    """The input of a summary.

    Attributes:
        scores: the raw scores, n topics × m systems, columns in ranking order.
        samples: B samples of the documents, systems in the same order.
        settings: B, the level of intervals and the seed.

    Example:
        >>> import numpy as np
        >>> scores = ScoreMatrix.build([[0.5, 0.25], [0.75, 0.5], [0.5, 0.5]])
        >>> drawn = Samples(np.array([[0.6, 0.4], [0.4, 0.5]]), scores.values, scores.values)
        >>> given = SummarizedSamples(scores, drawn, DocumentSettings("", 0, 2, 2, 0.95))
        >>> given.weights.shape
        (400, 2)
    """

    scores: ScoreMatrix
    samples: Samples
    settings: DocumentSettings

    @cached_property
    def weights(self) -> Weights:
        """Bootstrap replicates of all samples: replicates × B, the same for every summary."""
        return replicate_weights(self.samples.count, stream(self.settings.seed, "documents", "replicates"))

    @cached_property
    def rank_weights(self) -> Weights:
        """Bootstrap replicates of the first samples, those that the ranking is compared in."""
        rng = stream(self.settings.seed, "documents", "rank replicates")
        return replicate_weights(self.settings.rank_samples, rng)


@dataclass(frozen=True)
class Spread:
    """The interval in which the value of a single sample falls.

    Attributes:
        key: in the JSON.
        label: of that value, a few words.
        interval: quantiles over the samples.

    Example:
        >>> Spread("tau", "τ with the raw ranking", Interval(0.95, 0.8, 1.0, "quantile")).interval.low
        0.8
    """

    key: str
    label: str
    interval: Interval


@dataclass(frozen=True)
class SummaryNumber:
    """One number of a summary, with what is needed to show it.

    Attributes:
        key: in the JSON, where the summary has several numbers.
        label: what users read, at most 33 characters.
        value: the number; NaN where it has none.
        interval: its Monte Carlo interval: what its digits are worth; ``None`` where it has none.
        spread: where a single sample's value falls; ``None`` where a sample has none.
        column: its column in the tables of an experiment; empty where the paper's table lacks it.
        digits: after the point, in the terminal.

    Example:
        >>> SummaryNumber("winner", "The best stays the best", 0.75, column="winner").value
        0.75
    """

    key: str
    label: str
    value: float
    interval: Interval | None = None
    spread: Spread | None = None
    column: str = ""
    digits: int = 3


class SummaryResult(ABC):
    """The result of a summary. Only :meth:`numbers` must be written; the others follow from it.

    Example:
        >>> both = SummaryNumbers((SummaryNumber("low", "Least", 0.1), SummaryNumber("high", "Most", 0.9)))
        >>> both.value(), both.intervals()
        ({'low': 0.1, 'high': 0.9}, None)
    """

    @abstractmethod
    def numbers(self) -> tuple[SummaryNumber, ...]:
        """Its numbers, one at least; the first leads."""

    def value(self) -> Any:
        """The JSON under the summary's name: its number, or key → number where there are several."""
        numbers = self.numbers()
        if len(numbers) == 1:
            return numbers[0].value
        return {number.key: number.value for number in numbers}

    def intervals(self) -> Any:
        """The Monte Carlo intervals in the same shape, low and high in place of numbers; or ``None``."""
        result = {number.key: Ends(*number.interval) for number in self.numbers() if number.interval}
        return next(iter(result.values()), None) if len(self.numbers()) == 1 else result or None


@dataclass(frozen=True)
class SummaryNumbers(SummaryResult):
    """A result that consists of its numbers.

    Attributes:
        found: them, one at least.

    Example:
        >>> SummaryNumbers((SummaryNumber("winner", "The best stays the best", 0.75),)).value()
        0.75
    """

    found: tuple[SummaryNumber, ...]

    def numbers(self) -> tuple[SummaryNumber, ...]:
        """As they are."""
        return self.found


@dataclass(frozen=True)
class DocumentSummary(Entry):
    """A summary of document samples, with what it says of itself.

    Attributes:
        compute: from raw scores and samples to its result.
        brief: what its abbreviations stand for, one plain sentence, said where its numbers are.

    Example:
        >>> from truerank.documents import SUMMARIES
        >>> SUMMARIES["krcc"].label, SUMMARIES["krcc"].references
        ('KRCC: rank correlation', ('yang-2018', 'kendall-1938'))
    """

    compute: Callable[[SummarizedSamples], SummaryResult]
    brief: str = ""


SUMMARIES: Registry[DocumentSummary] = Registry(
    "document summary",
    homes={"documents.summaries": "krcc error_rate topic_error"},
)
"""The summaries of document samples by name.

Example:
    >>> from truerank.documents import SUMMARIES
    >>> list(SUMMARIES)
    ['krcc', 'error_rate', 'topic_error']
"""
register_summary = SUMMARIES.register
"""Make a summary known by its name, to :func:`truerank.documents.analyze` and the command line.

Example:
    >>> from truerank.documents import SUMMARIES, register_summary
    >>> register_summary(SUMMARIES["krcc"])
    Traceback (most recent call last):
    truerank.errors.InputError: document summary 'krcc' exists already; choose another name
"""


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


def replicate_weights(samples: int, rng: Generator, replicates: int = REPLICATES) -> Weights:
    """Bootstrap replicates of the samples: what the digits of a summary are worth."""
    return bootstrap_counts(samples, replicates, rng).astype(np.float32)
