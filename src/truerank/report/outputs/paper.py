"""Views as tables for a paper: one LaTeX file, or one Markdown file."""

from __future__ import annotations

from collections.abc import Sequence

from truerank._support.tables import Table
from truerank.report.view import Section, View
from truerank.report.writers.latex import latex
from truerank.report.writers.markdown import markdown


def latex_file(views: Sequence[View], joint: Section | None = None) -> str:
    """All tables of the views as one file for the package booktabs."""
    made = [latex(table) for table in _tables(joint)]
    made += [latex(table, view.measure) for view in views for table in _printed(view)]
    return "% needs \\usepackage{booktabs}\n" + "\n".join(made)


def markdown_file(views: Sequence[View], joint: Section | None = None) -> str:
    """All tables of the views as one file."""
    made = [*_tables(joint), *(table for view in views for table in _printed(view))]
    return "<!-- tables of truerank -->\n\n" + "\n".join(map(markdown, made))


def _tables(joint: Section | None) -> list[Table]:
    return [] if joint is None else [table for table in joint.tables if not table.files_only]


def _printed(view: View) -> list[Table]:
    return [table for table in view.tables if not table.files_only and table.rows]
