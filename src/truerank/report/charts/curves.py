"""Curves with their bands: a plan's, bounds that close over the topics, p-values of pairs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from truerank._support.wording import level_text, plural
from truerank.report.charts.style import (
    COLUMN,
    HAIRLINE,
    Chart,
    Records,
    Size,
    channel,
    finished,
    guide,
    layered,
    mark,
    symbol_drawn,
)
from truerank.report.palette import ACCENT, DOUBT, INK, SOFT

if TYPE_CHECKING:
    from truerank.comparison.sequential import SequentialDecision
    from truerank.planning import Plan


ASPECT, ASPECT_CLOSING = 0.45, 0.4
"""Height of a panel over its width; that of closing bounds."""


def _band(records: Records, size: Size, x: Chart, y: Chart, low: Chart, **step: Any) -> tuple[Chart, Chart]:
    """The band from `low` to the field `high`, and the line `y` in it."""
    area = mark("area", records, opacity=0.35, color=SOFT, x=x, y=low, y2="high:Q", **step)
    return area, mark("line", records, color=ACCENT, strokeWidth=0.15 * size.font, x=x, y=y, **step)


def plan_chart(plan: Plan, size: Size = COLUMN) -> Chart:
    """The expected coefficient, the band that a collection's will lie in, targets and topics needed.

    The number of topics is on a logarithmic scale. A hollow mark at the pilot's number is what is known so
    far. A dashed rule is a target. A dot is where the expectation gets there, a diamond where the band's
    lower end does.
    """
    units, first, last = plan.counted.many, plan.curve[0].topics, plan.curve[-1].topics
    curve: Records = [
        {
            "topics": p.topics,
            "estimate": p.estimate,
            "low": p.low,
            "high": p.high,
        }
        for p in plan.curve
    ]
    bottom = max(-1.0, math.floor(10 * min(p.low for p in plan.curve)) / 10)
    width = size.width - 6 * size.font
    ticks = [leading * 10**power for power in range(7) for leading in (1, 2, 5)]
    ticks = [tick for tick in ticks if first <= tick <= last]
    axis = {"values": ticks, "tickCount": len(ticks), "format": ",d", "grid": False, "labelOverlap": "greedy"}
    scale: dict[str, Any] = {"type": "log", "domain": [first, last], "nice": False}
    x = channel("topics:Q", title=units, scale=scale, axis=axis)
    upright = {"title": symbol_drawn(plan.coefficient), "titleAngle": 0, "titlePadding": size.font}
    scale = {"domain": [bottom, 1], "nice": False}
    y, low = (channel(f"{field}:Q", axis=upright, scale=scale) for field in ("estimate", "low"))
    wanted = [n for n in plan.needed if n.what == plan.coefficient]
    reached = [n for n in wanted if math.isfinite(n.topics) and first <= n.topics <= last]
    targets = [target for target in sorted({n.target for n in wanted}) if target > bottom]
    band, line = _band(curve, size, x, y, low)
    layers = [band, *(guide([{"estimate": target}], size, y="estimate:Q") for target in targets), line]
    for how, shape in (("expected", "circle"), ("low", "diamond")):
        points = [{"topics": n.topics, "estimate": n.target} for n in reached if n.criterion == how]
        look: dict[str, Any] = {"size": 0.8 * size.font**2, "color": DOUBT, "x": x, "y": y}
        layers += [mark("point", points, shape=shape, **look)] if points else []
    pilot = plan.now is not None and plan.unit != "topic per data set" and first <= plan.pilot_topics <= last
    if pilot:
        known: Records = [{"topics": plan.pilot_topics, "estimate": plan.now}]
        hollow: dict[str, Any] = {"filled": False, "strokeWidth": 0.15 * size.font, "color": INK}
        layers.append(mark("point", known, size=0.9 * size.font**2, x=x, y=y, **hollow))
    drawn = layered(*layers, width=width, height=ASPECT * width)
    key = _key(plan, bool(wanted), bool(reached), pilot)
    return finished(drawn, size, framed=True, key=key)


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


AROUND = 0.35
"""How far closing bounds go beyond the last ones, zero and the margin, relative to what these span."""


def closing_chart(one: SequentialDecision, size: Size = COLUMN) -> Chart:
    """The mean so far in a band of its bounds, with zero, the margin, and where the verdict was established.

    The decision has bounds at two numbers of topics at least.
    """
    units = plural(one.noun)
    least, most = domain = _domain(one)
    records: Records = [
        {
            "topics": n,
            "difference": min(max(mean, least), most),
            "low": min(max(low, least), most),
            "high": max(min(high, most), least),
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
    x = channel(
        "topics:Q",
        title=units if one.sequential.rounds == one.topics else "rounds",
        scale={"domain": [first, last], "nice": False},
        axis={"format": ",d", "grid": False},
    )
    y, low = (
        channel(f"{field}:Q", title="difference", scale={"domain": [*domain], "nice": False})
        for field in ("difference", "low")
    )
    band, line = _band(records, size, x, y, low, interpolate="step-after")
    thin: dict[str, Any] = {"color": INK, "strokeWidth": HAIRLINE * size.font}
    layers = [band, mark("rule", [{"difference": 0.0}], y="difference:Q", **thin), line]
    if one.margin:
        layers.insert(1, guide([{"difference": -one.margin}], size, y="difference:Q"))
    if decided := one.sequential.decided:
        here = [{"topics": decided, "said": f"{one.verdict} after {decided:,}"}]
        early = decided < (first + last) / 2
        beside: dict[str, Any] = {"align": "left", "dx": 4} if early else {"align": "right", "dx": -4}
        place: dict[str, Any] = {"x": x, "y": 0, "dy": size.font, "text": "said:N"}
        layers += [mark("rule", here, x=x, **thin), mark("text", here, color=INK, **beside, **place)]
    width = size.width - 6 * size.font
    made = layered(*layers, width=width, height=ASPECT_CLOSING * width)
    return finished(made, size, framed=True)


def _domain(one: SequentialDecision) -> tuple[float, float]:
    """What the picture has room for: the last bounds, zero and the margin; without bounds all means."""
    ends = [end for end in (one.low, one.high) if math.isfinite(end)] or one.means.tolist()
    low, high = min(0.0, -one.margin, *ends), max(0.0, *ends)
    around = AROUND * (high - low) or 1e-6
    return low - around, high + around
