"""ASL: how often the difference of two systems is significant when documents are sampled.

Algorithm 3 of yang-2018: for a pair, the share of samples whose |t| exceeds t(1 − α/2, n − 1). The paper
calls the pair different where ASL < 0.05, but a *high* share is what shows a difference. Both readings are
given.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from truerank._support.types import Fraction, Matrix, Unwritten, WrittenAs
from truerank.documents.summaries.summary import (
    ABOUT,
    DocumentSummary,
    Spread,
    SummarizedSamples,
    SummaryNumber,
    SummaryResult,
    Weights,
)
from truerank.numerics.intervals import Interval, quantile_interval
from truerank.numerics.paired_t import critical_t

LOW, HIGH = 0.05, 0.95  # the paper's bound, and its mirror image
BLOCK_VALUES = 1 << 24  # significance of pairs in samples handled at a time (64 MB an array)


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
    step = max(1, BLOCK_VALUES // samples)
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


def compute(given: SummarizedSamples) -> SignificanceLevels:
    """ASL of all pairs over all samples."""
    settings = given.settings
    return significance_levels(
        given.raw_t, given.samples.t, given.scores.n, settings.alpha, given.weights, settings.level
    )


ASL = DocumentSummary("asl", compute=compute, **ABOUT["asl"])
