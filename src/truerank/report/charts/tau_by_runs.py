"""Expected τ by number of runs, at one price."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from truerank._support.units import Noun
from truerank.report.charts.style import PAGE, Size, chart, finished, layered
from truerank.report.palette import ACCENT

if TYPE_CHECKING:
    from truerank.planning.designs import Spending


def spending_chart(found: Spending, size: Size = PAGE, noun: Noun = "topic") -> Any:
    """A line for runs and for each facet: τ by how many there are, the others as in the best design."""
    import altair as alt

    best, names = (
        found.center,
        {"runs": lambda one: one.runs}
        | {name: lambda one, name=name: one.levels[name] for name in found.facets},
    )
    records = [
        {"x": of(one), "estimate": one.estimate, "name": name}
        for name, of in names.items()
        for one in found.designs
        if all(other(one) == other(best) for key, other in names.items() if key != name)
    ]
    varied = [name for name in names if sum(one["name"] == name for one in records) > 1]
    records = [one for one in records if one["name"] in varied]
    x = alt.X(
        "x:Q",
        title=f"runs of a {noun}" if varied == ["runs"] else "number",
        scale=alt.Scale(type="log", nice=False),
        axis=alt.Axis(values=[1, 2, 3, 5, 10, 20], grid=False),
    )
    y = alt.Y("estimate:Q", title="expected τ", scale=alt.Scale(zero=False))
    color: Any = alt.value(ACCENT)
    if len(varied) > 1:
        color = alt.Color("name:N", sort=varied, legend=alt.Legend(title=None))
    line = chart(records).mark_line().encode(x=x, y=y, color=color)
    dots = chart(records).mark_circle(opacity=1, size=3 * size.font).encode(x=x, y=y, color=color)
    return finished(layered(line, dots, width=0.75 * size.width, height=0.35 * size.width), size)
