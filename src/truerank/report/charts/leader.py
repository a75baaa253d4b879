"""The first systems, each as observed and as it is once selection is allowed for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from truerank._support.escaping import vega_key
from truerank.report.charts.style import PAGE, Size, chart, finished, layered
from truerank.report.lettering import fitted, in_passing
from truerank.report.palette import ACCENT, INK, SOFT

if TYPE_CHECKING:
    from truerank.reliability.results import Assessment

SHOWN = 10
"""Systems that are drawn."""


def leader_chart(a: Assessment, size: Size = PAGE) -> Any:
    """Observed and shrunken scores of the first systems, and the leader's interval.

    Args:
        a: an assessment with a leader.
        size: for a page or a paper.
    """
    import altair as alt

    assert a.leader is not None
    first = a.ranking[:SHOWN]
    short = fitted([in_passing(s.system) for s in first], 0.3 * size.width, size.text)
    names = [vega_key(short[in_passing(s.system)]) for s in first]
    records = [
        {"name": name, "observed": s.mean, "shrunken": s.shrunken, "about": f"{in_passing(s.system)}"}
        for name, s in zip(names, first, strict=True)
    ]
    ends = {
        "name": names[0],
        "low": a.leader.average + a.leader.low,
        "high": a.leader.average + a.leader.high,
    }
    y = alt.Y("name:N", sort=names, title=None, axis=alt.Axis(labelLimit=0, grid=False))
    x = alt.X("observed:Q", scale=alt.Scale(zero=False), title="score", axis=alt.Axis(orient="top"))
    rule = (
        chart([ends])
        .mark_rule(color=SOFT, strokeWidth=0.25 * size.font)
        .encode(x=alt.X("low:Q"), x2=alt.X2("high:Q"), y=y)
    )
    circle = chart(records).mark_point(color=INK, size=4 * size.font, filled=False).encode(x=x, y=y)
    dot = (
        chart(records)
        .mark_circle(color=ACCENT, size=4 * size.font, opacity=1)
        .encode(x=alt.X("shrunken:Q"), y=y, description=alt.Description("about:N"))
    )
    room = 0.6 * size.width
    made = layered(rule, circle, dot, width=room, height=len(first) * min(size.row, 2 * size.font))
    return finished(made, size)
