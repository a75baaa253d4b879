"""The package's summaries of document samples: KRCC and error rate of yang-2018, and topic error."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from truerank._support.types import (
    Fraction,
    Matrix,
    Nullable,
    OrNaN,
    Unwritten,
    Vector,
    Whole,
)
from truerank.coefficients import TAU
from truerank.documents.summary import (
    ABOUT,
    DocumentSummary,
    Spread,
    SummarizedSamples,
    SummaryNumber,
    SummaryNumbers,
    SummaryResult,
    Weights,
)
from truerank.numerics.intervals import Ends, Interval, quantile_interval
from truerank.reliability.swaps import count_swaps
from truerank.scores import TIE

# KRCC, algorithm 2: the mean over samples of τ with the raw ranking. Systems that a sample ties are not
# swapped, and systems tied in the raw ranking keep their input order, as everywhere in truerank.


@dataclass(frozen=True)
class RankCorrelation(SummaryResult):
    """KRCC, the mean τ over samples, with its Monte Carlo interval and where τ itself falls."""

    mean: float
    samples: int
    interval: Interval
    spread: Interval

    def numbers(self) -> tuple[SummaryNumber, ...]:
        """The mean."""
        spread = Spread("tau", "τ with the raw ranking", self.spread)
        return (SummaryNumber("krcc", "KRCC: mean τ", self.mean, self.interval, spread, "krcc"),)


def sampled_tau(means: Matrix) -> Matrix:
    """τ of each sample with the raw ranking, length B; columns of `means` in that ranking. O(B·m²)."""
    return count_swaps(np.ascontiguousarray(means.T), -TIE).coefficient(TAU)


def rank_correlation(means: Matrix, weights: Weights, level: float) -> RankCorrelation:
    """KRCC from B × m means, columns in raw ranking order, and replicates of the samples."""
    tau = sampled_tau(means)
    replicates = (weights @ tau / len(tau)).astype(np.float64)
    return RankCorrelation(
        mean=float(tau.mean()),
        samples=len(tau),
        interval=quantile_interval(replicates, level),
        spread=quantile_interval(tau, level),
    )


def _krcc(given: SummarizedSamples) -> RankCorrelation:
    """KRCC of the first samples."""
    settings = given.settings
    return rank_correlation(given.samples.means[: settings.rank_samples], given.rank_weights, settings.level)


# Error rate, algorithm 1 (after Voorhees & Buckley 2002). Over pairs of systems and samples i an error is
# d·dⁱ < 0, of the raw difference d and the sampled one dⁱ. Counts go by |dⁱ| into 21 bins.

Counts = NDArray[np.int64]

EDGES = np.arange(21) / 100  # lower ends of the bins (0, 0.01), [0.01, 0.02), …, [0.20, ∞)
BLOCK_VALUES = 1 << 21  # differences of pairs handled at a time (16 MB an array)


@dataclass(frozen=True)
class ErrorRateBin:
    """One bin of |dⁱ|.

    Attributes:
        low: lower end, included except for 0.
        high: upper end, not included; infinite for the last.
        count: pairs and samples in the bin.
        errors: those whose sign differs from that of the raw difference.
        error_rate: errors / count; NaN where the bin is empty.
        interval: Monte Carlo interval of the error rate; NaN ends where the bin is empty.
    """

    low: float
    high: OrNaN
    count: Whole
    errors: Unwritten[int]
    error_rate: Annotated[Fraction, Nullable()]
    interval: Unwritten[Interval]


@dataclass(frozen=True)
class ErrorRates(SummaryResult):
    """How often pairs are in the wrong order: by bin, on average, and where a sample's share falls."""

    bins: tuple[ErrorRateBin, ...]
    share: float
    spread: Interval

    def numbers(self) -> tuple[SummaryNumber, ...]:
        """The share; the bins are a table and a figure of their own."""
        spread = Spread("wrong_order", "pairs in the wrong order", self.spread)
        return (SummaryNumber("wrong_order", "Pairs in another order", self.share, spread=spread),)

    def value(self) -> Any:
        """The bins."""
        return self.bins

    def intervals(self) -> Any:
        """Those of the bins."""
        return [Ends(*b.interval) for b in self.bins]


