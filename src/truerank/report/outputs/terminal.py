"""Views in a terminal: the answer, the tables, the warnings, and what sets the digits.

Lines end at spaces, and never between a number and what belongs to it.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Sequence
from typing import TextIO

from rich.cells import cell_len

from truerank._support.escaping import line, terminal
from truerank._support.tables import Table
from truerank._support.wording import sentence
from truerank.report.lettering import wrapped
from truerank.report.view import Section, View
from truerank.report.writers.terminal import lines

NARROWEST, USUAL = 60, 80
"""Columns that every table fits, and those where there is no terminal."""

_UNBROKEN = "\ue0d2"
"""Stands for a space at which no line ends: a character for private use, as wide as one."""

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
    """Where a command prints.

    Args:
        stream: standard output by default.

    Attributes:
        width: columns; 80 where the stream is no terminal and the environment names no width.
    """

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
        _show_answer(view, out, named=len(views) > 1)
    if joint is not None:
        show_tables(joint.tables, out, all_rows, details)
    printed: list[Table] = []  # what several views have alike is printed once
    for view in views:
        for section in view.beside(joint):
            if details or not section.details:
                new = [table for table in section.tables if table not in printed]
                show_tables(new, out, all_rows, details)
                printed += section.tables
    _show_warnings(views, out)
    for how in dict.fromkeys(view.how for view in views):
        out.say(how)


def _show_answer(view: View, out: Terminal, named: bool) -> None:
    heading = [*([view.badge[0]] if view.badge else []), *([view.name] if named else [])]
    if heading:
        out.say(f"{': '.join(heading)}: {view.subject}" if view.badge else heading[0], bold=True)
    for said in view.answer:
        out.say(said)
    out.line()


def show_tables(tables: Sequence[Table], out: Terminal, all_rows: bool, details: bool = False) -> None:
    """Print tables, each with its caption above and its note below; on request with columns of details."""
    for table in tables:
        if table.files_only or not table.rows:
            continue
        out.say(table.heading, bold=True)
        rows = None if all_rows or len(table.rows) <= ENOUGH else SHOWN
        shown = table if rows is None else table.first(rows)
        for row in lines(shown, out.width, details):
            out.line(row)
        if hidden := len(table.rows) - len(shown.rows):
            out.say(f"… and {hidden} more: --all-rows prints them.")
        if note := table.below:
            out.say(note)
        out.line()


def _show_warnings(views: Sequence[View], out: Terminal) -> None:
    """Each warning once, with its measure where not all have it."""
    whose: dict[tuple[str, str], list[str]] = {}
    for view in views:
        marked = [*(("! ", one) for one in view.warnings), *(("", one) for one in view.infos)]
        for key in marked:
            whose.setdefault(key, []).append(view.name)
    for (mark, text), measures in whose.items():
        which = "" if len(measures) == len(views) else f"{', '.join(measures)}: "
        out.say(f"{mark}{which}{sentence(text)}")
    if whose:
        out.line()
