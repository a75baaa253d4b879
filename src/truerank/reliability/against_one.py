"""Every system against one of them: the difference, its interval and a verdict.

Where a gate can compare two systems, each row is what a gate with this one candidate says. Elsewhere the rule
of the ranking decides: strengths of battles, levels of a facet, ranks as scores, the guarantee for all pairs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from truerank._support.types import Vector
from truerank.errors import InputError
from truerank.numerics import special
from truerank.reliability.differences import quantiles, sizes_by_t
from truerank.reliability.estimators import PairEstimator, TopicSample
from truerank.reliability.means import Question
from truerank.reliability.order import interval_level
from truerank.reliability.pair.contrast import Verdict, stated, verdict_of
from truerank.reliability.standings import Standings
from truerank.scores import ScoreMatrix

if TYPE_CHECKING:
    from truerank.reliability.guarantee import Guarantee


@dataclass(frozen=True)
class Difference:
    """One system against another: its score minus the other's, and the probability that it is truly better.

    Ends are NaN where nothing bounds the true difference, and so is the probability of identical systems.
    """

    difference: float
    low: float
    high: float
    probability: float
    verdict: Verdict


def gates_decide(table: ScoreMatrix, aggregate: str, question: str, guarantee: bool) -> bool:
    """Whether a gate can compare two systems of this table for the same population as the ranking."""
    if not table.kind.by_cells or aggregate != "mean" or guarantee:
        return False
    if "," not in question:
        return True
    from truerank.reliability.pair.question import few_levels

    return table.complete and not few_levels(table, question)


def by_gates(
    table: ScoreMatrix, observed: Vector, other: int, level: float, question: Question, seed: int
) -> list[Difference]:
    """All systems against one of them, in the table's order, each as a gate of the two says it."""
    from truerank.reliability.pair.arms import arms_of, is_copy, largest_difference
    from truerank.reliability.pair.family import judged_questions
    from truerank.reliability.pair.question import questions_of

    level = max(level, 0.5)
    scores = replace(table, repeats=None, facets=None)  # differences of cell means have the noise of runs
    largest = largest_difference(table)
    found = []
    for s, name in enumerate(table.systems):
        try:
            arms = arms_of(scores, table.systems[other], name) if s != other else None
        except InputError:  # no results, or one score everywhere: a gate refuses them
            arms = None
        if arms is None or is_copy(arms):
            found.append(Difference(float(observed[s]), math.nan, math.nan, math.nan, "undecided"))
            continue
        asked = questions_of(arms, table, question, largest)
        contrast, (_, judged) = asked[0].contrast, judged_questions(asked, 0.0, level, seed)
        said = stated(contrast, 0.0, level, judged.of(0), judged.levels)
        low, high = (end if math.isfinite(end) else math.nan for end in (said.low, said.high))
        found.append(Difference(contrast.estimate, low, high, 1 - judged.of(0)[0], said.verdict))
    return found


def against(
    sample: TopicSample,
    method: PairEstimator | None,
    stand: Standings | None,
    other: int,
    level: float,
    guaranteed: Guarantee | None = None,
) -> list[Difference]:
    """All systems against one of them, in ranking order, itself too, by the rule of the ranking."""
    m = len(sample.means.theta)
    low, high = _quantiles(sample, method, stand, other, level)
    if guaranteed is not None:
        low = np.minimum(low, guaranteed.low[:, other])
        high = np.maximum(high, guaranteed.high[:, other])
    if stand is None:
        better, worse, probability = low > 0, high < 0, np.full(m, np.nan)
    else:
        better, worse = stand.pairwise[:, other], stand.pairwise[other]
        probability = stand.probability_above(other)
        # The rule decides; bounds may differ from it in the last digit, or where step-down is sharper.
        low = np.where(better, np.maximum(low, 0.0), np.minimum(low, 0.0))
        high = np.where(worse, np.minimum(high, 0.0), np.maximum(high, 0.0))
    found = []
    for s in range(m):
        verdict = verdict_of(bool(better[s]), False, bool(worse[s]))
        difference = float(sample.means.contrasts[s] - sample.means.contrasts[other])
        found.append(Difference(difference, float(low[s]), float(high[s]), float(probability[s]), verdict))
    return found


def _quantiles(
    sample: TopicSample,
    method: PairEstimator | None,
    stand: Standings | None,
    other: int,
    level: float,
) -> tuple[Vector, Vector]:
    """Lower and upper ends, row minus the other."""
    means, m = sample.means, len(sample.means.theta)
    tail = (1 - interval_level(level)) / 2
    low, high = np.zeros(m), np.zeros(m)
    if not means.linear:
        resampled = sample.replicates - sample.replicates[other]
        low, high = np.quantile(resampled, [tail, 1 - tail], axis=1)
        return low, high
    rest = np.delete(np.arange(m), other)
    first, second = np.minimum(rest, other), np.maximum(rest, other)
    errors, degrees = means.deviations[first, second], means.degrees[first, second]
    differences = means.contrasts[first] - means.contrasts[second]
    t = np.divide(differences, errors, out=np.zeros_like(errors), where=errors > 0)
    swapped = special.stdtr(degrees, -t) if stand is None else stand.swapped[first, second]
    if method is None or method.sizes is None:  # a t distribution located to match the probabilities
        inside = (swapped > 0) & (swapped < 1)
        placed = -special.stdtrit(degrees, np.where(inside, swapped, 0.5))
        sizes = sizes_by_t(np.where(inside, placed, t), degrees)
    else:
        sizes = method.sizes(sample, first, second)
    ends = [quantiles(swapped, sizes, share) * errors for share in (tail, 1 - tail)]
    fixed = errors == 0  # the pair differs by the same on every topic
    ends = [np.where(fixed, differences, end) for end in ends]
    ahead = rest < other
    low[rest] = np.where(ahead, ends[0], -ends[1])
    high[rest] = np.where(ahead, ends[1], -ends[0])
    return low, high
