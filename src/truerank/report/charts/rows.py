"""Charts with one row per system: how large the rows come out, their names, axes and marks."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from truerank._support.escaping import printable
from truerank.report.charts.style import Chart, Records, Size, channel, layered, mark
from truerank.report.lettering import IN_ROOM, fitted, left_out
from truerank.report.palette import INK, MUTED, SOFT

NAMES = 0.32
"""The most that names may take of a chart's width; longer ones are shortened in the middle."""

SMALLEST = 0.65
"""Least size of a name, relative to the chart's font."""

FINEST = 6
"""An axis of numbers ends at a multiple of what at least so many steps would be, however few are labeled."""

GAP = 7
"""Points between names and ranks, and what is drawn."""

Title = str | list[str]
"""Of an axis; a text is broken into lines."""


@dataclass(frozen=True)
class Rows:
    """The rows of a chart, one per system, and how large they come out.

    Attributes:
        count: of the rows.
        pitch: height of a row.
        font: of the names.
        every: one name in so many rows is written.
        labels: each name as it is written: shortened in the middle where it is too long, and distinct.
        ranks: width kept for the ranks alone.
        names: width kept left of the rows: for names, ranks and the space around them.
    """

    count: int
    pitch: float
    font: float
    every: int
    labels: Mapping[str, str]
    ranks: float
    names: float

    @classmethod
    def of(
        cls,
        names: Sequence[str],
        size: Size,
        highest: int | None = None,
        ranked: bool = True,
        among: Sequence[str] = (),
        height: float | None = None,
    ) -> Rows:
        """Rows as high as fit, names as large as rows allow; where rows are too thin, fewer names.

        Every figure of the systems `among` which these are shortens a name in the same way. Where `height` is
        given for all rows, names are shortened as if it were not.
        """
        count = len(names)
        pitch = height / count if height is not None else min(size.row, size.height / count)
        smallest = SMALLEST * size.font
        font = min(size.font, max(smallest, 0.9 * pitch))
        ranks = size.text(str(highest or count), font) + 0.9 * font if ranked else 0.0
        printed = {name: printable(name) for name in dict.fromkeys((*among, *names))}
        room = NAMES * size.width
        shown = fitted(list(dict.fromkeys(printed.values())), room, lambda text: size.text(text))
        labels = {name: shown[printed[name]] for name in names}
        full = max(size.text(label) for label in labels.values())
        font = min(font, max(smallest, size.font * room / max(full, 1.0)))
        widest = max(size.text(label, font) for label in labels.values())
        every = max(1, math.ceil(font / pitch))
        return cls(count, pitch, font, every, labels, ranks, GAP + ranks + widest)

    @property
    def shortened(self) -> str:
        """How names are shortened, as a sentence; empty where all stand as they are."""
        return left_out(self.labels)

    @property
    def height(self) -> float:
        """Of all rows."""
        return self.count * self.pitch

    @property
    def dot(self) -> float:
        """Area of a dot that fits a row, in square points."""
        return max(3.0, min(0.45 * self.pitch, 0.55 * self.font)) ** 2

    @property
    def stroke(self) -> float:
        """Thickness of an interval that fits a row."""
        return max(0.8, min(0.2 * self.pitch, 3.0))


def remark(rows: Rows, systems: int) -> str:
    """What a chart does not show of so many systems: those not chosen, and the names left out."""
    chosen = f"{rows.count} of {systems} systems are shown." if rows.count < systems else ""
    unnamed = f"{rows.count} systems, one in {rows.every} named: rows 1, {1 + rows.every} and so on."
    return " ".join(text for text in (chosen, unnamed if rows.every > 1 else "", rows.shortened) if text)


def number_axis(
    field: str, title: Title, values: Iterable[float | None], room: float, size: Size, **axis: Any
) -> Chart:
    """An axis of numbers above the rows, for all finite `values`; `axis` has more options of it."""
    known = [value for value in values if value is not None and math.isfinite(value)]
    low, high = (min(known), max(known)) if known else (0.0, 1.0)
    if low == high:
        low, high = low - 0.05, high + 0.05
    ticks = max(3, min(10, int(room / (5 * size.font))))
    scale = {"domain": [low, high], "nice": max(ticks, FINEST), "zero": False}
    return _above(field, title, room, size, scale, tickCount=ticks, **axis)


