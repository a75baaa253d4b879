"""The bounds of a difference as they close over the topics."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from truerank._support.wording import number, plural, span
from truerank.report.charts.style import PAGE, Records, Size, chart, finished, guide, layered
from truerank.report.palette import ACCENT, INK, SOFT

if TYPE_CHECKING:
    from truerank.comparison.sequential import SequentialDecision

ASPECT = 0.4
"""Height of the panel over its width."""

BEYOND = 4.0
"""How many times as far as the last bounds the picture goes; earlier ones may be wider."""


def closing_chart(one: SequentialDecision, size: Size = PAGE) -> Any:
    """The mean so far in a band of its bounds, with guides at 0 and at the margin.

    Args:
        one: a decision with bounds at two numbers of topics at least.
        size: for a page or a paper.
    """
    import altair as alt

    units = plural(one.noun)
    last = max((abs(end) for end in (one.low, one.high) if math.isfinite(end)), default=0.0)
    most = BEYOND * max(last, one.margin, float(abs(one.means).max()) / 2, 1e-6)
    records: Records = [
        {
            "topics": n,
            "difference": mean,
            "low": max(low, -most),
            "high": min(high, most),
            "about": f"{n:,} {units} · {number(mean, 4, sign=True)} ({span(low, high, 4, sign=True)})",
        }
        for n, mean, low, high in zip(
            one.sizes.astype(int).tolist(),
            one.means.tolist(),
            one.lows.tolist(),
            one.highs.tolist(),
            strict=True,
        )
    ]
    domain = [-most, most]
    x = alt.X(
        "topics:Q",
        title=units if one.sequential.rounds == one.topics else "rounds",
        scale=alt.Scale(domain=[records[0]["topics"], records[-1]["topics"]], nice=False),
        axis=alt.Axis(format=",d", grid=False),
    )
    scale = alt.Scale(domain=domain, nice=False)
    y = alt.Y("difference:Q", title="difference", scale=scale)
    base = chart(records)
    step: dict[str, Any] = {"interpolate": "step-after"}
    band = base.mark_area(opacity=0.35, color=SOFT, aria=False, **step).encode(
        x=x, y=alt.Y("low:Q", title="difference", scale=scale), y2="high:Q"
    )
    line = base.mark_line(color=ACCENT, strokeWidth=0.15 * size.font, aria=False, **step).encode(x=x, y=y)
    zero = chart([{"difference": 0.0}]).mark_rule(color=INK, strokeWidth=0.07 * size.font, aria=False)
    layers = [band, zero.encode(y=alt.Y("difference:Q")), line]
    if one.margin:
        layers.insert(1, guide([{"difference": -one.margin}], size, y=alt.Y("difference:Q")))
    hover = base.mark_point(fill="transparent", strokeWidth=0, size=0.9 * size.font**2, filled=True)
    layers.append(hover.encode(x=x, y=y, description=alt.Description("about:N")))
    width = size.width - 6 * size.font
    made = layered(*layers, width=width, height=ASPECT * width)
    return finished(made, size, framed=not size.on_page)
