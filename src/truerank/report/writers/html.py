"""Tables as HTML that sorts and searches itself where scripts run, and stays a plain table where not."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup, escape

from truerank._support.escaping import printable
from truerank._support.tables import Column, Marked, Name, Table
from truerank.report.formulas import symbols_html
from truerank.report.lettering import LONGEST, shortened_middle
from truerank.report.templating import fill

LONG = 18
"""Rows from which a table gets a search box, and its own scroll bar on the screen."""


@dataclass(frozen=True)
class Cell:
    """What a cell shows, and what it is sorted by (``None`` goes last)."""

    text: str | Markup
    value: float | str | None


def html(table: Table, rows: int | None = None) -> Markup:
    """A table; columns that are details show on demand."""
    shown, heading = table.rows[:rows], table.names[0] if table.names else 0
    return fill(
        "table.html",
        name=table.name.replace("_", "-"),
        caption=symbols_html(printable(table.heading)),
        note=symbols_html(printable(table.below)),
        columns=table.columns,
        heads=[symbols_html(printable(column.heading)) for column in table.columns],
        rows=[
            [cell(value, column) for value, column in zip(row, table.columns, strict=True)] for row in shown
        ],
        heading=heading,
        tags=[_tag(column, place == heading) for place, column in enumerate(table.columns)],
        breaks=table.breaks,
        strong=table.strong,
        details=any(column.details for column in table.columns),
        long=len(shown) > LONG,
    )


def _tag(column: Column, head: bool) -> dict[str, Markup]:
    """What the cells of a column begin and end with."""
    kinds = ("num" if column.kind.align == "right" else "") + (" more" if column.details else "")
    scope = " scope=row" if head else ""
    return {"name": Markup("th" if head else "td"), "attributes": Markup(f'{scope} class="{kinds}"')}


def cell(value: Any, column: Column) -> Cell:
    """What a cell of that column shows; a very long name is shortened."""
    if isinstance(value, Marked):
        text = Markup("<b>{}</b>").format(value.text) if value.strong else escape(value.text)
        return Cell(text + (Markup("<sup>{}</sup>").format(value.marks) if value.marks else ""), None)
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return Cell(column.kind.text(value), None)
    if isinstance(column.kind, Name):
        name = shortened_middle(printable(str(value)), LONGEST)
        return Cell(Markup("<bdi>{}</bdi>").format(name), name)
    shown = printable(column.kind.text(value))
    if (
        column.kind.align == "right"
    ):  # on a phone an interval goes below its value, and no line breaks elsewhere
        shown = shown.replace(" ", "\xa0").replace("\xa0(", " (")
    return Cell(symbols_html(shown), column.kind.order(value))
