"""The differences of two systems on every topic, with their mean and its bounds."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from truerank._support.escaping import printable
from truerank._support.wording import number, plural
from truerank.comparison.gate import Decision
from truerank.report.charts.style import GUIDE_DASH, PAGE, Records, Size, chart, finished, layered
from truerank.report.lettering import fitted, in_passing, shortened_middle
from truerank.report.palette import ACCENT, DOUBT, INK, MUTED

MOST = 400
"""Bars that a reader can make out; of more topics each bar is the mean of neighbors."""

SEPARATE = 120
"""Up to so many bars have a gap between them."""

BESIDE = 0.12
"""Room for the mean beside the bars, relative to theirs."""


def topic_differences_chart(one: Decision, size: Size = PAGE) -> Any:
    """One bar per topic, sorted by its difference; beside them the mean with its bounds."""
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
        scale=alt.Scale(domain=[0, (1 + (0 if one.by_strengths else BESIDE)) * count], nice=False),
        axis=alt.Axis(title=f"{bars_of(one)}, by their difference", grid=False, labels=False),
    )
    y = alt.Y("difference:Q", axis=alt.Axis(title=title, tickCount=5))
    kinds = alt.Scale(domain=["better", "worse"], range=[ACCENT, DOUBT])
    bars = chart(_bars(one)).mark_rect()
    layers = [
        bars.encode(
            x=x,
            x2="right:Q",
            y=y,
            y2="zero:Q",
            color=alt.Color("kind:N", scale=kinds, legend=None),
            description="about:N",
        ),
        chart([{"difference": 0.0}]).mark_rule(color=INK, strokeWidth=1).encode(y="difference:Q"),
        *([] if one.by_strengths else _mean(one, count, size)),
    ]
    if one.margin and not one.by_strengths:
        line = chart([{"difference": -one.margin}]).mark_rule(color=MUTED, strokeDash=GUIDE_DASH)
        layers.append(line.encode(y="difference:Q"))
    return finished(layered(*layers, width=width, height=height), size)


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


def _mean(one: Decision, count: int, size: Size) -> list[Any]:
    """The mean as a point with its bounds, and what it is; a side without a bound has no line."""
    low, high = (bound if math.isfinite(bound) else one.difference for bound in (one.low, one.high))
    here = {"left": (1 + BESIDE / 2) * count, "difference": one.difference, "low": low, "high": high}
    base = chart([here | {"text": "mean"}]).encode(x="left:Q")
    line = base.mark_rule(color=INK, strokeWidth=0.2 * size.font).encode(y="low:Q", y2="high:Q")
    point = base.mark_point(color=INK, size=0.5 * size.font**2).encode(y="difference:Q")
    # On the far side of zero, whose rule would go through it.
    below = one.difference < 0
    label = base.mark_text(dy=(1 if below else -1) * size.font, fontSize=0.9 * size.font, color=MUTED)
    return [line, point, label.encode(y="low:Q" if below else "high:Q", text="text:N")]
