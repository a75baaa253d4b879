"""The package's summaries of document samples: KRCC, error rate, ASL and ED of yang-2018, and topic error."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
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
    WrittenAs,
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
from truerank.numerics.paired_t import critical_t
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


# ASL, algorithm 3: for a pair, the share of samples whose |t| exceeds t(1 − α/2, n − 1). The paper calls the
# pair different where ASL < 0.05, but a *high* share is what shows a difference. Both readings are given.

LOW, HIGH = 0.05, 0.95  # the paper's bound, and its mirror image
PAIRS_AT_A_TIME = 1 << 24  # significance of pairs in samples handled at a time (64 MB an array)


@dataclass(frozen=True, eq=False)
class SignificanceLevels(SummaryResult):
    """How much the significance of pairs varies.

    Attributes:
        below: share of pairs with ASL < 0.05, the paper's PCT.
        above: share of pairs with ASL ≥ 0.95, significant in nearly every sample.
        mean: mean ASL, the average share of pairs that are significant in a sample.
        raw_significant: share of pairs that are significant in the raw scores.
        of_pairs: each pair's ASL, in the order of ``np.triu_indices(m, 1)``.
        below_interval: Monte Carlo interval of `below`.
        above_interval: that of `above`.
        mean_interval: that of `mean`.
        spread: quantiles over the samples of the share of significant pairs.
    """

    below: Annotated[Fraction, WrittenAs(**{"pct_below_0.05": "below"})]
    above: Annotated[Fraction, WrittenAs(**{"pct_above_0.95": "above"})]
    mean: Fraction
    raw_significant: Fraction
    of_pairs: Unwritten[Matrix]
    below_interval: Unwritten[Interval]
    above_interval: Unwritten[Interval]
    mean_interval: Unwritten[Interval]
    spread: Unwritten[Interval]

    def numbers(self) -> tuple[SummaryNumber, ...]:
        """The paper's reading, the other one, and the shares of significant pairs to hold them against."""
        spread = Spread("significant", "significant pairs", self.spread)
        return (
            SummaryNumber(
                "pct_below_0.05", "PCT: pairs with ASL < 0.05", self.below, self.below_interval, column="pct"
            ),
            SummaryNumber(
                "pct_above_0.95", "Pairs with ASL ≥ 0.95", self.above, self.above_interval, column="asl_0.95"
            ),
            SummaryNumber(
                "mean", "Significant pairs: mean ASL", self.mean, self.mean_interval, spread, "mean_asl"
            ),
            SummaryNumber("raw_significant", "Significant pairs, here", self.raw_significant, column="raw"),
        )

    def value(self) -> SignificanceLevels:
        """Itself."""
        return self


