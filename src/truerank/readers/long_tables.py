"""Long tables: one row per score, with columns for its system, topic and data set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from truerank._support.arguments import setting
from truerank._support.units import Noun, in_units
from truerank._support.wording import few
from truerank.errors import InputError
from truerank.numerics.over_runs import OverRuns
from truerank.readers.cells import Cells, Scored, over_runs
from truerank.readers.columns import (
    REPEATS,
    SCORE_BY_MEANING,
    SYSTEM_WIDE,
    TASK,
    TOPIC_OR_ROW,
    WEIGHT,
    Asked,
    LongLayout,
    Parts,
    find,
    is_about_topics,
    noun_of,
    plain,
)
from truerank.readers.guesses import listed, long_reading, remedy_for_repeats, to_paste
from truerank.readers.labels import Labels, belongings, notes_on_columns, rows_of_topics
from truerank.readers.measures import known, pick_measure
from truerank.readers.raw_scores import RawScores, without_scores
from truerank.readers.repeated_rows import (
    CellColumns,
    Counted,
    about_columns,
    cell_columns,
    ids_as_topics,
    turns,
)
from truerank.readers.sheets import Sheet, holds_scores, refuse_other_words


def read_long(sheet: Sheet, layout: LongLayout, asked: Asked) -> RawScores:
    """The scores of a long table."""
    layout = _of_measure(sheet, _without_row_numbers(sheet, _with_topics(sheet, layout)), asked)
    counted, turn = Counted.of(sheet, layout), turns(sheet, layout)
    over, asked = _over(sheet, layout, asked)
    parts, unused = layout.parts, list(layout.others)
    if asked.own_weights and parts.weight is not None:
        unused.append(parts.weight)
        parts = replace(parts, weight=None)
    labels = Labels.of(sheet, parts, asked)
    systems = sheet.names(layout.system)
    rows, notes = rows_of_topics(sheet, labels)
    if turn is not None:
        labels = _of_turns(labels, sheet.names(turn), sheet.header[turn])
    name = asked.measure or ""
    if counted is not None:
        column = counted.successes
        unused = [c for c in unused if c not in (counted.successes, counted.attempts)]
    elif layout.value is None:
        column, name, more = _measure_column(sheet, layout, asked.measure)
        notes += more
        unused = [c for c in unused if c not in _measure_columns(sheet, layout)]
    else:
        column = layout.value
        if layout.measure is not None:
            rows, name, more = _rows_of_measure(sheet, layout.measure, asked.measure, rows, labels, systems)
            notes += more
    if over is not None and name != over.name:
        name = f"{over.name} of {name}" if name else over.name
    refuse_other_words(sheet, column, only=True)
    beside = [c for c in layout.others if c not in (column, turn)]
    pivot = _Pivot.of(sheet, rows, systems, labels, layout, beside)
    told = (*pivot.columns.runs, *pivot.columns.facets, turn)
    notes = notes_on_columns(sheet, parts, labels, [c for c in unused if c not in told]) + notes
    notes += about_columns(sheet, layout, pivot.columns, turn)
    notes += ids_as_topics(sheet, layout, pivot.columns, rows, len(pivot.topics))
    scores = sheet.numbers([column], rows)[:, 0]
    cells = pivot.cells(sheet, scores, over) if counted is None else pivot.counts(sheet, counted, over)
    notes += cells.notes
    keys, names = pivot.topics, pivot.systems
    clusters, weights, families = belongings(sheet, parts, labels, rows)
    if turn is not None and clusters is None:
        clusters = _questions(sheet, parts, labels, rows)
    return RawScores(
        cells.values,
        [topic for _, topic in keys],
        names,
        lambda _t, _s: sheet.place(),
        sheet.place(),
        name,
        sheet.source,
        notes,
        [data_set for data_set, _ in keys] if labels.several else None,
        None if clusters is None else [clusters[key] for key in keys],
        weights,
        families,
        repeats=cells.repeats,
        facets=cells.facets,
        noun=noun_of(sheet.header, parts.topic),
    )


def _of_measure(sheet: Sheet, layout: LongLayout, asked: Asked) -> LongLayout:
    """The layout with a column per measure, where the measure is called like a column of scores."""
    if layout.value is None or layout.measure is not None or asked.columns.score is not None:
        return layout
    others = tuple(sorted((*layout.others, layout.value)))
    named = [c for c in others if sheet.header[c] == asked.measure and holds_scores(sheet, c)]
    return replace(layout, value=None, others=others) if named else layout


def _over(sheet: Sheet, layout: LongLayout, asked: Asked) -> tuple[OverRuns | None, Asked]:
    """What the measure asks of runs, and what is asked beside it; nothing where a column is called so."""
    over = over_runs(asked.measure)
    if over is None or over.name in sheet.header:
        return None, asked
    if layout.measure is not None and over.name in sheet.names(layout.measure):
        return None, asked
    several = layout.value is None or layout.measure is not None
    return over, replace(asked, measure=None) if several else asked


def _of_turns(labels: Labels, turns: Sequence[str], column: str) -> Labels:
    """Each turn of a question is a topic."""
    topics = [f"{topic} {column} {turn}" for topic, turn in zip(labels.topics, turns, strict=True)]
    return replace(labels, topics=topics)


def _questions(sheet: Sheet, parts: Parts, labels: Labels, rows: Sequence[int]) -> dict[tuple[str, str], str]:
    """The question that each turn belongs to."""
    assert parts.topic is not None
    questions = sheet.names(parts.topic)
    return {labels.key(row): questions[row] for row in rows}


def _with_topics(sheet: Sheet, layout: LongLayout) -> LongLayout:
    """The layout where tasks are the topics of data sets: with both columns, and no other for topics."""
    data_set = layout.parts.data_set
    task = find([name if c in layout.others else "" for c, name in enumerate(sheet.header)], TASK)
    if layout.parts.topic is not None or task is None or data_set is None:
        return layout
    pairs = set(zip(sheet.names(data_set), sheet.names(task), strict=True))
    if len(pairs) == len({name for name, _ in pairs}):
        return layout  # each data set is of one task: a kind of data set, not a topic
    others = tuple(column for column in layout.others if column != task)
    return replace(layout, parts=replace(layout.parts, topic=task), others=others)


def _without_row_numbers(sheet: Sheet, layout: LongLayout) -> LongLayout:
    """The layout where a column such as `id`, which differs in every row, numbers rows and no topics."""
    topic = layout.parts.topic
    if topic is None or plain(sheet.header[topic]) not in TOPIC_OR_ROW:
        return layout
    names, systems = sheet.names(topic), sheet.names(layout.system)
    if len(set(names)) < len(names) or len(set(systems)) < 2:
        return layout
    if layout.parts.data_set is not None:
        return replace(layout, parts=replace(layout.parts, topic=None), others=(*layout.others, topic))
    guess = long_reading(sheet)
    paste = to_paste(guess) if guess is not None else setting("topic_column")
    raise InputError(
        f"{sheet.place()}column {sheet.header[topic]!r} differs in every row, so systems share no topic. "
        f"Name the column of topics: {paste}. The columns are {listed(sheet)}"
    )


def _rows_of_measure(
    sheet: Sheet,
    column: int,
    measure: str | None,
    rows: Sequence[int],
    labels: Labels,
    systems: Sequence[str],
) -> tuple[list[int], str, list[str]]:
    """The rows of one measure, its name, and notes on systems and data sets that have none."""
    measures = sheet.names(column)
    name = pick_measure(list(dict.fromkeys(measures[row] for row in rows)), measure, sheet.place())
    kept = [row for row in rows if measures[row] == name]
    notes = []
    for kind, of in (("system", systems), ("data set", labels.data_sets)):
        notes += without_scores(kind, (of[row] for row in rows), (of[row] for row in kept), name)
    return kept, name, notes


def _measure_columns(sheet: Sheet, layout: LongLayout) -> list[int]:
    """The columns of a table with a column per measure, such as gdeval's output."""
    others = [c for c in layout.others if plain(sheet.header[c]) not in WEIGHT]
    scores = [c for c in others if holds_scores(sheet, c)]
    return [c for c in scores if plain(sheet.header[c]) not in (*REPEATS, *SYSTEM_WIDE)] or scores


