"""Every system against one of them: the difference, its interval and a verdict, by the one rule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from truerank._support.types import Matrix, Vector
from truerank.reliability.differences import Sizes, quantiles, sizes_by_t
from truerank.reliability.estimators import PairEstimator, TopicSample
from truerank.reliability.guarantee import Guarantee
from truerank.reliability.order import interval_level
from truerank.reliability.standings import Standings

Verdict = Literal["better", "can't tell", "worse"]

VERDICTS: tuple[Verdict, ...] = ("better", "can't tell", "worse")
"""What can be said of a system against another."""


@dataclass(frozen=True)
class Difference:
    """One system against another.

    Attributes:
        difference: its score minus the other's.
        low: lower end of the interval of the true difference, see :func:`against`; NaN where there is none.
        high: upper end.
        probability: that it is truly better; NaN where the two are identical.
        verdict: what the rule says of it.
    """

    difference: float
    low: float
    high: float
    probability: float
    verdict: Verdict


def against(
    sample: TopicSample,
    method: PairEstimator,
    stand: Standings,
    other: int,
    level: float,
    guaranteed: Guarantee | None = None,
) -> list[Difference]:
    """All systems against one of them, in ranking order, itself too.

    An interval is central, of level 2·level − 1, from the estimator's own posterior, so that its end towards 0
    is a bound of one-sided `level`: it leaves 0 out exactly where the rule says above. With the guarantee
    it holds for all pairs at once too.

    Args:
        sample: the means of the systems.
        method: the estimator of the probabilities.
        stand: where the systems stand: P(row above column), and the rule.
        other: rank (from 0) of the system that all are compared with.
        level: in (0, 1).
        guaranteed: the simultaneous intervals, with the guarantee.
    """
    above = stand.above
    low, high = _intervals(sample, method, stand.swapped, other, level)
    if guaranteed is not None:
        low = np.minimum(low, guaranteed.low[:, other])
        high = np.maximum(high, guaranteed.high[:, other])
    low = np.where(above[:, other], np.maximum(low, 0.0), low)
    high = np.where(above[other], np.minimum(high, 0.0), high)
    found = []
    for s in range(len(above)):
        verdict = VERDICTS[0] if above[s, other] else VERDICTS[2] if above[other, s] else VERDICTS[1]
        difference = float(sample.means.differences[s, other])
        found.append(
            Difference(difference, float(low[s]), float(high[s]), float(stand.probability[s, other]), verdict)
        )
    return found


def _intervals(
    sample: TopicSample, method: PairEstimator, probabilities: Matrix, other: int, level: float
) -> tuple[Vector, Vector]:
    """Ends of the intervals, row minus the other; NaN without influence rows."""
    means, m = sample.means, len(probabilities)
    low, high = np.zeros(m), np.zeros(m)
    if not means.linear:
        return np.full(m, np.nan), np.full(m, np.nan)
    rest = np.delete(np.arange(m), other)
    first, second = np.minimum(rest, other), np.maximum(rest, other)
    errors, swapped = means.deviations[first, second], probabilities[first, second]
    sizes = (method.sizes or _by_t)(sample, probabilities, first, second)
    tail = (1 - interval_level(level)) / 2
    ends = [quantiles(swapped, sizes, share) * errors for share in (tail, 1 - tail)]
    fixed = errors == 0  # the pair differs by the same on every topic
    ends = [np.where(fixed, means.differences[first, second], end) for end in ends]
    better = rest < other
    low[rest] = np.where(better, ends[0], -ends[1])
    high[rest] = np.where(better, ends[1], -ends[0])
    return low, high


def _by_t(
    sample: TopicSample, probabilities: Matrix, first: NDArray[np.intp], second: NDArray[np.intp]
) -> Sizes:
    """For an estimator that gives probabilities alone: a t distribution in the place that they say."""
    from scipy.special import stdtrit

    means = sample.means
    degrees, swapped = means.degrees[first, second], probabilities[first, second]
    errors = means.deviations[first, second]
    seen = np.divide(means.differences[first, second], errors, out=np.zeros_like(errors), where=errors > 0)
    inside = (swapped > 0) & (swapped < 1)
    centres = np.where(inside, -stdtrit(degrees, np.where(inside, swapped, 0.5)), seen)
    return sizes_by_t(centres, degrees)
