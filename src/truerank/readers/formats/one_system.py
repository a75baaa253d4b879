"""Tables of one system each: a row a question, and among its columns the metrics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from truerank._support.wording import few
from truerank.errors import InputError
from truerank.readers.columns import find
from truerank.readers.formats.collected import Collected
from truerank.readers.formats.source import Source
from truerank.readers.formats.tool_files import folder_name, left_out
from truerank.readers.names import choose_names
from truerank.readers.sheets import is_missing, is_number, not_a_number


class Table(Protocol):
    """What is asked of a table here: names of columns, and cells as text; both are counted from 0."""

    header: list[str]
    rows: int

    def place(self, row: int | None = None) -> str:
        """Where a row is, as the start of a message."""
        ...

    def names(self, column: int) -> list[str]:
        """The cells of a column as text."""
        ...


_WORDS = {"true": 1.0, "yes": 1.0, "false": 0.0, "no": 0.0}


def system_names(sources: Sequence[Source], generic: Sequence[str] = ()) -> tuple[list[str], list[str]]:
    """What the systems of files are called, and notes: like the file, or its folder if the tool names files.

    Files of one name in several folders are called like these.
    """
    given = []
    for source in sources:
        if source.path == "-":
            raise InputError("-: nothing says which system this is of; give a file that is named like it")
        name = Path(source.path).name
        stem = name.removesuffix(".gz").rpartition(".")[0] or name
        given.append(folder_name(source) or stem if stem in generic else stem)
    return choose_names(given, [source.path for source in sources], "name")


def add_sheet(
    scores: Collected,
    sheet: Table,
    system: str,
    topics: Sequence[str],
    metrics: Sequence[int],
    source: str | None,
    suffix: str = "",
) -> None:
    """Take in all metrics of a system."""
    named = _topics(sheet, topics, scores)
    text = []
    found = False
    for column in metrics:
        name = sheet.header[column].removesuffix(suffix)
        cells = sheet.names(column)
        if not any(map(_is_score, cells)):
            text.append(name)
            continue
        found = True
        for row, cell in enumerate(cells):
            if not is_missing(cell) and not _is_score(cell):
                raise not_a_number(sheet.place(row), sheet.header[column], cell)
            value = None if is_missing(cell) else _WORDS.get(cell.strip().casefold())
            if value is None and not is_missing(cell):
                value = float(cell)
            scores.add(system, named[row], value, name, source=source)
    if not found:
        raise InputError(f"{sheet.place()}no column of scores; give the table with its metrics")
    note = left_out("columns that are no metrics", text)
    scores.notes += [one for one in note if one not in scores.notes]


def _is_score(cell: str) -> bool:
    return is_number(cell) or cell.strip().casefold() in _WORDS


def _topics(sheet: Table, columns: Sequence[str], scores: Collected) -> list[str]:
    """The topic of each row: its question, and which time it is asked; or the row's number."""
    column = find(sheet.header, columns)
    asked = [] if column is None else [" ".join(cell.split()) for cell in sheet.names(column)]
    if not asked or not all(asked):
        note = "no column of questions, so the rows of a file are taken for the topics, in their order"
        scores.notes += [] if note in scores.notes else [note]
        scores.unnamed = "table"
        return [str(row + 1) for row in range(sheet.rows)]
    times: Counter[str] = Counter()
    names = []
    for question in asked:
        times[question] += 1
        names.append(question if times[question] == 1 else f"{question} ({times[question]})")
    again = [question for question, number in times.items() if number > 1]
    if again:
        note = f"questions that are asked several times count as topics each: {few(again)}"
        scores.notes += [] if note in scores.notes else [note]
    return names


def named_frames(thing: Any, fits: Any) -> bool:
    """Whether an object is a mapping of systems to frames that fit."""
    return isinstance(thing, Mapping) and len(thing) > 0 and all(map(fits, thing.values()))
