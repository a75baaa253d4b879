"""Systems × data sets: each system's rank on each data set, and where it has none."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from truerank.report.charts.rows import Rows, name_labels, row_axis
from truerank.report.charts.style import PAGE, Size, chart, finished
from truerank.report.palette import ACCENT, INK, MUTED, PAPER
from truerank.report.words import printable, shortened

if TYPE_CHECKING:
    from truerank.reliability.results import Assessment

MOST_CELLS = 1_600
"""Cells that are drawn: with more, only the best systems are."""

WRITTEN_CELLS = 700
"""Cells up to which the ranks are written into them."""


def systems_shown(assessment: Assessment) -> int:
    """How many systems, from the best on, the chart shows."""
    assert assessment.board is not None
    return min(len(assessment.ranking), max(10, MOST_CELLS // len(assessment.board.data_sets)))


def data_sets_chart(assessment: Assessment, size: Size = PAGE) -> Any:
    """Darker is a better rank; a cross marks a data set on which a system has no mean."""
    import altair as alt

    board = assessment.board
    assert board is not None
    count, across = systems_shown(assessment), len(board.data_sets)
    names = [s.system for s in assessment.ranking[:count]]
    rows = Rows.of(names, size)
    width = min(size.width - rows.names - 22, across * 3.0 * size.row)
    labels = [shortened(printable(one.name), 24) for one in board.data_sets]
    # Two data sets whose names begin alike must not share a column: places are numbers, names are labels.
    scale = alt.Scale(domain=[0.5, across + 0.5], nice=False, zero=False)
    named = f"{labels!r}[datum.value - 1]" if labels else "''"
    every = max(1, math.ceil(1.1 * size.font / (width / across)))
    axis = alt.Axis(
        title=None,
        orient="top",
        values=list(range(1, across + 1, every)),
        labelExpr=named,
        labelAngle=-50,
        labelAlign="left",
        labelLimit=0.3 * size.height,
        grid=False,
    )
    cells = [
        {
            "row": s + 1,
            "top": s + 0.5,
            "bottom": s + 1.5,
            "left": k + 0.5,
            "right": k + 1.5,
            "set": k + 1,
            "share": 1 - (rank - 1) / max(len(assessment.ranking) - 1, 1),
            "rank": f"{rank:g}",
            "about": f"{printable(names[s])} on {printable(board.data_sets[k].name)}: rank {rank:g}",
        }
        for k, ranks in enumerate(board.ranks)
        for s, rank in enumerate(ranks[:count].tolist())
        if not math.isnan(rank)
    ]
    holes = [
        {"row": s + 1, "set": k + 1, "mark": "×"}
        for k, ranks in enumerate(board.ranks)
        for s, rank in enumerate(ranks[:count].tolist())
        if math.isnan(rank)
    ]
    x = alt.X("left:Q", scale=scale, axis=axis)
    shades = (
        chart(cells)
        .mark_rect(color=ACCENT, aria=True)
        .encode(
            x=x,
            x2=alt.X2("right:Q"),
            y=row_axis("top", count),
            y2=alt.Y2("bottom:Q"),
            opacity=alt.Opacity("share:Q", scale=alt.Scale(domain=[0, 1], range=[0.04, 0.95]), legend=None),
            description=alt.Description("about:N"),
        )
    )
    records = [{"row": s.rank, "rank": s.rank, "name": s.system} for s in assessment.ranking[:count]]
    middle = alt.X("set:Q", scale=scale, axis=axis)
    # Nothing to see: it keeps room for names that come out wider than they were measured.
    room = (
        chart([{}]).mark_rect(opacity=0, aria=False).encode(x=alt.value(-1.15 * rows.names), x2=alt.value(0))
    )
    layers = [shades, room, name_labels(records, rows)]
    font = min(rows.font, 0.38 * width / across)
    if len(cells) <= WRITTEN_CELLS:
        color = alt.condition("datum.share > 0.55", alt.value(PAPER), alt.value(INK))
        text = chart(cells).mark_text(fontSize=font, baseline="middle", aria=False)
        layers.append(text.encode(x=middle, y=row_axis("row", count), text="rank:N", color=color))
    if holes:
        text = chart(holes).mark_text(fontSize=rows.font, color=MUTED, baseline="middle", aria=False)
        layers.append(text.encode(x=middle, y=row_axis("row", count), text="mark:N"))
    made = alt.layer(*layers).properties(width=width, height=rows.height)
    return finished(made, size)
