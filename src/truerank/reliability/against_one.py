"""Every system against one of them: the difference, its two-sided interval and p-value, and a verdict.

Where a gate can compare two systems, each row is what a gate with this one candidate says. Elsewhere it is by
the same rule from the means of the ranking: strengths of battles, a facet of two levels. Resamples decide
about ranks as scores, and the guarantee about all pairs together.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from truerank._support.types import Vector
from truerank.numerics import special
from truerank.reliability.estimators import TopicSample
from truerank.reliability.means import Question
from truerank.reliability.pair.contrast import Verdict, interval, p_value, verdict_in, verdict_of
from truerank.reliability.standings import Standings
from truerank.scores import TIE, ScoreMatrix

if TYPE_CHECKING:
    from truerank.reliability.guarantee import Guarantee


@dataclass(frozen=True)
class Difference:
    """One system against another: its score minus the other's, with its interval and two-sided p-value.

    Ends are NaN where nothing bounds the true difference; p is NaN where a gate refuses the pair.
    """

    difference: float
    low: float
    high: float
    p_value: float
    verdict: Verdict


def gates_decide(table: ScoreMatrix, aggregate: str, question: str, guarantee: bool) -> bool:
    """Whether a gate can compare two systems of this table for the same population as the ranking."""
    if not table.kind.by_cells or aggregate != "mean" or guarantee:
        return False
    if "," not in question:
        return True
    from truerank.reliability.pair.question import few_levels

    return table.complete and not few_levels(table, question)


def gate_of(table: ScoreMatrix, level: float, question: Question) -> Callable[[int, int, float], Difference]:
    """Compares one system with another as a gate of the two does; the third number is what was observed."""
    from truerank.reliability.pair.arms import arms_or_reason, largest_difference
    from truerank.reliability.pair.question import questions_of

    scores = replace(table, repeats=None, facets=None)  # differences of cell means have the noise of runs
    largest = largest_difference(table)

    def compare(s: int, other: int, observed: float) -> Difference:
        arms = "" if s == other else arms_or_reason(scores, table.systems[other], table.systems[s])
        if isinstance(arms, str):  # no results, or one score everywhere: a gate refuses them
            return Difference(observed, math.nan, math.nan, math.nan, "undecided")
        contrast = questions_of(arms, table, question, largest)[0].contrast
        ends = interval(contrast, level)
        low, high = (end if math.isfinite(end) else math.nan for end in ends)
        return Difference(contrast.estimate, low, high, p_value(contrast), verdict_in(*ends, 0.0))

    return compare


def by_means(
    sample: TopicSample,
    other: int,
    level: float,
    guaranteed: Guarantee | None = None,
    stand: Standings | None = None,
) -> list[Difference]:
    """All systems against one of them, in ranking order, itself too, from the means of the ranking."""
    means, side = sample.means, (1 + level) / 2
    differences: Vector = means.contrasts - means.contrasts[other]
    if not means.linear:
        resampled = sample.replicates - sample.replicates[other]
        low, high = np.quantile(resampled, [1 - side, side], axis=1)
        tails = np.minimum((resampled <= TIE).mean(axis=1), (resampled >= -TIE).mean(axis=1))
        p = np.minimum(2 * np.maximum(tails, 1 / resampled.shape[1]), 1.0)
    elif guaranteed is not None:
        low, high, p = guaranteed.low[:, other], guaranteed.high[:, other], guaranteed.p_values[:, other]
    else:
        errors, degrees = means.deviations[:, other], means.degrees[:, other]
        half = np.where(errors > 0, special.stdtrit(degrees, side) * errors, 0.0)
        low, high = differences - half, differences + half
        sizes = np.abs(differences)
        t = np.divide(sizes, errors, out=np.full(len(sizes), math.inf), where=errors > 0)
        p = np.where(sizes <= TIE, 1.0, 2 * special.stdtr(degrees, -t))
    verdicts = [verdict_in(*ends, 0.0) for ends in zip(low.tolist(), high.tolist(), strict=True)]
    if guaranteed is not None and stand is not None:
        # Step-down p-values decide, as in the ranking; they are sharper than the intervals.
        better, worse = stand.pairwise[:, other], stand.pairwise[other]
        low = np.where(better, np.maximum(low, 0.0), np.minimum(low, 0.0))
        high = np.where(worse, np.minimum(high, 0.0), np.maximum(high, 0.0))
        verdicts = [verdict_of(bool(b), False, bool(w)) for b, w in zip(better, worse, strict=True)]
    rows = zip(*(one.tolist() for one in (differences, low, high, p)), verdicts, strict=True)
    return [Difference(*row) for row in rows]
