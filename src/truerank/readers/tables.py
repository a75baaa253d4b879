"""Score tables of any layout: their rows as records, pivoted to topics × systems, with what stands beside."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np

from truerank._support.arguments import setting
from truerank._support.notes import Note
from truerank._support.wording import count, few
from truerank.errors import InputError
from truerank.numerics.over_runs import OverRuns
from truerank.readers.battles import battle_columns, read_battles, refuse_unread
from truerank.readers.cell_values import TEXT, WORD, Codes, Column, Vector, all_differ, different, joint
from truerank.readers.layout import Layout, long_layout, rows_layout, wide_layout, with_repeats
from truerank.readers.measures import known, pick_measure, without_scores
from truerank.readers.options import Options, UnsureError
from truerank.readers.questions import (
    LONG,
    ROWS_OF_SYSTEMS,
    UNLIKE,
    WIDE,
    ask,
    check,
    rows_may_be_systems,
)
from truerank.readers.records import Records, over_runs
from truerank.readers.roles import (
    PATTERNS,
    averages,
    called,
    column_named,
    find,
    has_role,
    is_measure,
    is_measure_alone,
    is_property,
    like_topics,
    lower_is_better,
    plain,
    sums_up,
    unlikely_measure,
)
from truerank.readers.sheets import ROWS, Sheet
from truerank.readers.table_rows import TableRows
from truerank.reading import Reading
from truerank.scores import ScoreMatrix

_TRIED = 4_096
"""Rows on which it is tried whether an option reads the table."""


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
    return _without_summaries(raw).noting(*sheet.notes)


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


def _without_summaries(raw: ScoreMatrix) -> ScoreMatrix:
    """The scores without systems that by their names sum up the others, two at least."""
    sums = averages(raw.systems)
    names = [name for name, left in zip(raw.systems, sums, strict=True) if left]
    if not names:
        return raw
    if len(sums) - len(names) < 2:
        return raw.noting(Note("reading", {"case": "summaries-alone", "names": names}))
    kept = [s for s, left in enumerate(sums) if not left]
    return raw.select(kept).noting(Note("parts-left-out", {"case": "summary-systems", "names": names}))


def _about_columns(of: TableRows, unused: Sequence[int]) -> list[Note]:
    """What columns were taken for, where their names do not say it alone, and which are not used."""
    header, layout, found = of.sheet.header, of.layout, list[dict[str, Any]]()
    if layout.cluster is not None and header[layout.cluster] == of.options.cluster_file:
        found.append({"case": "cluster-column", "column": of.options.cluster_file})
    topic = None if layout.topic is None else header[layout.topic]
    if layout.data_set is not None:
        column, names = header[layout.data_set], list(of.data_sets.levels)
        if has_role(column, "task") and len(names) > 1:
            found.append({"case": "data-sets", "column": column, "names": names})
        if topic is not None and has_role(topic, "task"):
            found.append({"case": "topics", "column": topic})
    notes = [Note("reading", facts) for facts in found]
    if names := [header[c] for c in unused]:
        unread = {"case": "unused-columns", "names": names}
        notes.append(Note("parts-left-out", unread, systems=tuple(sorted(names))))
    return [*notes, *of.notes]


def _read_wide(sheet: Sheet, layout: Layout, options: Options) -> ScoreMatrix:
    header, columns = sheet.header, layout.scores
    unsure = options.transpose is None and rows_may_be_systems(sheet, layout)
    doubts = (f"{setting('transpose', True)} reads rows as systems",) * unsure
    of = TableRows.of(sheet, layout, options)
    of.check_names()
    of.refuse_repeats(layout.others)
    names = [header[column] for column in columns]
    named = names[0] if options.score_column is not None else ""
    if options.measure is not None and len(names) == 1 and not named and is_measure_alone(names[0]):
        pick_measure(names, options.measure, sheet.place())
    return of.table(
        names,
        np.tile(np.arange(len(names)), of.sheet.rows),
        of.sheet.scores(columns).ravel(),
        options.measure or ("" if has_role(named, "value") else named),
        _about_columns(of, layout.others),
        Reading(layout.rows(header), "the columns", doubts=doubts),
        over_runs(options.measure) if layout.runs or layout.facets else None,
    )


def _read_rows(sheet: Sheet, layout: Layout, options: Options) -> ScoreMatrix:
    header, column = sheet.header, layout.system or 0
    systems = sheet.names(column)
    sums = averages(systems)
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
    header = sheet.header
    over, options = _over(sheet, layout, options)
    if options.weights is not None and layout.weight is not None:
        layout = replace(layout, weight=None, others=(*layout.others, layout.weight))
    scores, name, doubts = _scores_of(sheet, layout, options)
    of, more = TableRows.of(sheet, layout, options), list[Note]()
    if layout.score is not None and layout.measure is not None:
        rows, name, more = _of_one(of.sheet, layout, options)
        of = replace(of, sheet=rows)
    if over is not None and name != over.name:
        name = f"{over.name} of {name}" if name else over.name
    systems = of.sheet.columns[layout.system or 0]
    of.check_names(systems)
    measures = _measure_columns(sheet, layout) if layout.score is None else []
    beside = [c for c in layout.others if c not in scores]
    keys = joint(of.topic, systems.codes)
    of = replace(of, layout=with_repeats(of.sheet, of.layout, keys, beside))
    beside = [c for c in beside if c not in of.layout.used]
    of.refuse_repeats(beside, systems)
    notes = _about_columns(of, [c for c in beside if c not in measures])
    runs = [None if header[c] == ROWS else header[c] for c in of.layout.runs]
    if of.layout.facets or None in runs:
        topic = None if layout.topic is None else header[layout.topic]
        facts: dict[str, Any] = {"case": "columns", "system": header[layout.system or 0], "topic": topic}
        facts |= {"runs": runs, "facets": [header[c] for c in of.layout.facets]}
        notes.append(Note("reading", facts, "info"))
    system, *values = (called(header[c]) for c in (layout.system or 0, *scores))
    numbers, attempts = _numbers(of.sheet, scores)
    return of.table(
        systems.levels,
        systems.codes,
        numbers,
        name,
        [*notes, *more, *_ids_as_topics(of, systems.codes)],
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
    if counted == [None, None]:  # how HumanEval's results call them
        others = [name if c in layout.others else "" for c, name in enumerate(sheet.header)]
        counted = [find(others, [name]) for name in "cn"]
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
        meant = not numeric or name == measure or has_role(name, "score_by_meaning")
        meant = (meant and cells.score_words is not None) or (measure in (None, name) and is_measure(name))
        if meant and WORD in cells.held and TEXT in cells.held:
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
        numbered = sheet.header[layout.system or 0]
        if has_role(numbered, "run") and not sheet.columns[layout.system or 0].holds_names:
            ways = ({"run_column": numbered}, "if it numbers runs"), ({"measure": names[0]}, "if not")
            raise ask(sheet, f"column {numbered!r} holds numbers: runs, or names of systems", *ways)
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


def _ids_as_topics(of: TableRows, systems: Codes) -> list[Note]:
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
        keys = joint(cells, systems)
        run = next((c for c in runs if all_differ(joint(keys, sheet.columns[c].codes))), None)
        if run is not None:
            names = {"column": header[layout.topic], "run": header[run], "question": header[question]}
            facts = {**names, "values": len(of.keys), "number": number}
            return [Note("runs-as-topics", facts, "alert")]
    return []
