"""A signed number of every system, with its interval and one of three verdicts: what two charts share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from truerank.report.charts.rows import Rows, number_axis, remark, row_axis, row_panel
from truerank.report.charts.style import PADDING, Records, Size, chart, finished, noted
from truerank.report.palette import ACCENT, DOUBT, INK, MUTED

SHAPES = ("triangle-right", "circle", "triangle-left")


def signed_chart(
    records: Records,
    field: str,
    title: str,
    verdicts: Sequence[str],
    size: Size,
    systems: Sequence[str],
    most: int,
) -> Any:
    """One row per system: its interval, its number and, by shape and color, what is said of it.

    Records have row, rank, name, low, high, verdict, about and `field`, best rank first. The verdicts are for
    more than 0, for neither and for less. There could be `most` rows.
    """
    import altair as alt

    rows = Rows.of([r["name"] for r in records], size, records[-1]["rank"], among=systems)
    y = row_axis("row", rows.count)
    end = 1.2 * size.font
    width = size.width - PADDING - rows.names - end
    ends = [0.0, *(r[key] for r in records for key in ("low", field, "high"))]
    unsigned = "datum.value == 0 ? '0' : datum.label"
    x = number_axis("low", title, ends, width, size, format="+f", labelExpr=unsigned)
    legend = alt.Legend(
        title=None,
        orient="bottom",
        direction="vertical" if size.stacked else "horizontal",
        columnPadding=1.2 * size.font,
        symbolOpacity=1,
        symbolSize=0.8 * size.font**2,
    )
    scale = alt.Scale(domain=list(verdicts), range=[ACCENT, MUTED, DOUBT])
    color = alt.Color("verdict:N", scale=scale, legend=legend)
    shape = alt.Shape("verdict:N", scale=alt.Scale(domain=list(verdicts), range=list(SHAPES)))
    zero = chart([{"zero": 0}]).mark_rule(color=INK, strokeWidth=1).encode(x="zero:Q")
    rules = chart(records).mark_rule(strokeWidth=rows.stroke, opacity=0.5)
    points = chart(records).mark_point(size=1.4 * rows.dot)
    layers = (
        zero,
        rules.encode(x=x, x2="high:Q", y=y, color=color),
        points.encode(x=f"{field}:Q", y=y, color=color, shape=shape),
    )
    drawn = row_panel(records, rows, *layers, width=width, beside=end)
    return finished(noted(drawn, remark(rows, most), size), size)
