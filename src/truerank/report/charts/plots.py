"""Charts of one quantity against another: curves in bands, topics as bars or dots, quality against cost."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from truerank._support.escaping import printable
from truerank._support.wording import plural, shortened
from truerank.documents.models import MODELS
from truerank.errors import unknown_name
from truerank.report.charts.style import (
    COLUMN,
    DASHES,
    HAIRLINE,
    Chart,
    Records,
    Size,
    channel,
    channels,
    finished,
    guide,
    hconcat,
    layered,
    mark,
    symbol_drawn,
)
from truerank.report.lettering import fitted
from truerank.report.palette import ACCENT, DOUBT, INK, MUTED, PAPER, SERIES_ON_PAGE, SOFT

if TYPE_CHECKING:
    from truerank.comparison.gate import Decision
    from truerank.comparison.sequential import SequentialDecision
    from truerank.documents.analysis import DocumentAnalysis
    from truerank.planning import Plan
    from truerank.reliability.frontier import TradeOff

# ── curves in bands ───────────────────────────────────────────────────────────────────────────────────


def _band(records: Records, size: Size, x: Chart, y: Chart, low: Chart, **step: Any) -> list[Chart]:
    """The band from `low` to the field `high`, and the line `y` in it."""
    area = mark("area", records, opacity=0.35, color=SOFT, x=x, y=low, y2="high:Q", **step)
    return [area, mark("line", records, color=ACCENT, strokeWidth=0.15 * size.font, x=x, y=y, **step)]


def plan_chart(plan: Plan, size: Size = COLUMN) -> Chart:
    """The expected coefficient, the band that a collection's will lie in, targets and topics needed."""
    first, last = plan.curve[0].topics, plan.curve[-1].topics
    bottom = max(-1.0, math.floor(10 * min(p.low for p in plan.curve)) / 10)
    ticks = [n for power in range(7) for n in (10**power, 2 * 10**power, 5 * 10**power) if first <= n <= last]
    axis = {"values": ticks, "tickCount": len(ticks), "format": ",d", "grid": False, "labelOverlap": "greedy"}
    scale = {"type": "log", "domain": [first, last], "nice": False}
    x = channel("topics:Q", title=plan.counted.many, scale=scale, axis=axis)
    upright = {"title": symbol_drawn(plan.coefficient), "titleAngle": 0, "titlePadding": size.font}
    y, low = channels("estimate low", axis=upright, scale={"domain": [bottom, 1], "nice": False})
    wanted = [n for n in plan.needed if n.what == plan.coefficient]
    targets = [target for target in sorted({n.target for n in wanted}) if target > bottom]
    band, line = _band([vars(point) for point in plan.curve], size, x, y, low)
    layers = [band, *(guide([{"estimate": target}], size, y="estimate:Q") for target in targets), line]
    for how, shape in (("expected", "circle"), ("low", "diamond")):
        reached = [
            {"topics": n.topics, "estimate": n.target}
            for n in wanted
            if n.criterion == how and math.isfinite(n.topics) and first <= n.topics <= last
        ]
        look: dict[str, Any] = {"size": 0.8 * size.font**2, "color": DOUBT, "x": x, "y": y}
        layers += [mark("point", reached, shape=shape, **look)] if reached else []
    pilot = plan.now is not None and plan.unit != "topic per data set"
    if pilot and first <= plan.pilot_topics <= last:
        known: Records = [{"topics": plan.pilot_topics, "estimate": plan.now}]
        hollow: dict[str, Any] = {"filled": False, "strokeWidth": 0.15 * size.font, "color": INK}
        layers.append(mark("point", known, size=0.9 * size.font**2, x=x, y=y, **hollow))
    width = size.width - 6 * size.font
    return finished(layered(*layers, width=width, height=0.45 * width), size, framed=True, note="")


AROUND = 0.35
"""How far closing bounds go beyond the last ones, zero and the margin, relative to what these span."""


