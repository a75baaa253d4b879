"""A signed number of every system, with its interval and a verdict in three: what two charts share."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from truerank.report.charts.rows import (
    Rows,
    hover_rows,
    name_labels,
    number_ticks,
    remark,
    room_right,
    row_axis,
)
from truerank.report.charts.style import (
    PADDING,
    Records,
    Size,
    chart,
    finished,
    layered,
    noted,
    only,
)
from truerank.report.palette import ACCENT, DOUBT, INK, MUTED

SHAPES = ("triangle-right", "circle", "triangle-left")

SIGNED = "datum.value == 0 ? '0' : format(datum.value, '{}')"


def signed_chart(
    records: Records,
    field: str,
    title: str,
    verdicts: Sequence[str],
    size: Size,
    systems: Sequence[str],
    most: int,
) -> Any:
    """A row a system: its interval, its number and, by shape and colour, what is said of it.

    Args:
        records: with row, rank, name, low, high, verdict, about and `field`, best rank first.
        field: the number's.
        title: of the axis.
        verdicts: three, for more than 0, for neither and for less.
        size: for a page or a paper.
        systems: the names of all systems.
        most: how many rows there could be.
    """
    import altair as alt

    rows = Rows.of([r["name"] for r in records], size, records[-1]["rank"], among=systems)
    y = row_axis("row", rows.count)
    end = 1.2 * size.font
    width = size.width - PADDING - rows.names - end
    ends = [v for r in records for v in (r["low"], r[field], r["high"]) if math.isfinite(v)]
    ticks = number_ticks(min(0.0, *ends), max(0.0, *ends), width, size, "+")
    x = alt.X(
        "low:Q",
        scale=alt.Scale(domain=list(ticks.domain), zero=False, nice=False),
        axis=alt.Axis(
            title=size.title(title, width),
            orient="top",
            values=ticks.values,
            tickCount=len(ticks.values),
            labelExpr=SIGNED.format(ticks.format),
            labelOverlap=False,
        ),
    )
    color = alt.Color(
        "verdict:N",
        scale=alt.Scale(domain=list(verdicts), range=[ACCENT, MUTED, DOUBT]),
        legend=alt.Legend(
            title=None,
            orient="bottom",
            direction="horizontal",
            columnPadding=0.5 * size.font,
            symbolOpacity=1,
            symbolSize=0.8 * size.font**2,
        ),
    )
    shape = alt.Shape("verdict:N", scale=alt.Scale(domain=list(verdicts), range=list(SHAPES)))
    drawn_fields = only(records, "row", "low", "high", field, "verdict")
    bars = chart(drawn_fields).mark_rule(strokeWidth=rows.stroke, opacity=0.5, aria=False)
    points = chart(drawn_fields).mark_point(filled=True, size=1.4 * rows.dot, opacity=1, aria=False)
    zero = chart([{"zero": 0}]).mark_rule(color=INK, strokeWidth=1, aria=False).encode(x=alt.X("zero:Q"))
    layers = layered(
        zero,
        name_labels(records, rows),
        bars.encode(x=x, x2=alt.X2("high:Q"), y=y, color=color),
        points.encode(x=alt.X(f"{field}:Q"), y=y, color=color, shape=shape),
        room_right(width, end),
        hover_rows(records, rows),
    )
    drawn = layers.properties(width=width, height=rows.height)
    return finished(noted(drawn, remark(rows, most), size), size)
