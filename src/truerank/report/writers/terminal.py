"""Tables as lines of a terminal: no digit is cut off, and what is too wide goes on below."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len

from truerank._support.escaping import terminal
from truerank._support.tables import Kind, Name, Table
from truerank._support.tables import Text as Words
from truerank.report.lettering import fitted, wrapped

SHORTEST = 10
"""Columns to which names are shortened at most."""

PROSE = 24
"""Columns to which sentences in cells are wrapped at most, unless a word is longer."""

HEADING = 24
"""Columns of a heading, which may be the name of a measure."""


@dataclass
class _Column:
    """A column as text: its heading and cells, each in lines."""

    kind: Kind
    heading: list[str]
    cells: list[list[str]]

    @property
    def width(self) -> int:
        return max((cell_len(line) for lines in (self.heading, *self.cells) for line in lines), default=0)

    def wrap_heading(self) -> None:
        """Break the heading at spaces where it is wider than what stands below it."""
        below = max((cell_len(line) for lines in self.cells for line in lines), default=0)
        longest = max(cell_len(word) for line in self.heading for word in [*line.split(), ""])
        self.heading = wrapped(" ".join(self.heading), max(below, longest), cell_len)

    def wrap_cells(self, width: int) -> None:
        longest = max(
            (cell_len(word) for lines in self.cells for line in lines for word in line.split()), default=0
        )
        room = max(width, longest, PROSE)
        self.cells = [wrapped(" ".join(lines), room, cell_len) for lines in self.cells]


def lines(table: Table, width: int, details: bool = False) -> list[str]:
    """A table as lines of at most `width` columns, under its headings and a rule."""
    shown = table.shown(details)
    made = _columns(shown)
    gap = 3
    if _excess(made, gap, width) > 0:
        gap = 2
    for narrow in (_wrap_headings, _wrap_cells, _shorten_names):
        excess = _excess(made, gap, width)
        if excess > 0:
            narrow(made, excess)
    keys = _keys(made, shown.names[-1] + 1 if shown.names else 1)
    if _excess(made, gap, width) > 0:
        _lengthen_names(made, _columns(shown), gap, width, keys)
    _join_headings(made, gap, width)
    found: list[str] = []
    for part in _parts(made, gap, width, keys):
        if found:
            found += ["", "Further columns of the same rows"]
        found += _laid_out(part, gap, table.breaks)
    return found


def _keys(columns: Sequence[_Column], names: int) -> int:
    """How many of the first columns distinguish the rows; those up to the last name where half do not."""
    for count in range(names, len(columns) // 2 + 1):
        keys = {tuple(map(tuple, row)) for row in zip(*(one.cells for one in columns[:count]), strict=True)}
        if len(keys) == len(columns[0].cells):
            return count
    return names


def _columns(table: Table) -> list[_Column]:
    texts = [
        [
            terminal(column.kind.text(value))
            if isinstance(column.kind, Words | Name)
            else column.kind.text(value)
            for value, column in zip(row, table.columns, strict=True)
        ]
        for row in table.rows
    ]
    made = []
    for place, column in enumerate(table.columns):
        heading = terminal(column.heading)
        if " " not in heading:
            heading = fitted([heading], HEADING, cell_len)[heading]
        made.append(_Column(column.kind, [heading], [[row[place]] for row in texts]))
    return made


def _excess(columns: Sequence[_Column], gap: int, width: int) -> int:
    """How many terminal columns these take too many."""
    return sum(column.width for column in columns) + gap * (len(columns) - 1) - width


def _wrap_headings(columns: Sequence[_Column], excess: int) -> None:
    for column in columns:
        column.wrap_heading()


def _join_headings(columns: Sequence[_Column], gap: int, width: int) -> None:
    """Headings in one line again where shorter names left room for it."""
    for column in columns:
        broken = column.heading
        column.heading = [" ".join(broken)]
        if _excess(columns, gap, width) > 0:
            column.heading = broken


def _wrap_cells(columns: Sequence[_Column], excess: int) -> None:
    for column in sorted(columns, key=lambda column: -column.width):
        if excess > 0 and isinstance(column.kind, Words):
            before = column.width
            column.wrap_cells(before - excess)
            excess -= before - column.width


def _shorten_names(columns: Sequence[_Column], excess: int) -> None:
    """Shorten names, the widest column first; one name is written alike in all columns."""
    named = [column for column in columns if isinstance(column.kind, Name)]
    if not named or excess <= 0:
        return
    _fit_names(columns, max(SHORTEST, max(column.width for column in named) - -(-excess // len(named))))


def _fit_names(columns: Sequence[_Column], room: int) -> None:
    named = [column for column in columns if isinstance(column.kind, Name)]
    whole = dict.fromkeys(lines[0] for column in named for lines in column.cells)
    short = fitted(list(whole), room, cell_len)
    for column in named:
        column.wrap_heading()
        column.cells = [[short[lines[0]]] for lines in column.cells]


def _lengthen_names(
    columns: Sequence[_Column], whole: Sequence[_Column], gap: int, width: int, keys: int
) -> None:
    """Names as long as they can be where the table goes on below in any case, if no more often for it."""
    least = len(_parts(columns, gap, width, keys))
    for room in range(width // 3, SHORTEST, -1):
        for column, long in zip(columns, whole, strict=True):
            if isinstance(column.kind, Name):
                column.cells = long.cells
        _fit_names(columns, room)
        if len(_parts(columns, gap, width, keys)) == least:
            break


def _parts(columns: Sequence[_Column], gap: int, width: int, keys: int) -> list[list[_Column]]:
    """The columns in as many tables as it takes, each with the first ones."""
    parts: list[list[_Column]] = []
    taken: list[_Column] = []
    for column in columns[keys:]:
        if taken and _excess([*columns[:keys], *taken, column], gap, width) > 0:
            parts.append([*columns[:keys], *taken])
            taken = []
        taken.append(column)
    return [*parts, [*columns[:keys], *taken]]


def _laid_out(columns: Sequence[_Column], gap: int, breaks: frozenset[int]) -> list[str]:
    made = _row([column.heading for column in columns], columns, gap, bottom=True)
    made.append("─" * (sum(column.width for column in columns) + gap * (len(columns) - 1)))
    for place in range(len(columns[0].cells)):
        if place in breaks and place:
            made.append("")
        made += _row([column.cells[place] for column in columns], columns, gap)
    return made


def _row(cells: Sequence[list[str]], columns: Sequence[_Column], gap: int, bottom: bool = False) -> list[str]:
    """One row of the table; cells of fewer lines stand at the top, headings at the bottom."""
    height = max(map(len, cells))
    made = []
    for line in range(height):
        parts = []
        for cell, column in zip(cells, columns, strict=True):
            place = line - (height - len(cell)) if bottom else line
            text = cell[place] if 0 <= place < len(cell) else ""
            space = " " * max(column.width - cell_len(text), 0)
            parts.append(space + text if column.kind.align == "right" else text + space)
        made.append((" " * gap).join(parts).rstrip())
    return made
