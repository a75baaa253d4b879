"""What the columns of a table may hold, for messages: a guess to paste, and each column as it was taken."""

from __future__ import annotations

from itertools import combinations, permutations

import numpy as np

from truerank._support.wording import few
from truerank.errors import InputError
from truerank.readers.cell_values import TEXT, WORD, Column, all_differ, joint
from truerank.readers.options import COLUMNS, ReadOptions
from truerank.readers.roles import has_role, is_measure, is_property, is_unnamed, unlikely_measure
from truerank.readers.sheets import Sheet

_NONE = ReadOptions()

_LOOKED_AT = 12
"""Columns that are tried as topics and systems."""

_ROWS, _CELL = 3, 16
"""Rows that a message shows, and characters of a cell."""


def long_reading(sheet: Sheet) -> ReadOptions | None:
    """Topics, systems and scores of a table with one row per score, where some columns fit; None if none do.

    Names come again, and no two rows have both names alike; where no name says which is which, there are
    fewer systems than topics.
    """
    header = sheet.header
    held = {c: sheet.columns[c] for c in range(len(header))}
    score = next(iter(_score_columns(sheet)), None)
    if score is None:
        return None
    columns = {c: column for c, column in held.items() if c != score and not is_unnamed(header[c])}
    again = [c for c, column in columns.items() if len(column.levels) < sheet.rows or sheet.rows == 2]
    again.sort(key=lambda c: not columns[c].holds_names)
    runs = [column.codes for c, column in columns.items() if has_role(header[c], "repeats", "system_wide")]
    apart = {
        frozenset(pair)
        for pair in combinations(again[:_LOOKED_AT], 2)
        if all_differ(joint(*(columns[c].codes for c in pair), *runs))
    }
    fitting = [
        (topic, system)
        for topic, system in permutations(again[:_LOOKED_AT], 2)
        if {topic, system} in apart
        and not has_role(header[system], "topic", "data_set", "run")
        and not has_role(header[topic], "system")
        and not columns[topic].holds_fractions
        and columns[system].holds_names
        and (
            has_role(header[topic], "topic", "data_set")
            or has_role(header[system], "system")
            or len(columns[system].levels) <= len(columns[topic].levels)
        )
    ]
    if not fitting:
        return None

    def unlikely(pair: tuple[int, int]) -> tuple[bool, bool, int]:
        named = has_role(header[pair[0]], "topic", "data_set"), has_role(header[pair[1]], "system")
        return not named[0], not named[1], len(columns[pair[1]].levels)

    topic, system = min(fitting, key=unlikely)
    return ReadOptions(topic_column=header[topic], system_column=header[system], score_column=header[score])


def _score_columns(sheet: Sheet) -> list[int]:
    """The column that may hold the scores, or all that are called like measures."""
    header, held = sheet.header, sheet.columns
    scores = [
        c
        for c in range(len(header))
        if held[c].holds_scores and not is_property(header[c], held[c].counts_up)
    ]
    named = sheet.find("value", "score_by_meaning", among={*scores})
    if named is not None:
        return [named]
    measures = [c for c in scores if is_measure(header[c])]
    if measures or not scores:
        return measures
    return [min(reversed(scores), key=lambda c: unlikely_measure(header[c]))]


def one_row_per_score(sheet: Sheet, given: ReadOptions = _NONE) -> str | None:
    """What to use if a table has one row per score: what is not given yet; None where nothing fits."""
    guess = long_reading(sheet)
    if guess is None:
        return None
    taken = [getattr(given, name) for name in COLUMNS]
    known = "topic_column" if has_role(guess.topic_column or "", "data_set") else None  # it stays a data set
    left = [
        name
        for name in ("topic_column", "system_column", "score_column")
        if getattr(given, name) is None and getattr(guess, name) not in taken and name != known
    ]
    named = guess.given(*left) if left else []
    others = [sheet.header[c] for c in _score_columns(sheet)[1:]] if "score_column" in left else []
    other = f" (or {few(others, 8)})" if others else ""
    return (" " if named and named[0].startswith("-") else ", ").join(named) + other


def ask(sheet: Sheet, what: str, *ways: str, row: int | None = None) -> InputError:
    """The one error about the layout: what is unsure, the first rows as parsed, and what decides."""
    use = f". Use {', or '.join(ways)}" if ways else ""
    return InputError(f"{sheet.place(row)}{what}. The first rows are {listed(sheet)}{use}")


def listed(sheet: Sheet) -> str:
    """The columns of a table, each with what it was taken for, and its first cells."""
    parts = []
    for number, name in enumerate(sheet.header[:_LOOKED_AT]):
        column = sheet.columns[number]
        cells = [" ".join(cell.split()) for cell in column.cells(np.arange(min(sheet.rows, _ROWS)))]
        shown = ", ".join(cell if len(cell) <= _CELL else f"{cell[: _CELL - 1]}…" for cell in cells)
        parts.append(f"{name!r} ({taken_for(name, column)}: {shown})")
    parts += ["…"] if len(sheet.header) > _LOOKED_AT else []
    return ", ".join(parts)


_TAKEN = {
    "topic": "topics",
    "data_set": "data sets",
    "task": "data sets",
    "system": "systems",
    "measure": "measures",
    "repeats": "runs",
    "system_wide": "runs",
    "facets": "a facet",
}


def taken_for(name: str, column: Column) -> str:
    """What a column was taken for: by its name where that says it, else what its cells are."""
    if column.holds_scores:
        return "scores" if has_role(name, "value", "score_by_meaning") or is_measure(name) else "numbers"
    if column.held.isdisjoint((TEXT, WORD)):
        return "empty"
    return next((kind for role, kind in _TAKEN.items() if has_role(name, role)), "texts")