def rank_axis(field: str, title: Title, low: int, high: int, room: float, size: Size, **axis: Any) -> Chart:
    """An axis of ranks above the rows: the first, then round ones; `axis` has more options of it."""
    label = 0.6 * size.font * (len(str(high)) + 1)
    steps = (scale * step for scale in (1, 10, 100, 1000, 10_000) for step in (1, 2, 5))
    step = next(step for step in steps if (high - low) / step * label <= room)
    ticks = [low, *range(step * (low // step + 1), high + 1, step)]
    scale = {"domain": [low - 0.5, high + 0.5], "nice": False, "zero": False}
    # Without a count Vega drops every second tick until there is one in 40 points.
    axis |= {"values": ticks, "tickCount": len(ticks), "labelOverlap": "greedy"}
    return _above(field, title, room, size, scale, **axis)


def _above(field: str, title: Title, room: float, size: Size, scale: dict[str, Any], **axis: Any) -> Chart:
    lines = size.lines(title, room) if isinstance(title, str) else title
    return channel(f"{field}:Q", scale=scale, axis={"title": lines, "orient": "top", **axis})


def rank_ends(low: int | None, high: int | None, count: int) -> dict[str, float | None]:
    """Where the bar of some ranks begins and ends: a little beyond them, so that one rank alone shows too."""
    if low is None or high is None:
        return {"left": None, "right": None}
    return {"left": max(low - 0.35, 0.5), "right": min(high + 0.35, count + 0.5)}


def row_axis(field: str, count: int) -> Chart:
    """The vertical place of row 1 … count, first row on top; drawn without an axis."""
    scale = {"domain": [0.5, count + 0.5], "reverse": True, "nice": False, "zero": False}
    return channel(f"{field}:Q", scale=scale, axis=None)


def bars(records: Records, rows: Rows, x: Chart, high: str, color: Any = SOFT, least: float = 0.0) -> Chart:
    """An interval in each row, from the field of `x` to `high`."""
    cap = "round" if rows.pitch > 5 else "butt"
    look = {"strokeWidth": max(rows.stroke, least), "strokeCap": cap, "color": color}
    return mark("rule", records, x=x, x2=f"{high}:Q", y=row_axis("row", rows.count), **look)


def dots(records: Records, rows: Rows, field: str, color: Any) -> Chart:
    """A dot in each row."""
    return mark("circle", records, size=rows.dot, color=color, x=f"{field}:Q", y=row_axis("row", rows.count))


def row_panel(
    records: Records, rows: Rows, *layers: Chart, width: float, named: bool = True, beside: float = 0.0
) -> Chart:
    """Layers with the names of the rows to the left, and so much room to the right."""
    before = [name_labels(records, rows)] if named else []
    behind = [room_right(width, beside)] if beside else []
    return layered(*before, *layers, *behind, width=width, height=rows.height)


def name_labels(records: Records, rows: Rows) -> Chart:
    """Names left of the rows, each with its rank behind it (records: `row`, `name`, `rank`)."""
    shown = [
        {"row": r["row"], "name": rows.labels[r["name"]], "rank": str(r.get("rank"))}
        for r in records
        if (r["row"] - 1) % rows.every == 0
    ]

    def texts(field: str, x: float, color: str) -> Chart:
        y = row_axis("row", rows.count)
        return mark("text", shown, **_in_room(rows, "right"), x=x, y=y, text=f"{field}:N", color=color)

    bottom = rows.height + 0.5 * (rows.font - rows.pitch) if rows.every > 1 else 1
    room = _nothing(-rows.names, 0.0, bottom)
    ranks = [texts("rank", -GAP, MUTED)] if rows.ranks else []
    return layered(room, texts("name", -GAP - rows.ranks, INK), *ranks)


def texts_right(records: Records, rows: Rows, field: str, gap: float, color: Any = MUTED) -> Chart:
    """Texts right of the rows, so far from them."""
    place: dict[str, Any] = {"x": "width", "xOffset": gap, "y": row_axis("row", rows.count)}
    return mark("text", records, **_in_room(rows, "left"), **place, text=f"{field}:N", color=color)


def _in_room(rows: Rows, align: str) -> dict[str, Any]:
    return {"align": align, "fontSize": rows.font, "style": IN_ROOM}


def room_right(across: float, width: float) -> Chart:
    """Nothing to see: it keeps room right of a panel for texts that come out wider than measured."""
    return _nothing(across, across + width)


def _nothing(left: float, right: float, bottom: float = 1) -> Chart:
    return mark("rect", [{}], opacity=0, x=left, x2=right, y=0, y2=bottom)