def count_errors(raw_means: Vector, means: Matrix) -> tuple[Counts, Counts]:
    """Pairs and errors per sample and bin; a difference of 0 counts nowhere, a raw tie has no errors."""
    first, second = np.triu_indices(len(raw_means), 1)
    raw = raw_means[first] - raw_means[second]
    sign = np.where(np.abs(raw) <= TIE, 0.0, np.sign(raw))
    counts, errors = (np.zeros((len(means), len(EDGES)), dtype=np.int64) for _ in range(2))
    step = max(1, BLOCK_VALUES // len(first))
    for start in range(0, len(means), step):
        block = means[start : start + step]
        difference = block[:, first] - block[:, second]
        size = np.abs(difference)
        # A difference just below an edge by rounding belongs to the bin above.
        place = np.searchsorted(EDGES, size + TIE, side="right") - 1
        place += len(EDGES) * np.arange(len(block))[:, None]
        apart = size > TIE
        wrong = apart & (difference * sign < 0)
        for table, chosen in ((counts, apart), (errors, wrong)):
            result = np.bincount(place[chosen], minlength=len(block) * len(EDGES))
            table[start : start + step] = result.reshape(len(block), len(EDGES))
    return counts, errors


def error_rates(raw_means: Vector, means: Matrix, weights: Weights, level: float) -> ErrorRates:
    """The error rates of the 21 bins with intervals from replicates of the samples, and the mean share."""
    counts, errors = count_errors(raw_means, means)
    m = len(raw_means)
    shares = errors.sum(axis=1) / (m * (m - 1) / 2)
    return ErrorRates(
        _bins(counts, errors, weights, level), float(shares.mean()), quantile_interval(shares, level)
    )


def _bins(counts: Counts, errors: Counts, weights: Weights, level: float) -> tuple[ErrorRateBin, ...]:
    with np.errstate(invalid="ignore"):
        rates = errors.sum(axis=0) / counts.sum(axis=0)
        replicates = (weights @ errors.astype(np.float32)) / (weights @ counts.astype(np.float32))
    bins = []
    for b, low in enumerate(EDGES):
        seen = replicates[:, b][np.isfinite(replicates[:, b])].astype(np.float64)
        nothing = Interval(level, np.nan, np.nan, "quantile")
        bins.append(
            ErrorRateBin(
                low=float(low),
                high=float(EDGES[b + 1]) if b + 1 < len(EDGES) else np.inf,
                count=int(counts[:, b].sum()),
                errors=int(errors[:, b].sum()),
                error_rate=float(rates[b]),
                interval=quantile_interval(seen, level) if len(seen) else nothing,
            )
        )
    return tuple(bins)


def _error_rate(given: SummarizedSamples) -> ErrorRates:
    """The error rates of all samples."""
    return error_rates(given.scores.means, given.samples.means, given.weights, given.settings.level)


def _topic_error(given: SummarizedSamples) -> SummaryNumbers:
    """Mean absolute difference of a topic's mean sampled score from the raw one. O(n·m)."""
    value = float(np.abs(given.samples.topic_means - given.scores.values).mean())
    return SummaryNumbers((SummaryNumber("topic_error", "|sampled − raw| of a topic", value, digits=4),))


KRCC = DocumentSummary("krcc", compute=_krcc, **ABOUT["krcc"])
ERROR_RATE = DocumentSummary("error_rate", compute=_error_rate, **ABOUT["error_rate"])
TOPIC_ERROR = DocumentSummary("topic_error", compute=_topic_error, **ABOUT["topic_error"])
