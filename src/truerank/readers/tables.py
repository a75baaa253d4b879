"""Score tables of any layout: what each row is about, and the matrix of topics × systems that they make."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from truerank._support.arguments import setting
from truerank._support.notes import Note
from truerank._support.units import Noun
from truerank._support.wording import count, few, plural
from truerank.errors import InputError
from truerank.numerics.over_runs import OverRuns
from truerank.readers.battles import battle_columns, read_battles, refuse_unread
from truerank.readers.cell_values import (
    TEXT,
    WORD,
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
from truerank.readers.layout import Layout, keys_of, long_layout, rows_layout, wide_layout, with_repeats
from truerank.readers.measures import known, pick_measure, without_scores
from truerank.readers.missing import first_missing
from truerank.readers.options import Options, UnsureError, Way
from truerank.readers.questions import (
    LONG,
    ROWS_OF_SYSTEMS,
    UNLIKE,
    WIDE,
    ask,
    check,
    is_summary,
    may_sum_up,
    one_row_per_score,
    refuse_sums,
    rows_may_be_systems,
)
from truerank.readers.records import Factor, Records, over_runs
from truerank.readers.roles import (
    NAMES,
    PATTERNS,
    averages,
    called,
    column_named,
    find,
    has_role,
    is_average_alone,
    is_measure,
    is_measure_alone,
    is_property,
    like_topics,
    lower_is_better,
    noun_of,
    plain,
    sums_up,
    unlikely_measure,
)
from truerank.readers.sheets import ROWS, Sheet
from truerank.reading import Reading
from truerank.scores import ScoreMatrix

_TRIED = 4_096
"""Rows on which it is tried whether an option reads the table."""

_IDS = ("topic", "topic_or_row", "topic_of_long")
_TELLING = (("run",), ("data_set", "task", *_IDS))
"""What a column is called that most likely distinguishes rows."""


def read_sheet(sheet: Sheet, options: Options) -> ScoreMatrix:
    """Scores from a sheet, whatever it was made of; a question offers what leads to a reading."""
    try:
        return _read(sheet, options)
    except UnsureError as question:
        some = sheet if sheet.rows <= _TRIED else sheet.some(np.arange(_TRIED))
        ways = [way for way in question.ways if _leads(some, options, way[0])]
        raise UnsureError(question.what, *ways) from None


def _leads(sheet: Sheet, options: Options, way: dict[str, Any]) -> bool:
    """Whether options lead to a reading, or to another question that has options."""
    ignored = (*options.ignore_columns, *way.get("ignore_columns", ()))
    try:
        _read(sheet, replace(options, **{**way, "ignore_columns": ignored}))
    except UnsureError as question:
        return bool(question.ways)
    except InputError:
        return False
    return True


def _read(sheet: Sheet, options: Options) -> ScoreMatrix:
    none = cast("Sequence[float | str]", options.missing_value)  # always a tuple, as of all in SEVERAL
    sheet = with_topics_joined(sheet, options.topic_column).with_missing(none)
    battles = battle_columns(sheet)
    if battles is not None:
        return read_battles(sheet, battles, options).noting(*sheet.notes)
    if options.run_column == ROWS and ROWS not in sheet.header:
        sheet = sheet.with_column(ROWS, Column.counting(sheet.rows))
    named = Layout.named(sheet.header, options, sheet.place())
    if not named.used:
        refuse_unread(sheet)
    layout = long_layout(sheet, named, options)
    if layout is not None:
        check(LONG, sheet, layout, options)
        raw = _read_long(sheet, layout, options)
    else:
        sheet, named, options = _of_one_measure(sheet, named, options)
        check(UNLIKE, sheet, named, options)
        layout = rows_layout(sheet, named, options)
        if layout is None:
            layout = wide_layout(sheet, named, options)
            check(WIDE, sheet, layout, options)
            raw = _read_wide(sheet, layout, options)
        else:
            check(ROWS_OF_SYSTEMS, sheet, layout, options)
            raw = _read_rows(sheet, layout, options)
    return _without_summaries(raw, sheet, options).noting(*sheet.notes)


def with_topics_joined(sheet: Sheet, given: str | None) -> Sheet:
    """The sheet where topics that are named by several columns are named by one."""
    names = [] if given is None or given in sheet.header else next(csv.reader([given]))
    if len(names) < 2 or find(sheet.header, [plain(given or "")]) is not None:
        return sheet
    columns = [column_named(sheet.header, name.strip(), sheet.place()) for name in names]
    if len(set(columns)) < len(columns):
        raise InputError(f"{sheet.place()}{setting('topic_column', given)}: name each column once")
    return sheet.joined(columns, given or "")


def _of_one_measure(sheet: Sheet, named: Layout, options: Options) -> tuple[Sheet, Layout, Options]:
    """The rows of one measure of a wide table that has several."""
    measure = named.measure
    if measure is None and sheet.find("value") is None:
        measure = named.found(sheet, "measure", "measure")
        measure = None if measure is None or not sheet.columns[measure].holds_names else measure
    if measure is None:
        return sheet, named, options
    sheet, name, _ = _of_one(sheet, Layout(measure=measure), options)
    named = replace(named, measure=None, ignore=named.ignore | {measure})
    return sheet, named, replace(options, measure=name)


def _of_one(sheet: Sheet, layout: Layout, options: Options) -> tuple[Sheet, str, list[Note]]:
    """The rows of one measure, its name, and notes on systems and data sets that have none."""
    column, notes = sheet.columns[layout.measure or 0], list[Note]()
    name = pick_measure(list(column.levels), options.measure, sheet.place())
    kept = sheet.some(np.flatnonzero(column.codes == list(column.levels).index(name)))
    for kind, c in (("system", layout.system), ("data set", layout.data_set)):
        if c is not None:
            notes += without_scores(kind, sheet.columns[c].levels, kept.columns[c].levels, name)
    return kept, name, notes


def _without_summaries(raw: ScoreMatrix, sheet: Sheet, options: Options) -> ScoreMatrix:
    """The scores without systems that by names, and most by scores, sum up the others, two at least."""
    sums = averages(raw.systems)
    others = raw.values[:, [s for s, named in enumerate(sums) if not named]]
    for s in np.flatnonzero(sums).tolist() if others.shape[1] > 1 else ():
        name, values = raw.systems[s], raw.values[:, s]
        sums[s] = is_average_alone(name) or is_summary(values, others)
        if not sums[s] and name in sheet.header and options.transpose is None and may_sum_up(values, others):
            what = f"{name!r} may sum up the other systems"
            yes, no = {"ignore_columns": [name]}, {"transpose": False}
            raise ask(sheet, what, (yes, "if it does"), (no, "if all columns are systems"))
    names = [name for name, left in zip(raw.systems, sums, strict=True) if left]
    if not names:
        return raw
    if len(sums) - len(names) < 2:
        return raw.noting(Note("reading", {"case": "summaries-alone", "names": names}))
    kept = [s for s, left in enumerate(sums) if not left]
    return raw.select(kept).noting(Note("parts-left-out", {"case": "summary-systems", "names": names}))


# The rows of a table, and what each is about


@dataclass(frozen=True, eq=False)
class TableRows:
    """The rows of a sheet that have scores: which topic of which data set each is about."""

    sheet: Sheet
    layout: Layout
    options: Options
    notes: Sequence[Note] = ()

    @classmethod
    def of(cls, sheet: Sheet, layout: Layout, options: Options, beside: Sequence[int]) -> TableRows:
        """The rows without those that sum up topics; what is called like runs or facets distinguishes them.

        Of columns without a part, those `beside` the scores may do so.
        """
        found = cls(sheet, layout, options)._without_summaries()
        found._refuse_blanks()
        layout = with_repeats(found.sheet, layout, joint(found.topic, found.system), beside)
        found = replace(found, layout=layout)
        found._refuse_repeats([c for c in beside if c not in layout.used])
        return found

    def _without_summaries(self) -> TableRows:
        sheet, sets, topics = self.sheet, self.data_sets, self.topics
        blank, summary = _blanks(topics.levels)[topics.codes], _averages(topics.levels)[topics.codes]
        # The last line of a spreadsheet with two columns of names has its name in the first.
        left = summary | (blank & _averages(sets.levels)[sets.codes])
        if left.all():
            what = "data set" if self.one_score else "topic"
            raise InputError(f"{sheet.place()}only averages over all {what}s; give the scores of each {what}")
        if not left.any():
            return self
        sums = replace(self, sheet=sheet.some(np.flatnonzero(left)))
        names = list(dict.fromkeys(topic if topic.strip() else data_set for data_set, topic in sums.keys))
        facts = {"case": "summaries", "names": names, "rows": int(left.sum()), "data_sets": self.one_score}
        kept = sheet.some(np.flatnonzero(~left))
        return replace(self, sheet=kept, notes=[Note("parts-left-out", facts)])

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
    def systems(self) -> Column | None:
        """The system of each row, in a table with one row per score."""
        return None if self.layout.system is None else self.sheet.columns[self.layout.system]

    @property
    def system(self) -> Codes:
        """The system of each row by its place; 0 where a row has scores of all."""
        return np.zeros(self.sheet.rows, dtype=np.intp) if self.systems is None else self.systems.codes

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

    def _refuse_blanks(self) -> None:
        """Refuse rows without names."""
        sets = self.data_sets if self.several else None
        for kind, column in {"data set": sets, "topic": self.topics, "system": self.systems}.items():
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

        def factor(*columns: int) -> Factor:
            names = [header[c] for c in columns if header[c] != ROWS]
            column = sheet.columns[columns[0]]
            if len(columns) > 1:
                column = Column.of(map(" ".join, zip(*map(sheet.names, columns), strict=True)))
            shared = bool(names) and all(has_role(name, "system_wide") for name in names)
            return Factor.of(" and ".join(names), np.repeat(column.codes, m), column.levels, shared)

        facets = [factor(c) for c in layout.facets]
        runs = factor(*layout.runs) if layout.runs else None
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

    def about(self, unused: Sequence[int]) -> list[Note]:
        """What columns were taken for, where their names do not say it alone, and which are not used."""
        header, layout, found = self.sheet.header, self.layout, list[dict[str, Any]]()
        if layout.cluster is not None and header[layout.cluster] == self.options.cluster_file:
            found.append({"case": "cluster-column", "column": self.options.cluster_file})
        if layout.data_set is not None:
            column, names = header[layout.data_set], list(self.data_sets.levels)
            if has_role(column, "task") and len(names) > 1:
                found.append({"case": "data-sets", "column": column, "names": names})
            if layout.topic is not None and has_role(header[layout.topic], "task"):
                found.append({"case": "topics", "column": header[layout.topic]})
        notes = [Note("reading", facts) for facts in found]
        if names := [header[c] for c in unused if c not in layout.used]:
            unread = {"case": "unused-columns", "names": names}
            notes.append(Note("parts-left-out", unread, systems=tuple(sorted(names))))
        return [*notes, *self.notes]

    def _refuse_repeats(self, columns: Sequence[int]) -> None:
        """Refuse rows of one topic, and of one system, at the same levels; `columns` may distinguish them."""
        sheet, layout, systems = self.sheet, self.layout, self.systems
        keys = keys_of(sheet, layout, joint(self.topic, self.system))
        if all_differ(keys):
            return
        again, first = first_repeat(keys)
        what = self.name_of(again)
        for c in (*layout.runs, *layout.facets):
            what += f" in {sheet.header[c]} {sheet.columns[c].cells(np.array([again]))[0]!r}"
        if systems is None:
            what += " was already given"
        else:
            what = f"system {systems.levels[systems.codes[again]]!r} already has a score on {what},"
        why, ways = self._apart(keys, columns)
        raise ask(sheet, f"{what} at {sheet.at(first)}; {why}", *ways, row=again)

    def _apart(self, keys: Codes, columns: Sequence[int]) -> tuple[str, list[Way]]:
        """What distinguishes the rows, and what it may be."""
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
        others = keys_of(sheet, layout, joint(self.system, self.data_sets.codes))
        alone = all_differ(joint(others, cells[column]))  # so they would, were these the topics
        facets = {} if alone or layout.topic is None else {"facet": [header[layout.topic]]}
        topic: Way = ({"topic_column": name, **facets}, f"if it names the {plural(self.noun)}")
        run: Way = ({"run_column": name}, "if it names runs, which are averaged")
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


def _averages(names: Sequence[str]) -> NDArray[np.bool_]:
    found = np.array(averages(names), dtype=bool)
    ends = {*range(min(4, len(names))), *range(max(0, len(names) - 4), len(names))}
    totals = [k for k in ends if plain(names[k]) in NAMES["totals"]]
    if totals:  # counts and ranks stand beside means and deviations, or end topics that are numbered
        others = [name for k, name in enumerate(names) if k not in totals]
        found[totals] |= found.any() or (len(others) > 2 and like_topics(others))
    return found


def _blanks(names: Sequence[str]) -> NDArray[np.bool_]:
    return np.array([not name.strip() for name in names], dtype=bool)


# Each layout


def _read_wide(sheet: Sheet, layout: Layout, options: Options) -> ScoreMatrix:
    header, columns = sheet.header, layout.scores
    unsure = options.transpose is None and rows_may_be_systems(sheet, layout)
    doubts = (f"{setting('transpose', True)} reads rows as systems",) * unsure
    of = TableRows.of(sheet, layout, options, layout.others)
    refuse_sums(of.sheet, layout, options)
    names = [header[column] for column in columns]
    named = names[0] if options.score_column is not None else ""
    if options.measure is not None and len(names) == 1 and not named and is_measure_alone(names[0]):
        pick_measure(names, options.measure, sheet.place())
    return of.table(
        names,
        np.tile(np.arange(len(names)), of.sheet.rows),
        of.sheet.scores(columns).ravel(),
        options.measure or ("" if has_role(named, "value") else named),
        of.about(layout.others),
        Reading(layout.rows(header), "the columns", doubts=doubts),
        over_runs(options.measure) if layout.runs or layout.facets else None,
    )


def _read_rows(sheet: Sheet, layout: Layout, options: Options) -> ScoreMatrix:
    header, column = sheet.header, layout.system or 0
    systems = sheet.names(column)
    sums = list(map(is_average_alone, systems))
    rows = [row for row, left in enumerate(sums) if not left]
    names = [header[column] for column in layout.scores]
    topics = options.data_set is not None or like_topics(names)  # others are data sets, with one score each
    doubts = () if options.transpose else (f"{setting('transpose', False)} reads columns as systems",)
    left_out = {
        "summary-columns": [header[c] for c in layout.summaries],
        "unused-columns": [header[c] for c in layout.others],
        "summary-rows": [name for name, left in zip(systems, sums, strict=True) if left],
    }
    notes = [Note("parts-left-out", {"case": case, "names": of}) for case, of in left_out.items() if of]
    sums_of = [c for c in layout.summaries if sums_up(header[c]) and "rank" not in plain(header[c])]
    means = [header[c] for c in sums_of if not is_property(header[c], sheet.columns[c].counts_up)]
    values, found = sheet.some(np.array(rows)).scores(layout.scores).T, [systems[row] for row in rows]
    records = Records.grid(values, [("" if topics else name, name) for name in names], found, sheet.place())
    return records.table(
        records.pivot(),
        lambda _, s: sheet.place(rows[s]),
        options.measure or "",
        sheet.source,
        notes,
        not topics,
        lower_is_better=any(map(lower_is_better, means)) or all(map(lower_is_better, names)),
        reading=Reading(count(len(names), "column"), called(header[column]), doubts=doubts),
    )


def _read_long(sheet: Sheet, layout: Layout, options: Options) -> ScoreMatrix:
    header, more = sheet.header, list[Note]()
    over, options = _over(sheet, layout, options)
    if layout.score is not None and layout.measure is not None:
        sheet, measure, more = _of_one(sheet, layout, options)
        options = replace(options, measure=measure)
    scores, name, doubts = _scores_of(sheet, layout, options)
    if over is not None and name != over.name:
        name = f"{over.name} of {name}" if name else over.name
    measures = _measure_columns(sheet, layout) if layout.score is None else []
    of = TableRows.of(sheet, layout, options, [c for c in layout.others if c not in scores])
    notes = of.about([c for c in layout.others if c not in (*scores, *measures)])
    sheet, layout, systems = of.sheet, of.layout, of.sheet.columns[layout.system or 0]
    runs = [None if header[c] == ROWS else header[c] for c in layout.runs]
    if layout.facets or None in runs:
        topic = None if layout.topic is None else header[layout.topic]
        facts: dict[str, Any] = {"case": "columns", "system": header[layout.system or 0], "topic": topic}
        facts |= {"runs": runs, "facets": [header[c] for c in layout.facets]}
        notes.append(Note("reading", facts, "info"))
    system, *values = (called(header[c]) for c in (layout.system or 0, *scores))
    numbers, attempts = _numbers(sheet, scores)
    return of.table(
        systems.levels,
        systems.codes,
        numbers,
        name,
        [*notes, *more, *_ids_as_topics(of)],
        Reading(layout.rows(header), system, " and ".join(values), doubts=doubts),
        over,
        attempts,
    )


def _over(sheet: Sheet, layout: Layout, options: Options) -> tuple[OverRuns | None, Options]:
    """What the measure asks of runs, and what is asked beside it; nothing where a column is called so."""
    over = over_runs(options.measure)
    if over is None or over.name in sheet.header:
        return None, options
    if layout.measure is not None and over.name in sheet.columns[layout.measure].levels:
        return None, options
    several = layout.score is None or layout.measure is not None
    return over, replace(options, measure=None) if several else options


def _scores_of(
    sheet: Sheet, layout: Layout, options: Options
) -> tuple[tuple[int, ...], str, tuple[str, ...]]:
    """The column of scores, or those of successes and attempts, with the measure's name and doubts."""
    name = options.measure or ""
    if layout.score is not None:
        column = sheet.header[layout.score]
        named = options.score_column is not None and not has_role(column, "value")
        return (layout.score,), name or (column if named else ""), ()
    counted = [sheet.find(role, among=layout.others) for role in ("successes", "attempts")]
    if None not in counted:
        return tuple(c for c in counted if c is not None), name, ()
    return _measure_column(sheet, layout, options.measure)


