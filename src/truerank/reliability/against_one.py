"""Every system against one of them, and each new record against the one before (docs/methods/records.md)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated

import numpy as np

from truerank._support.notes import Note
from truerank._support.tables import Bounded, Column, Count, Name, Number, PValue, Text, Word
from truerank._support.types import Fraction, Level, OrNaN, Unwritten, Vector, Whole
from truerank.errors import InputError
from truerank.numerics import special
from truerank.numerics.resampling import holm
from truerank.reliability.estimators import TopicSample
from truerank.reliability.pair.contrast import (
    Rule,
    Verdict,
    interval,
    p_value,
    rule_of,
    verdict_in,
    verdict_of,
)
from truerank.reliability.settings import Settings
from truerank.scores import TIE, ScoreMatrix

if TYPE_CHECKING:
    from truerank.reliability.standings import Guarantee, Standings


@dataclass(frozen=True)
class BaselineDifference:
    """One system against the baseline.

    Attributes:
        system: name of the system.
        difference: its mean minus the baseline's, as observed.
        low: lower end of the two-sided interval of the true difference; null where nothing bounds it.
        high: upper end of it; null in the same cases.
        p_value: two-sided, of no difference, by the same rule as the interval; null where a gate refuses the
            pair. Adjusted for all pairs with the guarantee, else for none.
        verdict: ``better``, ``fail`` (worse) or ``undecided``, as the interval leaves 0 out above, below or
            not at all: that of ``truerank gate`` with this one candidate.
        rule: what the interval comes from: ``t``, or ``exact`` as in a gate.
    """

    system: Annotated[str, Column("System", Name())]
    difference: Annotated[
        float, Column("Difference ({interval})", Bounded(low="low", high="high", digits=4, sign=True))
    ]
    low: OrNaN
    high: OrNaN
    p_value: Annotated[OrNaN, Column("p", PValue())]
    verdict: Annotated[
        Verdict, Column("Verdict", Word(shown={"undecided": "inconclusive", "fail": "worse"}))
    ] = "undecided"
    rule: Unwritten[Rule] = "t"


def gates_decide(table: ScoreMatrix, settings: Settings) -> bool:
    """Whether a gate can compare two systems of this table for the same population as the ranking."""
    if not table.kind.by_cells or settings.aggregate != "mean" or settings.guarantee:
        return False
    if "," not in settings.generalize_to:
        return True
    from truerank.reliability.pair.comparing import few_levels

    return table.complete and not few_levels(table, settings.generalize_to)


Compare = Callable[[int, int], BaselineDifference]
"""Compares the first system with the second."""


def comparison(
    scores: ScoreMatrix,
    sample: TopicSample,
    settings: Settings,
    guaranteed: Guarantee | None,
    stand: Standings | None,
) -> Compare:
    """Compares one system with another: as a gate of the two where one can, else by the means of all."""
    level = settings.levels[0]
    if not gates_decide(scores, settings):
        rows = cache(lambda other: by_means(sample, scores.systems, other, level, guaranteed, stand))
        return lambda s, other: rows(other)[s]
    from truerank.reliability.pair.comparing import largest_difference, pair_scores, pairs_of

    observed, largest = sample.means.contrasts, largest_difference(scores)

    def compare(s: int, other: int) -> BaselineDifference:
        name = scores.systems[s]
        pair = "" if s == other else pair_scores(scores, scores.systems[other], name)
        if isinstance(pair, str):  # no results, or one score everywhere: a gate refuses them
            difference = float(observed[s] - observed[other])
            return BaselineDifference(name, difference, math.nan, math.nan, math.nan)
        contrast = pairs_of(pair, scores, settings.generalize_to, largest)[0].contrast
        ends = interval(contrast, level)
        low, high = (end if math.isfinite(end) else math.nan for end in ends)
        shown = contrast.estimate, low, high, p_value(contrast), verdict_in(*ends, 0.0), rule_of(contrast)
        return BaselineDifference(name, *shown)

    return compare


def contradictions(
    scores: ScoreMatrix, differences: Sequence[BaselineDifference], baseline: int
) -> Iterator[Note]:
    """A note where a verdict contradicts the order: a gate may use other topics, or another λ."""
    worse = set(scores.systems[baseline:])
    names = [
        row.system
        for row in differences
        if row.verdict != "undecided" and (row.verdict == "better") == (row.system in worse)
    ]
    if names:
        yield contradiction(scores, names, scores.systems[baseline])


def contradiction(scores: ScoreMatrix, names: Sequence[str], baseline: str) -> Note:
    """A note that a gate of these systems decides against their order in the ranking."""
    facts = {"baseline": baseline, "unit": scores.unit.one, "machine": scores.machine is not None}
    return Note("verdict-contradicts", facts, "alert", tuple(names))


def by_means(
    sample: TopicSample,
    systems: Sequence[str],
    other: int,
    level: float,
    guaranteed: Guarantee | None,
    stand: Standings | None,
) -> list[BaselineDifference]:
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
    rows = zip(systems, *(one.tolist() for one in (differences, low, high, p)), verdicts, strict=True)
    return [BaselineDifference(*row) for row in rows]


@dataclass(frozen=True)
class Record:
    """A submission that was better than all before it, beside the record before.

    Attributes:
        date: when it was submitted.
        system: name of it.
        before: the record before it; null for the first.
        entries: submissions of its date, of which it is the best.
        mean: its mean score.
        difference: its score minus that of the record before; null for the first.
        low: lower end of the interval of the difference; null for the first.
        high: upper end; null for the first.
        p_value: two-sided, of no difference, times `entries`; null for the first.
        p_holm: the same adjusted for all records, after Holm; null for the first.
        beats: whether it beat the record before it, for all records together.
    """

    date: Annotated[str, Column("Date", Text())]
    system: Annotated[str, Column("System", Name())]
    before: Annotated[str | None, Column("Record before it", Name())]
    entries: Annotated[Whole, Column("Of that date", Count(), details=True)]
    mean: Annotated[float, Column("{score}", Number(), details=True)]
    difference: Annotated[
        float | None, Column("Difference ({level} interval)", Bounded(low="low", high="high", sign=True))
    ] = None
    low: float | None = None
    high: float | None = None
    p_value: Annotated[Fraction | None, Column("p", PValue(), meaning="two-sided, of no difference")] = None
    p_holm: Annotated[Fraction | None, Column("p (Holm)", PValue(), meaning="adjusted for all records")] = (
        None
    )
    beats: bool = False


@dataclass(frozen=True)
class OverTime:
    """The records of submissions with dates.

    Attributes:
        level: 1 − level bounds the chance that any record is said to beat the one before that does not.
        submissions: how many systems there are.
        records: the submissions that were better than all before them, the first one too.
    """

    level: Level
    submissions: Whole
    records: tuple[Record, ...]

    @property
    def tested(self) -> tuple[Record, ...]:
        """The records that had one before them."""
        return self.records[1:]


def over_time(
    dates: Sequence[str],
    systems: Sequence[str],
    means: Vector,
    level: float,
    against: Compare,
) -> OverTime:
    """The records of these systems; `against` compares the first with the second."""
    if len(set(dates)) < 2:
        raise InputError(f"all systems have the date {dates[0]}; records need two dates")
    records: list[int] = []
    for s in sorted(range(len(systems)), key=lambda s: (dates[s], -means[s])):
        if not records or means[s] > means[records[-1]] + TIE:
            records.append(s)
    entries = [dates.count(dates[s]) for s in records]
    pairs = [against(new, old) for old, new in pairwise(records)]
    p = [min(pair.p_value * k, 1.0) for pair, k in zip(pairs, entries[1:], strict=True)]
    adjusted = holm(np.nan_to_num(np.array(p), nan=1.0)).tolist()
    first = records[0]
    rows = [Record(dates[first], systems[first], None, entries[0], float(means[first]))]
    for k, (d, own, p_holm) in enumerate(zip(pairs, p, adjusted, strict=True), 1):
        old, new = records[k - 1 : k + 1]
        submitted = dates[new], systems[new], systems[old], entries[k], float(means[new])
        beats = p_holm <= 1 - level + 1e-12
        rows.append(Record(*submitted, d.difference, d.low, d.high, own, p_holm, beats))
    return OverTime(level, len(systems), tuple(rows))
