"""ASL: how often the difference of two systems is significant when documents are sampled.

Algorithm 3 of yang-2018: for a pair, the share of samples whose |t| exceeds t(1 − α/2, n − 1). The
paper calls the pair different where ASL < 0.05, which turns the algorithm round: a *high* share of
significant samples is what shows a difference. Both readings are given.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from truerank._support.types import Matrix
from truerank.documents.replicates import Weights
from truerank.numerics.intervals import Interval, quantile_interval
from truerank.numerics.paired_t import critical_t

LOW, HIGH = 0.05, 0.95
"""The paper's bound, and its mirror image."""

BLOCK_VALUES = 1 << 24


@dataclass(frozen=True, eq=False)
class SignificanceLevels:
    """How much significance moves.

    Attributes:
        below: share of pairs with ASL < 0.05; the paper's PCT.
        above: share of pairs with ASL ≥ 0.95: significant in nearly every sample.
        mean: mean ASL: the share of pairs that are significant in a sample, on average.
        raw_significant: share of pairs that are significant in the raw scores.
        of_pairs: each pair's ASL, in the order of ``np.triu_indices(m, 1)``.
        below_interval: Monte Carlo interval of `below`.
        above_interval: that of `above`.
        mean_interval: that of `mean`.
        spread: where a sample's share of significant pairs falls: quantiles over the samples.
    """

    below: float
    above: float
    mean: float
    raw_significant: float
    of_pairs: Matrix
    below_interval: Interval
    above_interval: Interval
    mean_interval: Interval
    spread: Interval


def significance_levels(
    raw_t: Matrix, t: Matrix, topics: int, alpha: float, weights: Weights, level: float
) -> SignificanceLevels:
    """ASL of every pair, both readings, and their intervals.

    Args:
        raw_t: each pair's |t| in the raw scores.
        t: B × pairs, |t| in the samples.
        topics: n.
        alpha: significance level of the t tests.
        weights: replicates × B.
        level: of the intervals.
    """
    limit = critical_t(alpha, topics)
    samples, pairs = t.shape
    levels = np.empty(pairs)
    replicated = np.empty((3, len(weights)))
    replicated[:] = 0.0
    step = max(1, BLOCK_VALUES // samples)
    for start in range(0, pairs, step):
        block = slice(start, start + step)
        significant = (t[:, block] > limit).astype(np.float32)
        levels[block] = np.count_nonzero(significant, axis=0) / samples
        # Whole numbers, exact in single precision up to 2²⁴ samples.
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