def _measure_column(sheet: Sheet, layout: LongLayout, measure: str | None) -> tuple[int, str, list[str]]:
    """The column of the measure that is wanted, its name, and a note where others may have been meant.

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
        likely = likely or [name for name in names if not is_about_topics(name, whole=True)]
        if len(likely) == 1 and not any(known(name) for name in names if name != likely[0]):
            others = few([name for name in names if name != likely[0]], 8)
            note = f"column {likely[0]!r} is read as the scores, not {others}; {setting('measure')} decides"
            return numeric[names.index(likely[0])], likely[0], [note]
    name = pick_measure(names, measure, sheet.place())
    return numeric[names.index(name)], name, []


@dataclass(frozen=True)
class _Pivot:
    """The rows of a long table as cells of topics × systems, in order of first appearance.

    Attributes:
        rows: that are read.
        cell: of each.
        topics: n, data set and name.
        systems: m.
        columns: what tells scores of a cell apart.
        where: the table, as the start of a message.
    """

    rows: Sequence[int]
    cell: NDArray[np.intp]
    topics: list[tuple[str, str]]
    systems: list[str]
    columns: CellColumns
    where: str

    @classmethod
    def of(
        cls,
        sheet: Sheet,
        rows: Sequence[int],
        systems_of_rows: Sequence[str],
        labels: Labels,
        layout: LongLayout,
        beside: list[int],
    ) -> _Pivot:
        """Find the cell of each row.

        Raises:
            InputError: a cell without a name, or a score that is there twice.
        """
        topic_at: dict[tuple[str, str], int] = {}
        system_at: dict[str, int] = {}
        systems = [systems_of_rows[row] for row in rows]
        pairs = list(zip(labels.data_sets, labels.topics, strict=True))
        t = np.array([topic_at.setdefault(pairs[row], len(topic_at)) for row in rows])
        s = np.array([system_at.setdefault(system, len(system_at)) for system in systems])
        for number, key in enumerate(topic_at):
            if "" in key:
                labels.check(sheet, rows[int(np.argmax(t == number))])
        if "" in system_at:
            raise InputError(f"{sheet.place(rows[systems.index('')])}the system has no name; fill the cell")
        cell = t * len(system_at) + s
        columns = CellColumns((layout.run,) if layout.run is not None else (), layout.facets)
        if len(np.unique(cell)) < len(cell):
            columns = cell_columns(sheet, rows, cell.tolist(), beside, layout.run, layout.facets)
        left = [c for c in beside if c not in (*columns.runs, *columns.facets)]
        noun = noun_of(sheet.header, layout.parts.topic)
        _refuse_repeats(sheet, rows, systems, cell, labels, left, columns, noun)
        return cls(rows, cell, list(topic_at), list(system_at), columns, sheet.place())

    @property
    def shape(self) -> tuple[int, int]:
        """N and m."""
        return len(self.topics), len(self.systems)

    def cells(self, sheet: Sheet, scores: NDArray[np.float64], over: OverRuns | None) -> Cells:
        """The score of each cell, NaN where no row gives one, and what its scores say beside that."""
        if not (self.columns.runs or self.columns.facets):
            values = np.full(self.shape, np.nan)
            values.ravel()[self.cell] = scores
            return Cells(values, None, (), [])
        names = [topic for _, topic in self.topics]
        scored = Scored(self.cell, scores, self.shape, self.where, names, self.systems)
        runs = self.columns.run_labels(sheet, self.rows)
        return scored.gathered(runs, self.columns.facet_labels(sheet, self.rows), over)

    def counts(self, sheet: Sheet, counted: Counted, over: OverRuns | None) -> Cells:
        """The same of successes and attempts."""
        return counted.cells(sheet, self.rows, self.cell, self.shape, over)


def _refuse_repeats(
    sheet: Sheet,
    rows: Sequence[int],
    systems: Sequence[str],
    cell: NDArray[np.intp],
    labels: Labels,
    unused: Sequence[int],
    columns: CellColumns,
    noun: Noun,
) -> None:
    """Refuse a score that is there twice, with what distinguishes the rows."""
    told = (*columns.runs, *columns.facets)
    if not told and len(np.unique(cell)) == len(cell):
        return
    keys = columns.keys(sheet, rows, cell.tolist())
    if len(set(keys)) == len(keys):
        return
    first: dict[object, int] = {}
    again = next(k for k, key in enumerate(keys) if first.setdefault(key, k) != k)
    of_run = "".join(f" in {sheet.header[c]} {sheet.names(c)[rows[again]]!r}" for c in told)
    remedy = in_units(remedy_for_repeats(sheet, rows, keys, unused, systems, labels), noun)
    topic = in_units(labels.name(labels.key(rows[again])), noun)
    raise InputError(
        f"{sheet.place(rows[again])}system {systems[again]!r} already has a score on {topic}{of_run}, at "
        f"{sheet.place(rows[first[keys[again]]]).removesuffix(': ')}; {remedy}"
    )
