"""A view in a notebook: the answer, the first rows of its tables, and the warnings."""

from __future__ import annotations

import hashlib
from dataclasses import replace

from markupsafe import Markup

from truerank._support.tables import Table
from truerank._support.wording import sentence
from truerank.report.outputs.page import fill, static
from truerank.report.palette import style_rules
from truerank.report.view import View

SHOWN, FEW = 10, 4
"""Rows of a table that a notebook shows, and how many more are shown rather than announced."""


def notebook(view: View) -> str:
    """HTML of one element without script; its size does not grow with the data."""
    listed = [table.shown() for table in view.tables if not table.files_only and table.rows]
    tables = [table for place, table in enumerate(listed) if place == 0 or table.name in view.quoted]
    style = (style_rules() + static("page.css")).replace(":root", "&").replace("body{", "&{")
    return fill(
        "notebook.html",
        view=view,
        id="truerank-" + hashlib.sha256(view.sentences.encode()).hexdigest()[:8] + "-",
        style=Markup(f".truerank{{{style}}}"),
        tables=[_first(table) for table in tables],
        warnings=[sentence(warning) for warning in (*view.alerts, *view.warnings)],
        notes=[sentence(note) for note in view.infos],
    )


def _first(table: Table) -> Table:
    """A table, or its first rows with a line that says where the others are."""
    if len(table.rows) <= SHOWN + FEW:
        return table
    more = f'{len(table.rows) - SHOWN} more rows: .to_frame("{table.name}") has all.'
    return replace(table, rows=table.rows[:SHOWN], advice=f"{table.advice} {more}".strip())