def closing_chart(item: SequentialDecision, size: Size = COLUMN) -> Chart:
    """The mean so far in a band of its bounds, with zero, the margin and the verdict; of several looks."""
    # There is room for the last bounds, zero and the margin; without bounds for all means.
    ends = [end for end in (item.low, item.high) if math.isfinite(end)] or item.means.tolist()
    least, most = min(0.0, -item.margin, *ends), max(0.0, *ends)
    around = AROUND * (most - least) or 1e-6
    least, most = least - around, most + around
    columns = (column.clip(least, most).tolist() for column in (item.means, item.lows, item.highs))
    records: Records = [
        {"topics": n, "difference": mean, "low": low, "high": high}
        for n, mean, low, high in zip(item.sizes.astype(int).tolist(), *columns, strict=True)
    ]
    first, last = records[0]["topics"], records[-1]["topics"]
    units = plural(item.noun) if item.sequential.rounds == item.topics else "rounds"
    scale = {"domain": [first, last], "nice": False}
    x = channel("topics:Q", title=units, scale=scale, axis={"format": ",d", "grid": False})
    scale = {"domain": [least, most], "nice": False}
    y, low = channels("difference low", title="difference", scale=scale)
    band, line = _band(records, size, x, y, low, interpolate="step-after")
    thin: dict[str, Any] = {"color": INK, "strokeWidth": HAIRLINE * size.font}
    layers = [band, mark("rule", [{"difference": 0.0}], y="difference:Q", **thin), line]
    if item.margin:
        layers.insert(1, guide([{"difference": -item.margin}], size, y="difference:Q"))
    if decided := item.sequential.decided:
        here = [{"topics": decided, "said": f"{item.verdict} after {decided:,}"}]
        early = decided < (first + last) / 2
        beside: dict[str, Any] = {"align": "left", "dx": 4} if early else {"align": "right", "dx": -4}
        place: dict[str, Any] = {"x": x, "y": 0, "dy": size.font, "text": "said:N"}
        layers += [mark("rule", here, x=x, **thin), mark("text", here, color=INK, **beside, **place)]
    width = size.width - 6 * size.font
    return finished(layered(*layers, width=width, height=0.4 * width), size, framed=True, note="")


# ── the topics of a gate ──────────────────────────────────────────────────────────────────────────────

MOST = 400  # bars that a reader can make out; of more topics each bar is the mean of neighbors

SEPARATE = 120  # up to so many bars have a gap between them


def topic_differences_chart(item: Decision, size: Size = COLUMN) -> Chart:
    """One bar per topic, sorted by its difference."""
    width = size.width - 6.5 * size.font
    height = min(0.3 * width, size.height) if size.width > 500 else 0.55 * width
    names = fitted([printable(item.candidate), printable(item.baseline)], 0.6 * height, size.text)
    candidate, baseline = (names[printable(name)] for name in (item.candidate, item.baseline))
    measure = shortened(printable(item.measure) or "score", 60)
    what = "added to strength" if item.by_strengths else measure
    title = size.lines(f"{what} of {candidate}", height) + size.lines(f"minus {baseline}", height)
    count, units = len(item.differences), plural(item.noun)
    of = f"{count:,} {units if count == item.topics else f'groups of {units}'}, by their difference"
    kinds = {"domain": ["better", "worse"], "range": [ACCENT, DOUBT]}
    across = {"title": of, "grid": False, "labels": False}
    bars = mark(
        "rect",
        _bars(item),
        x=channel("left:Q", scale={"domain": [0, count], "nice": False}, axis=across),
        x2="right:Q",
        y=channel("difference:Q", axis={"title": title, "tickCount": 5}),
        y2="zero:Q",
        color=channel("kind:N", scale=kinds, legend=None),
    )
    zero = mark("rule", [{"difference": 0.0}], color=INK, strokeWidth=1, y="difference:Q")
    return finished(layered(bars, zero, width=width, height=height), size, note="")


