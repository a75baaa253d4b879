"""Records over time: of each new leader, whether it beat the record before it (docs/methods/records.md)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated

import numpy as np

from truerank._support.tables import Bounded, Column, Count, Name, Number, PValue, Text
from truerank._support.types import Fraction, Level, Vector, Whole
from truerank.errors import InputError
from truerank.numerics.max_t import holm
from truerank.reliability.against_one import Difference
from truerank.scores import TIE


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
    ]
    low: float | None
    high: float | None
    p_value: Annotated[Fraction | None, Column("p", PValue(), meaning="two-sided, of no difference")]
    p_holm: Annotated[Fraction | None, Column("p (Holm)", PValue(), meaning="adjusted for all records")]
    beats: bool


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
    against: Callable[[int, int], Difference],
) -> OverTime:
    """The records of these systems; `against` compares the first with the second."""
    order = sorted(range(len(systems)), key=lambda s: (dates[s], -means[s]))
    if len(set(dates)) < 2:
        raise InputError(f"all systems have the date {dates[0]}; records need two dates")
    records: list[int] = []
    for s in order:
        if not records or means[s] > means[records[-1]] + TIE:
            records.append(s)
    pairs = [against(new, old) for old, new in pairwise(records)]
    entries = [dates.count(dates[s]) for s in records]
    p = [min(one.p_value * k, 1.0) for one, k in zip(pairs, entries[1:], strict=True)]
    adjusted = holm(np.nan_to_num(np.array(p), nan=1.0)).tolist()
    measured = [(d.difference, d.low, d.high) for d in pairs]
    each = [
        (None, None, None, None, None),
        *((*m, a, b) for m, a, b in zip(measured, p, adjusted, strict=True)),
    ]
    rows = []
    for k, (s, ends) in enumerate(zip(records, each, strict=True)):
        before = systems[records[k - 1]] if k else None
        beats = ends[4] is not None and ends[4] <= 1 - level + 1e-12
        rows.append(Record(dates[s], systems[s], before, entries[k], float(means[s]), *ends, beats))
    return OverTime(level, len(systems), tuple(rows))
