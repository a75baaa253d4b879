"""Long tables: a row a score, with columns that say of which system, topic and data set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from truerank._support.wording import count, few
from truerank.errors import InputError
from truerank.readers.columns import TASK, WEIGHT, Asked, LongLayout, find, plain
from truerank.readers.labels import Labels, belongings, notes_on_columns, rows_of_topics
from truerank.readers.measures import pick_measure
from truerank.readers.raw_scores import RawScores
from truerank.readers.sheets import Sheet, is_number


def read_long(sheet: Sheet, layout: LongLayout, asked: Asked) -> RawScores:
    """The scores of a long table.

    Raises:
        InputError: several measures and none chosen, names that are empty, a score that is there twice, or
            text where a number belongs.
        UnknownNameError: no such measure.
    """
    layout = _with_topics(sheet, layout)
    parts, unused = layout.parts, list(layout.others)
    if asked.own_weights and parts.weight is not None:
        unused.append(parts.weight)
        parts = replace(parts, weight=None)
    labels = Labels.of(sheet, parts, asked)
    systems = sheet.names(layout.system)
    rows, notes = rows_of_topics(sheet, labels)
    if layout.value is None:
        column, name = _measure_column(sheet, layout, asked.measure)
        unused = [c for c in unused if c not in _measure_columns(sheet, layout)]
    else:
        column, name = layout.value, asked.measure or ""
        if layout.measure is not None:
            rows, name, more = _rows_of_measure(sheet, layout.measure, asked.measure, rows, labels, systems)
            notes += more
    notes = notes_on_columns(sheet, parts, labels, unused) + notes
    scores = sheet.numbers([column], rows)[:, 0]
    values, keys, names = _pivot(sheet, rows, [systems[row] for row in rows], scores, labels, unused)
    clusters, weights, families = belongings(sheet, parts, labels, rows)
    return RawScores(
        values,
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
    )


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


def _rows_of_measure(
    sheet: Sheet,
    column: int,
    measure: str | None,
    rows: Sequence[int],
    labels: Labels,
    systems: Sequence[str],
) -> tuple[list[int], str, list[str]]:
    """The rows of one measure, its name, and notes on systems and data sets that have none.

    Raises:
        InputError: several measures and none is chosen.
        UnknownNameError: no such measure.
    """
    measures = sheet.names(column)
    name = pick_measure(list(dict.fromkeys(measures[row] for row in rows)), measure, sheet.place())
    kept = [row for row in rows if measures[row] == name]
    notes = []
    for kind, of in (("system", systems), ("data set", labels.data_sets)):
        there = {of[row] for row in kept}
        gone = [other for other in dict.fromkeys(of[row] for row in rows) if other not in there]
        if gone:
            notes.append(f"{count(len(gone), kind)} without a score by {name}, left out: {few(gone, 20)}")
    return kept, name, notes


def _measure_columns(sheet: Sheet, layout: LongLayout) -> list[int]:
    """The columns of a table with a column per measure, such as gdeval's output."""
    others = [c for c in layout.others if plain(sheet.header[c]) not in WEIGHT]
    return [c for c in others if any(map(is_number, sheet.names(c)))]


def _measure_column(sheet: Sheet, layout: LongLayout, measure: str | None) -> tuple[int, str]:
    """The column of the measure that is wanted, and its name.

    Raises:
        InputError: no column has numbers, or several have and none is chosen.
        UnknownNameError: no such measure.
    """
    numeric = _measure_columns(sheet, layout)
    if not numeric:
        raise InputError(f"{sheet.place()}no column of scores beside topics and systems; name it 'value'")
    names = [sheet.header[c] for c in numeric]
    name = pick_measure(names, measure, sheet.place())
    return numeric[names.index(name)], name


def _pivot(
    sheet: Sheet,
    rows: Sequence[int],
    systems: Sequence[str],
    scores: NDArray[np.float64],
    labels: Labels,
    unused: Sequence[int],
) -> tuple[NDArray[np.float64], list[tuple[str, str]], list[str]]:
    """Topics × systems in order of first appearance, NaN where no row gives a score.

    Raises:
        InputError: a cell without a name, or a score that is there twice.
    """
    topic_at: dict[tuple[str, str], int] = {}
    system_at: dict[str, int] = {}
    pairs = list(zip(labels.data_sets, labels.topics, strict=True))
    t = np.array([topic_at.setdefault(pairs[row], len(topic_at)) for row in rows])
    s = np.array([system_at.setdefault(system, len(system_at)) for system in systems])
    for number, key in enumerate(topic_at):
        if "" in key:
            labels.check(sheet, rows[int(np.argmax(t == number))])
    if "" in system_at:
        raise InputError(f"{sheet.place(rows[systems.index('')])}the system has no name; fill the cell")
    cell = t * len(system_at) + s
    order = np.argsort(cell, kind="stable")
    repeats = np.flatnonzero(np.diff(cell[order]) == 0)
    if len(repeats):
        again = int(order[repeats + 1].min())  # the first in the file
        first = int(np.flatnonzero(cell == cell[again])[0])
        ignored = (
            f" (columns that are not used: {few([sheet.header[c] for c in unused], 8)})" if unused else ""
        )
        raise InputError(
            f"{sheet.place(rows[again])}system {systems[again]!r} already has a score on "
            f"{labels.name(labels.key(rows[again]))}, at {sheet.place(rows[first]).removesuffix(': ')}; keep "
            f"one of the two{labels.remedy}{ignored}"
        )
    values = np.full((len(topic_at), len(system_at)), np.nan)
    values[t, s] = scores
    return values, list(topic_at), list(system_at)
