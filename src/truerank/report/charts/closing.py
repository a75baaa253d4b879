"""The bounds of a difference as they close over the topics."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal

from truerank._support.wording import number, plural, span
from truerank.report.charts.style import PAGE, Records, Size, chart, finished, fixed, guide, layered
from truerank.report.palette import ACCENT, INK, SOFT

if TYPE_CHECKING:
    from truerank.comparison.sequential import SequentialDecision

ASPECT, ASPECT_STACKED = 0.4, 0.6
"""Height of the panel over its width; on a phone it is higher."""

AROUND = 0.35
"""How far the picture goes beyond the last bounds, zero and the margin, relative to what these span."""


def closing_chart(one: SequentialDecision, size: Size = PAGE) -> Any:
    """The mean so far in a band of its bounds, with zero, the margin, and where the verdict was established.

    Args:
        one: a decision with bounds at two numbers of topics at least.
        size: for a page or a paper.
    """
    import altair as alt

    units = plural(one.noun)
    least, most = domain = _domain(one)
    records: Records = [
        {
            "topics": n,
            "difference": min(max(mean, least), most),
            "low": min(max(low, least), most),
            "high": max(min(high, most), least),
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
    first, last = records[0]["topics"], records[-1]["topics"]
    x = alt.X(
        "topics:Q",
        title=units if one.sequential.rounds == one.topics else "rounds",
        scale=alt.Scale(domain=[first, last], nice=False),
        axis=alt.Axis(format=",d", grid=False),
    )
    scale = alt.Scale(domain=list(domain), nice=False)
    y = alt.Y("difference:Q", title="difference", scale=scale)
    base = chart(records)
    step: dict[str, Any] = {"interpolate": "step-after", "aria": False}
    band = base.mark_area(opacity=0.35, color=SOFT, **step).encode(
        x=x, y=alt.Y("low:Q", title="difference", scale=scale), y2="high:Q"
    )
    line = base.mark_line(color=ACCENT, strokeWidth=0.15 * size.font, **step).encode(x=x, y=y)
    thin: dict[str, Any] = {"color": INK, "strokeWidth": 0.07 * size.font, "aria": False}
    zero = chart([{"difference": 0.0}]).mark_rule(**thin).encode(y=alt.Y("difference:Q"))
    layers = [band, zero, line]
    if one.margin:
        layers.insert(1, guide([{"difference": -one.margin}], size, y=alt.Y("difference:Q")))
    if decided := one.sequential.decided:
        early = decided < (first + last) / 2
        at = chart([{"topics": decided, "said": f"{one.verdict} after {decided:,}"}])
        side: Literal["left", "right"] = "left" if early else "right"
        dx = 4 if early else -4
        text = at.mark_text(align=side, dx=dx, dy=size.font, color=INK)
        layers += [at.mark_rule(**thin).encode(x=x), text.encode(x=x, y=fixed("Y", 0), text="said:N")]
    hover = base.mark_point(fill="transparent", strokeWidth=0, size=0.9 * size.font**2, filled=True)
    layers.append(hover.encode(x=x, y=y, description=alt.Description("about:N")))
    width = size.width - 6 * size.font
    made = layered(*layers, width=width, height=(ASPECT_STACKED if size.stacked else ASPECT) * width)
    return finished(made, size, framed=not size.on_page)


def _domain(one: SequentialDecision) -> tuple[float, float]:
    """What the picture has room for: the last bounds, zero and the margin; without bounds all means."""
    ends = [end for end in (one.low, one.high) if math.isfinite(end)] or one.means.tolist()
    low, high = min(0.0, -one.margin, *ends), max(0.0, *ends)
    around = AROUND * (high - low) or 1e-6
    return low - around, high + around
