"""What the columns of a table may hold, for messages: a guess to paste, and each column as it was taken."""

from __future__ import annotations

from itertools import combinations, permutations
from typing import Any

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


def one_row_per_score(sheet: Sheet, given: ReadOptions = _NONE) -> str | None:
    """What to use if a table has one row per score: what is not given yet; None where nothing fits."""
    scores = _score_columns(sheet)
    pair = _topics_and_systems(sheet, scores[0]) if scores else None
    if pair is None:
        return None
    guess = dict(zip(("topic_column", "system_column", "score_column"), (*pair, scores[0]), strict=True))
    taken = [getattr(given, name) for name in COLUMNS]
    left: dict[str, Any] = {
        part: sheet.header[c]
        for part, c in guess.items()
        if getattr(given, part) is None and sheet.header[c] not in taken
        if not (part == "topic_column" and has_role(sheet.header[c], "data_set"))  # it stays a data set
    }
    named = ReadOptions(**left).given(*left) if left else []
    others = [sheet.header[c] for c in scores[1:]] if "score_column" in left else []
    other = f" (or {few(others, 8)})" if others else ""
    return (" " if named and named[0].startswith("-") else ", ").join(named) + other


def _score_columns(sheet: Sheet) -> list[int]:
    """The column that may hold the scores, or all that are called like measures."""
    header, held = sheet.header, sheet.columns
    scores = [
        c
        for c, column in enumerate(held)
        if column.holds_scores and not is_property(header[c], column.counts_up)
    ]
    named = sheet.find("value", "score_by_meaning", among={*scores})
    if named is not None:
        return [named]
    measures = [c for c in scores if is_measure(header[c])]
    if not scores:  # the only numbers, such as latencies, may be what systems are compared by
        fractions = [c for c, column in enumerate(held) if column.holds_scores and column.holds_fractions]
        return fractions if len(fractions) == 1 else []
    if measures:
        return measures
    return [min(reversed(scores), key=lambda c: unlikely_measure(header[c]))]


def _topics_and_systems(sheet: Sheet, score: int) -> tuple[int, int] | None:
    """The columns that may name the topic and the system of each score, as no two rows have both alike.

    Names come again; where none says which is which, there are fewer systems than topics.
    """
    header = sheet.header
    columns = {c: one for c, one in enumerate(sheet.columns) if c != score and not is_unnamed(header[c])}
    again = [c for c, column in columns.items() if len(column.levels) < sheet.rows or sheet.rows == 2]
    again = sorted(again, key=lambda c: not columns[c].holds_names)[:_LOOKED_AT]
    runs = [column.codes for c, column in columns.items() if has_role(header[c], "repeats", "system_wide")]
    pairs = combinations(again, 2)
    apart = {pair for pair in pairs if all_differ(joint(*(columns[c].codes for c in pair), *runs))}

    def unlikely(topic: int, system: int) -> tuple[bool, bool, int]:
        named = has_role(header[topic], "topic", "data_set"), has_role(header[system], "system")
        return not named[0], not named[1], len(columns[system].levels)

    fitting = [
        (topic, system)
        for topic, system in permutations(again, 2)
        if not apart.isdisjoint({(topic, system), (system, topic)})
        and not has_role(header[system], "topic", "data_set", "run")
        and not has_role(header[topic], "system")
        and not columns[topic].holds_fractions
        and columns[system].holds_names
        and (
            not all(unlikely(topic, system)[:2]) or len(columns[system].levels) <= len(columns[topic].levels)
        )
    ]
    return min(fitting, key=lambda pair: unlikely(*pair), default=None)


def ask(sheet: Sheet, what: str, *ways: str, row: int | None = None) -> InputError:
    """The one error about the layout: what is unsure, the first rows as parsed, and what decides."""
    use = f". Use {', or '.join(ways)}" if ways else ""
    return InputError(f"{sheet.place(row)}{what}. The first rows are {listed(sheet)}{use}")


def listed(sheet: Sheet) -> str:
    """The columns of a table, each with what it was taken for, and its first cells."""
    parts = []
    for name, column in [*zip(sheet.header, sheet.columns, strict=True)][:_LOOKED_AT]:
        cells = [" ".join(cell.split()) for cell in column.cells(np.arange(min(sheet.rows, _ROWS)))]
        shown = ", ".join(cell if len(cell) <= _CELL else f"{cell[: _CELL - 1]}…" for cell in cells)
        parts.append(f"{name!r} ({_taken_for(name, column)}: {shown})")
    return ", ".join([*parts, *["…"] * (len(sheet.header) > _LOOKED_AT)])


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


def _taken_for(name: str, column: Column) -> str:
    """What a column was taken for: by its name where that says it, else what its cells are."""
    if column.holds_scores:
        return "scores" if has_role(name, "value", "score_by_meaning") or is_measure(name) else "numbers"
    if column.held.isdisjoint((TEXT, WORD)):
        return "empty"
    return next((kind for role, kind in _TAKEN.items() if has_role(name, role)), "texts")
