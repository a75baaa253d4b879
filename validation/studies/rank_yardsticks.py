"""Published ways to sets of ranks and of best systems, for comparison: nothing else here uses them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from truerank._support.types import Matrix, Vector
from truerank.comparison.significance.corrections import correct
from truerank.numerics.max_t import blocks, step_down_p_values
from truerank.numerics.paired_t import paired_t, two_sided_p
from truerank.numerics.resampling import Counts, bootstrap_counts
from truerank.scores import TIE

Above = NDArray[np.bool_]  # m × m, whether the row's system is told to be above the column's


def simultaneous_order(statistics: Vector, null: Iterable[Matrix], level: float) -> Above:
    """Which pairs a step-down test of all differences puts in order (Mogstad and others 2024)."""
    both = np.concatenate([statistics, -statistics])
    p = step_down_p_values(both, (np.hstack([block, -block]) for block in null), own=0)
    k = len(statistics)
    m = round((1 + np.sqrt(1 + 8 * k)) / 2)
    upper = np.triu_indices(m, 1)
    above = np.zeros((m, m), dtype=bool)
    above[upper], above.T[upper] = p[:k] <= 1 - level, p[k:] <= 1 - level
    return above


def resampled_statistics(influences: Matrix, counts: Counts) -> Iterator[Matrix]:
    """t of resampled topics around the observed means: the bootstrap's t statistics. O(B·n·k).

    ``(d̄* − d̄) / (s*/√n)``. Where all influences of a resample are equal it is infinite, or 0 if they are
    the observed mean.
    """
    n, k = influences.shape
    centered = influences - influences.mean(axis=0)
    squares = centered**2
    for rows in blocks(len(counts), k):
        weights = counts[rows] / n
        means = weights @ centered
        second = weights @ squares
        variances = second - means**2
        variances[variances <= 1e-12 * second] = 0.0  # what is left is rounding
        with np.errstate(divide="ignore", invalid="ignore"):
            t = means / np.sqrt(variances / (n - 1))
        t[np.abs(means) <= TIE] = 0.0
        yield t


def bootstrap_order(values: Matrix, level: float, resamples: int, rng: Generator) -> Above:
    """The same from n × m scores by resampled topics, each resample studentized by its own variance."""
    first, second = np.triu_indices(values.shape[1], 1)
    counts = bootstrap_counts(len(values), resamples, rng)
    influences = values[:, first] - values[:, second]
    statistics = paired_t(values)[first, second]
    return simultaneous_order(statistics, resampled_statistics(influences, counts), level)


def holm_order(values: Matrix, level: float) -> Above:
    """Which pairs paired t tests with Holm's correction put in order, from n × m scores."""
    upper = np.triu_indices(values.shape[1], 1)
    t = paired_t(values)[upper]
    apart = correct(two_sided_p(t, len(values)), "holm") <= 1 - level
    above = np.zeros((values.shape[1],) * 2, dtype=bool)
    above[upper], above.T[upper] = apart & (t > 0), apart & (t < 0)
    return above


def ranks_allowed(above: Above) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Best and worst rank of each system that pairs in order allow."""
    return 1 + above.sum(axis=0), len(above) - above.sum(axis=1)


def model_confidence_set(values: Matrix, level: float, resamples: int, rng: Generator) -> NDArray[np.intp]:
    """The systems that may be the best by the range statistic of Hansen, Lunde & Nason (2011)."""
    means = values.mean(axis=0)
    drawn = bootstrap_counts(len(values), resamples, rng) @ values / len(values) - means
    spread = drawn[:, None, :] - drawn[:, :, None]
    deviations = np.sqrt((spread**2).mean(axis=0))
    deviations[deviations == 0] = np.inf
    spread /= deviations
    behind = (means[None, :] - means[:, None]) / deviations
    left = np.arange(len(means))
    while len(left) > 1:
        among = np.ix_(left, left)
        largest = behind[among].max()
        reached = spread[:, left][:, :, left].max(axis=(1, 2))
        if (largest < reached).mean() > 1 - level:
            break
        left = np.delete(left, behind[among].max(axis=1).argmax())
    return left
