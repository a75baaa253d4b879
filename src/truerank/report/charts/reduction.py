"""τ by number of topics kept, beside random topics and the truth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from truerank._support.wording import number, span
from truerank.report.charts.style import PAGE, Records, Size, chart, finished, hover_points, layered, noted
from truerank.report.palette import ACCENT, INK, SOFT

if TYPE_CHECKING:
    from truerank.reducing import Reduction


def reduction_chart(found: Reduction, size: Size = PAGE) -> Any:
    """A line with its band for the topics kept; dashed for random ones, dotted for τ with the truth."""
    import altair as alt

    units, sizes = found.sampled.many, sorted(found.sizes, key=lambda one: one.keep)
    records: Records = [
        {
            "keep": one.keep,
            "tau": one.tau,
            "low": one.tau_low,
            "high": one.tau_high,
            "truth": one.truth,
            "random": one.random,
            "about": f"{one.keep:,} {units} · τ {number(one.tau, 2)} ({span(one.tau_low, one.tau_high, 2)})",
        }
        for one in sizes
    ]
    x = alt.X(
        "keep:Q",
        title=f"{units} kept",
        scale=alt.Scale(type="log", nice=False),
        axis=alt.Axis(values=[one.keep for one in sizes], format=",d", grid=False, labelOverlap="greedy"),
    )

    def y(field: str) -> Any:
        return alt.Y(f"{field}:Q", title="τ", scale=alt.Scale(zero=False))

    stroke, base = 0.15 * size.font, chart(records)
    layers = [
        base.mark_area(opacity=0.35, color=SOFT).encode(x=x, y=y("low"), y2="high:Q"),
        base.mark_line(color=ACCENT, strokeWidth=stroke).encode(x=x, y=y("tau")),
        base.mark_line(color=INK, strokeWidth=stroke, strokeDash=[6, 4]).encode(x=x, y=y("random")),
        base.mark_line(color=INK, strokeWidth=stroke, strokeDash=[1, 3]).encode(x=x, y=y("truth")),
        hover_points(records, size, x=x, y=y("tau")),
    ]
    width = size.width - 6 * size.font
    note = "" if size.on_page else f"Line: kept; dashed: random {units}; dotted: with the truth."
    return finished(noted(layered(*layers, width=width, height=0.45 * width), note, size), size)
