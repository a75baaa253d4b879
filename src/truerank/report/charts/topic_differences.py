"""The mean difference of two systems with its bounds, and their differences on every topic."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from truerank._support.escaping import printable
from truerank._support.wording import number, plural
from truerank.comparison.gate import Decision
from truerank.report.charts.rows import number_axis
from truerank.report.charts.signed import margin_rule
from truerank.report.charts.style import (
    PAGE,
    Records,
    Size,
    chart,
    finished,
    fixed,
    layered,
    vconcat,
)
from truerank.report.lettering import fitted, in_passing, shortened_middle
from truerank.report.palette import ACCENT, DOUBT, INK

MOST = 400
"""Bars that a reader can make out; of more topics each bar is the mean of neighbors."""

SEPARATE = 120
"""Up to so many bars have a gap between them."""


def topic_differences_chart(one: Decision, size: Size = PAGE) -> Any:
    """The interval of the mean difference with zero and the margin; below it one bar per topic, sorted."""
    topics = _topics(one, size)
    if one.by_strengths:
        return finished(topics, size)
    return finished(vconcat(_interval(one, size), topics, spacing=2 * size.font), size)


def _topics(one: Decision, size: Size) -> Any:
    """One bar per topic, sorted by its difference."""
    import altair as alt

    count = len(one.differences)
    width = size.width - 6.5 * size.font
    height = min(0.3 * width, size.height) if size.width > 500 else 0.55 * width
    names = fitted([printable(one.candidate), printable(one.baseline)], 0.6 * height, size.text)
    candidate, baseline = (names[printable(name)] for name in (one.candidate, one.baseline))
    measure = shortened_middle(printable(one.measure) or "score", 60)
    what = "added to strength" if one.by_strengths else measure
    title = size.lines(f"{what} of {candidate}", height) + size.lines(f"minus {baseline}", height)
    x = alt.X(
        "left:Q",
        scale=alt.Scale(domain=[0, count], nice=False),
        axis=alt.Axis(title=f"{bars_of(one)}, by their difference", grid=False, labels=False),
    )
    y = alt.Y("difference:Q", axis=alt.Axis(title=title, tickCount=5))
    kinds = alt.Scale(domain=["better", "worse"], range=[ACCENT, DOUBT])
    bars = (
        chart(_bars(one))
        .mark_rect()
        .encode(
            x=x,
            x2="right:Q",
            y=y,
            y2="zero:Q",
            color=alt.Color("kind:N", scale=kinds, legend=None),
            description="about:N",
        )
    )
    zero = chart([{"difference": 0.0}]).mark_rule(color=INK, strokeWidth=1).encode(y="difference:Q")
    return layered(bars, zero, width=width, height=height)


def _interval(one: Decision, size: Size) -> Any:
    """The mean difference and its bounds, beside zero and the margin, on a separate scale.

    A side without a bound has no line.
    """
    low, high = (bound if math.isfinite(bound) else one.difference for bound in (one.low, one.high))
    ends = [low, high, 0.0, *([-one.margin] if one.margin else [])]
    about = f"mean difference {number(one.difference, 4, sign=True)}"
    here = {"low": low, "high": high, "difference": one.difference, "row": 0, "about": about}
    width = size.width - 6.5 * size.font
    x = number_axis("low", "mean difference", ends, width, size, format="+f", labelExpr=UNSIGNED)
    base = chart([here]).encode(y=fixed("Y", 1.5 * size.font))
    lines = [
        chart([{"at": 0.0}]).mark_rule(color=INK, strokeWidth=1).encode(x="at:Q"),
        *([margin_rule(one.margin)] if one.margin else []),
        base.mark_rule(color=INK, strokeWidth=0.2 * size.font).encode(x=x, x2="high:Q"),
        base.mark_point(color=INK, size=0.6 * size.font**2).encode(x="difference:Q", description="about:N"),
    ]
    return layered(*lines, width=width, height=3 * size.font)


UNSIGNED = "datum.value == 0 ? '0' : datum.label"
"""How an axis writes its numbers, which have signs: zero has none."""


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
        who = in_passing(one.topic_names[here[0]]) if len(here) == 1 else f"{len(here)} {plural(one.noun)}"
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