def _bars(item: Decision) -> Records:
    """The bars, from the topic on which the candidate loses most to the one on which it wins most."""
    ordered = np.sort(item.differences)
    count = len(ordered)
    ends = np.unique(np.linspace(0, count, min(count, MOST) + 1).astype(int)).tolist()
    gap = 0.15 if len(ends) <= SEPARATE else 0.0
    means = [(a, b, float(ordered[a:b].mean())) for a, b in itertools.pairwise(ends)]
    return [
        {"left": a, "right": b - gap, "zero": 0.0, "difference": d, "kind": "worse" if d < 0 else "better"}
        for a, b, d in means
    ]


# ── quality against a second criterion ────────────────────────────────────────────────────────────────

NAMED, LETTERS = 12, 18  # systems on the observed frontier that have their names, and the letters of a name


def frontier_chart(result: TradeOff, score: str, size: Size = COLUMN) -> Chart:
    """Intervals both ways; filled: may be on the true frontier. Costs that span much are on a log axis."""
    fields = ["mean", "mean_low", "mean_high", "value", "in_set", "observed"]
    records: Records = [
        {name: getattr(row, name) for name in fields}
        | {"low": row.ends[0], "high": row.ends[1], "name": shortened(printable(row.system), LETTERS)}
        for row in result.rows
    ]
    kind = {"type": "log", "nice": False, "padding": size.font} if result.logged else {"zero": False}
    x, low = channels("value low", scale=kind, axis={"title": printable(result.measure), "tickCount": 5})
    y, bottom = channels("mean mean_low", scale={"zero": False}, axis={"title": score, "tickCount": 5})
    bar: dict[str, Any] = {"color": SOFT, "strokeWidth": 0.1 * size.font}
    layers = [
        mark("rule", records, x=low, x2="high:Q", y=y, **bar),
        mark("rule", records, x=x, y=bottom, y2="mean_high:Q", **bar),
    ]
    observed = [item for item in records if item["observed"]]
    if len(observed) > 1:
        turn = "step-after" if result.lower_is_better else "step-before"
        line: dict[str, Any] = {"interpolate": turn, "strokeWidth": 0.14 * size.font, "strokeDash": [4, 3]}
        order = channel("value:Q")
        layers.append(mark("line", observed, color=ACCENT, x=x, y=y, order=order, **line))
    for inside, fill, edge in ((False, PAPER, MUTED), (True, ACCENT, ACCENT)):
        some = [item for item in records if item["in_set"] is inside]
        layers.append(mark("point", some, fill=fill, stroke=edge, size=0.5 * size.font**2, x=x, y=y))
    # Beyond the frontier there is no dot: names stand there, unless the edge is near.
    place = math.log if result.logged else float
    left, right = (place(end(item["value"] for item in records)) for end in (min, max))
    near = left + (0.25 if result.lower_is_better else 0.75) * (right - left)
    look: dict[str, Any] = {"fontSize": 0.9 * size.font, "color": INK, "text": "name:N", "x": x, "y": y}
    for align, side in (("right", -1), ("left", 1)):
        some = [item for item in observed[:NAMED] if (place(item["value"]) < near) is (side == 1)]
        layers.append(mark("text", some, dx=0.5 * side * size.font, dy=-0.9 * size.font, align=align, **look))
    width = size.width - 7 * size.font
    return finished(layered(*layers, width=width, height=0.75 * width), size, framed=True, note="")


# ── the two figures of yang-2018, for any runs ────────────────────────────────────────────────────────