def significance_levels(
    raw_t: Matrix, t: Matrix, topics: int, alpha: float, weights: Weights, level: float
) -> SignificanceLevels:
    """ASL of every pair, both readings, and their intervals."""
    limit = critical_t(alpha, topics)
    samples, pairs = t.shape
    levels = np.empty(pairs)
    replicated = np.zeros((3, len(weights)))
    step = max(1, PAIRS_AT_A_TIME // samples)
    for start in range(0, pairs, step):
        block = slice(start, start + step)
        significant = (t[:, block] > limit).astype(np.float32)
        levels[block] = np.count_nonzero(significant, axis=0) / samples
        # Whole numbers, which single precision holds exactly up to 2²⁴ samples.
        again = (weights @ significant).astype(np.float64) / samples
        replicated += np.stack([(again < LOW).sum(axis=1), (again >= HIGH).sum(axis=1), again.sum(axis=1)])
    below, above, mean = (quantile_interval(row / pairs, level) for row in replicated)
    return SignificanceLevels(
        below=float(np.mean(levels < LOW)),
        above=float(np.mean(levels >= HIGH)),
        mean=float(levels.mean()),
        raw_significant=float(np.mean(raw_t > limit)),
        of_pairs=levels,
        below_interval=below,
        above_interval=above,
        mean_interval=mean,
        spread=quantile_interval(np.mean(t > limit, axis=1), level),
    )


def _asl(given: SummarizedSamples) -> SignificanceLevels:
    """ASL of all pairs over all samples."""
    settings = given.settings
    return significance_levels(
        given.raw_t, given.samples.t, given.scores.n, settings.alpha, given.weights, settings.level
    )


# ED, algorithm 4 (after Sakai 2006): for each pair, the sampled difference |z̄ⁱ| at the ⌈αB⌉-th largest |t|;
# then the maximum over pairs.


@dataclass(frozen=True, eq=False)
class EstimatedDifference(SummaryResult):
    """ED, the maximum over pairs; the pair that it comes from, the better system first; and its interval.

    As the maximum of many noisy numbers, ED moves up when they are resampled, and its interval with it.
    """

    difference: float
    pair: tuple[int, int]
    of_pairs: Matrix
    interval: Interval
    systems: tuple[str, ...] = ()

    def numbers(self) -> tuple[SummaryNumber, ...]:
        """The difference."""
        return (SummaryNumber("ed", "ED: estimated difference", self.difference, self.interval, column="ed"),)

    def more(self) -> dict[str, Any]:
        """The two systems."""
        return {"ed_pair": list(self.systems)}


def estimated_difference(
    means: Matrix, t: Matrix, alpha: float, weights: Weights, level: float
) -> EstimatedDifference:
    """ED from B × m means and B × pairs |t|. O(m²·B log B)."""
    samples = len(t)
    # Rounding must not raise a whole α·B: 0.07 · 100 is 7.000000000000001.
    rank = max(1, math.ceil(alpha * samples - 1e-9))
    # A replicate's rank-th largest is among these samples, except once in 10⁹.
    reach = min(samples, rank + 10 + math.ceil(6 * math.sqrt(rank)))
    upper = np.triu_indices(means.shape[1], 1)
    of_pairs = np.empty(len(upper[0]))
    replicated = np.zeros(len(weights))
    for pair, (i, j) in enumerate(zip(*upper, strict=True)):
        gap = np.abs(means[:, i] - means[:, j])
        order = np.lexsort((-gap, -t[:, pair]))[:reach]
        of_pairs[pair] = gap[order[rank - 1]]
        taken = np.cumsum(weights[:, order], axis=1)
        place = np.minimum(np.count_nonzero(taken < rank, axis=1), reach - 1)
        np.maximum(replicated, gap[order[place]], out=replicated)
    largest = int(np.argmax(of_pairs))
    return EstimatedDifference(
        difference=float(of_pairs[largest]),
        pair=(int(upper[0][largest]), int(upper[1][largest])),
        of_pairs=of_pairs,
        interval=quantile_interval(replicated, level),
    )


def _ed(given: SummarizedSamples) -> EstimatedDifference:
    """ED over all samples, with the names of the two systems."""
    samples, settings = given.samples, given.settings
    result = estimated_difference(samples.means, samples.t, settings.alpha, given.weights, settings.level)
    return replace(result, systems=tuple(given.scores.systems[s] for s in result.pair))


def _topic_error(given: SummarizedSamples) -> SummaryNumbers:
    """Mean absolute difference of a topic's mean sampled score from the raw one. O(n·m)."""
    value = float(np.abs(given.samples.topic_means - given.scores.values).mean())
    return SummaryNumbers((SummaryNumber("topic_error", "|sampled − raw| of a topic", value, digits=4),))


KRCC = DocumentSummary("krcc", compute=_krcc, **ABOUT["krcc"])
ERROR_RATE = DocumentSummary("error_rate", compute=_error_rate, **ABOUT["error_rate"])
ASL = DocumentSummary("asl", compute=_asl, **ABOUT["asl"])
ED = DocumentSummary("ed", compute=_ed, **ABOUT["ed"])
TOPIC_ERROR = DocumentSummary("topic_error", compute=_topic_error, **ABOUT["topic_error"])
