"""Score tables, wide (systems as columns) or long (topic, system, value), from files and data frames."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from truerank._support.arguments import setting
from truerank._support.notes import Note
from truerank.errors import InputError
from truerank.readers.battles import battle_columns, read_battles, refuse_unread
from truerank.readers.cell_values import all_differ, joint
from truerank.readers.columns import Layout, column_named, long_layout
from truerank.readers.guesses import ask, one_row_per_score
from truerank.readers.long_tables import read_long
from truerank.readers.measures import pick_measure
from truerank.readers.options import Options
from truerank.readers.repeated_rows import runs_of_rows
from truerank.readers.roles import NAMES, averages, find, plain, summaries
from truerank.readers.sheets import ROWS, Sheet
from truerank.readers.transposing import read_transposed, transposed_layout
from truerank.readers.wide_tables import read_wide, wide_layout
from truerank.scores import ScoreMatrix


def read_sheet(sheet: Sheet, options: Options) -> ScoreMatrix:
    """Scores from a sheet, whatever it was made of."""
    sheet = _with_missing_value(with_topics_joined(sheet, options.topic_column), options.missing_value)
    battles = battle_columns(sheet)
    if battles is not None:
        raw = read_battles(sheet, battles, options)
        return raw.noting(*sheet.notes)
    if options.run_column == ROWS and ROWS not in sheet.header:
        sheet = sheet.numbered()
    named = Layout.named(sheet.header, options, sheet.place())
    _refuse_other_content(sheet, named)
    long = long_layout(sheet.header, named, options.data_set is not None)
    measure = named.measure
    if measure is None and sheet.find("value") is None:
        found = sheet.find("measure", among={*range(len(sheet.header))} - named.used)
        measure = found if found is not None and sheet.column(found).holds_names else None
    if long is None and measure is not None:
        # A wide table of several measures: the rows of one.
        column = sheet.column(measure)
        name = pick_measure(list(column.levels), options.measure, sheet.place())
        sheet = sheet.some(np.flatnonzero(column.codes == list(column.levels).index(name)))
        named = replace(named, measure=None, ignore=named.ignore | {measure})
        options = replace(options, measure=name)
    if long is None and named.system is not None and options.transpose is None:
        free = (c for c in range(len(sheet.header)) if c not in named.used)
        names = (sheet.header[c] for c in free if not sheet.column(c).holds_fractions)
        given = one_row_per_score(sheet, options) or next(
            (setting("topic_column", name) for name in names), None
        )
        raise ask(sheet, "no column is called like topics", *filter(None, [given]))
    groups = options.cluster or options.family
    if long is None and groups and long_layout(sheet.header, Layout()) is not None:
        raise InputError(
            f"{sheet.place()}column {groups!r} says which topic, data set or "
            "system a score belongs to; clusters and families need their own columns"
        )
    # A wide table may have a system that is called `run`: without a value column, only a column of
    # names makes a table long.
    chosen = named.system is not None or named.score is not None
    named_so = chosen or (long is not None and long.score is not None)
    if long is not None and (named_so or sheet.column(long.system or 0).holds_names or _numbers(sheet, long)):
        if options.transpose:
            raise InputError(
                f"{sheet.place()}one row per score, so there is nothing to transpose; leave it out"
            )
        raw = read_long(sheet, long, options)
    else:
        _refuse_lookalikes(sheet)
        rows = transposed_layout(sheet, options, named)
        if rows is not None:
            raw = read_transposed(sheet, rows, options)
        else:
            raw = read_wide(sheet, wide_layout(sheet, runs_of_rows(sheet, named), options), options)
    return _without_summaries(raw).noting(*sheet.notes)


def _without_summaries(raw: ScoreMatrix) -> ScoreMatrix:
    """The scores without systems that by their names sum up the others, two at least."""
    if left := summaries(raw.systems):
        kept = [s for s, name in enumerate(raw.systems) if name not in left]
        return raw.select(kept).noting(
            Note("parts-left-out", {"case": "summary-systems", "names": list(left)})
        )
    if alone := [name for name, sums in zip(raw.systems, averages(raw.systems), strict=True) if sums]:
        return raw.noting(Note("reading", {"case": "summaries-alone", "names": alone}))
    return raw


def _numbers(sheet: Sheet, layout: Layout) -> bool:
    """Whether the systems of a long table are numbers: topics come again, each time with another."""
    topics = [sheet.column(c).codes for c in (layout.data_set, layout.topic) if c is not None]
    again = joint(*topics)
    return not all_differ(again) and all_differ(joint(again, sheet.column(layout.system or 0).codes))


def with_topics_joined(sheet: Sheet, given: str | None) -> Sheet:
    """The sheet where topics that are named by several columns are named by one."""
    names = [] if given is None or given in sheet.header else next(csv.reader([given]))
    if len(names) < 2 or find(sheet.header, [plain(given or "")]) is not None:
        return sheet
    columns = [column_named(sheet.header, name.strip(), sheet.place()) for name in names]
    if len(set(columns)) < len(columns):
        raise InputError(f"{sheet.place()}{setting('topic_column', given)}: name each column once")
    return sheet.joined(columns, given or "")


def _with_missing_value(sheet: Sheet, given: float | str | None) -> Sheet:
    """The sheet with what stands for a missing score: a number, a word, or nothing."""
    try:
        sheet.missing_value = given if given is None or given == "none" else float(given)  # type: ignore[assignment]
    except ValueError:
        sheet = sheet.without(str(given))
    return sheet


def _refuse_other_content(sheet: Sheet, named: Layout) -> None:
    """Say what a table is that holds no scores of topics, by its names: battles, or wins of each pair."""
    if named.used:
        return
    refuse_unread(sheet)
    if sheet.rows == len(sheet.header) - 1 > 1 and sorted(sheet.names(0)) == sorted(sheet.header[1:]):
        raise InputError(
            f"{sheet.place()}rows and columns have the same names, as a table of wins has. Give one row per "
            "pair: model_a, model_b, wins_a, wins_b, ties; or, better, one row per battle with its prompt"
        )


def looks_like_documents(columns: Sequence[str]) -> bool:
    """Whether the columns are those of a run or of judgments."""
    return find(columns, NAMES["document"][:5]) is not None


def lacks_systems(columns: Sequence[str]) -> bool:
    """Whether the columns are those of a long table without systems."""
    return find(columns, "value") is not None and find(columns, "measure") is not None


def _refuse_lookalikes(sheet: Sheet) -> None:
    """Say what a table is when it is no table of scores but has the columns of one."""
    header = sheet.header
    if find(header, "topic", "data_set") is None or len(header) < 3:
        return
    if looks_like_documents(header):
        raise InputError(
            f"{sheet.place()}these are documents (a run or judgments), not scores; evaluate runs with qrels"
        )
    if lacks_systems(header):
        raise InputError(
            f"{sheet.place()}no column says which system a score belongs to; add one named 'system'"
        )
    if find(header, "value") is None:
        return
    options = one_row_per_score(sheet)
    if options is not None:
        raise ask(sheet, "one row per score, it seems, but no column is called like systems", options)
