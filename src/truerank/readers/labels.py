"""What the rows of a table are about: data sets and topics, and what these belong to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from truerank._support.notes import Note
from truerank._support.units import TOPIC, Unit
from truerank.errors import InputError
from truerank.readers.cell_values import Codes, Column, first_rows, in_order
from truerank.readers.columns import Layout
from truerank.readers.options import Options
from truerank.readers.roles import averages, has_role, noun_of, plain
from truerank.readers.sheets import Sheet


@dataclass(frozen=True)
class Labels:
    """What each row is about; `one_score` is whether data sets are the topics, as no column names topics."""

    data_sets: Column
    topics: Column
    several: bool
    one_score: bool
    unit: Unit = TOPIC

    @classmethod
    def of(cls, sheet: Sheet, layout: Layout, options: Options) -> Labels:
        """The labels of all rows; a table without topics and data sets has its rows counted."""
        several = layout.data_set is not None or options.data_set is not None
        sets = Column(np.zeros(sheet.rows, dtype=np.intp), [options.data_set or ""])
        if layout.data_set is not None:
            sets = sheet.column(layout.data_set)
        if layout.topic is not None:
            unit = Unit.of(noun_of(sheet.header, layout.topic))
            return cls(sets, sheet.column(layout.topic), several, False, unit)
        one_score = layout.data_set is not None
        return cls(sets, sets if one_score else Column.counting(sheet.rows), several, one_score)

    @cached_property
    def codes(self) -> Codes:
        """A code for the data set and topic of each row."""
        if len(self.data_sets.levels) == 1:
            return self.topics.codes
        return self.data_sets.codes * len(self.topics.levels) + self.topics.codes

    @property
    def size(self) -> int:
        """How many codes there might be."""
        return len(self.data_sets.levels) * len(self.topics.levels)

    def named(self, codes: Codes) -> list[tuple[str, str]]:
        """Data set and topic of codes."""
        sets, topics = self.data_sets.levels, self.topics.levels
        which, topic = np.divmod(codes, len(topics))
        return [(sets[k], topics[t]) for k, t in zip(which.tolist(), topic.tolist(), strict=True)]

    def name_of(self, row: int) -> str:
        """The topic of a row in a message."""
        ((data_set, topic),) = self.named(self.codes[[row]])
        if self.one_score:
            return f"data set {data_set!r}"
        named = f"{self.unit.one} {topic!r}"
        return f"{named} of data set {data_set!r}" if self.several else named

    @property
    def remedy(self) -> str:
        """What else to do about a topic that is there twice, after 'keep one of …'."""
        if self.one_score:
            return ", or name the topics in a column 'topic'"
        return (
            "" if self.several else ", or name the data sets in a column 'data_set' if ids repeat across them"
        )

    def check(self, sheet: Sheet, rows: Codes) -> None:
        """Refuse rows without names."""
        columns = (("data set", self.data_sets), ("topic", self.topics))
        lacking = [
            (int(np.argmax(bare)), kind)
            for kind, column in columns
            if (kind == "topic" or self.several) and "" in column.levels
            if (bare := column.codes[rows] == list(column.levels).index("")).any()
        ]
        if lacking:
            row, kind = min(lacking)
            raise InputError(
                f"{sheet.place(int(rows[row]))}the {kind} has no name; fill the cell or remove the row"
            )


def rows_of_topics(sheet: Sheet, labels: Labels) -> tuple[Codes, list[Note]]:
    """The rows without those that sum up topics, and a note on these."""
    sets, topics = labels.data_sets, labels.topics
    blank, summary = _blanks(topics.levels)[topics.codes], _averages(topics.levels)[topics.codes]
    # The last line of a spreadsheet with two columns of names has its name in the first.
    above = blank & _averages(sets.levels)[sets.codes]
    left = np.flatnonzero(summary | above)
    kept = np.flatnonzero(~(summary | above))
    what = "data set" if labels.one_score else "topic"
    if not len(kept):
        raise InputError(f"{sheet.place()}only averages over all {what}s; give the scores of each {what}")
    if not len(left):
        return kept, []
    codes, _ = in_order(labels.codes[left], labels.size)
    pairs = labels.named(codes)
    names = list(dict.fromkeys(topic if topic.strip() else data_set for data_set, topic in pairs))
    facts = {"case": "summaries", "names": names, "rows": len(left), "data_sets": labels.one_score}
    return kept, [Note("parts-left-out", facts)]


def _averages(names: Sequence[str]) -> NDArray[np.bool_]:
    found = np.array(averages(names), dtype=bool)
    if found.any():  # counts and ranks stand beside means and deviations
        found |= np.array([plain(name) in ("count", "n", "rank", "ranks") for name in names], dtype=bool)
    return found


def _blanks(names: Sequence[str]) -> NDArray[np.bool_]:
    return np.array([not name.strip() for name in names], dtype=bool)


@dataclass(frozen=True)
class Belongings:
    """What topics and data sets belong to, where columns say so.

    Attributes:
        clusters: the cluster of each topic.
        weights: what each data set counts, by name.
        families: the family of each data set, by name.
    """

    clusters: list[str] | None
    weights: dict[str, float] | None
    families: dict[str, str] | None

    @classmethod
    def of(cls, sheet: Sheet, layout: Layout, labels: Labels, rows: Codes) -> Belongings:
        """Read them from the columns; topics are in the order in which they first come."""
        if layout.family is not None and not labels.several:
            raise InputError(
                f"{sheet.place()}families are of data sets, and no column names these; add one called "
                "'data_set'"
            )
        clusters = weights = families = None
        sets = labels.data_sets

        def set_of(row: int) -> str:
            return f"data set {sets.levels[sets.codes[row]]!r}"

        if layout.cluster is not None:
            of_topic = in_order(labels.codes[rows], labels.size)[1]
            first, column = _one_each(sheet, rows, of_topic, layout.cluster, "cluster", labels.name_of)
            clusters = column.cells(first)
        if layout.weight is not None:
            numbers = sheet.numbers([layout.weight], rows)[:, 0]
            if not (numbers >= 0).all():
                k = int(np.argmin(numbers >= 0))
                what = "no weight" if np.isnan(numbers[k]) else f"weight {numbers[k]:g}"
                raise InputError(
                    f"{sheet.place(int(rows[k]))}{set_of(rows[k])} has {what}; write a number of 0 or more"
                )
            of_set = sets.levels_of(rows)[1]
            first, column = _one_each(sheet, rows, of_set, layout.weight, "weight", set_of)
            weights = dict(zip(sets.cells(first), column.values(first).tolist(), strict=True))
        if layout.family is not None:
            of_set = sets.levels_of(rows)[1]
            first, column = _one_each(sheet, rows, of_set, layout.family, "family", set_of)
            families = dict(zip(sets.cells(first), column.cells(first), strict=True))
        return cls(clusters, weights, families)


def _one_each(
    sheet: Sheet, rows: Codes, owners: Codes, number: int, kind: str, name: Callable[[int], str]
) -> tuple[Codes, Column]:
    """The first row of each owner, whose other rows have to have the same filled cell, and their column."""
    column = sheet.column(number)
    blank = _blanks(column.levels)[column.codes[rows]] if kind != "weight" else np.zeros(1)
    if blank.any():
        raise InputError(f"{sheet.place(int(rows[np.argmax(blank)]))}the {kind} has no name; fill the cell")
    first = rows[first_rows(owners)]
    # Texts of one number are one weight.
    cells = column.values() if kind == "weight" else column.codes
    wrong = np.flatnonzero(cells[rows] != cells[first[owners]])
    if len(wrong):
        row, seen = int(rows[wrong[0]]), int(first[owners[wrong[0]]])
        cell, other = (
            cells[k].item() if kind == "weight" else column.levels[column.codes[k]] for k in (row, seen)
        )
        raise InputError(
            f"{sheet.place(row)}{name(row)} has {kind} {cell!r} here and {other!r} at "
            f"{sheet.place(seen).removesuffix(': ')}; give it one {kind}"
        )
    return first, column


def notes_on_columns(sheet: Sheet, layout: Layout, labels: Labels, unused: Sequence[int]) -> list[Note]:
    """What to say about columns: data sets under a name that could mean something else, and unused ones."""
    notes: list[Note] = []
    if layout.data_set is not None and has_role(sheet.header[layout.data_set], "task"):
        names = list(labels.data_sets.levels)
        if len(names) > 1:
            column = sheet.header[layout.data_set]
            notes.append(Note("reading", {"case": "data-sets", "column": column, "names": names}))
    if layout.topic is not None and has_role(sheet.header[layout.topic], "task"):
        notes.append(Note("reading", {"case": "topics", "column": sheet.header[layout.topic]}))
    if unused:
        names = [sheet.header[c] for c in unused]
        facts = {"case": "unused-columns", "names": names}
        notes.append(Note("parts-left-out", facts, systems=tuple(sorted(names))))
    return notes
