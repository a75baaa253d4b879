"""Summaries of document samples: KRCC and error rate of yang-2018, and topic error."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from truerank._support.registry import Entry, explained_from
from truerank._support.types import Fraction, Matrix, Nullable, OrNaN, Unwritten, Vector, Whole
from truerank.coefficients import TAU
from truerank.numerics.intervals import Ends, Interval, quantile_interval, unit_interval
from truerank.numerics.resampling import bootstrap_counts
from truerank.reliability.swaps import count_swaps
from truerank.scores import TIE

# How often each bootstrap replicate has each sample: replicates × B, rows summing to B.
Weights = NDArray[np.float32]

REPLICATES = 400  # bootstrap replicates that a Monte Carlo interval is made of


@dataclass(frozen=True)
class DocumentSummary(Entry):
    """What a summary says of itself, and what its abbreviations stand for."""

    brief: str = ""


SUMMARIES = {name: DocumentSummary(name, **texts) for name, texts in explained_from(__file__).items()}


@dataclass(frozen=True)
class SummaryNumber:
    """One number of a summary, with what is needed to show it."""

    label: str  # what users read, at most 33 characters
    value: float
    interval: Interval | Ends | None = None  # Monte Carlo: what its digits are worth
    spread: Any = None  # an interval, where a single sample's value falls
    of_one: str = ""  # what that value is called
    column: str = ""  # in the tables of an experiment; empty where the paper's table lacks it


def replicate_weights(samples: int, rng: Generator, replicates: int = REPLICATES) -> Weights:
    """Bootstrap replicates of the samples: what the digits of a summary are worth."""
    return bootstrap_counts(samples, replicates, rng).astype(np.float32)


# KRCC, algorithm 2: the mean over samples of τ with the raw ranking. Systems that a sample ties are not
# swapped, and systems tied in the raw ranking keep their input order, as everywhere in truerank.


def sampled_tau(means: Matrix) -> Matrix:
    """τ of each sample with the raw ranking, length B; columns of `means` in that ranking. O(B·m²)."""
    return count_swaps(np.ascontiguousarray(means.T), -TIE).coefficient(TAU)


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
        interval: Monte Carlo interval of the error rate, Wilson's on the samples where it is 0 or 1; NaN ends
            where the bin is empty.
    """

    low: float
    high: OrNaN
    count: Whole
    errors: Unwritten[int]
    error_rate: Annotated[Fraction, Nullable()]
    interval: Unwritten[Interval]


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


def error_bins(counts: Counts, errors: Counts, weights: Weights, level: float) -> tuple[ErrorRateBin, ...]:
    """The error rates of the 21 bins with intervals from replicates of the samples.

    Where a rate is 0 or 1, resamples are all alike. Pairs of one sample depend on each other, so the interval
    is then Wilson's on the samples with pairs in the bin.
    """
    with np.errstate(invalid="ignore"):
        rates = errors.sum(axis=0) / counts.sum(axis=0)
        replicates = (weights @ errors.astype(np.float32)) / (weights @ counts.astype(np.float32))
    columns = (EDGES, np.append(EDGES[1:], np.inf), counts.sum(axis=0), errors.sum(axis=0), rates)
    bins = []
    of_bins = zip(*(column.tolist() for column in columns), strict=True)
    for place, (low, high, count, wrong, rate) in enumerate(of_bins):
        samples = int(np.count_nonzero(counts[:, place]))
        if samples == 0:
            interval = Interval(level, np.nan, np.nan, "quantile")
        elif rate in (0, 1):
            least, most = unit_interval(rates[place, None], np.zeros(1), samples, level)
            interval = Interval(level, float(least[0]), float(most[0]), "wilson")
        else:
            seen = replicates[np.isfinite(replicates[:, place]), place]
            interval = quantile_interval(seen.astype(np.float64), level)
        bins.append(ErrorRateBin(low, high, count, wrong, rate, interval))
    return tuple(bins)
