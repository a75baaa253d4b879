"""Curves with their bands: a plan's, bounds that close over the topics, p-values of pairs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from truerank._support.escaping import printable
from truerank._support.units import Noun
from truerank._support.wording import level_text, number, percent, plural, span
from truerank.report.charts.style import (
    COLUMN,
    DASHES,
    HAIRLINE,
    PAGE,
    Chart,
    Records,
    Size,
    by_series,
    channel,
    finished,
    guide,
    hover_points,
    layered,
    mark,
    symbol_drawn,
)
from truerank.report.palette import ACCENT, DOUBT, INK, SERIES, SOFT
from truerank.report.words import symbol

if TYPE_CHECKING:
    from truerank.comparison.sequential import SequentialDecision
    from truerank.comparison.significance import Significance
    from truerank.planning import Plan
    from truerank.planning.purchases import Spending


ASPECT, ASPECT_CLOSING, ASPECT_STACKED = 0.45, 0.4, 0.6
"""Height of a panel over its width; that of closing bounds, which is higher on a phone."""


def _band(records: Records, size: Size, x: Chart, y: Chart, low: Chart, **step: Any) -> tuple[Chart, Chart]:
    """The band from `low` to the field `high`, and the line `y` in it."""
    area = mark("area", records, opacity=0.35, color=SOFT, x=x, y=low, y2="high:Q", **step)
    return area, mark("line", records, color=ACCENT, strokeWidth=0.15 * size.font, x=x, y=y, **step)


def plan_chart(plan: Plan, size: Size = PAGE) -> Chart:
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
            "about": f"{p.topics:,} {units} · {symbol(plan.coefficient)} {number(p.estimate)} "
            f"({span(p.low, p.high, 2)})",
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
    layers.append(hover_points(curve, size, x=x, y=y))
    drawn = layered(*layers, width=width, height=ASPECT * width)
    key = _key(plan, bool(wanted), bool(reached), pilot)
    return finished(drawn, size, framed=not size.on_page, key=key)


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


def spending_chart(found: Spending, size: Size = PAGE, noun: Noun = "topic") -> Chart:
    """A line for runs and for each facet: τ by how many there are, the others as in the best design."""
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
    x = channel(
        "x:Q",
        title=f"runs of a {noun}" if varied == ["runs"] else "number",
        scale={"type": "log", "nice": False},
        axis={"values": [1, 2, 3, 5, 10, 20], "grid": False},
    )
    y = channel("estimate:Q", title="expected τ", scale={"zero": False})
    color: Any = ACCENT
    if len(varied) > 1:
        color = channel("name:N", sort=varied, legend={"title": None})
    line = mark("line", records, x=x, y=y, color=color)
    dots = mark("circle", records, opacity=1, size=3 * size.font, x=x, y=y, color=color)
    return finished(layered(line, dots, width=0.75 * size.width, height=0.35 * size.width), size)


AROUND = 0.35
"""How far closing bounds go beyond the last ones, zero and the margin, relative to what these span."""


def closing_chart(one: SequentialDecision, size: Size = PAGE) -> Chart:
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
    layers.append(hover_points(records, size, x=x, y=y))
    width = size.width - 6 * size.font
    made = layered(*layers, width=width, height=(ASPECT_STACKED if size.stacked else ASPECT_CLOSING) * width)
    return finished(made, size, framed=not size.on_page)


def _domain(one: SequentialDecision) -> tuple[float, float]:
    """What the picture has room for: the last bounds, zero and the margin; without bounds all means."""
    ends = [end for end in (one.low, one.high) if math.isfinite(end)] or one.means.tolist()
    low, high = min(0.0, -one.margin, *ends), max(0.0, *ends)
    around = AROUND * (high - low) or 1e-6
    return low - around, high + around


WINDOW = 3.0
"""Highest p-value shown, in units of α: above, no pair is near to being separated."""

HEIGHT, BESIDE = 130, 32
"""Of the panel of p-values, and what axis and labels take beside it, in points."""


def power_chart(found: Sequence[Significance], size: Size = COLUMN) -> Chart:
    """The curves of achieved significance levels of one or several measures (Sakai 2006).

    Pairs above `WINDOW` · α are beyond the upper edge. A dashed rule is at α: the pairs to the right of
    where a curve crosses it are those that the measure separates.
    """
    from truerank.comparison.significance import TESTS
    from truerank.comparison.significance.power import achieved_levels

    alpha = found[0].alpha
    top = min(1.0, WINDOW * alpha)
    names, records = [], []
    for place, one in enumerate(found, 1):
        label = printable(one.measure) or ("scores" if len(found) == 1 else f"scores {place}")
        name = f"{label}, {percent(one.discriminative_power, 1)}"
        while name in names:
            name += " "
        names.append(name)
        levels = achieved_levels(one.tests)
        records += [
            {"pair": pair, "p": float(p), "measure": name} for pair, p in enumerate(levels, 1) if p <= top
        ]
        if above := int((levels > top).sum()):  # where the curve comes in from above
            records.append({"pair": above, "p": top, "measure": name})
    title = "Measure, and share of pairs below the rule"
    pairs = {"domain": [0, max(one.pairs for one in found)], "nice": False}
    p = {"domain": [0, top], "nice": False}
    curves = mark(
        "line",
        records,
        strokeWidth=1.1,
        clip=True,
        x=channel("pair:Q", title="Pairs of systems, by decreasing p", scale=pairs),
        y=channel("p:Q", title="Achieved significance level p", scale=p),
        order=channel("pair:Q"),
        color=by_series("measure", title, names, SERIES, size),
        strokeDash=by_series("measure", title, names, DASHES, size),
    )
    rule = guide([{"alpha": alpha}], size, y="alpha:Q")
    made = layered(rule, curves, width=size.width - BESIDE, height=HEIGHT)
    test = TESTS[found[0].tests.test]
    alone = "for all pairs" if test.simultaneous else "uncorrected"
    key = (
        f"p: the chance of a difference as large between two equally good systems ({test.label}, {alone}); "
        f"dashed: α = {alpha:g}."
    )
    return finished(made, size, framed=True, key=key)
