"""The differences of two systems on every topic, with their mean and its bounds."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from truerank.comparison.gate import Decision
from truerank.report.charts.style import (
    GUIDE_DASH,
    PAGE,
    Records,
    Size,
    chart,
    finished,
    fixed,
    layered,
)
from truerank.report.lettering import fitted, in_passing, shortened_middle
from truerank.report.palette import ACCENT, DOUBT, INK, MUTED
from truerank.report.words import number, printable

MOST = 400
"""Bars that can be told apart; of more topics each bar is the mean of neighbours."""

APART = 120
"""Up to so many bars have a gap between them."""

BESIDE = 0.12
"""Room for the mean beside the bars, relative to theirs."""


def topic_differences_chart(one: Decision, size: Size = PAGE) -> Any:
    """A bar a topic, sorted by its difference; beside them the mean with its bounds.

    Args:
        one: with the differences of at least one topic.
        size: for a page or a paper.
    """
    import altair as alt

    count = len(one.differences)
    width = size.width - 6.5 * size.font
    height = min(0.3 * width, size.height) if size.width > 500 else 0.55 * width
    names = fitted([printable(one.candidate), printable(one.baseline)], 0.6 * height, size.text)
    candidate, baseline = (names[printable(name)] for name in (one.candidate, one.baseline))
    measure = shortened_middle(printable(one.measure) or "score", 60)
    title = [
        line
        for part in (f"{measure} of {candidate}", f"minus {baseline}")
        for line in size.lines(part, height)
    ]
    x = alt.X(
        "left:Q",
        scale=alt.Scale(domain=[0, (1 + BESIDE) * count], nice=False),
        axis=alt.Axis(title=f"{one.topics:,} topics, by their difference", grid=False, labels=False),
    )
    y = alt.Y("difference:Q", axis=alt.Axis(title=title, tickCount=5))
    color = alt.Color(
        "kind:N", scale=alt.Scale(domain=["better", "worse"], range=[ACCENT, DOUBT]), legend=None
    )
    bars = chart(_records(one)).mark_rect()
    layers = [
        bars.encode(
            x=x,
            x2=alt.X2("right:Q"),
            y=y,
            y2=alt.Y2("zero:Q"),
            color=color,
            description=alt.Description("about:N"),
        ),
        _rule(0.0, INK),
        *([_rule(-one.margin, MUTED, strokeDash=GUIDE_DASH)] if one.margin else []),
        *_mean(one, count, size),
    ]
    return finished(layered(*layers, width=width, height=height), size)


def _records(one: Decision) -> Records:
    """The bars, from the topic on which the candidate loses most to the one on which it wins most."""
    order = np.argsort(one.differences, kind="stable")
    count = len(order)
    ends = np.unique(np.linspace(0, count, min(count, MOST) + 1).astype(int))
    gap = 0.15 if len(ends) <= APART else 0.0
    records = []
    for left, right in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True):
        here = order[left:right]
        d = float(one.differences[here].mean())
        who = in_passing(one.topic_names[here[0]]) if len(here) == 1 else f"{len(here)} topics"
        records.append(
            {
                "left": left,
                "right": right - gap,
                "zero": 0.0,
                "difference": d,
                "kind": "worse" if d < 0 else "better",
                "about": f"{who}: {number(d, 4, sign=True)}",
            }
        )
    return records


def _rule(value: float, color: str, **style: Any) -> Any:
    import altair as alt

    mark = chart([{"difference": value}]).mark_rule(color=color, strokeWidth=1, aria=False, **style)
    return mark.encode(y=alt.Y("difference:Q"))


def _mean(one: Decision, count: int, size: Size) -> list[Any]:
    """The mean as a point with its bounds, and what it is; a side without a bound has no line."""
    import altair as alt

    at = (1 + BESIDE / 2) * count
    low, high = (bound if math.isfinite(bound) else one.difference for bound in (one.low, one.high))
    here = {"left": at, "difference": one.difference, "low": low, "high": high, "text": "mean"}
    base = chart([here]).encode(x=alt.X("left:Q"))
    line = base.mark_rule(color=INK, strokeWidth=0.2 * size.font, aria=False)
    point = base.mark_point(filled=True, color=INK, size=0.5 * size.font**2, opacity=1, aria=False)
    # On the far side of zero, whose rule would go through it.
    below = one.difference < 0
    label = base.mark_text(
        dy=0.6 * size.font if below else -0.6 * size.font,
        baseline="top" if below else "bottom",
        fontSize=0.9 * size.font,
        aria=False,
    )
    return [
        line.encode(y=alt.Y("low:Q"), y2=alt.Y2("high:Q")),
        point.encode(y=alt.Y("difference:Q")),
        label.encode(
            y=alt.Y("low:Q" if below else "high:Q"), text=alt.Text("text:N"), color=fixed("Color", MUTED)
        ),
    ]
