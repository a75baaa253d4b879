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
from truerank.readers.cell_values import Codes, Column, all_differ, different, first_repeat, in_order, joint
from truerank.readers.columns import LongLayout, Options, called
from truerank.readers.guesses import listed, one_row_per_score, remedy_for_repeats
from truerank.readers.labels import Belongings, Labels, notes_on_columns, rows_of_topics
from truerank.readers.measures import known, pick_measure, without_scores
from truerank.readers.records import Records, over_runs
from truerank.readers.repeated_rows import (
    CellColumns,
    Counted,
    about_columns,
    cell_columns,
    ids_as_topics,
    turns,
)
from truerank.readers.roles import (
    FACETS,
    REPEATS,
    RUN,
    SCORE_BY_MEANING,
    SYSTEM_WIDE,
    TASK,
    TOPIC,
    TOPIC_FIRST,
    TOPIC_OF_LONG,
    TOPIC_OR_ROW,
    WEIGHT,
    find,
    is_property,
    noun_of,
    plain,
    unlikely_measure,
)
from truerank.readers.sheets import Sheet, holds_scores, refuse_other_words
from truerank.reading import Reading
from truerank.scores import ScoreMatrix


def read_long(sheet: Sheet, layout: LongLayout, options: Options) -> ScoreMatrix:
    """The scores of a long table."""
    layout = _of_measure(sheet, _without_row_numbers(sheet, _with_topics(sheet, layout)), options)
    counted, turn = Counted.of(sheet, layout), turns(sheet, layout)
    over, options = _over(sheet, layout, options)
    parts, unused = layout.parts, list(layout.others)
    if options.own_weights and parts.weight is not None:
        unused.append(parts.weight)
        parts = replace(parts, weight=None)
    labels = Labels.of(sheet, parts, options)
    rows, notes = rows_of_topics(sheet, labels)
    if turn is not None:
        labels = _of_turns(labels, sheet.column(turn), sheet.header[turn])
    name = options.measure or ""
    doubts: tuple[str, ...] = ()
    if counted is not None:
        column = counted.successes
        unused = [c for c in unused if c not in (counted.successes, counted.attempts)]
    elif layout.value is None:
        column, name, doubts = _measure_column(sheet, layout, options.measure)
        unused = [c for c in unused if c not in _measure_columns(sheet, layout)]
    else:
        column = layout.value
        if layout.measure is not None:
            rows, name, more = _rows_of_measure(sheet, layout, options.measure, rows, labels)
            notes += more
    if over is not None and name != over.name:
        name = f"{over.name} of {name}" if name else over.name
    scores = [column] if counted is None else [counted.successes, counted.attempts]
    refuse_other_words(sheet, column, only=True)
    beside = [c for c in layout.others if c not in (column, turn)]
    records, columns = _records(sheet, rows, labels, layout, beside)
    taken = (*columns.runs, *columns.facets, turn)
    notes = notes_on_columns(sheet, parts, labels, [c for c in unused if c not in taken]) + notes
    notes += about_columns(sheet, layout, columns, turn)
    notes += ids_as_topics(sheet, layout, columns, rows, len(records.topics))
    numbers, attempts = (
        (sheet.scores([column], rows)[:, 0], None) if counted is None else counted.numbers(sheet, rows)
    )
    cells = replace(records, scores=numbers, attempts=attempts).pivot(over)
    belongings = Belongings.of(sheet, parts, labels, rows)
    if turn is not None and belongings.clusters is None:
        assert parts.topic is not None
        first = np.zeros(len(records.topics), dtype=np.intp)
        first[records.topic[::-1]] = rows[::-1]
        belongings = replace(belongings, clusters=sheet.column(parts.topic).cells(first))
    return records.table(
        cells,
        None,
        name,
        sheet.source,
        [*notes, *cells.notes],
        labels.several,
        belongings,
        noun=noun_of(sheet.header, parts.topic),
        reading=Reading(
            parts.rows(sheet.header),
            called(sheet.header[layout.system]),
            " and ".join(called(sheet.header[c]) for c in scores),
            doubts=doubts,
        ),
    )


