"""Expected τ by number of runs, at one price."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from truerank._support.units import Noun
from truerank.report.charts.style import PAGE, Size, chart, finished, layered
from truerank.report.palette import ACCENT

if TYPE_CHECKING:
    from truerank.planning.designs import Spending


def spending_chart(found: Spending, size: Size = PAGE, noun: Noun = "topic") -> Any:
    """A line for each number of levels: τ by number of runs (or by levels, where runs cannot be bought)."""
    import altair as alt

    by_levels = len({one.runs for one in found.designs}) == 1
    records = [
        {
            "x": one.levels if by_levels else one.runs,
            "estimate": one.estimate,
            "levels": f"{one.levels} level{'s' * (one.levels != 1)}",
            "order": one.levels,
        }
        for one in found.designs
    ]
    x = alt.X(
        "x:Q",
        title="levels" if by_levels else f"runs of a {noun}",
        scale=alt.Scale(type="log", nice=False),
        axis=alt.Axis(values=[1, 2, 3, 5, 10, 20], grid=False),
    )
    y = alt.Y("estimate:Q", title="expected τ", scale=alt.Scale(zero=False))
    several = not by_levels and len({one.levels for one in found.designs}) > 1
    color: Any = alt.value(ACCENT)
    if several:
        names = [f"{one} level{'s' * (one != 1)}" for one in sorted({one.levels for one in found.designs})]
        color = alt.Color(
            "levels:N", sort=names, scale=alt.Scale(scheme="blues"), legend=alt.Legend(title=None)
        )
    line = (
        chart(records)
        .mark_line()
        .encode(x=x, y=y, color=color, detail="order:Q" if several else alt.Undefined)
    )
    dots = chart(records).mark_circle(opacity=1, size=3 * size.font).encode(x=x, y=y, color=color)
    return finished(layered(line, dots, width=0.75 * size.width, height=0.35 * size.width), size)
