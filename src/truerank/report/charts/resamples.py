"""Where a rank distance lies among the distances of rankings by resampled topics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from truerank.report.charts.style import PAGE, Size, chart, finished, fixed, layered
from truerank.report.palette import DOUBT, INK, SOFT

if TYPE_CHECKING:
    from truerank.comparison import Comparison

BARS = 48
HEIGHT = 0.16
"""Of the chart's width."""

LEAST = 110
"""Of the height on a narrow screen."""


def resamples_chart(result: Comparison, size: Size = PAGE) -> Any:
    """The bootstrap distribution as a histogram, its 5% critical value and the observed distance."""
    import altair as alt

    known = result.distance.distribution
    observed, limit = result.distance.distance, known.critical_value(0.05)
    top = 1.03 * max(float(known.distances[-1]), observed, 1e-9)
    edges = np.linspace(0, top, BARS + 1)
    shares, _ = np.histogram(known.distances, edges, weights=known.counts / known.resamples)
    bars = [
        {"low": float(low), "high": float(high), "share": float(share)}
        for low, high, share in zip(edges[:-1], edges[1:], shares, strict=True)
        if share > 0
    ]
    scale = alt.Scale(domain=[0, top], nice=False)
    axis = alt.Axis(title="rank distance", tickCount=8, grid=False)
    width = size.width - 30
    # What the two lines are called stands above the bars.
    above = 2.8 * size.font
    height = above + (max(HEIGHT * size.width, LEAST) if size.on_page else HEIGHT * size.width)
    highest = float(shares.max()) * height / (height - above)
    tall = alt.Scale(domain=[0, highest], nice=False)
    histogram = (
        chart(bars)
        .mark_rect(color=SOFT, aria=False)
        .encode(
            x=alt.X("low:Q", scale=scale, axis=axis),
            x2=alt.X2("high:Q"),
            y=alt.Y("share:Q", scale=tall, axis=None),
            y2=fixed("Y2", height),
        )
    )
    lines = []
    for value, text, colour, dash in (
        (limit, "5% critical value", INK, [4, 3]),
        (observed, "observed", DOUBT, [1, 0]),
    ):
        mark = chart([{"x": value, "text": f"{text} {value:.2f}"}]).encode(x=alt.X("x:Q", scale=scale))
        lines.append(mark.mark_rule(color=colour, strokeWidth=1.6, strokeDash=dash, aria=False))
        late = value / top * width + 5 + size.text(f"{text} {value:.2f}") > width
        lines.append(
            mark.mark_text(
                align="right" if late else "left",
                dx=-5 if late else 5,
                color=colour,
                fontSize=size.font,
                baseline="top",
                aria=False,
            ).encode(text=alt.Text("text:N"), y=fixed("Y", 0 if colour == DOUBT else 1.4 * size.font))
        )
    made = layered(histogram, *lines, width=width, height=height)
    return finished(made, size)
