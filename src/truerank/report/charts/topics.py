"""Topics by how difficult they are and how much they separate the systems."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from truerank._support.wording import number, percent
from truerank.reliability.topics import FIRST, DecidingTopic
from truerank.report.charts.style import PAGE, Records, Size, chart, finished, layered
from truerank.report.lettering import in_passing, shortened_middle
from truerank.report.palette import ACCENT, DOUBT, INK, MUTED

if TYPE_CHECKING:
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


def topics_chart(found: Topics, size: Size = PAGE) -> Any:
    """A mark per topic, by its mean score and its separation; those that matter have their names."""
    import altair as alt

    width = size.width - 6.5 * size.font
    height = min(0.45 * width, size.height) if size.width > 500 else 0.9 * width
    records = _records(found)
    titles = {"mean": "mean score of all systems", "separation": "share of the separation"}
    ends = {"mean": _ends([one["mean"] for one in records])}
    ends["separation"] = _ends([0.0, *(one["separation"] for one in records)])
    x, y = (
        channel(
            f"{key}:Q",
            scale=alt.Scale(domain=list(ends[key]), nice=False, zero=False),
            axis=alt.Axis(title=title, tickCount=ticks, format="%" if key == "separation" else "~g"),
        )
        for (key, title), channel, ticks in zip(
            titles.items(), (alt.X, alt.Y), (8 if size.width > 500 else 5, 5), strict=True
        )
    )
    layers = [chart([{"separation": 0.0}]).mark_rule(color=INK, strokeWidth=1).encode(y=y)]
    for kind, style in STYLES.items():
        mark = chart([one for one in records if one["kind"] == kind])
        mark = mark.mark_point(size=0.5 * size.font**2, **style)
        layers.append(mark.encode(x=x, y=y, description="about:N"))
    for one, dx, dy in _labels(records, ends, width, height, size):
        text = chart([one]).mark_text(dx=dx, dy=dy, fontSize=0.9 * size.font, color=INK)
        layers.append(text.encode(x=x, y=y, text="name:N"))
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
            "about": f"{in_passing(one.topic)}: mean {number(one.mean)}, separation "
            f"{percent(one.separation, 2)}, item-rest {number(one.item_rest, 2, sign=True)}",
        }
        for one in found.topics
    ]
