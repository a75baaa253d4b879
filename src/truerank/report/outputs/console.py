"""A terminal to write to: lines that end at spaces, and never between a number and what belongs to it."""

from __future__ import annotations

import os
import re
import shutil
import sys
from typing import TextIO

from rich.cells import cell_len

from truerank._support.escaping import line, terminal
from truerank.report.lettering import wrapped

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
