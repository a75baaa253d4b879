"""The rows of a table that have scores: what each is about, and the matrix that they make."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from truerank._support.notes import Note
from truerank._support.units import Noun
from truerank._support.wording import plural
from truerank.errors import InputError
from truerank.numerics.over_runs import OverRuns
from truerank.readers.cell_values import (
    Codes,
    Column,
    Vector,
    all_differ,
    crossed,
    different,
    first_repeat,
    first_rows,
    in_order,
    joint,
)
from truerank.readers.layout import Layout, keys_of
from truerank.readers.missing import first_missing
from truerank.readers.options import Options, Way
from truerank.readers.questions import ask, one_row_per_score
from truerank.readers.records import Factor, Records
from truerank.readers.roles import PATTERNS, averages, has_role, noun_of, plain
from truerank.readers.sheets import ROWS, Sheet
from truerank.reading import Reading
from truerank.scores import ScoreMatrix

_IDS = ("topic", "topic_or_row", "topic_of_long")
_TELLING = (("run",), ("data_set", "task", *_IDS))
"""What a column is called that most likely distinguishes rows."""


@dataclass(frozen=True, eq=False)
class TableRows:
    """The rows of a sheet that have scores: which topic of which data set each is about."""

    sheet: Sheet
    layout: Layout
    options: Options
    notes: Sequence[Note] = ()

    @classmethod
    def of(cls, sheet: Sheet, layout: Layout, options: Options) -> TableRows:
        """The rows without those that sum up topics."""
        found = cls(sheet, layout, options)
        sets, topics = found.data_sets, found.topics
        blank, summary = _blanks(topics.levels)[topics.codes], _averages(topics.levels)[topics.codes]
        # The last line of a spreadsheet with two columns of names has its name in the first.
        left = summary | (blank & _averages(sets.levels)[sets.codes])
        if left.all():
            what = "data set" if found.one_score else "topic"
            raise InputError(f"{sheet.place()}only averages over all {what}s; give the scores of each {what}")
        if not left.any():
            return found
        sums = replace(found, sheet=sheet.some(np.flatnonzero(left)))
        names = list(dict.fromkeys(topic if topic.strip() else data_set for data_set, topic in sums.keys))
        facts = {"case": "summaries", "names": names, "rows": int(left.sum()), "data_sets": found.one_score}
        rows = sheet.some(np.flatnonzero(~left))
        return replace(found, sheet=rows, notes=[Note("parts-left-out", facts)])

    @cached_property
    def data_sets(self) -> Column:
        """The data set of each row."""
        if self.layout.data_set is not None:
            return self.sheet.columns[self.layout.data_set]
        return Column(np.zeros(self.sheet.rows, dtype=np.intp), [self.options.data_set or ""])

    @cached_property
    def topics(self) -> Column:
        """The topic of each row; where no column names topics or data sets, all rows count."""
        if self.layout.topic is not None:
            return self.sheet.columns[self.layout.topic]
        return self.data_sets if self.one_score else Column.counting(self.sheet.rows)

    @property
    def several(self) -> bool:
        """Whether data sets are named."""
        return self.layout.data_set is not None or self.options.data_set is not None

    @property
    def one_score(self) -> bool:
        """Whether data sets are the topics, as no column names topics."""
        return self.layout.data_set is not None and self.layout.topic is None

    @property
    def noun(self) -> Noun:
        """What a message calls a topic."""
        return noun_of(self.sheet.header, self.layout.topic)

    @cached_property
    def _in_order(self) -> tuple[list[tuple[str, str]], Codes]:
        sets, topics = self.data_sets.levels, self.topics.levels
        if len(sets) == 1:
            return [(sets[0], topic) for topic in topics], self.topics.codes
        codes = self.data_sets.codes * len(topics) + self.topics.codes
        used, places = in_order(codes, len(sets) * len(topics))
        which, topic = np.divmod(used, len(topics))
        return [(sets[k], topics[t]) for k, t in zip(which.tolist(), topic.tolist(), strict=True)], places

    @property
    def keys(self) -> list[tuple[str, str]]:
        """Data set and name of each topic, in the order in which they come."""
        return self._in_order[0]

    @property
    def topic(self) -> Codes:
        """The topic of each row, by its place in this order."""
        return self._in_order[1]

    def name_of(self, row: int) -> str:
        """The topic of one of the rows, in a message."""
        data_set, topic = self.keys[self.topic[row]]
        if self.one_score:
            return f"data set {data_set!r}"
        return f"{self.noun} {topic!r}" + (f" of data set {data_set!r}" if self.several else "")

    def check_names(self, systems: Column | None = None) -> None:
        """Refuse rows without names."""
        sets = self.data_sets if self.several else None
        for kind, column in {"data set": sets, "topic": self.topics, "system": systems}.items():
            if column is not None and "" in column.levels:
                row = int(np.argmax(column.codes == list(column.levels).index("")))
                what = f"the {kind} has no name; fill the cell or remove the row"
                raise InputError(f"{self.sheet.place(row)}{what}")

    def table(
        self,
        systems: Sequence[str],
        system: Codes,
        scores: Vector,
        measure: str,
        notes: Sequence[Note],
        reading: Reading,
        over: OverRuns | None = None,
        attempts: Codes | None = None,
    ) -> ScoreMatrix:
        """The matrix of scores, of which each row has one, or in a wide table one of each system."""
        sheet, layout, header, m = self.sheet, self.layout, self.sheet.header, len(scores) // self.sheet.rows

        def factor(name: str, column: Column, shared: bool = False) -> Factor:
            return Factor.of(name, np.repeat(column.codes, m), column.levels, shared)

        facets, runs = [factor(header[c], sheet.columns[c]) for c in layout.facets], None
        if layout.runs:
            names = [header[c] for c in layout.runs if header[c] != ROWS]
            column = sheet.columns[layout.runs[0]]
            if len(layout.runs) > 1:
                column = Column.of(map(" ".join, zip(*map(sheet.names, layout.runs), strict=True)))
            runs = factor(" and ".join(names), column, bool(names) and all(map(_is_shared, names)))
        topic = np.repeat(self.topic, m)
        records = Records(scores, topic, system, self.keys, systems, sheet.place(), runs, facets, attempts)
        cells = records.pivot(over)

        def place(t: int, s: int) -> str:
            """The row of a missing score; without a line where there is none."""
            there = (topic == t) & (system == s)
            if cells.facets is not None:
                cell = first_missing(cells.facets, t, s)
                for facet, codes in zip(facets, cells.facets.codes, strict=True):
                    there &= facet.codes == codes[cell]
            return sheet.place(int(np.argmax(there)) // m) if there.any() else sheet.where

        clusters, weights, families = self._belongings()
        return records.table(
            cells,
            place,
            measure,
            sheet.source,
            [*notes, *cells.notes],
            self.several,
            clusters=clusters,
            weights=weights,
            families=families,
            unnamed="" if layout.names_rows else "table",
            noun=self.noun,
            reading=reading,
        )

    def _belongings(self) -> tuple[list[str] | None, dict[str, float] | None, dict[str, str] | None]:
        """The cluster of each topic; weight and family of each data set by name, where columns say so."""
        sheet, layout, sets = self.sheet, self.layout, self.data_sets
        if layout.family is not None and not self.several:
            what = "families are of data sets, and no column names these; add one called 'data_set'"
            raise InputError(f"{sheet.place()}{what}")

        def set_of(row: int) -> str:
            return f"data set {sets.levels[sets.codes[row]]!r}"

        clusters = self._one_each(self.topic, layout.cluster, "cluster", self.name_of)
        families = self._one_each(sets.codes, layout.family, "family", set_of)
        weights = None
        if self._one_each(sets.codes, layout.weight, "weight", set_of) is not None:
            numbers = sheet.numbers([layout.weight or 0])[:, 0]
            if not (numbers >= 0).all():
                k = int(np.argmin(numbers >= 0))
                raise InputError(f"{sheet.place(k)}{set_of(k)} has weight {numbers[k]:g}; write 0 or more")
            weights = dict(zip(sets.levels, numbers[first_rows(sets.codes)].tolist(), strict=True))
        named = None if families is None else dict(zip(sets.levels, families, strict=True))
        return clusters, weights, named

    def _one_each(
        self, owners: Codes, number: int | None, kind: str, name: Callable[[int], str]
    ) -> list[str] | None:
        """The cell of each owner's first row, which all of its rows have to have."""
        if number is None:
            return None
        sheet, column = self.sheet, self.sheet.columns[number]
        codes = column.codes
        if kind == "weight":  # texts of one number are one weight
            codes = np.unique(column.values(), return_inverse=True)[1].reshape(-1)
        if (blank := _blanks(column.levels)[column.codes]).any():
            row = int(np.argmax(blank))
            raise InputError(f"{sheet.place(row)}{name(row)} has no {kind}; fill the cell")
        first = first_rows(owners)
        wrong = np.flatnonzero(codes != codes[first[owners]])
        if len(wrong):
            row, seen = int(wrong[0]), int(first[owners[wrong[0]]])
            cell, other = column.cells(np.array([row, seen]))
            raise InputError(
                f"{sheet.place(row)}{name(row)} has {kind} {cell!r} here and {other!r} at "
                f"{sheet.at(seen)}; give it one {kind}"
            )
        return column.cells(first)

    # Several rows of one topic, or of one system on one

    def refuse_repeats(self, columns: Sequence[int], systems: Column | None = None) -> None:
        """Refuse rows of one topic, and of one system, at the same levels; `columns` may distinguish them."""
        sheet, layout = self.sheet, self.layout
        of = np.zeros_like(self.topic) if systems is None else systems.codes
        keys = keys_of(sheet, layout, joint(self.topic, of))
        if all_differ(keys):
            return
        again, first = first_repeat(keys)
        what = self.name_of(again)
        for c in (*layout.runs, *layout.facets):
            what += f" in {sheet.header[c]} {sheet.columns[c].cells(np.array([again]))[0]!r}"
        if systems is not None:
            what = f"system {systems.levels[of[again]]!r} already has a score on {what},"
        else:
            what += " was already given"
        why, ways = self._apart(keys, columns, keys_of(sheet, layout, joint(of, self.data_sets.codes)))
        raise ask(sheet, f"{what} at {sheet.at(first)}; {why}", *ways, row=again)

    def _apart(self, keys: Codes, columns: Sequence[int], others: Codes) -> tuple[str, list[Way]]:
        """What distinguishes rows, and what it may be; `others` are the keys without topics."""
        sheet, layout, header = self.sheet, self.layout, self.sheet.header
        crossing = [c for c in layout.scores if crossed(keys, sheet.columns[c].codes)]
        kept = [c for c in (*columns, *crossing) if not PATTERNS["spent"].fullmatch(header[c])]
        cells = {c: sheet.columns[c].codes for c in kept}
        long = [] if layout.runs or layout.facets else one_row_per_score(sheet, self.options)
        found = [c for c in kept if all_differ(joint(keys, cells[c]))]
        both: list[Way] = []
        if layout.topic is not None and len(beside := found[:1] or crossing) == 1:
            names = f"{header[layout.topic]},{header[beside[0]]}"
            both = [({"topic_column": names}, "if both columns name the topics")]
        if not found:
            why, way = self._by_several(keys, cells)
            return why, [*both, way, *long]
        column = min(found, key=lambda c: [not has_role(header[c], *roles) for roles in _TELLING])
        name, levels = header[column], different(cells[column])
        alone = all_differ(joint(others, cells[column]))  # so they would, were these the topics
        facets = {} if alone or layout.topic is None else {"facet": [header[layout.topic]]}
        topic: Way = ({"topic_column": name, **facets}, f"if it names the {plural(self.noun)}")
        run: Way = ({"run_column": name}, "averages runs")
        facet: Way = ({"facet": [name]}, "if it names prompts or judges")
        sets: Way = ({"data_set_column": name}, "if it names data sets")
        if has_role(name, "run") and not layout.runs:
            ways = [run]
        elif self.one_score or has_role(name, *_IDS) or levels > max(2, len(self.keys)):
            ways = [topic if alone or levels > len(self.keys) else facet, run]
        else:
            named = sheet.columns[column].holds_names and not self.several
            ways = [*[facet] * crossed(keys, cells[column]), run, *[sets] * named, *[topic] * alone]
        return f"column {name!r} distinguishes them", [*ways, *both, *long]

    def _by_several(self, keys: Codes, cells: Mapping[int, Codes]) -> tuple[str, Way]:
        """What to do about rows that several columns distinguish together, or some of them, or none."""
        header, columns, alone = self.sheet.header, self.sheet.columns, different(keys)
        kept = [c for c in cells if different(cells[c]) <= len(keys) / 2]
        kept = [c for c in kept if different(joint(keys, cells[c])) > alone]
        together = bool(kept) and all_differ(joint(keys, *(cells[c] for c in kept)))
        numbered = [header[c] for c in kept if together and not columns[c].holds_names]
        runs = [] if together and not numbered else [ROWS, *numbered][-1:]
        facets = [header[c] for c in (*self.layout.facets, *kept) if header[c] not in runs]
        way = ({"facet": facets} if facets else {}) | ({"run_column": runs[0]} if runs else {})
        if not kept:
            why = "no column distinguishes the rows: remove copies, or name data sets in a column 'data_set'"
            return why, (way, "if rows are runs, which takes them in their order")
        why = f"several columns distinguish {'them together' if together else 'some of them'}"
        return why, (way, "if facets are prompts, judges …" + ", and runs are averaged" * bool(runs))


def _is_shared(name: str) -> bool:
    return has_role(name, "system_wide")


def _averages(names: Sequence[str]) -> NDArray[np.bool_]:
    found = np.array(averages(names), dtype=bool)
    if found.any():  # counts and ranks stand beside means and deviations
        found |= np.array([plain(name) in ("count", "n", "rank", "ranks") for name in names], dtype=bool)
    return found


def _blanks(names: Sequence[str]) -> NDArray[np.bool_]:
    return np.array([not name.strip() for name in names], dtype=bool)
