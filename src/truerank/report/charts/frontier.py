"""Quality against a second criterion: intervals both ways, and the observed frontier."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from truerank._support.escaping import printable
from truerank._support.wording import shortened
from truerank.report.charts.style import COLUMN, Chart, Records, Size, channel, finished, layered, mark
from truerank.report.lettering import in_passing
from truerank.report.palette import ACCENT, INK, MUTED, PAPER, SOFT

if TYPE_CHECKING:
    from truerank.reliability.frontier import TradeOff

ASPECT = 0.75
NAMED, LETTERS = 12, 18
"""Systems on the observed frontier that have their names, and the letters of a name."""


def frontier_chart(found: TradeOff, score: str, size: Size = COLUMN) -> Chart:
    """Filled: may be on the true frontier. Where costs span much their axis is a log one."""
    records: Records = [
        {
            "mean": row.mean,
            "mean_low": row.mean_low,
            "mean_high": row.mean_high,
            "value": row.value,
            "low": row.ends[0],
            "high": row.ends[1],
            "name": shortened(in_passing(row.system), LETTERS),
            "inside": row.in_set,
        }
        for row in found.rows
    ]
    kind = {"type": "log", "nice": False, "padding": size.font} if found.logged else {"zero": False}
    x, y = (
        channel(f"{field}:Q", scale=scale, axis={"title": title, "tickCount": 5})
        for field, scale, title in (
            ("value", kind, printable(found.measure)),
            ("mean", {"zero": False}, score),
        )
    )
    steps: Records = [{"value": row.value, "mean": row.mean} for row in found.rows if row.observed]
    bar: dict[str, Any] = {"color": SOFT, "strokeWidth": 0.1 * size.font}
    layers = [
        mark("rule", records, x={**x, "field": "low"}, x2="high:Q", y=y, **bar),
        mark("rule", records, x=x, y={**y, "field": "mean_low"}, y2="mean_high:Q", **bar),
    ]
    if len(steps) > 1:
        order = channel("value:Q")
        turn = "step-after" if found.lower_is_better else "step-before"
        layers.append(
            mark(
                "line",
                steps,
                color=ACCENT,
                interpolate=turn,
                strokeWidth=0.14 * size.font,
                strokeDash=[4, 3],
                x=x,
                y=y,
                order=order,
            )
        )
    for inside, fill in ((False, PAPER), (True, ACCENT)):
        some = [one for one in records if one["inside"] is inside]
        line = ACCENT if inside else MUTED
        layers.append(mark("point", some, fill=fill, stroke=line, size=0.5 * size.font**2, x=x, y=y))
    names = [one for one, row in zip(records, found.rows, strict=True) if row.observed][:NAMED]
    # Beyond the frontier there is no dot: names stand there, unless the edge is near.
    place = math.log if found.logged else float
    left, right = (place(end(one["value"] for one in records)) for end in (min, max))
    for align, side in (("right", -1), ("left", 1)):
        some = [
            one
            for one in names
            if (place(one["value"]) - left < (0.25 if found.lower_is_better else 0.75) * (right - left))
            is (side == 1)
        ]
        place_of: dict[str, Any] = {"dx": 0.5 * side * size.font, "dy": -0.9 * size.font, "align": align}
        look: dict[str, Any] = {"fontSize": 0.9 * size.font, "color": INK, "text": "name:N"}
        layers.append(mark("text", some, x=x, y=y, **place_of, **look))
    width = size.width - 7 * size.font
    return finished(layered(*layers, width=width, height=ASPECT * width), size, framed=True)
