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
from truerank.readers.layout import Layout
from truerank.readers.options import Options
from truerank.readers.roles import averages, noun_of, plain
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
        several, one_score = layout.data_set is not None or options.data_set is not None, False
        sets = Column(np.zeros(sheet.rows, dtype=np.intp), [options.data_set or ""])
        if layout.data_set is not None:
            sets, one_score = sheet.column(layout.data_set), layout.topic is None
        if layout.topic is not None:
            unit = Unit.of(noun_of(sheet.header, layout.topic))
            return cls(sets, sheet.column(layout.topic), several, False, unit)
        return cls(sets, sets if one_score else Column.counting(sheet.rows), several, one_score)

    @cached_property
    def codes(self) -> Codes:
        """A code for the data set and topic of each row."""
        if len(self.data_sets.levels) == 1:
            return self.topics.codes
        return self.data_sets.codes * len(self.topics.levels) + self.topics.codes

    def in_order(self, rows: Codes) -> tuple[list[tuple[str, str]], Codes]:
        """Data set and topic of some rows, in the order in which they come, and the place of each row's."""
        sets, topics = self.data_sets.levels, self.topics.levels
        codes, places = in_order(self.codes[rows], len(sets) * len(topics))
        which, topic = np.divmod(codes, len(topics))
        return [(sets[k], topics[t]) for k, t in zip(which.tolist(), topic.tolist(), strict=True)], places

    def name_of(self, row: int) -> str:
        """The topic of a row in a message."""
        ((data_set, topic),) = self.in_order(np.array([row]))[0]
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

    def without_summaries(self, sheet: Sheet) -> tuple[Codes, list[Note]]:
        """The rows without those that sum up topics, and a note on these."""
        sets, topics = self.data_sets, self.topics
        blank, summary = _blanks(topics.levels)[topics.codes], _averages(topics.levels)[topics.codes]
        # The last line of a spreadsheet with two columns of names has its name in the first.
        left = summary | (blank & _averages(sets.levels)[sets.codes])
        if left.all():
            what = "data set" if self.one_score else "topic"
            raise InputError(f"{sheet.place()}only averages over all {what}s; give the scores of each {what}")
        if not left.any():
            return np.arange(len(left)), []
        pairs = self.in_order(np.flatnonzero(left))[0]
        names = list(dict.fromkeys(topic if topic.strip() else data_set for data_set, topic in pairs))
        facts = {"case": "summaries", "names": names, "rows": int(left.sum()), "data_sets": self.one_score}
        return np.flatnonzero(~left), [Note("parts-left-out", facts)]


def _averages(names: Sequence[str]) -> NDArray[np.bool_]:
    found = np.array(averages(names), dtype=bool)
    if found.any():  # counts and ranks stand beside means and deviations
        found |= np.array([plain(name) in ("count", "n", "rank", "ranks") for name in names], dtype=bool)
    return found


def _blanks(names: Sequence[str]) -> NDArray[np.bool_]:
    return np.array([not name.strip() for name in names], dtype=bool)


@dataclass(frozen=True)
class Belongings:
    """The cluster of each topic, and weight and family of each data set by name, where columns say so."""

    clusters: list[str] | None = None
    weights: dict[str, float] | None = None
    families: dict[str, str] | None = None

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
            of_topic = labels.in_order(rows)[1]
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
            first, column = _one_each(sheet, rows, sets.levels_of(rows)[1], layout.weight, "weight", set_of)
            weights = dict(zip(sets.cells(first), column.values(first).tolist(), strict=True))
        if layout.family is not None:
            first, column = _one_each(sheet, rows, sets.levels_of(rows)[1], layout.family, "family", set_of)
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
