"""Topics one by one: how much each separates the systems, and the differences of two systems on each."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from truerank._support.escaping import printable
from truerank._support.wording import plural
from truerank.reliability.topics import FIRST, DecidingTopic
from truerank.report.charts.rows import number_axis
from truerank.report.charts.signed import SIGNED, margin_rule
from truerank.report.charts.style import (
    COLUMN,
    Chart,
    Records,
    Size,
    channel,
    finished,
    layered,
    mark,
    vconcat,
)
from truerank.report.lettering import fitted, in_passing, shortened_middle
from truerank.report.palette import ACCENT, DOUBT, INK, MUTED

if TYPE_CHECKING:
    from truerank.comparison.gate import Decision
    from truerank.reliability.topics import Topics

NAMED = 18
"""Letters of a name beside its dot."""

PLACES = (
    (0, -1.1),
    (0, 1.1),
    (1, 0),
    (-1, 0),
    (1, -0.9),
    (-1, -0.9),
    (1, 0.9),
    (-1, 0.9),
    (0, -2.1),
    (0, 2.1),
)
"""Where a name may stand from its dot, the best first: on which side, and so many lines below it."""

STYLES: dict[str, dict[str, Any]] = {
    "rest": {"color": ACCENT, "opacity": 0.5},
    "dead": {"color": MUTED, "filled": False},
    "separating": {"color": ACCENT},
    "read": {"color": DOUBT, "shape": "diamond"},
}
"""Marks by kind, those that must be seen last."""


def topics_chart(found: Topics, size: Size = COLUMN) -> Chart:
    """A mark per topic, by its mean score and its separation; those that matter have their names."""
    width = size.width - 6.5 * size.font
    height = min(0.45 * width, size.height) if size.width > 500 else 0.9 * width
    records = _records(found)
    titles = {"mean": "mean score of all systems", "separation": "share of the separation"}
    ends = {"mean": _ends([one["mean"] for one in records])}
    ends["separation"] = _ends([0.0, *(one["separation"] for one in records)])
    x, y = (
        channel(
            f"{key}:Q",
            scale={"domain": [*ends[key]], "nice": False, "zero": False},
            axis={"title": title, "tickCount": ticks, "format": "%" if key == "separation" else "~g"},
        )
        for (key, title), ticks in zip(titles.items(), (8 if size.width > 500 else 5, 5), strict=True)
    )
    layers = [mark("rule", [{"separation": 0.0}], color=INK, strokeWidth=1, y=y)]
    for kind, style in STYLES.items():
        some = [one for one in records if one["kind"] == kind]
        layers.append(mark("point", some, size=0.5 * size.font**2, x=x, y=y, **style))
    for one, dx, dy in _labels(records, ends, width, height, size):
        place: dict[str, Any] = {"x": x, "y": y, "dx": dx, "dy": dy}
        layers.append(mark("text", [one], fontSize=0.9 * size.font, color=INK, text="name:N", **place))
    return finished(layered(*layers, width=width, height=height), size)


def _ends(values: list[float]) -> tuple[float, float]:
    """Round ends of an axis: never beyond 0 or 1 where no value is."""
    known = [one for one in values if math.isfinite(one)]
    low, high = min(known), max(known)
    step = 10.0 ** math.floor(math.log10(high - low)) / 5 if high > low else 0.05
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return first * step, max(last, first + 1) * step


def _labels(
    records: Records, ends: dict[str, tuple[float, float]], width: float, height: float, size: Size
) -> list[tuple[dict[str, Any], float, float]]:
    """The named topics, and where each name stands from its dot: the place where it covers least."""
    (left, right), (bottom, top) = ends["mean"], ends["separation"]
    across = np.array([one["mean"] - left for one in records]) * width / (right - left)
    down = np.array([top - one["separation"] for one in records]) * height / (top - bottom)
    line, dot = size.font, 0.35 * size.font
    boxes: list[tuple[float, float, float]] = []
    found = []
    for k, one in enumerate(records):
        if not one["name"] or not np.isfinite(across[k]):
            continue
        half = 0.5 * size.text(one["name"], 0.9 * line)

        def covered(place: tuple[float, float], k: int = k, half: float = half) -> float:
            x, y = across[k] + place[0] * (half + 0.6 * line), down[k] + place[1] * line
            dots = (abs(across - x) < half + dot) & (abs(down - y) < 0.45 * line + dot)
            names = sum(abs(x - a) < half + b and abs(y - c) < 0.9 * line for a, c, b in boxes)
            outside = x - half < 0 or x + half > width or not 0 <= y <= height
            return float(dots.sum() + 9 * names + 9 * outside)

        side, lines = min(PLACES, key=covered)
        dx, dy = side * (half + 0.6 * line), lines * line
        boxes.append((across[k] + dx, down[k] + dy, half))
        found.append((one, dx, dy))
    return found


def _records(found: Topics) -> Records:
    read, separating = set(found.read_first), {one.place for one in found.separating[:FIRST]}

    def kind(one: DecidingTopic) -> str:
        if one.place in read:
            return "read"
        return "dead" if one.dead else "separating" if one.place in separating else "rest"

    return [
        {
            "mean": one.mean,
            "separation": one.separation,
            "kind": kind(one),
            "name": shortened_middle(in_passing(one.topic), NAMED) if one.place in read | separating else "",
        }
        for one in found.topics
    ]


MOST = 400
"""Bars that a reader can make out; of more topics each bar is the mean of neighbors."""

SEPARATE = 120
"""Up to so many bars have a gap between them."""


def topic_differences_chart(one: Decision, size: Size = COLUMN) -> Chart:
    """The interval of the mean difference with zero and the margin; below it one bar per topic, sorted."""
    topics = _by_topic(one, size)
    if one.by_strengths:
        return finished(topics, size)
    return finished(vconcat(_interval(one, size), topics, spacing=2 * size.font), size)


def _by_topic(one: Decision, size: Size) -> Chart:
    """One bar per topic, sorted by its difference."""
    width = size.width - 6.5 * size.font
    height = min(0.3 * width, size.height) if size.width > 500 else 0.55 * width
    names = fitted([printable(one.candidate), printable(one.baseline)], 0.6 * height, size.text)
    candidate, baseline = (names[printable(name)] for name in (one.candidate, one.baseline))
    measure = shortened_middle(printable(one.measure) or "score", 60)
    what = "added to strength" if one.by_strengths else measure
    title = size.lines(f"{what} of {candidate}", height) + size.lines(f"minus {baseline}", height)
    count = len(one.differences)
    across = {"title": f"{bars_of(one)}, by their difference", "grid": False, "labels": False}
    kinds = {"domain": ["better", "worse"], "range": [ACCENT, DOUBT]}
    bars = mark(
        "rect",
        _bars(one),
        x=channel("left:Q", scale={"domain": [0, count], "nice": False}, axis=across),
        x2="right:Q",
        y=channel("difference:Q", axis={"title": title, "tickCount": 5}),
        y2="zero:Q",
        color=channel("kind:N", scale=kinds, legend=None),
    )
    zero = mark("rule", [{"difference": 0.0}], color=INK, strokeWidth=1, y="difference:Q")
    return layered(bars, zero, width=width, height=height)


def _interval(one: Decision, size: Size) -> Chart:
    """The mean difference and its bounds, beside zero and the margin, on a separate scale.

    A side without a bound has no line.
    """
    low, high = (bound if math.isfinite(bound) else one.difference for bound in (one.low, one.high))
    ends = [low, high, 0.0, *([-one.margin] if one.margin else [])]
    here = {"low": low, "high": high, "difference": one.difference}
    width = size.width - 6.5 * size.font
    x = number_axis("low", "mean difference", ends, width, size, **SIGNED)
    place: dict[str, Any] = {"color": INK, "y": 1.5 * size.font}
    lines = [
        mark("rule", [{"at": 0.0}], color=INK, strokeWidth=1, x="at:Q"),
        *([margin_rule(one.margin)] if one.margin else []),
        mark("rule", [here], strokeWidth=0.2 * size.font, x=x, x2="high:Q", **place),
        mark("point", [here], size=0.6 * size.font**2, x="difference:Q", **place),
    ]
    return layered(*lines, width=width, height=3 * size.font)


def bars_of(one: Decision) -> str:
    """How many topics have a bar, or groups of them where they were dealt to these."""
    count, units = len(one.differences), plural(one.noun)
    return f"{count:,} {units if count == one.topics else f'groups of {units}'}"


def _bars(one: Decision) -> Records:
    """The bars, from the topic on which the candidate loses most to the one on which it wins most."""
    order = np.argsort(one.differences, kind="stable")
    count = len(order)
    ends = np.unique(np.linspace(0, count, min(count, MOST) + 1).astype(int)).tolist()
    gap = 0.15 if len(ends) <= SEPARATE else 0.0
    records = []
    for left, right in itertools.pairwise(ends):
        here = order[left:right]
        d = float(one.differences[here].mean())
        records.append(
            {
                "left": left,
                "right": right - gap,
                "zero": 0.0,
                "difference": d,
                "kind": "worse" if d < 0 else "better",
            }
        )
    return records