def topic_chart(
    analyses: Sequence[DocumentAnalysis], system: str | None = None, size: Size = COLUMN
) -> Chart:
    """Figure 1: sampled scores of a system (the best by default) against raw ones, one panel per model."""
    first = analyses[0].scores
    name = system or first.systems[0]
    if name not in first.systems:
        raise unknown_name("system", name, first.systems)
    columns = len(analyses)
    room = (size.width - 2.9 * size.font * (columns + 1)) / columns
    side = min(room, 0.56 * size.width, size.height / 2)
    measure = printable(analyses[0].measure)
    rows = [_topics(analysis, name) for analysis in analyses]
    top = max(1.0, *(record["high"] for records in rows for record in records))
    scale = {"domain": [0, min(top, 1.2)], "nice": False}
    x = channel("raw:Q", scale=scale, axis={"title": f"raw {measure}", "tickCount": 5, "labelFlush": True})
    alike: Records = [{"raw": 0.0, "mean": 0.0}, {"raw": 1.0, "mean": 1.0}]
    made: list[Chart] = []
    for analysis, records in zip(analyses, rows, strict=True):
        title = None if made else f"sampled {measure}"
        y, low = channels("mean low", scale=scale, axis={"title": title, "labels": not made, "tickCount": 5})
        thin: dict[str, Any] = {"strokeWidth": 0.11 * size.font, "x": x}
        above = {"text": {"value": _label(analysis)}, "x": side / 2, "y": -size.font}
        layers = (
            mark("line", alike, y=y, color=MUTED, strokeDash=[3, 2], **thin),
            mark("rule", records, y=low, y2="high:Q", color=ACCENT, opacity=0.55, **thin),
            mark("point", records, color=ACCENT, size=0.14 * size.font**2, x=x, y=y),
            mark("text", [{}], color=INK, **above),
        )
        made.append(layered(*layers, width=side, height=side))
    return finished(hconcat(*made, bounds="flush", spacing=3 * size.font), size, note="")


def _label(analysis: DocumentAnalysis) -> str:
    result = MODELS.get(analysis.model)
    return result.label if result else printable(analysis.model)


def _topics(analysis: DocumentAnalysis, system: str) -> Records:
    s = analysis.scores.systems.index(system)
    columns = analysis.scores.values, analysis.topic_means, analysis.topic_deviations
    return [
        {"raw": raw, "mean": mean, "low": max(mean - sd, 0.0), "high": mean + sd}
        for raw, mean, sd in zip(*(column[:, s].tolist() for column in columns), strict=True)
    ]


def error_chart(analyses: Sequence[DocumentAnalysis], size: Size = COLUMN) -> Chart:
    """Figure 2: the error rate by how far apart a sample puts two systems, one line per model."""
    models = [_label(analysis) for analysis in analyses]
    records = [
        {"named": named, "at": b.low, "rate": b.error_rate, "from": b.interval.low, "to": b.interval.high}
        for a, named in zip(analyses, models, strict=True)
        for b in a.error_rate
        if not math.isnan(b.error_rate)
    ]
    width = size.width - 7.2 * size.font
    first, *_, last = analyses[0].error_rate
    title = f"sampled difference in mean {printable(analyses[0].measure)}, in steps of {first.high:g}"
    beyond = f"datum.value == {last.low} ? datum.label + ' or more' : datum.label"
    ticks = [round(last.low * part / 4, 12) for part in range(5)]
    across = {"title": size.lines(title, width), "values": ticks, "grid": False, "labelExpr": beyond}
    x = channel("at:Q", scale={"domain": [0, 1.1 * last.low], "nice": False}, axis=across)
    up = {"title": "error rate", "tickCount": 6, "format": "~g"}
    y, low = channels("rate from", scale={"zero": True}, axis=up)
    legend = {"title": None, "orient": "top-right", "symbolSize": 3 * size.font, "symbolStrokeWidth": 0}
    color, dash = (
        channel("named:N", scale={"domain": models, "range": [*values[: len(models)]]}, legend=legend)
        for values in (SERIES_ON_PAGE, DASHES)
    )
    place: dict[str, Any] = {"x": x, "color": color}
    layers = (
        mark("rule", records, strokeWidth=0.13 * size.font, y=low, y2="to:Q", **place),
        mark("line", records, strokeWidth=0.2 * size.font, strokeDash=dash, y=y, **place),
        mark("point", records, size=0.23 * size.font**2, y=y, **place),
    )
    made = layered(*layers, width=width, height=min(0.55 * size.width, 430))
    return finished(made, size, note="")
