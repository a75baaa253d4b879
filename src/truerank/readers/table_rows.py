"""The rows of a table that have scores: what each is about, and the matrix that they make."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from truerank._support.arguments import setting
from truerank._support.notes import Note
from truerank._support.units import Unit
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
from truerank.readers.guesses import listed, one_row_per_score
from truerank.readers.layout import Layout, keys_of
from truerank.readers.missing import first_missing
from truerank.readers.options import Options
from truerank.readers.records import Factor, Records
from truerank.readers.roles import PATTERNS, averages, has_role, is_measure, noun_of, plain
from truerank.readers.sheets import ROWS, Sheet
from truerank.reading import Reading
from truerank.scores import ScoreMatrix

_IDS = ("topic", "topic_or_row", "topic_of_long")


@dataclass(frozen=True, eq=False)
class TableRows:
    """The rows of a sheet that have scores, with the data set and the topic of each row of the sheet."""

    sheet: Sheet
    layout: Layout
    options: Options
    data_sets: Column
    topics: Column
    rows: Codes
    notes: Sequence[Note] = ()

    @classmethod
    def of(cls, sheet: Sheet, layout: Layout, options: Options) -> TableRows:
        """The rows without those that sum up topics; where no column names topics or data sets, all count."""
        sets = Column(np.zeros(sheet.rows, dtype=np.intp), [options.data_set or ""])
        if layout.data_set is not None:
            sets = sheet.columns[layout.data_set]
        if layout.topic is not None:
            topics = sheet.columns[layout.topic]
        else:
            topics = Column.counting(sheet.rows) if layout.data_set is None else sets
        found = cls(sheet, layout, options, sets, topics, np.arange(sheet.rows))
        blank, summary = _blanks(topics.levels)[topics.codes], _averages(topics.levels)[topics.codes]
        # The last line of a spreadsheet with two columns of names has its name in the first.
        left = summary | (blank & _averages(sets.levels)[sets.codes])
        if left.all():
            what = "data set" if found.one_score else "topic"
            raise InputError(f"{sheet.place()}only averages over all {what}s; give the scores of each {what}")
        if not left.any():
            return found
        pairs = replace(found, rows=np.flatnonzero(left)).keys
        names = list(dict.fromkeys(topic if topic.strip() else data_set for data_set, topic in pairs))
        facts = {"case": "summaries", "names": names, "rows": int(left.sum()), "data_sets": found.one_score}
        return replace(found, rows=np.flatnonzero(~left), notes=[Note("parts-left-out", facts)])

    @property
    def several(self) -> bool:
        """Whether data sets are named."""
        return self.layout.data_set is not None or self.options.data_set is not None

    @property
    def one_score(self) -> bool:
        """Whether data sets are the topics, as no column names topics."""
        return self.layout.data_set is not None and self.layout.topic is None

    @property
    def unit(self) -> Unit:
        """What a message calls a topic."""
        return Unit.of(noun_of(self.sheet.header, self.layout.topic))

    @cached_property
    def _in_order(self) -> tuple[list[tuple[str, str]], Codes]:
        sets, topics = self.data_sets.levels, self.topics.levels
        codes = self.topics.codes[self.rows]
        if len(sets) > 1:
            codes = self.data_sets.codes[self.rows] * len(topics) + codes
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
        named = f"{self.unit.one} {topic!r}"
        return f"{named} of data set {data_set!r}" if self.several else named

    def place(self, row: int) -> str:
        """Where one of the rows is, as the start of a message."""
        return self.sheet.place(int(self.rows[row]))

    def check_names(self) -> None:
        """Refuse rows without names."""
        columns = (("data set", self.data_sets), ("topic", self.topics))
        lacking = [
            (int(np.argmax(bare)), kind)
            for kind, column in columns
            if (kind == "topic" or self.several) and "" in column.levels
            if (bare := column.codes[self.rows] == list(column.levels).index("")).any()
        ]
        if lacking:
            row, kind = min(lacking)
            raise InputError(f"{self.place(row)}the {kind} has no name; fill the cell or remove the row")

    def table(
        self,
        systems: Sequence[str],
        system: Codes,
        scores: Vector,
        attempts: Codes | None,
        over: OverRuns | None,
        measure: str,
        notes: Sequence[Note],
        reading: Reading,
        questions: Column | None = None,
    ) -> ScoreMatrix:
        """The matrix of scores, of which each row has one, or in a wide table one of each system.

        `system` is that of each score; without a column of clusters, the `questions` of turns are some.
        """
        sheet, layout, m = self.sheet, self.layout, len(scores) // len(self.rows)
        rows, header = np.repeat(self.rows, m), sheet.header
        facets = [
            Factor.of(header[c], sheet.columns[c].codes[rows], sheet.columns[c].levels) for c in layout.facets
        ]
        runs = None
        if layout.runs:
            names = [header[c] for c in layout.runs if header[c] != ROWS]
            column = sheet.columns[layout.runs[0]]
            if len(layout.runs) > 1:
                column = Column.of(map(" ".join, zip(*map(sheet.names, layout.runs), strict=True)))
            shared = bool(names) and all(has_role(name, "system_wide") for name in names)
            runs = Factor.of(" and ".join(names), column.codes[rows], column.levels, shared)
        topic = np.repeat(self.topic, m)
        records = Records(scores, topic, system, self.keys, systems, sheet.place(), runs, facets, attempts)
        cells = records.pivot(over)

        def place(t: int, s: int) -> str:
            """The row of a missing score; without a line where there is none."""
            there = (topic == t) & (system == s)
            if cells.facets is not None:
                cell = first_missing(cells.facets, t, s)
                for factor, codes in zip(facets, cells.facets.codes, strict=True):
                    there &= factor.codes == codes[cell]
            return sheet.place(int(rows[np.argmax(there)])) if there.any() else sheet.where

        clusters, weights, families = self._belongings()
        if questions is not None and clusters is None:
            clusters = questions.cells(self.rows[first_rows(self.topic)])
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
            noun=noun_of(header, layout.topic),
            reading=reading,
        )

    def _belongings(self) -> tuple[list[str] | None, dict[str, float] | None, dict[str, str] | None]:
        """The cluster of each topic; weight and family of each data set by name, where columns say so."""
        sheet, layout, sets = self.sheet, self.layout, self.data_sets
        if layout.family is not None and not self.several:
            raise InputError(
                f"{sheet.place()}families are of data sets, and no column names these; add one called "
                "'data_set'"
            )

        def set_of(row: int) -> str:
            return f"data set {sets.levels[sets.codes[self.rows[row]]]!r}"

        clusters = weights = families = None
        if layout.cluster is not None:
            first = self._one_each(self.topic, layout.cluster, "cluster", self.name_of)
            clusters = sheet.columns[layout.cluster].cells(first)
        if layout.weight is not None:
            numbers = sheet.numbers([layout.weight], self.rows)[:, 0]
            if not (numbers >= 0).all():
                k = int(np.argmin(numbers >= 0))
                what = "no weight" if np.isnan(numbers[k]) else f"weight {numbers[k]:g}"
                raise InputError(f"{self.place(k)}{set_of(k)} has {what}; write a number of 0 or more")
            first = self._one_each(sets.levels_of(self.rows)[1], layout.weight, "weight", set_of)
            values = sheet.columns[layout.weight].values(first).tolist()
            weights = dict(zip(sets.cells(first), values, strict=True))
        if layout.family is not None:
            first = self._one_each(sets.levels_of(self.rows)[1], layout.family, "family", set_of)
            families = dict(zip(sets.cells(first), sheet.columns[layout.family].cells(first), strict=True))
        return clusters, weights, families

    def _one_each(self, owners: Codes, number: int, kind: str, name: Callable[[int], str]) -> Codes:
        """The first row of each owner, whose other rows have to have the same filled cell."""
        column = self.sheet.columns[number]
        codes = column.codes[self.rows]
        if kind == "weight":  # texts of one number are one weight
            codes = np.unique(column.values(self.rows), return_inverse=True)[1].reshape(-1)
        elif (blank := _blanks(column.levels)[codes]).any():
            raise InputError(f"{self.place(int(np.argmax(blank)))}the {kind} has no name; fill the cell")
        first = first_rows(owners)
        wrong = np.flatnonzero(codes != codes[first[owners]])
        if len(wrong):
            row, seen = int(wrong[0]), int(first[owners[wrong[0]]])
            cell, other = column.cells(self.rows[[row, seen]])
            raise InputError(
                f"{self.place(row)}{name(row)} has {kind} {cell!r} here and {other!r} at "
                f"{self.place(seen).removesuffix(': ')}; give it one {kind}"
            )
        return self.rows[first]

    # Several rows of one topic, or of one system on one

    def refuse_repeats(
        self, columns: Sequence[int], systems: Sequence[str] = (), system: Codes | None = None
    ) -> None:
        """Refuse rows of one topic, and of one system, at the same levels; `columns` may distinguish them."""
        sheet, layout, wide = self.sheet, self.layout, system is None
        of = np.zeros_like(self.rows) if system is None else system
        keys = keys_of(sheet, layout, self.rows, joint(self.topic, of))
        if all_differ(keys):
            return
        again, first = first_repeat(keys)
        said = self.name_of(again)
        for c in (*layout.runs, *layout.facets):
            said += f" in {sheet.header[c]} {sheet.columns[c].cells(self.rows[[again]])[0]!r}"
        if wide:
            said = f"{said} was already given"
        else:
            said = f"system {systems[of[again]]!r} already has a score on {said},"
        remedies = (self._for_topics if wide else self._remedies)(
            keys, columns, keys_of(sheet, layout, self.rows, of)
        )
        where = self.place(first).removesuffix(": ")
        raise InputError("; ".join([f"{self.place(again)}{said} at {where}", *remedies]))

    def _for_topics(self, keys: Codes, columns: Sequence[int], apart: Codes) -> list[str]:
        """How a wide table may be meant whose topics come twice."""
        sheet, layout = self.sheet, self.layout
        if self.topics.mixed:
            return [
                "topics are numbers in some rows, text in others. Make them text before frames are joined: "
                "frame.index.astype(str)"
            ]
        options = None if layout.runs or layout.facets else one_row_per_score(sheet, self.options)
        long = f"if there is one row per score, use {options}. The first rows are {listed(sheet)}"
        names = [sheet.header[c] for c in layout.scores]
        measures = any(is_measure(name) or has_role(name, "value", "score_by_meaning") for name in names)
        if options and (len(names) < 2 or measures):
            return [long]
        levels = [c for c in layout.scores if crossed(keys, sheet.columns[c].codes[self.rows])]
        remedies = self._remedies(keys, [*columns, *levels], apart)
        if layout.topic is not None and len(levels) == 1:
            both = f"{sheet.header[layout.topic]},{sheet.header[levels[0]]}"
            remedies.insert(0, f"use {setting('topic_column', both)} if both columns name the topics")
        return [*remedies, long] if options else remedies

    def _remedies(self, keys: Codes, columns: Sequence[int], apart: Codes) -> list[str]:
        """What distinguishes the rows, with the options to paste; `apart` are the keys without topics."""
        sheet, layout = self.sheet, self.layout
        cells = {
            c: sheet.columns[c].codes[self.rows]
            for c in columns
            if not PATTERNS["spent"].fullmatch(sheet.header[c])
        }
        found = [c for c, codes in cells.items() if all_differ(joint(keys, codes))]
        if not found:
            return [self._for_several(keys, cells) or self._for_rows_alike(keys)]
        column = min(found, key=lambda c: _likely(sheet.header[c]))
        name, codes = sheet.header[column], cells[column]
        levels, named = different(codes), sheet.columns[column].holds_names
        run = [] if layout.runs else [f"{setting('run_column', name)} averages runs"]
        facet = [f"{setting('facet', name)} if it names prompts or judges"]
        sets = [f"{setting('data_set_column', name)} if it names data sets"]
        sets = [] if self.several or not named or levels > len(keys) / 2 else sets
        # Whether the rows would differ, were these the topics.
        alone = all_differ(joint(apart, codes, self.data_sets.codes[self.rows]))
        beside = [] if alone or layout.topic is None else [setting("facet", sheet.header[layout.topic])]
        topic = [f"{' '.join([setting('topic_column', name), *beside])} if it names the {self.unit.many}"]
        if has_role(name, "run") and run:
            offers = run
        elif self.one_score or has_role(name, *_IDS) or levels > max(2, len(self.keys)):
            offers = [*topic, *run] if alone or levels > len(self.keys) else [*facet, *run]
        elif has_role(name, "data_set", "task"):
            offers = [*sets, *topic * alone, *facet, *run]
        elif named:
            offers = [*facet, *run, *sets, *topic * alone]
        else:
            offers = [*run, *facet, *topic * alone]
        return [f"column {name!r} distinguishes them: {', '.join(offers)}"]

    def _for_several(self, keys: Codes, cells: Mapping[int, Codes]) -> str:
        """What to do about rows that several columns distinguish together, or some of them."""
        header, alone = self.sheet.header, different(keys)
        kept = [
            c
            for c, codes in cells.items()
            if different(codes) <= len(keys) / 2 and different(joint(keys, codes)) > alone
        ]
        together = bool(kept) and all_differ(joint(keys, *(cells[c] for c in kept)))
        for column in kept if together else ():
            fewer = [c for c in kept if c != column]
            if fewer and all_differ(joint(keys, *(cells[c] for c in fewer))):
                kept = fewer
        numbered = [c for c in kept if not self.sheet.columns[c].holds_names] if together else []
        runs = header[numbered[-1]] if numbered else "" if together else ROWS
        levels = [name for name in (header[c] for c in kept) if name != runs]
        if not levels:
            return ""
        options = " ".join([*self._facets(levels), *([setting("run_column", runs)] if runs else [])])
        of_runs = "; runs are averaged" if runs else ""
        found = f"{levels[0]!r} distinguishes some of them"
        found = "several columns together distinguish them" if together else found
        return f"{found}: use {options} (facets are prompts, judges …{of_runs})"

    def _facets(self, more: Sequence[str] = ()) -> list[str]:
        """The options of the facets that there are, and of more."""
        names = [*(self.sheet.header[c] for c in self.layout.facets), *more]
        return [setting("facet", name) for name in names]

    def _for_rows_alike(self, keys: Codes) -> str:
        """What to do about rows that no column distinguishes."""
        everything = joint(*(column.codes[self.rows] for column in self.sheet.columns))
        times = np.unique(keys, return_counts=True)[1]
        if different(everything) == len(times):
            return "the rows are copies of one another: remove all but one"
        if len(times) > 1 and (times == times[0]).all():
            options = " ".join([*self._facets(), setting("run_column", ROWS)])
            of_facets = "".join(f" at each {self.sheet.header[c]}" for c in self.layout.facets)
            return (
                f"each system has {times[0]} rows on each {self.unit.one}{of_facets}, which no column "
                "distinguishes. "
                f"If they are runs, use {options}, which takes them in their order"
            )
        more = (
            "" if self.several else ", or name the data sets in a column 'data_set' if ids repeat across them"
        )
        more = ", or name the topics in a column 'topic'" if self.one_score else more
        return (
            "no column distinguishes the rows: number them in a new column 'run' and use "
            f"{setting('run_column', 'run')} to average them, or remove the wrong one{more}"
        )


def _likely(name: str) -> tuple[bool, bool]:
    return not has_role(name, "run"), not has_role(name, "data_set", "task", *_IDS)


def _averages(names: Sequence[str]) -> NDArray[np.bool_]:
    found = np.array(averages(names), dtype=bool)
    if found.any():  # counts and ranks stand beside means and deviations
        found |= np.array([plain(name) in ("count", "n", "rank", "ranks") for name in names], dtype=bool)
    return found


def _blanks(names: Sequence[str]) -> NDArray[np.bool_]:
    return np.array([not name.strip() for name in names], dtype=bool)