def _measure_columns(sheet: Sheet, layout: Layout) -> list[int]:
    """The columns of a table with a column per measure, such as gdeval's output; not of errors."""
    beside = ("weight", "run", "repeats", "system_wide", "facets", "topic", "topic_or_row", "topic_first")
    others = [c for c in layout.others if not has_role(sheet.header[c], *beside, "topic_of_long")]
    scored = [c for c in others if sheet.columns[c].holds_scores]
    measures = [c for c in scored if PATTERNS["errors"].fullmatch(plain(sheet.header[c])) is None] or scored
    # The first is the example that messages give: likely measures, before what an answer took.
    return sorted(measures, key=lambda c: unlikely_measure(sheet.header[c]))


def _measure_column(
    sheet: Sheet, layout: Layout, measure: str | None
) -> tuple[tuple[int, ...], str, tuple[str, ...]]:
    """The column of the measure that is wanted, its name, and a doubt where others may have been meant."""
    numeric = _measure_columns(sheet, layout)
    for column in layout.others:
        name, cells = sheet.header[column], sheet.columns[column]
        meant = not numeric or is_measure(name) or has_role(name, "score_by_meaning")
        marks = not numeric and cells.says_verdicts
        if marks or (meant and measure in (None, name) and {WORD, TEXT} <= cells.held):
            raise sheet.unread(column, only=True)
    if not numeric:
        what = "no column of scores beside topics and systems; write numbers, or words such as pass and fail"
        raise ask(sheet, what)
    names = [sheet.header[c] for c in numeric]
    if measure is None and len(names) > 1:
        likely = [name for name in names if has_role(name, "score_by_meaning")]
        likely = likely or [name for name in names if not is_property(name, whole=True)]
        if len(likely) == 1 and not any(known(name) for name in names if name != likely[0]):
            others = few([name for name in names if name != likely[0]], 8)
            doubt = f"{setting('measure')} reads {others} instead"
            return (numeric[names.index(likely[0])],), likely[0], (doubt,)
    name = pick_measure(names, measure, sheet.place())
    return (numeric[names.index(name)],), name, ()


