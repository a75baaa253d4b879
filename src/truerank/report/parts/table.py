"""A table that sorts and searches itself where scripts run, and stays a plain table where not."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from truerank.report.lettering import LONGEST, shortened_middle
from truerank.report.templating import fill
from truerank.report.words import number, printable

LONG = 18
"""Rows from which a table gets a search box, and its own scroll bar on the screen."""


@dataclass(frozen=True)
class Column:
    """A column: its heading, whether it holds numbers, and what the heading means on hover."""

    label: str | Markup
    numeric: bool = True
    meaning: str = ""


@dataclass(frozen=True)
class Cell:
    """What a cell shows, and what it is sorted by (``None`` goes last)."""

    text: str | Markup
    value: float | str | None


@dataclass(frozen=True)
class Row:
    """The cells of a row, the first of which names it, and a class for the style sheet."""

    cells: Sequence[Cell]
    kind: str = ""


def name_cell(name: str) -> Cell:
    """A system's or an estimator's name."""
    shown = shortened_middle(printable(name), LONGEST)
    return Cell(Markup("<bdi>{}</bdi>").format(shown), shown)


def number_cell(value: float, digits: int = 3, sign: bool = False) -> Cell:
    """A number; a dash, sorted last, where there is none."""
    return Cell(number(value, digits, sign), value if math.isfinite(value) else None)


def table(
    name: str, caption: str, columns: Sequence[Column], rows: Sequence[Row], heading: int = 0
) -> Markup:
    """A table.

    Args:
        name: unique on the page; the id of the table.
        caption: what it holds, above it.
        columns: their headings.
        rows: in the order that the page opens with.
        heading: which column names the rows.
    """
    return fill(
        "table.html",
        name=name,
        caption=caption,
        columns=columns,
        rows=rows,
        heading=heading,
        long=len(rows) > LONG,
    )