def _records(
    sheet: Sheet, rows: Codes, labels: Labels, layout: LongLayout, beside: Sequence[int]
) -> tuple[Records, CellColumns]:
    """The rows as records without scores yet, and the columns that distinguish records of one cell."""
    labels.check(sheet, rows)
    used, topic = in_order(labels.codes[rows], labels.size)
    systems, system = sheet.column(layout.system).levels_of(rows)
    if "" in systems:
        row = int(np.argmax(system == systems.index("")))
        raise InputError(f"{sheet.place(int(rows[row]))}the system has no name; fill the cell")
    records = Records(np.empty(0), topic, system, labels.named(used), systems, sheet.place())
    columns = CellColumns((layout.run,) if layout.run is not None else (), layout.facets)
    if not all_differ(records.cell):
        columns = cell_columns(sheet, rows, records.cell, beside, layout.run, layout.facets)
    left = [c for c in beside if c not in (*columns.runs, *columns.facets)]
    _refuse_repeats(sheet, rows, records, labels, left, columns)
    runs, facets = columns.run_factor(sheet, rows), columns.facet_factors(sheet, rows)
    return replace(records, runs=runs, facets=facets), columns


def _refuse_repeats(
    sheet: Sheet,
    rows: Codes,
    records: Records,
    labels: Labels,
    unused: Sequence[int],
    columns: CellColumns,
) -> None:
    """Refuse a score that is there twice, with what distinguishes the rows."""
    keys = columns.keys(sheet, rows, records.cell)
    if all_differ(keys):
        return
    again, first = first_repeat(keys)
    row = int(rows[again])
    of_run = "".join(
        f" in {sheet.header[c]} {sheet.column(c).cells(rows[[again]])[0]!r}"
        for c in (*columns.runs, *columns.facets)
    )
    apart = columns.keys(sheet, rows, records.system)
    remedy = remedy_for_repeats(sheet, rows, keys, unused, labels, apart, bool(columns.runs))
    raise InputError(
        f"{sheet.place(row)}system {records.systems[records.system[again]]!r} already has a score on "
        f"{labels.name_of(row)}{of_run}, at {sheet.place(int(rows[first])).removesuffix(': ')}; {remedy}"
    )


def _of_measure(sheet: Sheet, layout: LongLayout, options: Options) -> LongLayout:
    """The layout with a column per measure, where the measure is called like a column of scores."""
    if layout.value is None or layout.measure is not None or options.columns.score is not None:
        return layout
    others = tuple(sorted((*layout.others, layout.value)))
    named = [c for c in others if sheet.header[c] == options.measure and holds_scores(sheet, c)]
    return replace(layout, value=None, others=others) if named else layout


def _over(sheet: Sheet, layout: LongLayout, options: Options) -> tuple[OverRuns | None, Options]:
    """What the measure asks of runs, and what is asked beside it; nothing where a column is called so."""
    over = over_runs(options.measure)
    if over is None or over.name in sheet.header:
        return None, options
    if layout.measure is not None and over.name in sheet.column(layout.measure).levels:
        return None, options
    several = layout.value is None or layout.measure is not None
    return over, replace(options, measure=None) if several else options


def _of_turns(labels: Labels, turns: Column, column: str) -> Labels:
    """Each turn of a question is a topic."""
    pairs = zip(labels.topics.cells(), turns.cells(), strict=True)
    return replace(labels, topics=Column.of(f"{topic} {column} {turn}" for topic, turn in pairs))


def _with_topics(sheet: Sheet, layout: LongLayout) -> LongLayout:
    """The layout where tasks are the topics of data sets: with both columns, and no other for topics."""
    data_set = layout.parts.data_set
    task = find([name if c in layout.others else "" for c, name in enumerate(sheet.header)], TASK)
    if layout.parts.topic is not None or task is None or data_set is None:
        return layout
    sets = sheet.column(data_set)
    if different(joint(sets.codes, sheet.column(task).codes)) == len(sets.levels):
        return layout  # each data set is of one task: a kind of data set, not a topic
    others = tuple(column for column in layout.others if column != task)
    return replace(layout, parts=replace(layout.parts, topic=task), others=others)


