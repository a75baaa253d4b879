"""The curves of a plan: the coefficient by topics, and τ by runs or levels at one price."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from truerank._support.units import Noun
from truerank._support.wording import level_text, number, span
from truerank.report.charts.style import (
    PAGE,
    Records,
    Size,
    chart,
    finished,
    guide,
    hover_points,
    layered,
    noted,
    symbol_drawn,
)
from truerank.report.palette import ACCENT, DOUBT, INK, SOFT
from truerank.report.words import symbol

if TYPE_CHECKING:
    from truerank.planning import Plan
    from truerank.planning.designs import Spending


ASPECT = 0.45
"""Height of the panel over its width."""


def plan_chart(plan: Plan, size: Size = PAGE) -> Any:
    """The expected coefficient, the band that a collection's will lie in, targets and topics needed.

    The number of topics is on a logarithmic scale. A hollow mark at the pilot's number is what is known so
    far. A dashed rule is a target. A dot is where the expectation gets there, a diamond where the band's
    lower end does.
    """
    import altair as alt

    units, first, last = plan.counted.many, plan.curve[0].topics, plan.curve[-1].topics
    curve: Records = [
        {
            "topics": p.topics,
            "estimate": p.estimate,
            "low": p.low,
            "high": p.high,
            "about": f"{p.topics:,} {units} · {symbol(plan.coefficient)} {number(p.estimate)} "
            f"({span(p.low, p.high, 2)})",
        }
        for p in plan.curve
    ]
    bottom = max(-1.0, math.floor(10 * min(p.low for p in plan.curve)) / 10)
    width = size.width - 6 * size.font
    ticks = [leading * 10**power for power in range(7) for leading in (1, 2, 5)]
    ticks = [tick for tick in ticks if first <= tick <= last]
    x = alt.X(
        "topics:Q",
        title=units,
        scale=alt.Scale(type="log", domain=[first, last], nice=False),
        axis=alt.Axis(values=ticks, tickCount=len(ticks), format=",d", grid=False, labelOverlap="greedy"),
    )
    upright = alt.Axis(title=symbol_drawn(plan.coefficient), titleAngle=0, titlePadding=size.font)
    scale = alt.Scale(domain=[bottom, 1], nice=False)
    y, low = (alt.Y(f"{field}:Q", axis=upright, scale=scale) for field in ("estimate", "low"))
    stroke = 0.15 * size.font
    wanted = [n for n in plan.needed if n.what == plan.coefficient]
    reached = [n for n in wanted if math.isfinite(n.topics) and first <= n.topics <= last]
    layers = [
        chart(curve).mark_area(opacity=0.35, color=SOFT).encode(x=x, y=low, y2="high:Q"),
        *(
            guide([{"estimate": target}], size, y="estimate:Q")
            for target in sorted({n.target for n in wanted})
            if target > bottom
        ),
        chart(curve).mark_line(color=ACCENT, strokeWidth=stroke).encode(x=x, y=y),
    ]
    for how, shape in (("expected", "circle"), ("low", "diamond")):
        points = [{"topics": n.topics, "estimate": n.target} for n in reached if n.criterion == how]
        mark = chart(points).mark_point(shape=shape, size=0.8 * size.font**2, color=DOUBT)
        layers += [mark.encode(x=x, y=y)] if points else []
    pilot = plan.now is not None and plan.unit != "topic per data set" and first <= plan.pilot_topics <= last
    if pilot:
        known = chart([{"topics": plan.pilot_topics, "estimate": plan.now}])
        mark = known.mark_point(size=0.9 * size.font**2, filled=False, strokeWidth=stroke, color=INK)
        layers.append(mark.encode(x=x, y=y))
    layers.append(hover_points(curve, size, x=x, y=y))
    drawn = layered(*layers, width=width, height=ASPECT * width)
    note = "" if size.on_page else _key(plan, bool(wanted), bool(reached), pilot)
    return finished(noted(drawn, note, size), size, framed=not size.on_page)


def not_drawn(plan: Plan) -> list[tuple[str, float]]:
    """Coefficients and targets that the curve is not of; the tables have the topics that they take."""
    others = {(n.what, n.target) for n in plan.needed if n.what in plan.curves and n.what != plan.coefficient}
    return sorted(others)


def _key(plan: Plan, wanted: bool, reached: bool, pilot: bool) -> str:
    """What the marks are."""
    parts = [f"Line: expected; band: where {level_text(plan.settings.level)} of collections lie"]
    parts += ["dashed: target"] if wanted else []
    parts += ["dot, diamond: where line and band reach it"] if reached else []
    parts += ["hollow: the pilot"] if pilot else []
    others = " and ".join(f"{symbol_drawn(what)} = {target:g}" for what, target in not_drawn(plan))
    topics = plan.sampled.many.capitalize()
    return f"{'; '.join(parts)}." + (f" {topics} for {others}: in the tables." if others else "")


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
