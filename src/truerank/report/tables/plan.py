"""A plan as tables for a paper: LaTeX and Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truerank._support.wording import plural
from truerank.report.parts.plan import curve_title, needed_rows, points_shown, subject
from truerank.report.tables.paper import (
    PaperColumn,
    PaperTable,
    Symbol,
    bracketed,
    latex_file,
    markdown_file,
)
from truerank.report.words import level_text, symbol

if TYPE_CHECKING:
    from truerank.planning import Plan

SHOWN = (10, 20, 30, 50, 75, 100, 150, 200, 300, 500, 1_000)
"""Numbers of topics that a table has rows for; JSON has more."""


def latex_text(plan: Plan) -> str:
    """The plan for a paper, for the booktabs package."""
    return latex_file(paper_tables(plan), plan.measure)


def markdown_text(plan: Plan) -> str:
    """The same as Markdown."""
    return markdown_file(paper_tables(plan))


def paper_tables(plan: Plan) -> list[PaperTable]:
    """Topics needed for each target, and what to expect by number of topics."""
    units, level = plural(plan.unit), level_text(plan.settings.level)
    made = f"(truerank {plan.settings.version}, seed {plan.settings.seed}.)"
    about = subject(plan).replace(" · ", ", ")
    tables = []
    if plan.needed or plan.pair is not None:
        columns = [
            PaperColumn(("Target",), "l"),
            PaperColumn(("Reached by",), "l"),
            PaperColumn((f"{units.capitalize()} [{level}]",)),
        ]
        rows = [
            [target, criterion, f"{count} [{low}, {high}]"]
            for target, criterion, count, low, high in needed_rows(plan)
        ]
        caption = (
            f"{units.capitalize()} needed ({about}), with {level} intervals over what is not known of the "
            f"truth. {made}"
        )
        tables.append(PaperTable("needed", (caption,), columns, rows))
    columns = [PaperColumn((units.capitalize(),))]
    columns += [PaperColumn((Symbol(symbol(name)), f" [{level}]")) for name in plan.curves]
    rows = [
        [f"{at:,}", *(bracketed(p.estimate, p.low, p.high) for p in points)]
        for at, points in points_shown(plan, SHOWN)
    ]
    caption = f"{curve_title(plan)} ({about}). {made}"
    tables.append(PaperTable("curve", (caption,), columns, rows))
    return tables