def _without_row_numbers(sheet: Sheet, layout: LongLayout) -> LongLayout:
    """The layout where a column such as `id`, which differs in every row, numbers rows and no topics."""
    topic = layout.parts.topic
    if topic is None or plain(sheet.header[topic]) not in TOPIC_OR_ROW:
        return layout
    if len(sheet.column(topic).levels) < sheet.rows or len(sheet.column(layout.system).levels) < 2:
        return layout
    if layout.parts.data_set is not None:
        return replace(layout, parts=replace(layout.parts, topic=None), others=(*layout.others, topic))
    options = one_row_per_score(sheet) or f"{setting('topic_column')}. The columns are {listed(sheet)}"
    raise InputError(
        f"{sheet.place()}column {sheet.header[topic]!r} differs in every row, so systems share no topic. "
        f"Name the column of topics: {options}"
    )


def _rows_of_measure(
    sheet: Sheet, layout: LongLayout, measure: str | None, rows: Codes, labels: Labels
) -> tuple[Codes, str, list[Note]]:
    """The rows of one measure, its name, and notes on systems and data sets that have none."""
    assert layout.measure is not None
    column = sheet.column(layout.measure)
    names, places = column.levels_of(rows)
    name = pick_measure(names, measure, sheet.place())
    kept = rows[places == names.index(name)]
    notes = []
    for kind, of in (("system", sheet.column(layout.system)), ("data set", labels.data_sets)):
        notes += without_scores(kind, of.levels_of(rows)[0], of.levels_of(kept)[0], name)
    return kept, name, notes


def _measure_columns(sheet: Sheet, layout: LongLayout) -> list[int]:
    """The columns of a table with a column per measure, such as gdeval's output."""
    others = [c for c in layout.others if plain(sheet.header[c]) not in WEIGHT]
    scores = [c for c in others if holds_scores(sheet, c)]
    beside = (*RUN, *REPEATS, *SYSTEM_WIDE, *FACETS, *TOPIC, *TOPIC_OR_ROW, *TOPIC_FIRST, *TOPIC_OF_LONG)
    measures = [c for c in scores if plain(sheet.header[c]) not in beside]
    # The first is the example that messages give: likely measures, before what an answer took.
    return sorted(measures, key=lambda c: unlikely_measure(sheet.header[c]))


def _measure_column(
    sheet: Sheet, layout: LongLayout, measure: str | None
) -> tuple[int, str, tuple[str, ...]]:
    """The column of the measure that is wanted, its name, and a doubt where others may have been meant.

    Columns that tell what an answer took are not meant where one is called like a score.
    """
    numeric = _measure_columns(sheet, layout)
    for column in layout.others:
        name = sheet.header[column]
        if not numeric or name == measure or plain(name) in SCORE_BY_MEANING:
            refuse_other_words(sheet, column, only=True)
    if not numeric:
        raise InputError(
            f"{sheet.place()}no column of scores beside topics and systems. Name it with "
            f"{setting('score_column')}. The columns are {listed(sheet)}"
        )
    names = [sheet.header[c] for c in numeric]
    if measure is None and len(names) > 1:
        likely = [name for name in names if plain(name) in SCORE_BY_MEANING]
        likely = likely or [name for name in names if not is_property(name, whole=True)]
        if len(likely) == 1 and not any(known(name) for name in names if name != likely[0]):
            others = few([name for name in names if name != likely[0]], 8)
            doubt = f"{setting('measure')} reads {others} instead"
            return numeric[names.index(likely[0])], likely[0], (doubt,)
    name = pick_measure(names, measure, sheet.place())
    return numeric[names.index(name)], name, ()
