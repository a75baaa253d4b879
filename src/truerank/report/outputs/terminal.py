"""Views in a terminal: the answer, the tables, the warnings, and what sets the digits.

Lines end at spaces, and never between a number and what belongs to it.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TextIO

from rich.cells import cell_len

from truerank._support.escaping import line, terminal
from truerank._support.tables import Kind, Name, Table
from truerank._support.tables import Text as Words
from truerank._support.wording import sentence
from truerank.report.lettering import fitted, wrapped
from truerank.report.view import Section, View, remarks

NARROWEST, USUAL = 60, 80  # columns that every table fits, and those where there is no terminal

_UNBROKEN = "\ue0d2"  # stands for a space at which no line ends: a character for private use, as wide as one

_COUNTED = (
    "topics?|questions?|systems?|pairs?|draws|data sets?|columns|(?:re)?samples|permutations|trials|"
    "comparisons"
)

_TOGETHER = re.compile(
    r" (?=[=<>≤≥≈±×→](?: |[\d.−+∞]))|(?<= [=<>≤≥≈±×→]) (?=\S)"
    # The two ends of an interval, and degrees of freedom.
    r"|(?<=[\d%∞]) (?=to [−+]?[\d.∞])|(?<=[\d%∞] to) (?=[−+]?[\d.∞])|(?<=\d,) (?=[−-]?[\d.]+\))"
    r"|(?<=\d) (?=(?:mm|ms|s|min|h|kB|MB|GB|%)(?!\w))"
    rf"|(?<=\d) (?=(?:{_COUNTED})\b)|(?<=%) (?=interval)|(?<=[↑↓]) (?=\S)"
    r"|(?<=\b(?:rank|seed)) (?=\d)|(?<=\blevel) (?=\d)|(?<=\bmargin) (?=\d)|(?<=\btruerank) (?=[\da-z])"
)


def unbroken(text: str) -> str:
    """The text with spaces that no line may end at where one would tear a number from what it belongs to."""
    return _TOGETHER.sub(_UNBROKEN, text)


class Terminal:
    """Where a command prints; 80 columns wide where neither terminal nor environment names a width."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stdout
        styled = self._stream.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
        self._bold = ("\x1b[1m", "\x1b[0m") if styled else ("", "")
        found = shutil.get_terminal_size((USUAL, 24)).columns if self._stream.isatty() else 0
        named = os.environ.get("COLUMNS", "")
        self.width = max(NARROWEST, int(named) if named.isdecimal() else found or USUAL)

    def say(self, text: str = "", bold: bool = False) -> None:
        """Print a paragraph; what may come from a file is escaped."""
        for one in wrapped(unbroken(terminal(text)), self.width, cell_len):
            self.line(one.replace(_UNBROKEN, " "), bold)

    def line(self, text: str = "", bold: bool = False) -> None:
        """Print a line, in which nothing is a command to a pipeline's host."""
        before, behind = self._bold if bold else ("", "")
        print(f"{before}{line(text)}{behind}", file=self._stream)


SHOWN, ENOUGH = 12, 15
"""Rows that are shown of a table with more than the second of these; the files have them all."""


def show(
    views: Sequence[View],
    joint: Section | None = None,
    all_rows: bool = False,
    details: bool = False,
    out: Terminal | None = None,
) -> None:
    """Print one view, or those of several measures with what they have side by side."""
    out = out or Terminal()
    for alert in dict.fromkeys(alert for view in views for alert in view.alerts):
        out.say(f"! {sentence(alert)}")
    for view in views:
        heading = [*([view.badge[0]] if view.badge else []), *([view.name] if len(views) > 1 else [])]
        if heading:
            out.say(f"{': '.join(heading)}: {view.subject}" if view.badge else heading[0], bold=True)
        for text in view.answer:
            out.say(text)
        out.line()
    if joint is not None:
        show_tables(joint.tables, out, all_rows, details)
    printed: list[Table] = []  # what several views have alike is printed once
    for view in views:
        for section in view.beside(joint):
            if details or not section.details:
                new = [table for table in section.tables if table not in printed]
                show_tables(new, out, all_rows, details)
                printed += section.tables
    if remarked := remarks(views, alerts=False):  # alerts stand above everything else
        for warns, whose, text in remarked:
            out.say(f"{'! ' if warns else ''}{whose}{text}")
        out.line()
    for how in dict.fromkeys(view.how for view in views):
        out.say(how)


