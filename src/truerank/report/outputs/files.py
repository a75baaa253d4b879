"""Views as files of data and figures, by file name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from truerank._support.escaping import printable
from truerank._support.files import safe_name
from truerank._support.imports import PLOTS, require
from truerank._support.tables import Table
from truerank.errors import InputError
from truerank.report import render
from truerank.report.charts.style import COLUMN, TEXT, Size
from truerank.report.view import Figure, Section, View, remarks
from truerank.report.writers.csv import csv
from truerank.report.writers.latex import label, latex
from truerank.report.writers.markdown import markdown, said

WIDTHS = {85: COLUMN, 178: TEXT}
"""Millimeters to sizes: one column of a two-column paper, and both."""


def csv_files(view: View) -> dict[str, str]:
    """All tables of a view as CSV."""
    return {f"{safe_name(table.name)}.csv": csv(table) for table in view.tables if table.rows}


def figure_files(figures: Sequence[Figure], width: int = 85) -> dict[str, bytes]:
    """Figures as SVG, PDF and PNG."""
    require(PLOTS)
    size = size_of(width)
    return render.column_files({figure.name: figure.draw(size) for figure in figures}, size.width)


def size_of(width: int) -> Size:
    """The size of a figure so many millimeters wide."""
    if width not in WIDTHS:
        raise InputError(f"Figures are {' or '.join(map(str, WIDTHS))} mm wide, not {width}.")
    return WIDTHS[width]


SIGNS = {"good": "✅", "open": "❔", "bad": "❌"}
"""What a verdict's tone looks like."""


def latex_file(views: Sequence[View], joint: Section | None = None) -> str:
    """All tables of the views as one file for the package booktabs."""
    made = [latex(table, label(table.name, views[0].command)) for table in _tables(joint)]
    made += [
        latex(table, label(table.name, view.command, view.name))
        for view in views
        for table in _printed(view, joint)
    ]
    return "% needs \\usepackage{booktabs}\n" + "\n".join(made)


def markdown_file(views: Sequence[View], joint: Section | None = None) -> str:
    """The answers, tables and warnings as one file, for a pull request, an issue or a README."""
    made = ["<!-- truerank -->"]
    for view in views:
        sign = f"{SIGNS[view.badge[1]]} {view.badge[0]}: " if view.badge else ""
        made.append(f"### {said(sign + view.subject)}\n")
        made.append("\n".join(f"- {said(one)}" for one in view.answer) + "\n")
    made += map(markdown, _tables(joint))
    for view in views:
        made += (markdown(_named(table, view.name)) for table in _printed(view, joint))
    lines = [
        f"> {'⚠ ' if warns else ''}{said(whose + text)}" for warns, whose, text in remarks(views, alerts=True)
    ]
    made += ["\n>\n".join(lines) + "\n"] if lines else []
    made += [said(how) + "\n" for how in dict.fromkeys(view.how for view in views) if how]
    return "\n".join(made)


def _named(table: Table, measure: str) -> Table:
    """The table with the measure in its caption."""
    named = not measure or printable(measure) in table.caption
    return table if named else replace(table, caption=f"{table.caption}, {printable(measure)}")


def _tables(joint: Section | None) -> list[Table]:
    return [] if joint is None else [table for table in joint.tables if not table.files_only]


def _printed(view: View, joint: Section | None) -> list[Table]:
    """The tables of a view but for what all views have side by side."""
    tables = [table for section in view.beside(joint) for table in section.tables]
    return [table for table in tables if not table.files_only and table.rows]
