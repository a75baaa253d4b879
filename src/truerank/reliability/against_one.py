"""Every system against one of them: the difference, its interval and a verdict, by the one rule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from truerank._support.types import Vector
from truerank.reliability.differences import Sizes, quantiles, sizes_by_t
from truerank.reliability.estimators import PairEstimator, TopicSample
from truerank.reliability.guarantee import Guarantee
from truerank.reliability.order import interval_level
from truerank.reliability.standings import Standings

Verdict = Literal["better", "not separated", "worse"]

VERDICTS: tuple[Verdict, ...] = ("better", "not separated", "worse")
"""What can be said of a system against another."""


@dataclass(frozen=True)
class Difference:
    """One system against another.

    Attributes:
        difference: its score minus the other's.
        shrunken: median of the true difference, by what the interval comes from.
        low: lower end of the interval of the true difference, see :func:`against`.
        high: upper end.
        probability: that it is truly better; NaN where the two are identical, or nothing gives it.
        verdict: what the rule says of it.
    """

    difference: float
    shrunken: float
    low: float
    high: float
    probability: float
    verdict: Verdict


def against(
    sample: TopicSample,
    method: PairEstimator | None,
    stand: Standings | None,
    other: int,
    level: float,
    guaranteed: Guarantee | None = None,
) -> list[Difference]:
    """All systems against one of them, in ranking order, itself too."""
    m = len(sample.means.theta)
    low, middle, high = _quantiles(sample, method, stand, other, level)
    if guaranteed is not None:
        low = np.minimum(low, guaranteed.low[:, other])
        high = np.maximum(high, guaranteed.high[:, other])
    if stand is None:
        better, worse, probability = low > 0, high < 0, np.full(m, np.nan)
    else:
        better, worse = stand.pairwise[:, other], stand.pairwise[other]
        probability = stand.probability[:, other]
        # The rule decides; the ends differ from it in a last digit, or where step-down gains on one step.
        low = np.where(better, np.maximum(low, 0.0), np.minimum(low, 0.0))
        high = np.where(worse, np.minimum(high, 0.0), np.maximum(high, 0.0))
    found = []
    for s in range(m):
        verdict = VERDICTS[0] if better[s] else VERDICTS[2] if worse[s] else VERDICTS[1]
        difference = float(sample.means.differences[s, other])
        ends = float(middle[s]), float(low[s]), float(high[s])
        found.append(Difference(difference, *ends, float(probability[s]), verdict))
    return found


def _quantiles(
    sample: TopicSample,
    method: PairEstimator | None,
    stand: Standings | None,
    other: int,
    level: float,
) -> tuple[Vector, Vector, Vector]:
    """Lower ends, medians and upper ends, row minus the other."""
    means, m = sample.means, len(sample.means.theta)
    tail = (1 - interval_level(level)) / 2
    low, middle, high = np.zeros(m), np.zeros(m), np.zeros(m)
    if not means.linear:
        resampled = sample.replicates - sample.replicates[other]
        low, middle, high = np.quantile(resampled, [tail, 0.5, 1 - tail], axis=1)
        return low, middle, high
    rest = np.delete(np.arange(m), other)
    first, second = np.minimum(rest, other), np.maximum(rest, other)
    errors = means.deviations[first, second]
    swapped = _by_t_statistic(sample, first, second) if stand is None else stand.swapped[first, second]
    if method is None or method.sizes is None:
        sizes = _by_t(sample, swapped, first, second)
    else:
        sizes = method.sizes(sample, first, second)
    ends = [quantiles(swapped, sizes, share) * errors for share in (tail, 0.5, 1 - tail)]
    fixed = errors == 0  # the pair differs by the same on every topic
    ends = [np.where(fixed, means.differences[first, second], end) for end in ends]
    ahead = rest < other
    low[rest] = np.where(ahead, ends[0], -ends[2])
    middle[rest] = np.where(ahead, ends[1], -ends[1])
    high[rest] = np.where(ahead, ends[2], -ends[0])
    return low, middle, high


def _statistics(sample: TopicSample, first: NDArray[np.intp], second: NDArray[np.intp]) -> Vector:
    """Differences of pairs in their standard errors; 0 where they are the same on every topic."""
    errors, differences = sample.means.deviations[first, second], sample.means.differences[first, second]
    return np.divide(differences, errors, out=np.zeros_like(errors), where=errors > 0)


def _by_t_statistic(sample: TopicSample, first: NDArray[np.intp], second: NDArray[np.intp]) -> Vector:
    """One-sided p-values of the paired t statistics."""
    from scipy.special import stdtr

    return stdtr(sample.means.degrees[first, second], -_statistics(sample, first, second))


def _by_t(sample: TopicSample, swapped: Vector, first: NDArray[np.intp], second: NDArray[np.intp]) -> Sizes:
    """For an estimator that gives probabilities alone: a t distribution in the place that they say."""
    from scipy.special import stdtrit

    degrees = sample.means.degrees[first, second]
    inside = (swapped > 0) & (swapped < 1)
    placed = -stdtrit(degrees, np.where(inside, swapped, 0.5))
    return sizes_by_t(np.where(inside, placed, _statistics(sample, first, second)), degrees)