def show_tables(tables: Sequence[Table], out: Terminal, all_rows: bool, details: bool = False) -> None:
    """Print tables, each with its caption above and its note below; on request with columns of details."""
    for table in tables:
        if table.files_only or not table.rows:
            continue
        out.say(table.caption, bold=True)
        rows = None if all_rows or len(table.rows) <= ENOUGH else SHOWN
        shown = table if rows is None else table.first(rows)
        for row in lines(shown, out.width, details):
            out.line(row)
        if hidden := len(table.rows) - len(shown.rows):
            out.say(f"… and {hidden} more: --all-rows prints them.")
        more = [one for one in table.columns if details and one.details and one.meaning]
        legend = [sentence(f"{one.heading}: {one.meaning}") for one in more]
        if note := " ".join([*legend, table.note, table.advice]).strip():
            out.say(note)
        out.line()


# ── tables as lines: no digit is cut off, and what is too wide goes on below ──────────────────────────

SHORTEST = 10  # columns to which names are shortened at most

PROSE = 24  # columns to which sentences in cells are wrapped at most, unless a word is longer

HEADING = 24  # columns of a heading, which may be the name of a measure


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
    made, gap = _columns(shown), 3

    def excess(columns: Sequence[_Column]) -> int:
        return sum(column.width for column in columns) + gap * (len(columns) - 1) - width

    if excess(made) > 0:
        gap = 2
        for column in made:
            column.wrap_heading()
    for column in sorted(made, key=lambda column: -column.width):
        if (over := excess(made)) > 0 and isinstance(column.kind, Words):
            column.wrap_cells(column.width - over)
    named = [column for column in made if isinstance(column.kind, Name)]
    if named and (over := excess(made)) > 0:
        _fit_names(named, max(SHORTEST, max(column.width for column in named) - -(-over // len(named))))
    keys = _keys(made, shown.names[0] + 1 if shown.names else 1)
    if excess(made) > 0:  # it goes on below in any case, so names need not be short
        made = _columns(shown)
        for column in made:
            column.wrap_heading()
            if isinstance(column.kind, Words):
                column.wrap_cells(width // 2)
        _fit_names([column for column in made if isinstance(column.kind, Name)], width // 3)
    for column in made:  # in one line again where shorter names left room for it
        broken, column.heading = column.heading, [" ".join(column.heading)]
        if excess(made) > 0:
            column.heading = broken
    parts: list[list[_Column]] = [[]]
    for column in made[keys:]:
        if parts[-1] and excess([*made[:keys], *parts[-1], column]) > 0:
            parts.append([])
        parts[-1].append(column)
    found: list[str] = []
    for part in parts:
        columns = [*made[:keys], *part]
        found += ["", "Further columns of the same rows"] if found else []
        found += _row([column.heading for column in columns], columns, gap, bottom=True)
        found.append("─" * (excess(columns) + width))
        for cells in zip(*(column.cells for column in columns), strict=True):
            found += _row(cells, columns, gap)
    return found


def _keys(columns: Sequence[_Column], names: int) -> int:
    """How many of the first columns distinguish the rows; those up to the last name where half do not."""
    for count in range(names, len(columns) // 2 + 1):
        keys = {tuple(map(tuple, row)) for row in zip(*(one.cells for one in columns[:count]), strict=True)}
        if len(keys) == len(columns[0].cells):
            return count
    return names


def _columns(table: Table) -> list[_Column]:
    made = []
    for place, column in enumerate(table.columns):
        escaped = terminal if isinstance(column.kind, Words | Name) else str
        heading = terminal(column.heading)
        if " " not in heading:
            heading = fitted([heading], HEADING, cell_len)[heading]
        cells = [[escaped(column.kind.text(row[place]))] for row in table.rows]
        made.append(_Column(column.kind, [heading], cells))
    return made


def _fit_names(named: Sequence[_Column], room: int) -> None:
    """Shorten names; one name is written alike in all columns."""
    whole = dict.fromkeys(lines[0] for column in named for lines in column.cells)
    short = fitted(list(whole), room, cell_len)
    for column in named:
        column.wrap_heading()
        column.cells = [[short[lines[0]]] for lines in column.cells]


def _row(cells: Sequence[list[str]], columns: Sequence[_Column], gap: int, bottom: bool = False) -> list[str]:
    """One row of the table; cells of fewer lines stand at the top, headings at the bottom."""
    height = max(map(len, cells))
    made = []
    for down in range(height):
        parts = []
        for cell, column in zip(cells, columns, strict=True):
            place = down - (height - len(cell)) if bottom else down
            text = cell[place] if 0 <= place < len(cell) else ""
            space = " " * max(column.width - cell_len(text), 0)
            parts.append(space + text if column.kind.align == "right" else text + space)
        made.append((" " * gap).join(parts).rstrip())
    return made
