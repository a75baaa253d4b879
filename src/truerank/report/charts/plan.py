"""The curve of a plan: the coefficient by number of topics, its band, and where targets are reached."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, Any

from truerank._support.wording import plural
from truerank.report.charts.style import (
    PAGE,
    Records,
    Size,
    chart,
    finished,
    guide,
    layered,
    noted,
    symbol_drawn,
)
from truerank.report.palette import ACCENT, DOUBT, INK, SOFT
from truerank.report.words import level_text, number, span, symbol

if TYPE_CHECKING:
    from truerank.planning import Plan

NAMES = ("plan",)
"""Of the figure's files."""

ASPECT = 0.45
"""Height of the panel over its width."""


def plan_chart(plan: Plan, size: Size = PAGE) -> Any:
    """The expected coefficient, the band that a collection's will lie in, targets and topics needed.

    The number of topics is on a logarithmic scale. A hollow mark at the pilot's number is what is known so
    far; a dashed rule is a target, a dot where the expectation and a diamond where the band's lower end gets
    there.

    Args:
        plan: what :func:`truerank.planning.plan` returned.
        size: for a page or a paper.
    """
    import altair as alt

    label, drawn = symbol(plan.coefficient), symbol_drawn(plan.coefficient)
    units = plural(plan.unit)
    curve: Records = [
        {
            "topics": p.topics,
            "estimate": p.estimate,
            "low": p.low,
            "high": p.high,
            "about": f"{p.topics:,} {units} · {label} {number(p.estimate)} ({span(p.low, p.high, 2)})",
        }
        for p in plan.curve
    ]
    bottom = max(-1.0, math.floor(10 * min(p.low for p in plan.curve)) / 10)
    width = size.width - 6 * size.font
    values = _ticks(plan.curve[0].topics, plan.curve[-1].topics, width, size)
    x = alt.X(
        "topics:Q",
        title=plural(plan.unit),
        scale=alt.Scale(type="log", domain=[plan.curve[0].topics, plan.curve[-1].topics], nice=False),
        axis=alt.Axis(values=values, tickCount=len(values), format=",d", grid=False, labelOverlap=False),
    )
    upright = alt.Axis(title=drawn, titleAngle=0, titlePadding=size.font)
    scale = alt.Scale(domain=[bottom, 1], nice=False)
    y = alt.Y("estimate:Q", axis=upright, scale=scale)
    band = (
        chart(curve)
        .mark_area(opacity=0.35, color=SOFT, aria=False)
        .encode(x=x, y=alt.Y("low:Q", axis=upright, scale=scale), y2="high:Q")
    )
    line = chart(curve).mark_line(color=ACCENT, strokeWidth=0.15 * size.font, aria=False).encode(x=x, y=y)
    layers = [band]
    reached: Records = [
        {"topics": n.topics, "estimate": n.target, "how": n.criterion}
        for n in plan.needed
        if n.what == plan.coefficient
        and math.isfinite(n.topics)
        and plan.curve[0].topics <= n.topics <= plan.curve[-1].topics
    ]
    targets = sorted({n.target for n in plan.needed if n.what == plan.coefficient})
    layers += [
        guide([{"estimate": target}], size, y=alt.Y("estimate:Q")) for target in targets if target > bottom
    ]
    layers.append(line)
    for how, shape in (("expected", "circle"), ("low", "diamond")):
        some = [one for one in reached if one["how"] == how]
        if some:
            mark = chart(some).mark_point(
                shape=shape, size=0.8 * size.font**2, filled=True, opacity=1, color=DOUBT, aria=False
            )
            layers.append(mark.encode(x=x, y=y))
    if _pilot_shown(plan):
        known = chart([{"topics": plan.pilot_topics, "estimate": plan.now}])
        mark = known.mark_point(
            size=0.9 * size.font**2, filled=False, strokeWidth=0.15 * size.font, color=INK, aria=False
        )
        layers.append(mark.encode(x=x, y=y))
    hover = chart(curve).mark_point(
        fill="transparent", strokeWidth=0, size=0.9 * size.font**2, filled=True, opacity=1
    )
    layers.append(hover.encode(x=x, y=y, description=alt.Description("about:N")))
    made = layered(*layers, width=width, height=ASPECT * width)
    note = "" if size.on_page else _key(plan, bool(reached))
    return finished(noted(made, note, size), size, framed=not size.on_page)


def not_drawn(plan: Plan) -> list[tuple[str, float]]:
    """Coefficients and targets that the curve is not of; the tables have the topics that they take."""
    others = {(n.what, n.target) for n in plan.needed if n.what in plan.curves and n.what != plan.coefficient}
    return sorted(others)


def _key(plan: Plan, reached: bool) -> str:
    """What the marks are."""
    parts = [f"Line: expected; band: where {level_text(plan.settings.level)} of collections lie"]
    if any(n.what == plan.coefficient for n in plan.needed):
        parts.append("dashed: target")
    if reached:
        parts.append("dot, diamond: where line and band reach it")
    if _pilot_shown(plan):
        parts.append("hollow: the pilot")
    others = " and ".join(f"{symbol_drawn(what)} = {target:g}" for what, target in not_drawn(plan))
    return f"{'; '.join(parts)}." + (f" Topics for {others}: in the tables." if others else "")


def _pilot_shown(plan: Plan) -> bool:
    """Whether the pilot's own ranking has a mark on the curve."""
    return (
        plan.now is not None
        and plan.unit != "topic per data set"
        and plan.curve[0].topics <= plan.pilot_topics <= plan.curve[-1].topics
    )


def _ticks(low: int, high: int, width: float, size: Size) -> list[int]:
    """Numbers of topics to write along a logarithmic axis: as many of each power of ten as keep apart."""
    space = 0.8 * size.font
    for leading in ((1, 2, 5), (1, 3), (1,)):
        kept = [n for power in range(7) for n in (d * 10**power for d in leading) if low <= n <= high]
        if all(
            width * math.log(b / a) / math.log(high / low)
            >= 0.5 * (size.text(f"{a:,}") + size.text(f"{b:,}")) + space
            for a, b in itertools.pairwise(kept)
        ):
            break
    return kept
