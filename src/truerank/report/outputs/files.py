"""Views as files of data and figures, by file name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from truerank._support.files import safe_name
from truerank._support.imports import PLOTS, require
from truerank.errors import InputError
from truerank.report import render
from truerank.report.charts.style import COLUMN, TEXT, Size
from truerank.report.view import Figure, View
from truerank.report.writers.csv import csv

WIDTHS = {85: COLUMN, 178: TEXT}
"""Millimeters to sizes: one column of a two-column paper, and both."""


def csv_files(view: View) -> dict[str, str]:
    """All tables of a view as CSV."""
    return {f"{safe_name(table.name)}.csv": csv(table) for table in view.tables if table.rows}


def figure_files(
    figures: Sequence[Figure], width: int = 85, systems: tuple[str, ...] | None = None
) -> dict[str, bytes]:
    """Figures as SVG, PDF and PNG, of all systems or of some."""
    require(PLOTS)
    size = replace(size_of(width), systems=systems)
    kept = [one for one in figures if systems is None or not one.rows or one.rows & {*systems}]
    return render.column_files({figure.name: figure.draw(size) for figure in kept}, size.width)


def size_of(width: int) -> Size:
    """The size of a figure so many millimeters wide."""
    if width not in WIDTHS:
        raise InputError(f"Figures are {' or '.join(map(str, WIDTHS))} mm wide, not {width}.")
    return WIDTHS[width]
