"""The differences of two systems on each topic: the mean with its interval, and a bar per topic."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from truerank._support.escaping import printable
from truerank._support.wording import plural, shortened
from truerank.report.charts.forest import number_axis
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
from truerank.report.lettering import fitted
from truerank.report.palette import ACCENT, DOUBT, INK

if TYPE_CHECKING:
    from truerank.comparison.gate import Decision

SIGNED: dict[str, Any] = {"format": "+f", "labelExpr": "datum.value == 0 ? '0' : datum.label"}
"""How an axis writes its numbers, which have signs: zero has none."""

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
    measure = shortened(printable(one.measure) or "score", 60)
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
        *([_margin(one.margin)] if one.margin else []),
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
    means = [(a, b, float(one.differences[order[a:b]].mean())) for a, b in itertools.pairwise(ends)]
    return [
        {"left": a, "right": b - gap, "zero": 0.0, "difference": d, "kind": "worse" if d < 0 else "better"}
        for a, b, d in means
    ]


def _margin(margin: float) -> Chart:
    """The line at the largest loss that passes."""
    look: dict[str, Any] = {"color": DOUBT, "strokeWidth": 1.5, "strokeDash": [4, 3]}
    return mark("rule", [{"at": -margin}], x="at:Q", **look)
