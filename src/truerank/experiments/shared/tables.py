"""The tables of a run as files."""

from __future__ import annotations

from collections.abc import Sequence

from truerank._support.files import safe_name
from truerank.experiments.engine.experiment import Table
from truerank.report.tables.table import csv, latex, markdown


def files(tables: Sequence[Table]) -> dict[str, str]:
    """Each table as CSV, Markdown and LaTeX, by file name."""
    return {
        safe_name(table.name) + suffix: text
        for table in tables
        for suffix, text in {
            ".csv": csv(table.frame),
            ".md": markdown(table),
            ".tex": latex(table),
        }.items()
    }
