"""Wide tables: one column per system, and before them what the rows are about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from truerank._support.arguments import either, setting
from truerank._support.wording import few
from truerank.errors import InputError
from truerank.readers.cell_values import (
    TEXT,
    WORD,
    Codes,
    all_differ,
    crossed,
    first_repeat,
    first_rows,
    in_order,
    is_number,
    joint,
)
from truerank.readers.columns import Layout, called, check_columns
from truerank.readers.guesses import ask, listed, one_row_per_score, remedy_for_repeats
from truerank.readers.labels import Belongings, Labels, notes_on_columns, rows_of_topics
from truerank.readers.options import Options, ignoring
from truerank.readers.records import Records, over_runs
from truerank.readers.repeated_rows import facet_factors, keys_of, run_factor
from truerank.readers.roles import (
    NAMES,
    averages,
    beside_scores,
    called_like_ids,
    has_role,
    is_average,
    is_data_set,
    is_measure,
    is_property,
    is_unnamed,
    noun_of,
    plain,
)
from truerank.readers.sheets import (
    Sheet,
    first_line_of_scores,
    refuse_other_words,
)
from truerank.readers.transposing import like_topics, numbered, refuse_runs, rows_as_systems
from truerank.reading import Reading
from truerank.scores import ScoreMatrix

_FEW = 3
"""Rows below which numbers that count up may be scores."""


def wide_layout(sheet: Sheet, named: Layout, options: Options) -> Layout:
    """The layout of a wide table: what the rows are about stands before the columns of systems."""
    header, apart = sheet.header, named.used
    found, end = _leading(sheet, apart, options) if len(header) > 1 else ({}, 0)
    unused = {column for column in range(end) if column not in (*apart, *found.values())}
    given = {part for part in ("cluster", "topic", "data_set") if getattr(named, part) is not None}
    given |= {"unused", "weight"} if options.weights is not None else {"unused"}
    unused |= {found.pop(part) for part in given & found.keys()}
    counts = found.pop("count", None)
    following = next((c for c in range(end, len(header)) if c not in apart), len(header))
    if named.topic is None and "topic" not in found and counts is not None:
        text = following < len(header) and sheet.column(following).holds_text
        differ = "data_set" in found and all_differ(sheet.column(found["data_set"]).codes)
        if not (_counts_rows(sheet, counts) and (text or differ)):
            found["topic"] = counts
    if named.topic is None and "topic" not in found and following < len(header) - 1:
        if options.transpose is False and sheet.column(following).holds_text:
            found["topic"], end = following, following + 1
        elif options.transpose is None:
            _ask_what_rows_are(sheet, following, found.get("data_set", named.data_set), apart)
    after = [column for column in range(end, len(header)) if column not in apart]
    if named.data_set is None:
        _refuse_late(sheet, after)
    texts = [column for column in after if sheet.column(column).holds_text]
    systems = tuple(column for column in after if column not in texts)
    if named.score is not None:  # the only system of the table
        unused |= set(systems)
        systems = (named.score,)
    if not systems and len(header) == 1:
        raise InputError(
            f"{sheet.place()}the only column is {header[0]!r}, and holds no scores; separate columns by "
            "commas, semicolons or tabs"
        )
    if not systems:
        raise ask(sheet, "no column of scores; add one for each system")
    layout = replace(named, **found, systems=systems, others=tuple(sorted(unused | set(texts))))
    if len(systems) == 1 and not layout.names_rows and is_number(header[systems[0]]) and named.score is None:
        raise first_line_of_scores(sheet.place())
    for column in systems:
        refuse_other_words(sheet, column, only=len(systems) == 1)
    _refuse_measures(sheet, systems)
    if options.transpose is None and any(sheet.column(c).holds_names for c in range(systems[0])):
        refuse_runs(sheet, systems, "systems", f"{setting('transpose', False)} if they are systems")
    _refuse_about_topics(sheet, layout, options)
    return layout


def _ask_what_rows_are(sheet: Sheet, first: int, data_set: int | None, apart: set[int]) -> None:
    """Ask what the rows are where no name says it: the column before the systems, or one among them, may."""
    header = sheet.header
    if sheet.column(first).holds_text:
        names = setting("topic_column", header[first])
        if long := one_row_per_score(sheet):
            what = "no column is called like topics or systems"
            raise ask(sheet, what, f"{long} if there is one row per score", f"{names} if rows are topics")
        what = f"{called(header[first])} may name topics"
        scores = [name for c, name in enumerate(header) if c != first and sheet.column(c).holds_scores]
        if data_set is not None and len(scores) == 1:
            what = f"{what} or systems, as only {scores[0]!r} holds scores"
            raise ask(sheet, what, setting("system_column", header[first]), names)
        if data_set is not None:
            one_row = all_differ(sheet.column(data_set).codes)
            raise ask(sheet, what, names, *[f"{ignoring(header[first])} if it does not"] * one_row)
        if len(scores) == 1:
            raise ask(sheet, f"{what}, of one system", names)
        rows = rows_as_systems(sheet, [c for c in range(len(header)) if c not in {first} | apart])
        raise ask(sheet, f"{what} or systems", f"{names} if rows are topics", f"{rows} if they are systems")
    others = [name for c, name in enumerate(header) if c not in {first} | apart]
    if like_topics(others) and not like_topics([header[first]]):
        both = either(", ", " ").join([setting("transpose", True), setting("system_column", header[first])])
        ways = f"{both} if it names systems", f"{setting('transpose', False)} if all columns are systems"
        raise ask(sheet, f"columns behind {called(header[first])} are called like topics", *ways)
    late = sheet.find("topic", among={*range(len(header))} - apart)
    if late is not None:
        raise ask(
            sheet,
            f"the topic column {header[late]!r} is column {late + 1}",
            setting("topic_column", header[late]),
            "rename it if it is a system",
        )


def _leading(sheet: Sheet, named: set[int], options: Options) -> tuple[dict[str, Any], int]:
    """The columns at the left that are no systems, by their part, and the first column after them."""
    header = sheet.header
    topic_later = any(has_role(name, "topic") for c, name in enumerate(header) if c not in named)
    found: dict[str, Any] = {}
    end = 0
    for column, name in enumerate(header):
        if column in named:
            continue
        part, at = _part(sheet, column), column
        if part == "data_set" and "data_set" in found:
            tasks = [c for c in (found["data_set"], column) if has_role(header[c], "task")]
            if len(tasks) != 1:
                break
            # A task of a data set is a topic, unless there are topics under a plainer name.
            found["data_set"] = found["data_set"] if tasks == [column] else column
            part, at = ("unused" if topic_later else "topic"), tasks[0]
        if part is None and sheet.column(column).holds_text:
            continue  # no system; what it is follows from the others
        if part is None or part in found:
            break
        late = part == "topic" and has_role(name, "topic_first") and bool(found)
        if late and "data_set" not in found and not ("count" in found and _counts_rows(sheet, 0)):
            break
        found[part] = at
        end = column + 1
    if "weight" in found and "data_set" not in found and options.data_set is None:
        end = found["weight"]
        found = {part: column for part, column in found.items() if column < end}
    if not {"topic", "data_set", "count"} & found.keys():
        return {}, 0
    return found, end


def _part(sheet: Sheet, column: int) -> str | None:
    """What a column at the left of a wide table holds, by its name and content."""
    name = sheet.header[column]
    counts = column == 0 and has_role(name, "topic_first") and _counts_rows(sheet, 0)
    if is_unnamed(name) or counts:
        return "count" if column == 0 else None
    role = next((role for role in NAMES["wide"] if has_role(name, role)), None)
    if role in ("topic", "topic_first"):
        return "topic"
    if role == "weight" or (role == "about_data_set" and column > 0):
        return "unused" if role == "about_data_set" else role
    if sheet.column(column).holds_fractions:
        return None  # a system of that name
    return {"data_set": "data_set", "task": "data_set", "cluster": "cluster"}.get(role or "")


def _counts_rows(sheet: Sheet, column: int) -> bool:
    """Whether a column counts the rows from 0 or 1 on, as pandas does."""
    return sheet.names(column) in ([str(row + start) for row in range(sheet.rows)] for start in (0, 1))


def _refuse_late(sheet: Sheet, systems: Sequence[int]) -> None:
    """Refuse a column among the systems that by its name and content says what rows are about."""
    for column in systems:
        name = sheet.header[column]
        part = "data_set_column" if is_data_set(name) else "cluster" if has_role(name, "cluster") else None
        if part is not None and column > 0 and not sheet.column(column).holds_fractions:
            kind = "data set" if part == "data_set_column" else part
            what = f"column {name!r} looks like the {kind} of each topic, but is column {column + 1}"
            raise ask(sheet, what, f"{setting(part, name)} if it is", f"{ignoring(name)}, or rename a system")


def read_wide(sheet: Sheet, layout: Layout, options: Options) -> ScoreMatrix:
    """The scores of a wide table."""
    columns, labels = layout.systems, Labels.of(sheet, layout, options)
    check_columns(sheet.header, columns, sheet.place(), layout.topic)
    notes = notes_on_columns(sheet, layout, labels, layout.others)
    doubts: tuple[str, ...] = ()
    if options.transpose is None and _says_nothing_of_rows(sheet, layout):
        doubts = (f"{setting('transpose', True)} reads rows as systems",)
    rows = np.arange(sheet.rows)
    if layout.names_rows:
        rows, more = rows_of_topics(sheet, labels)
        notes += more
        _check_topics(sheet, labels, rows, layout, options)
    values = sheet.scores(columns, rows)
    m, names = len(columns), [sheet.header[column] for column in columns]
    used, topic = in_order(labels.codes[rows], labels.size)
    each = np.repeat(rows, m)
    records = Records(
        values.ravel(),
        np.repeat(topic, m),
        np.tile(np.arange(m), len(rows)),
        labels.named(used),
        names,
        sheet.place(),
        run_factor(sheet, layout, each),
        facet_factors(sheet, layout, each),
    )
    cells = records.pivot(over_runs(options.measure) if layout.runs or layout.facets else None)
    first = rows[first_rows(topic)]
    named = names[0] if options.score_column is not None else ""
    return records.table(
        cells,
        lambda t, _: sheet.place(int(first[t])),
        options.measure or ("" if has_role(named, "value") else named),
        sheet.source,
        [*notes, *cells.notes],
        labels.several,
        Belongings.of(sheet, layout, labels, first),
        unnamed="" if layout.names_rows else "table",
        noun=noun_of(sheet.header, layout.topic),
        reading=Reading(layout.rows(sheet.header), "the columns", doubts=doubts),
    )


def _says_nothing_of_rows(sheet: Sheet, layout: Layout) -> bool:
    """Whether rows might be systems: names, in a column without one, that are not those of topics."""
    if layout.topic is None or layout.data_set is not None or sheet.rows < 2:
        return False
    if not (is_unnamed(sheet.header[layout.topic]) or plain(sheet.header[layout.topic]) == "index"):
        return False
    rows = sheet.names(layout.topic)
    names = [name for name, sums in zip(rows, averages(rows), strict=True) if not sums]
    if like_topics(names) or numbered(names):
        return False
    columns = [sheet.header[c] for c in layout.systems]
    if like_topics(columns) and columns[0] not in ("0", "1"):  # a frame counts its columns from 0
        both = (
            f"{setting('transpose', way)} if {kind} are systems"
            for way, kind in ((True, "rows"), (False, "columns"))
        )
        raise ask(sheet, "columns are called like topics, and the column of rows has no name", *both)
    return True


def _refuse_about_topics(sheet: Sheet, layout: Layout, options: Options) -> None:
    """Refuse columns that by their names number, count or describe the topics, such as a latency."""
    columns, topic = layout.systems, layout.topic
    keys = [sheet.column(c).codes for c in (layout.data_set, topic) if c is not None]
    again = bool(keys) and not layout.runs and not all_differ(joint(*keys))
    names = {column: sheet.header[column] for column in columns}
    if again and (runs := [name for name in names.values() if has_role(name, "run")]) and len(columns) > 1:
        what = f"topics come several times, and column {runs[0]!r} seems to number the runs"
        raise ask(sheet, what, setting("run_column", runs[0]))
    for column, name in names.items():
        counts = len(columns) > 1 and _enumerates(sheet, column, columns)
        if counts or _looks_like_ids(sheet, column, not keys and len(columns) > 1 and column == columns[0]):
            what = f"column {name!r} {'counts the rows, like' if counts else 'holds whole numbers like'} ids"
            ids = f"{setting('topic_column', name)} if they are"
            raise ask(sheet, f"{what} of topics", ids, *[ignoring(name)] * (len(columns) > 1))
    if len(columns) == 1 or options.transpose is False:
        return
    told = {column for column in columns if _says_of_topics(sheet, column, columns)}
    told |= {columns[k] for k in beside_scores(list(names.values()))}
    told -= {column for column in told if is_average(names[column])}  # these are left out, with a note
    if not told:
        return
    if len(told) == len(columns):
        raise ask(
            sheet,
            f"no column is called like scores: {few(list(names.values()), 8)} may tell of the rows",
            f"{setting('score_column', names[columns[0]])} if it is the score, with a file for each system",
            f"{setting('transpose', False)} if all columns are systems",
        )
    which = [name for column, name in names.items() if column in told]
    ways = [ignoring(*which)]
    if topic is not None and options.topic_column is None and is_unnamed(sheet.header[topic]):
        ways.insert(0, f"{rows_as_systems(sheet, columns)} if rows are systems")
    raise ask(
        sheet,
        f"{few(which, 8)} may tell of the rows, and be no system",
        *ways,
        f"{setting('transpose', False)} if all columns are systems",
    )


def _looks_like_ids(sheet: Sheet, column: int, first: bool) -> bool:
    """Whether a column holds whole numbers, and is called like topics or, as the first one, all differ."""
    name, cells = sheet.header[column], sheet.column(column)
    if not sheet.column(column).counts_up or cells.has(TEXT) or cells.has(WORD):
        return False
    differ = len(np.unique(cells.numbers)) == int(np.sum(~np.isnan(cells.values()))) > 1
    return called_like_ids(name) or (first and (differ or is_property(name, whole=True)))


def _says_of_topics(sheet: Sheet, column: int, columns: Sequence[int]) -> bool:
    """Whether a column counts or describes the topics, by its name and content; a letter may be a system."""
    name = sheet.header[column]
    if is_property(name, whole=False) or (has_role(name, "weight") and column > 0):
        return True
    runs = has_role(name, "system") and any(sheet.column(other).holds_fractions for other in columns)
    if len(name) == 1 or (has_role(name, "system") and not runs):
        return is_property(name, whole=True) and sheet.column(column).counts_up
    numbers_runs = has_role(name, "run") or is_property(name, whole=True)
    return numbers_runs and not sheet.column(column).holds_fractions


def _refuse_measures(sheet: Sheet, columns: Sequence[int]) -> None:
    """Refuse columns that are called like scores or measures, beside times and counts: of one system."""
    names = [sheet.header[column] for column in columns]
    scores = [name for name in names if has_role(name, "value", "score_by_meaning")]
    systems = [sheet.header[column] for column in columns if not _says_of_topics(sheet, column, columns)]
    if len(columns) > 1 and (scores or (systems and all(map(is_measure, systems)))):
        what = f"{few(names, 8)} look like measures of one system, not like systems"
        one = setting("score_column", (scores or systems)[0])
        long = one_row_per_score(sheet)
        ways = [f"{long} if there is one row per score"] if long else []
        one = f"{one} for one of them, with a file for each system"
        raise ask(sheet, what, *ways, f"{one}; or rename them if they are systems")


def _enumerates(sheet: Sheet, column: int, columns: Sequence[int]) -> bool:
    """Whether a column counts the rows, beside scores that have fractions."""
    scores = any(sheet.column(other).holds_fractions for other in columns)
    return sheet.rows >= _FEW and scores and _counts_rows(sheet, column)


def _check_topics(sheet: Sheet, labels: Labels, rows: Codes, layout: Layout, given: Options) -> None:
    """Refuse rows without names, and topics that come twice, with how the table may be meant."""
    labels.check(sheet, rows)
    keys = keys_of(sheet, layout, rows, labels.codes[rows])
    if all_differ(keys):
        return
    again, first = (int(rows[k]) for k in first_repeat(keys))
    options = None if layout.runs or layout.facets else one_row_per_score(sheet, given)
    remedies = [f"if there is one row per score, use {options}"] if options else []
    several = len(layout.systems) > 1 and not any(
        is_measure(name) or has_role(name, "value", "score_by_meaning")
        for name in (sheet.header[c] for c in layout.systems)
    )
    if several or not options:
        levels = [c for c in layout.systems if crossed(keys, sheet.column(c).codes[rows])]
        beside = [*layout.others, *levels]
        apart = keys_of(sheet, layout, rows, np.zeros_like(rows))
        remedies.insert(0, remedy_for_repeats(sheet, rows, keys, beside, labels, apart, layout))
        if layout.topic is not None and len(levels) == 1:
            names = f"{sheet.header[layout.topic]},{sheet.header[levels[0]]}"
            remedies.insert(0, f"use {setting('topic_column', names)} if both columns name the topics")
    said = f"{labels.name_of(again)} was already given at {sheet.place(first).removesuffix(': ')}"
    said += f". The first rows are {listed(sheet)}" if options else ""
    raise InputError("; ".join([f"{sheet.place(again)}{said}", *remedies]))
