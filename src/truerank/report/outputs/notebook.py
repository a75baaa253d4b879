"""A view in a notebook: the answer, a picture, the first rows of its table, and the warnings."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from truerank._support.imports import PLOTS, missing
from truerank._support.tables import Table
from truerank._support.wording import sentence
from truerank.report import render
from truerank.report.view import View
from truerank.report.writers.html import Cell, cell

if TYPE_CHECKING:
    from markupsafe import Markup

SHOWN, FEW = 10, 4
"""Rows of a table that a notebook shows, and how many more are no reason to leave them out."""


def notebook(view: View) -> str:
    """HTML of one element without script or style sheet; its size does not grow with the data.

    Without the packages that draw, the sentences alone.
    """
    from html import escape

    if to_install := missing(PLOTS):
        return f"<pre>{escape(view.sentences)}\n\n{escape(to_install)}</pre>"
    from truerank.report.templating import fill

    listed = [one.shown() for one in view.tables if not one.files_only and one.rows]
    tables = [one for place, one in enumerate(listed) if place == 0 or one.name in view.quoted]
    return str(
        fill(
            "notebook.html",
            view=view,
            picture=_picture(view),
            tables=[(one, _rows(one)) for one in tables],
            warnings=[sentence(warning) for warning in (*view.alerts, *view.warnings)],
            notes=[sentence(note) for note in view.infos],
        )
    )


def _rows(table: Table) -> list[list[Cell]]:
    """Its rows, or the first ones, where the line that says so would not take the room of those left out."""
    shown = len(table.rows) if len(table.rows) <= SHOWN + FEW else SHOWN
    return [
        [cell(value, column) for value, column in zip(row, table.columns, strict=True)]
        for row in table.rows[:shown]
    ]


def _picture(view: View) -> Markup | str:
    """The first figure as an element; its ids are its own, as a notebook has many."""
    from truerank.report.charts.style import NOTEBOOK

    if not view.figures:
        return ""
    figure = view.figure()
    document = render.svg(figure.draw(NOTEBOOK))
    return render.inline(
        document, "truerank-" + hashlib.sha256(document.encode()).hexdigest()[:8], figure.label
    )
