"""Systems × data sets: each system's rank on each data set, and where it has none."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from truerank._support.escaping import printable
from truerank.report.charts.rows import Rows, name_labels, remark, room_right, row_axis
from truerank.report.charts.style import (
    COLUMN,
    PADDING,
    Chart,
    Records,
    Size,
    channel,
    finished,
    layered,
    mark,
)
from truerank.report.lettering import IN_ROOM, fitted, left_out
from truerank.report.palette import ACCENT, INK, MUTED, PAPER

if TYPE_CHECKING:
    from truerank.reliability.boards import Board
    from truerank.reliability.results import Assessment

MOST_CELLS = 1_600
"""Cells that are drawn: with more, only the best systems are."""

WRITTEN_CELLS = 700
"""Cells up to which the ranks are written into them."""

LIGHT_FROM = 0.72
"""Shade from which a rank is written in the color of the paper: there ink has no more contrast than that."""


def systems_shown(assessment: Assessment) -> int:
    """How many systems, from the best on, the chart shows."""
    assert assessment.board is not None
    return min(len(assessment.ranking), max(10, MOST_CELLS // len(assessment.board.data_sets)))


def data_sets_chart(assessment: Assessment, size: Size = COLUMN, shown: Sequence[str] | None = None) -> Chart:
    """Darker is a better rank; a cross marks a data set on which a system has no mean.

    The best systems are drawn, as many as fit, unless some are `shown`.
    """
    board = assessment.board
    assert board is not None
    places = [i for i, s in enumerate(assessment.ranking) if shown is None or s.system in shown]
    places = places[: systems_shown(assessment)]
    names = [assessment.ranking[i].system for i in places]
    count, across = len(places), len(board.data_sets)
    rows = Rows.of(names, size, places[-1] + 1, among=assessment.scores.systems)
    tall = min(0.3 * size.height, 13 * size.font)
    named = fitted([printable(one.name) for one in board.data_sets], tall, size.text)
    labels = [named[printable(one.name)] for one in board.data_sets]
    # Where they fit between two columns labels are upright. Elsewhere they lean to the right, and the last
    # ones reach beyond the cells.
    free = min(size.width - PADDING - rows.names, across * 3.0 * size.row)
    upright = max(map(size.text, labels)) + 0.6 * size.font <= free / across
    end = 0.0 if upright else 0.7 * max(map(size.text, labels[-3:]))
    width = min(size.width - PADDING - rows.names - end, across * 3.0 * size.row)
    every = max(1, math.ceil(1.1 * size.font / (width / across)))
    # Two data sets whose names begin alike must not share a column: places are numbers, names are labels.
    scale = {"domain": [0.5, across + 0.5], "nice": False, "zero": False}
    axis = {
        "title": None,
        "orient": "top",
        "values": list(range(1, across + 1, every)),
        "tickCount": across,
        "labelExpr": "names[datum.value - 1]",
        "labelAngle": 0 if upright else -50,
        "labelAlign": "center" if upright else "left",
        "labelLimit": 0,
        "labelOverlap": False,
        "grid": False,
    }
    cells, holes = _cells(board, places, len(assessment.ranking))
    middle, y = channel("set:Q", scale=scale, axis=axis), row_axis("row", count)
    shade = channel("share:Q", scale={"domain": [0, 1], "range": [0.04, 0.95]}, legend=None)
    records = [
        {"row": row, "rank": i + 1, "name": name}
        for row, (i, name) in enumerate(zip(places, names, strict=True), 1)
    ]
    layers = [
        mark(
            "rect",
            cells,
            color=ACCENT,
            x=channel("left:Q", scale=scale, axis=axis),
            x2="right:Q",
            y=row_axis("top", count),
            y2="bottom:Q",
            opacity=shade,
        ),
        room_right(width, end),
        name_labels(records, rows),
    ]
    if len(cells) <= WRITTEN_CELLS:
        widest = max((size.text(cell["rank"], 1.0) for cell in cells), default=1.0)
        font = min(rows.font, 0.85 * width / across / widest)
        color = {"value": INK, "condition": {"test": f"datum.share > {LIGHT_FROM}", "value": PAPER}}
        texts: dict[str, Any] = {"style": IN_ROOM, "x": middle, "y": y, "text": "rank:N"}
        layers.append(mark("text", cells, fontSize=font, color=color, **texts))
    if holes:
        crosses: dict[str, Any] = {"style": IN_ROOM, "x": middle, "y": y, "text": "mark:N"}
        layers.append(mark("text", holes, fontSize=rows.font, color=MUTED, **crosses))
    # The names are data: within an expression Vega would read quotes and backslashes as its own.
    named_axis = [{"name": "names", "value": labels}]
    drawn = layered(*layers, width=width, height=rows.height, params=named_axis)
    written = "Number: rank on the data set; darker: better." if len(cells) <= WRITTEN_CELLS else ""
    key = [written or "Darker: a better rank on the data set.", "×: no scores." if holes else ""]
    key += [remark(rows, len(assessment.ranking)), "" if rows.shortened else left_out(named)]
    return finished(drawn, size, note=" ".join(filter(None, key)))


def _cells(board: Board, places: Sequence[int], systems: int) -> tuple[Records, Records]:
    """A rectangle for every rank, and a cross where there is none."""
    cells: Records = []
    holes: Records = []
    for k, ranks in enumerate(board.ranks, start=1):
        for s, rank in enumerate(ranks[list(places)].tolist(), start=1):
            if math.isnan(rank):
                holes.append({"row": s, "set": k, "mark": "×"})
                continue
            cells.append(
                {
                    "row": s,
                    "top": s - 0.5,
                    "bottom": s + 0.5,
                    "left": k - 0.5,
                    "right": k + 0.5,
                    "set": k,
                    "share": 1 - (rank - 1) / max(systems - 1, 1),
                    "rank": f"{rank:g}",
                }
            )
    return cells, holes
