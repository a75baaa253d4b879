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
    cells = zip(edges[:-1].tolist(), edges[1:].tolist(), shares.tolist(), strict=True)
    bars = [{"low": low, "high": high, "share": share} for low, high, share in cells if share > 0]
    width = size.width - 30
    above = 2.8 * size.font  # what the two lines are called stands above the bars
    height = above + max(HEIGHT * size.width, LEAST if size.on_page else 0)
    scale = alt.Scale(domain=[0, top], nice=False)
    tall = alt.Scale(domain=[0, float(shares.max()) * height / (height - above)], nice=False)
    axis = alt.Axis(title="rank distance", tickCount=8, grid=False)
    layers = [
        chart(bars)
        .mark_rect(color=SOFT)
        .encode(
            x=alt.X("low:Q", scale=scale, axis=axis),
            x2="high:Q",
            y=alt.Y("share:Q", scale=tall, axis=None),
            y2=fixed("Y2", height),
        )
    ]
    lines = ((limit, "5% critical value", INK, [4, 3], 1.4), (observed, "observed", DOUBT, [1, 0], 0.0))
    for value, text, color, dash, down in lines:
        said = f"{text} {value:.2f}"
        mark = chart([{"x": value, "text": said}]).encode(x=alt.X("x:Q", scale=scale))
        late = value / top * width + 5 + size.text(said) > width
        label = mark.mark_text(
            align="right" if late else "left", dx=-5 if late else 5, color=color, baseline="top"
        )
        layers.append(mark.mark_rule(color=color, strokeWidth=1.6, strokeDash=dash))
        layers.append(label.encode(text="text:N", y=fixed("Y", down * size.font)))
    return finished(layered(*layers, width=width, height=height), size)
