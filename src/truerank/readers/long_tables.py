"""Long tables: one row per score, with columns for its system, topic and data set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from truerank._support.arguments import setting
from truerank._support.notes import Note
from truerank._support.wording import few
from truerank.errors import InputError
from truerank.numerics.over_runs import OverRuns
from truerank.readers.cell_values import (
    TEXT,
    WORD,
    Codes,
    Column,
    all_differ,
    different,
    first_repeat,
    first_rows,
    in_order,
    joint,
)
from truerank.readers.columns import Layout, called
from truerank.readers.guesses import ask, one_row_per_score, remedy_for_repeats
from truerank.readers.labels import Belongings, Labels, notes_on_columns, rows_of_topics
from truerank.readers.measures import known, pick_measure, without_scores
from truerank.readers.options import Options
from truerank.readers.records import Records, over_runs
from truerank.readers.repeated_rows import (
    about_columns,
    counted_columns,
    counted_numbers,
    facet_factors,
    ids_as_topics,
    keys_of,
    run_factor,
    turns,
    with_repeats,
)
from truerank.readers.roles import (
    PATTERNS,
    has_role,
    is_measure,
    is_property,
    noun_of,
    plain,
    unlikely_measure,
)
from truerank.readers.sheets import Sheet, refuse_other_words
from truerank.reading import Reading
from truerank.scores import ScoreMatrix


def read_long(sheet: Sheet, layout: Layout, options: Options) -> ScoreMatrix:
    """The scores of a long table."""
    layout = _of_measure(sheet, _without_row_numbers(sheet, _with_topics(sheet, layout)), options)
    system = sheet.header[layout.system or 0]
    counted, turn = counted_columns(sheet, layout), turns(sheet, layout)
    over, options = _over(sheet, layout, options)
    unused = list(layout.others)
    if options.weights is not None and layout.weight is not None:
        unused.append(layout.weight)
        layout = replace(layout, weight=None)
    labels = Labels.of(sheet, layout, options)
    rows, notes = rows_of_topics(sheet, labels)
    if turn is not None:
        labels = _of_turns(labels, sheet.column(turn), sheet.header[turn])
    name = options.measure or ""
    doubts: tuple[str, ...] = ()
    if counted is not None:
        column = counted[0]
        unused = [c for c in unused if c not in counted]
    elif layout.score is None:
        column, name, doubts = _measure_column(sheet, layout, options.measure)
        unused = [c for c in unused if c not in _measure_columns(sheet, layout)]
    else:
        column = layout.score
        if options.score_column is not None and not has_role(sheet.header[column], "value"):
            name = name or sheet.header[column]
        if layout.measure is not None:
            rows, name, more = _rows_of_measure(sheet, layout, options.measure, rows, labels)
            notes += more
    if over is not None and name != over.name:
        name = f"{over.name} of {name}" if name else over.name
    scores = (column,) if counted is None else counted
    refuse_other_words(sheet, column, only=True)
    beside = [c for c in layout.others if c not in (column, turn)]
    records, layout = _records(sheet, rows, labels, layout, beside)
    taken = (*layout.runs, *layout.facets, turn)
    notes = notes_on_columns(sheet, layout, labels, [c for c in unused if c not in taken]) + notes
    notes += about_columns(sheet, layout, turn)
    notes += ids_as_topics(sheet, layout, rows, len(records.topics))
    attempts: Codes | None = None
    if counted is None:
        numbers = sheet.scores([column], rows)[:, 0]
    else:
        numbers, attempts = counted_numbers(sheet, counted, rows)
    cells = replace(records, scores=numbers, attempts=attempts).pivot(over)
    belongings = Belongings.of(sheet, layout, labels, rows)
    if turn is not None and belongings.clusters is None and layout.topic is not None:
        questions = sheet.column(layout.topic).cells(rows[first_rows(records.topic)])
        belongings = replace(belongings, clusters=questions)
    return records.table(
        cells,
        None,
        name,
        sheet.source,
        [*notes, *cells.notes],
        labels.several,
        belongings,
        noun=noun_of(sheet.header, layout.topic),
        reading=Reading(
            layout.rows(sheet.header),
            called(system),
            " and ".join(called(sheet.header[c]) for c in scores),
            doubts=doubts,
        ),
    )


def _records(
    sheet: Sheet, rows: Codes, labels: Labels, layout: Layout, beside: Sequence[int]
) -> tuple[Records, Layout]:
    """The rows as records without scores yet, and the layout with what distinguishes records of one cell."""
    assert layout.system is not None
    labels.check(sheet, rows)
    used, topic = in_order(labels.codes[rows], labels.size)
    systems, system = sheet.column(layout.system).levels_of(rows)
    if "" in systems:
        row = int(np.argmax(system == systems.index("")))
        raise InputError(f"{sheet.place(int(rows[row]))}the system has no name; fill the cell")
    records = Records(np.empty(0), topic, system, labels.named(used), systems, sheet.place())
    layout = with_repeats(sheet, layout, rows, records.cell, beside)
    left = [c for c in beside if c not in (*layout.runs, *layout.facets)]
    _refuse_repeats(sheet, rows, records, labels, left, layout)
    runs, facets = run_factor(sheet, layout, rows), facet_factors(sheet, layout, rows)
    return replace(records, runs=runs, facets=facets), layout


def _refuse_repeats(
    sheet: Sheet,
    rows: Codes,
    records: Records,
    labels: Labels,
    unused: Sequence[int],
    layout: Layout,
) -> None:
    """Refuse a score that is there twice, with what distinguishes the rows."""
    keys = keys_of(sheet, layout, rows, records.cell)
    if all_differ(keys):
        return
    again, first = first_repeat(keys)
    row = int(rows[again])
    of_run = "".join(
        f" in {sheet.header[c]} {sheet.column(c).cells(rows[[again]])[0]!r}"
        for c in (*layout.runs, *layout.facets)
    )
    apart = keys_of(sheet, layout, rows, records.system)
    remedy = remedy_for_repeats(sheet, rows, keys, unused, labels, apart, layout)
    raise InputError(
        f"{sheet.place(row)}system {records.systems[records.system[again]]!r} already has a score on "
        f"{labels.name_of(row)}{of_run}, at {sheet.place(int(rows[first])).removesuffix(': ')}; {remedy}"
    )


def _of_measure(sheet: Sheet, layout: Layout, options: Options) -> Layout:
    """The layout with a column per measure, where the measure is called like a column of scores."""
    if layout.score is None or layout.measure is not None or options.score_column is not None:
        return layout
    others = tuple(sorted((*layout.others, layout.score)))
    named = [c for c in others if sheet.header[c] == options.measure and sheet.column(c).holds_scores]
    return replace(layout, score=None, others=others) if named else layout


def _over(sheet: Sheet, layout: Layout, options: Options) -> tuple[OverRuns | None, Options]:
    """What the measure asks of runs, and what is asked beside it; nothing where a column is called so."""
    over = over_runs(options.measure)
    if over is None or over.name in sheet.header:
        return None, options
    if layout.measure is not None and over.name in sheet.column(layout.measure).levels:
        return None, options
    several = layout.score is None or layout.measure is not None
    return over, replace(options, measure=None) if several else options


def _of_turns(labels: Labels, turns: Column, column: str) -> Labels:
    """Each turn of a question is a topic."""
    pairs = zip(labels.topics.cells(), turns.cells(), strict=True)
    return replace(labels, topics=Column.of(f"{topic} {column} {turn}" for topic, turn in pairs))


def _with_topics(sheet: Sheet, layout: Layout) -> Layout:
    """The layout where tasks are the topics of data sets: with both columns, and no other for topics."""
    task = sheet.find("task", among=layout.others)
    if layout.topic is not None or task is None or layout.data_set is None:
        return layout
    sets = sheet.column(layout.data_set)
    if different(joint(sets.codes, sheet.column(task).codes)) == len(sets.levels):
        return layout  # each data set is of one task: a kind of data set, not a topic
    others = tuple(column for column in layout.others if column != task)
    return replace(layout, topic=task, others=others)


def _without_row_numbers(sheet: Sheet, layout: Layout) -> Layout:
    """The layout where a column such as `id`, which differs in every row, numbers rows and no topics."""
    topic, system = layout.topic, layout.system
    if topic is None or system is None or not has_role(sheet.header[topic], "topic_or_row"):
        return layout
    if len(sheet.column(topic).levels) < sheet.rows or len(sheet.column(system).levels) < 2:
        return layout
    if layout.data_set is not None:
        return replace(layout, topic=None, others=(*layout.others, topic))
    what = f"column {sheet.header[topic]!r} differs in every row, so systems share no topic"
    raise ask(sheet, what, one_row_per_score(sheet) or f"{setting('topic_column')} to name the topics")


def _rows_of_measure(
    sheet: Sheet, layout: Layout, measure: str | None, rows: Codes, labels: Labels
) -> tuple[Codes, str, list[Note]]:
    """The rows of one measure, its name, and notes on systems and data sets that have none."""
    assert layout.measure is not None
    assert layout.system is not None
    column = sheet.column(layout.measure)
    names, places = column.levels_of(rows)
    name = pick_measure(names, measure, sheet.place())
    kept = rows[places == names.index(name)]
    notes = []
    for kind, of in (("system", sheet.column(layout.system)), ("data set", labels.data_sets)):
        notes += without_scores(kind, of.levels_of(rows)[0], of.levels_of(kept)[0], name)
    return kept, name, notes


def _measure_columns(sheet: Sheet, layout: Layout) -> list[int]:
    """The columns of a table with a column per measure, such as gdeval's output."""
    beside = ("weight", "run", "repeats", "system_wide", "facets", "topic", "topic_or_row", "topic_first")
    others = [c for c in layout.others if not has_role(sheet.header[c], *beside, "topic_of_long")]
    measures = [c for c in others if sheet.column(c).holds_scores and not _is_error(sheet.header[c])]
    measures = measures or [c for c in others if sheet.column(c).holds_scores]
    # The first is the example that messages give: likely measures, before what an answer took.
    return sorted(measures, key=lambda c: unlikely_measure(sheet.header[c]))


def _is_error(name: str) -> bool:
    """Whether a column is called like standard errors or bounds, which are no scores."""
    return PATTERNS["errors"].fullmatch(plain(name)) is not None


def _measure_column(sheet: Sheet, layout: Layout, measure: str | None) -> tuple[int, str, tuple[str, ...]]:
    """The column of the measure that is wanted, its name, and a doubt where others may have been meant.

    Columns that tell what an answer took are not meant where one is called like a score.
    """
    numeric = _measure_columns(sheet, layout)
    for column in layout.others:
        name = sheet.header[column]
        if not numeric or name == measure or has_role(name, "score_by_meaning"):
            refuse_other_words(sheet, column, only=True)
        cells = sheet.column(column)
        if measure in (None, name) and is_measure(name) and cells.has(WORD) and cells.has(TEXT):
            raise sheet.unread(cells.row_of(int(np.argmax(cells.kinds == TEXT))), column)
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
            return numeric[names.index(likely[0])], likely[0], (doubt,)
    name = pick_measure(names, measure, sheet.place())
    return numeric[names.index(name)], name, ()