def _numbers(sheet: Sheet, columns: Sequence[int]) -> tuple[Vector, Codes | None]:
    """The score of each row, NaN where there is none; of two columns, successes and attempts."""
    if len(columns) == 1:
        return sheet.scores(columns)[:, 0], None
    right, tried = sheet.numbers(columns).T
    missing = np.isnan(right) | np.isnan(tried)
    wrong = ~missing & ~((right >= 0) & (right <= tried) & (tried % 1 == 0) & (right % 1 == 0))
    if wrong.any():
        k = int(np.argmax(wrong))
        raise InputError(
            f"{sheet.place(k)}{right[k]:g} successes in {tried[k]:g} attempts; write whole numbers "
            "with no more successes than attempts"
        )
    missing |= tried == 0
    return np.where(missing, np.nan, right), np.where(missing, 0, tried).astype(np.intp)


def _ids_as_topics(of: TableRows) -> list[Note]:
    """A warning where the topics number rows, while other columns have questions and their runs."""
    sheet, layout, header = of.sheet, of.layout, of.sheet.header
    if layout.runs or layout.facets or layout.topic is None:
        return []
    runs = [c for c in layout.others if has_role(header[c], "repeats", "system_wide")]
    for question in (c for c in layout.others if has_role(header[c], "topic")) if runs else ():
        cells = sheet.columns[question].codes
        number = different(cells)
        if not 1 < number <= len(of.keys) / 2:
            continue
        keys = joint(cells, of.system)
        run = next((c for c in runs if all_differ(joint(keys, sheet.columns[c].codes))), None)
        if run is not None:
            names = {"column": header[layout.topic], "run": header[run], "question": header[question]}
            facts = {**names, "values": len(of.keys), "number": number}
            return [Note("runs-as-topics", facts, "alert")]
    return []
