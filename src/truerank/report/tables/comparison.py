"""Comparisons with a baseline as tables for a paper: LaTeX and Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from truerank._support.version import __version__
from truerank.report.lettering import in_passing
from truerank.report.parts.comparison import baseline_name, names_of
from truerank.report.tables.paper import PaperColumn, PaperTable, Symbol, latex_file, markdown_file
from truerank.report.words import listed, number, percent, printable

if TYPE_CHECKING:
    from truerank.comparison import Comparison


def latex_text(found: Sequence[Comparison]) -> str:
    """The comparisons for a paper, for the booktabs package; names are escaped."""
    return latex_file(paper_tables(found), found[0].base.measure)


def markdown_text(found: Sequence[Comparison]) -> str:
    """The same as Markdown."""
    return markdown_file(paper_tables(found))


def paper_tables(found: Sequence[Comparison]) -> list[PaperTable]:
    """Every coefficient, one ranking a row."""
    first = found[0]
    columns = [
        PaperColumn(("Ranking",), "l"),
        *(PaperColumn((Symbol(symbol),)) for symbol in ("τ", "τ_b", "τ_AP")),
        PaperColumn(("RBO",)),
        PaperColumn(("Distance",)),
        PaperColumn(("Critical",)),
        PaperColumn(("p",)),
        PaperColumn(("Kept",)),
    ]
    rows = [
        [
            name,
            *(number(value) for value in (one.tau, one.tau_b, one.tau_ap, one.rbo)),
            number(one.distance.distance, 2),
            number(one.distance.critical_value(), 2),
            one.p_text(),
            percent(one.significant_agreement),
        ]
        for name, one in zip(names_of(found), found, strict=True)
    ]
    named = f" {in_passing(baseline_name(first))}" if first.base.source else ""
    by = f" by {printable(first.base.measure)}" if first.base.measure else ""
    systems = listed([str(m) for m in sorted({one.base.m for one in found})])
    caption = (
        f"Agreement with the ranking of the baseline{named}: {systems} systems{by} on {first.base.n} topics. "
        "Distance: the rank distance with its critical value at 5%; p: the share of "
        f"{first.distance.resamples:,} rankings by resampled topics that are at least as far. Kept: of the "
        "pairs that differ significantly in the baseline, the share in the same order. RBO with "
        f"persistence {first.rbo_p:g}. (truerank {__version__}, seed {first.distance.seed}.)"
    )
    return [PaperTable("comparison", (caption,), columns, rows)]
