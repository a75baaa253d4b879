"""ASL and ED of yang-2018: how the significance of pairs moves between samples of the documents."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from truerank._support.registry import Entry, explained_from
from truerank._support.seeds import stream
from truerank._support.types import Matrix
from truerank.documents import DocumentAnalysis
from truerank.documents.samples import Samples
from truerank.documents.summaries import SummaryNumber, Weights, replicate_weights
from truerank.numerics.intervals import quantile_interval
from truerank.numerics.pairs import absolute_t_of_samples, critical_t

_ABOUT = explained_from(__file__)
ASL, ED = (Entry(name, **_ABOUT[name]) for name in ("asl", "ed"))

# ASL, algorithm 3: for a pair, the share of samples whose |t| exceeds t(1 − α/2, n − 1). The paper calls the
# pair different where ASL < 0.05, but a *high* share is what shows a difference. Both readings are given.

LOW, HIGH = 0.05, 0.95  # the paper's bound, and its mirror image
PAIRS_AT_A_TIME = 1 << 24  # significance of pairs in samples handled at a time (64 MB an array)


def significance_levels(
    raw_t: Matrix, t: Matrix, topics: int, alpha: float, weights: Weights, level: float
) -> tuple[SummaryNumber, ...]:
    """ASL of every pair, both readings, from raw |t| and B × pairs sampled |t|."""
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
    moves = quantile_interval(np.mean(t > limit, axis=1), level)
    return (
        SummaryNumber("Pairs with ASL < 0.05", float(np.mean(levels < LOW)), below, column="pct"),
        SummaryNumber("Pairs with ASL ≥ 0.95", float(np.mean(levels >= HIGH)), above, column="asl_0.95"),
        SummaryNumber("Mean ASL", float(levels.mean()), mean, moves, "significant pairs", "mean_asl"),
        SummaryNumber("Significant pairs, here", float(np.mean(raw_t > limit)), column="raw"),
    )


# ED, algorithm 4 (after Sakai 2006): for each pair, the sampled difference |z̄ⁱ| at the ⌈αB⌉-th largest |t|;
# then the maximum over pairs.


def estimated_difference(
    means: Matrix, t: Matrix, alpha: float, weights: Weights, level: float
) -> SummaryNumber:
    """ED from B × m means and B × pairs |t|. O(m²·B log B).

    As the maximum of many noisy numbers, ED moves up when they are resampled, and its interval with it.
    """
    samples = len(t)
    # Rounding must not raise a whole α·B: 0.07 · 100 is 7.000000000000001.
    rank = max(1, math.ceil(alpha * samples - 1e-9))
    # A replicate's rank-th largest is among these samples, except once in 10⁹.
    reach = min(samples, rank + 10 + math.ceil(6 * math.sqrt(rank)))
    largest, replicated = 0.0, np.zeros(len(weights))
    for pair, (i, j) in enumerate(zip(*np.triu_indices(means.shape[1], 1), strict=True)):
        gap = np.abs(means[:, i] - means[:, j])
        order = np.lexsort((-gap, -t[:, pair]))[:reach]
        largest = max(largest, float(gap[order[rank - 1]]))
        taken = np.cumsum(weights[:, order], axis=1)
        place = np.minimum(np.count_nonzero(taken < rank, axis=1), reach - 1)
        np.maximum(replicated, gap[order[place]], out=replicated)
    interval = quantile_interval(replicated, level)
    return SummaryNumber("ED: estimated difference", largest, interval, column="ed")


def with_significance(a: DocumentAnalysis, samples: Samples, t: Matrix, alpha: float) -> DocumentAnalysis:
    """An analysis with ASL and ED beside the package's summaries; `t` has |t| of B samples × pairs."""
    rng, level = stream(a.settings.seed, "documents", "replicates"), a.settings.level
    weights = replicate_weights(samples.count, rng)
    raw_t = absolute_t_of_samples(a.scores.values[None])[0]
    levels = significance_levels(raw_t, t, a.scores.n, alpha, weights, level)
    return replace(a, more=(*levels, estimated_difference(samples.means, t, alpha, weights, level)))
