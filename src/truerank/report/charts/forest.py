"""A row per system: numbers and ranks with their intervals, in one panel or in several beside each other."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from truerank._support.escaping import printable
from truerank._support.wording import level_text
from truerank.report.charts.style import (
    COLUMN,
    PADDING,
    Chart,
    Size,
    channel,
    finished,
    hconcat,
    layered,
    mark,
)
from truerank.report.lettering import fitted
from truerank.report.palette import ACCENT, DOUBT, INK, MUTED, SOFT

if TYPE_CHECKING:
    from truerank.reliability.results import RankedSystem

NAMES = 0.32  # the most that names may take of a chart's width; longer ones are shortened in the middle

SMALLEST = 0.65  # least size of a name, relative to the chart's font

GAP = 7  # points between names and ranks, and what is drawn


@dataclass(frozen=True)
class Panel:
    """One quantity of all rows."""

    title: str
    values: Sequence[tuple[float, float, float]]  # a number and the ends of its interval for each row
    ranks: bool = False
    known: Sequence[float | None] = ()  # numbers marked with a diamond


def forest(names: Sequence[str], ranks: Sequence[int], panels: Sequence[Panel], size: Size) -> Chart:
    """A row for each of the names, with its rank, and a panel for each quantity.

    Rows are as high as fit, and names as large as rows allow; of rows that are too thin fewer are named.
    """
    pitch = min(size.row, size.height / len(names))
    font = min(size.font, max(SMALLEST * size.font, 0.9 * pitch))
    printed = [printable(name) for name in names]
    short = fitted(list(dict.fromkeys(printed)), NAMES * size.width, size.text)
    every = max(1, math.ceil(font / pitch))
    written = [
        {"row": row, "name": short[name], "rank": str(rank)}
        for row, (name, rank) in enumerate(zip(printed, ranks, strict=True), 1)
        if (row - 1) % every == 0
    ]
    beside = size.text(str(max(ranks)), font) + 0.9 * font  # what ranks take
    left = GAP + beside + max(size.text(text, font) for text in short.values())
    gap = 2.1 * size.font
    room = size.width - PADDING - left - 0.9 * size.font
    width = (room - gap * (len(panels) - 1)) / len(panels)
    scale = {"domain": [0.5, len(names) + 0.5], "reverse": True, "nice": False, "zero": False}
    y = channel("row:Q", scale=scale, axis=None)  # row 1 on top
    drawn = [_drawn(panel, y, pitch, font, width, size) for panel in panels]
    look: dict[str, Any] = {"align": "right", "fontSize": font, "y": y}
    drawn[0]["layer"] += [  # where another font is wider than the one measured, names still have this room
        mark("rect", [{}], opacity=0, x=-left, x2=0.0, y=0, y2=1),
        mark("text", written, x=-GAP - beside, text="name:N", color=INK, **look),
        mark("text", written, x=-GAP, text="rank:N", color=MUTED, **look),
    ]
    note = f"{len(names)} systems, one in {every} named." if every > 1 else ""
    return finished(hconcat(*drawn, spacing=gap, bounds="flush"), size, note=note)


def _drawn(panel: Panel, y: Chart, pitch: float, font: float, width: float, size: Size) -> Chart:
    """The marks of one quantity: intervals, dots, and diamonds at what is known."""
    wider = 0.35 if panel.ranks else 0.0  # so that one rank alone shows too
    records = [
        {"row": row, "value": value, "low": low - wider, "high": high + wider}
        for row, (value, low, high) in enumerate(panel.values, 1)
    ]
    known = [{"row": row, "value": item} for row, item in enumerate(panel.known, 1) if item is not None]
    ends = [end for value in panel.values for end in value] + [item["value"] for item in known]
    axis = rank_axis if panel.ranks else number_axis
    dot = max(3.0, min(0.45 * pitch, 0.55 * font)) ** 2
    bar: dict[str, Any] = {"strokeWidth": max(0.8, min(0.2 * pitch, 3.0)), "color": SOFT}
    bar["strokeCap"] = "round" if pitch > 5 else "butt"
    color = INK if panel.ranks else ACCENT
    layers = [
        mark("rule", records, x=axis("low", panel.title, ends, width, size), x2="high:Q", y=y, **bar),
        mark("circle", records, size=dot, color=color, x="value:Q", y=y),
    ]
    if known:
        look: dict[str, Any] = {"shape": "diamond", "color": DOUBT, "filled": False, "strokeWidth": 1.6}
        layers.append(mark("point", known, size=2.2 * dot, x="value:Q", y=y, **look))
    return layered(*layers, width=width, height=pitch * len(records))


def ranking_chart(
    ranking: Sequence[RankedSystem], level: float, score: str, size: Size = COLUMN, true_ranks: Any = None
) -> Chart:
    """Scores with intervals, and rank ranges beside them where there are any; the size says which systems."""
    shown = [s for s in ranking if size.systems is None or s.system in size.systems]
    places = {s.rank: place for place, s in reversed([*enumerate(ranking, start=1)])}
    panels = [
        Panel(f"{score}, {level_text(level)} interval", [(s.mean, s.mean_low, s.mean_high) for s in shown])
    ]
    ranges = [
        (float(places[s.rank]), float(s.rank_low), float(s.rank_high))
        for s in shown
        if s.rank_low is not None and s.rank_high is not None
    ]
    if ranges:
        known = [true_ranks.get(s.system) for s in shown] if true_ranks else []
        panels.append(Panel(f"rank range, {level_text(level)}", ranges, True, known))
    return forest([s.system for s in shown], [s.rank for s in shown], panels, size)


def number_axis(field: str, title: str, values: Iterable[float], room: float, size: Size) -> Chart:
    """An axis of numbers above the rows, for all finite `values`."""
    known = [value for value in values if math.isfinite(value)] or [0.0, 1.0]
    low, high = min(known), max(known)
    if low == high:
        low, high = low - 0.05, high + 0.05
    ticks = max(3, min(10, int(room / (5 * size.font))))
    scale = {"domain": [low, high], "nice": max(ticks, 6), "zero": False}
    return _above(field, title, room, size, scale, tickCount=ticks)


def rank_axis(field: str, title: str, ranks: Sequence[float], room: float, size: Size) -> Chart:
    """An axis of ranks above the rows: the first of them, then round ones."""
    low, high = int(min(ranks)), int(max(ranks))
    label = 0.6 * size.font * (len(str(high)) + 1)
    steps = (scale * step for scale in (1, 10, 100, 1000, 10_000) for step in (1, 2, 5))
    step = next(step for step in steps if (high - low) / step * label <= room)
    ticks = [low, *range(step * (low // step + 1), high + 1, step)]
    scale = {"domain": [low - 0.5, high + 0.5], "nice": False, "zero": False}
    # Without a count Vega drops every second tick until there is one in 40 points.
    axis = {"values": ticks, "tickCount": len(ticks), "labelOverlap": "greedy"}
    return _above(field, title, room, size, scale, **axis)


def _above(field: str, title: str, room: float, size: Size, scale: dict[str, Any], **axis: Any) -> Chart:
    return channel(
        f"{field}:Q", scale=scale, axis={"title": size.lines(title, room), "orient": "top", **axis}
    )
