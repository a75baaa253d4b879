"""A row per system: numbers and ranks with their intervals, in one panel or in several beside each other."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
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
from truerank.report.lettering import fitted, left_out
from truerank.report.palette import ACCENT, DOUBT, INK, MUTED, SOFT

if TYPE_CHECKING:
    from truerank.reliability.results import RankedSystem

NAMES = 0.32  # the most that names may take of a chart's width; longer ones are shortened in the middle

SMALLEST = 0.65  # least size of a name, relative to the chart's font

FINEST = 6
"""An axis of numbers ends at a multiple of what at least so many steps would be, however few are labeled."""

GAP = 7  # points between names and ranks, and what is drawn


@dataclass(frozen=True)
class Rows:
    """The rows of a chart, one per system, and how large they come out."""

    count: int
    pitch: float  # height of a row
    font: float  # of the names
    every: int  # one name in so many rows is written
    labels: Mapping[str, str]  # names as they are written: shortened in the middle if need be, and distinct
    ranks: float  # width kept for the ranks
    names: float  # width kept left of the rows: for names, ranks and the space around them

    @classmethod
    def of(
        cls,
        names: Sequence[str],
        size: Size,
        highest: int | None = None,
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
        ranks = size.text(str(highest or count), font) + 0.9 * font
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
    def height(self) -> float:
        """The height of all rows."""
        return self.count * self.pitch

    def remark(self, systems: int) -> str:
        """What a chart does not show of so many systems: those not chosen, and the names left out."""
        chosen = f"{self.count} of {systems} systems are shown." if self.count < systems else ""
        every = f"{self.count} systems, one in {self.every} named: rows 1, {1 + self.every} and so on."
        return " ".join(filter(None, [chosen, every if self.every > 1 else "", left_out(self.labels)]))

    def named(self, names: Sequence[str], ranks: Sequence[int]) -> Chart:
        """The names left of the rows, each with its rank behind it."""
        shown = [
            {"row": row, "name": self.labels[name], "rank": str(rank)}
            for row, (name, rank) in enumerate(zip(names, ranks, strict=True), 1)
            if (row - 1) % self.every == 0
        ]

        def texts(field: str, x: float, color: str) -> Chart:
            look: dict[str, Any] = {"align": "right", "fontSize": self.font, "color": color}
            return mark("text", shown, x=x, y=row_axis("row", self.count), text=f"{field}:N", **look)

        # Where another font is wider than the one that is measured here, names still have this room.
        room = mark("rect", [{}], opacity=0, x=-self.names, x2=0.0, y=0, y2=1)
        return layered(room, texts("name", -GAP - self.ranks, INK), texts("rank", -GAP, MUTED))


@dataclass(frozen=True)
class Panel:
    """One quantity of all rows."""

    title: str
    values: Sequence[tuple[float, float, float]]  # a number and the ends of its interval for each row
    ranks: int = 0  # whether they are ranks, of so many systems
    known: Sequence[float | None] = ()  # numbers marked with a diamond


def forest(
    names: Sequence[str],
    ranks: Sequence[int],
    panels: Sequence[Panel],
    size: Size,
    among: Sequence[str],
) -> Chart:
    """A row for each of the names, which are some `among` these, and a panel for each quantity."""
    rows = Rows.of(names, size, max(ranks), among)
    gap = 2.1 * size.font
    room = size.width - PADDING - rows.names - 0.9 * size.font
    width = (room - gap * (len(panels) - 1)) / len(panels)
    drawn = [_drawn(panel, rows, width, size) for panel in panels]
    drawn[0]["layer"].insert(0, rows.named(names, ranks))
    whole = hconcat(*drawn, spacing=gap, bounds="flush")
    return finished(whole, size, note=rows.remark(len(among)))


def _drawn(panel: Panel, rows: Rows, width: float, size: Size) -> Chart:
    """The marks of one quantity: intervals, dots, and diamonds at what is known."""
    wider = 0.35 if panel.ranks else 0.0  # so that one rank alone shows too
    records = [
        {"row": row, "value": value, "low": low - wider, "high": high + wider}
        for row, (value, low, high) in enumerate(panel.values, 1)
    ]
    known = [{"row": row, "value": item} for row, item in enumerate(panel.known, 1) if item is not None]
    ends = [end for value in panel.values for end in value] + [item["value"] for item in known]
    if panel.ranks:
        x = rank_axis("low", panel.title, int(min(ends)), int(max(ends)), width, size)
    else:
        x = number_axis("low", panel.title, ends, width, size)
    y = row_axis("row", rows.count)
    dot = max(3.0, min(0.45 * rows.pitch, 0.55 * rows.font)) ** 2
    stroke = max(0.8, min(0.2 * rows.pitch, 3.0))
    cap = "round" if rows.pitch > 5 else "butt"
    bar: dict[str, Any] = {"strokeWidth": stroke, "strokeCap": cap, "color": SOFT}
    layers = [
        mark("rule", records, x=x, x2="high:Q", y=y, **bar),
        mark("circle", records, size=dot, color=INK if panel.ranks else ACCENT, x="value:Q", y=y),
    ]
    if known:
        look: dict[str, Any] = {"shape": "diamond", "color": DOUBT, "filled": False, "strokeWidth": 1.6}
        layers.append(mark("point", known, size=2.2 * dot, x="value:Q", y=y, **look))
    return layered(*layers, width=width, height=rows.height)


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
        panels.append(Panel(f"rank range, {level_text(level)}", ranges, len(ranking), known))
    names, ranks = [s.system for s in shown], [s.rank for s in shown]
    return forest(names, ranks, panels, size, [s.system for s in ranking])


def number_axis(
    field: str, title: str, values: Iterable[float | None], room: float, size: Size, **axis: Any
) -> Chart:
    """An axis of numbers above the rows, for all finite `values`; `axis` has more options of it."""
    known = [value for value in values if value is not None and math.isfinite(value)]
    low, high = (min(known), max(known)) if known else (0.0, 1.0)
    if low == high:
        low, high = low - 0.05, high + 0.05
    ticks = max(3, min(10, int(room / (5 * size.font))))
    scale = {"domain": [low, high], "nice": max(ticks, FINEST), "zero": False}
    return _above(field, title, room, size, scale, tickCount=ticks, **axis)


def rank_axis(field: str, title: str, low: int, high: int, room: float, size: Size, **axis: Any) -> Chart:
    """An axis of ranks above the rows: the first, then round ones; `axis` has more options of it."""
    label = 0.6 * size.font * (len(str(high)) + 1)
    steps = (scale * step for scale in (1, 10, 100, 1000, 10_000) for step in (1, 2, 5))
    step = next(step for step in steps if (high - low) / step * label <= room)
    ticks = [low, *range(step * (low // step + 1), high + 1, step)]
    scale = {"domain": [low - 0.5, high + 0.5], "nice": False, "zero": False}
    # Without a count Vega drops every second tick until there is one in 40 points.
    axis |= {"values": ticks, "tickCount": len(ticks), "labelOverlap": "greedy"}
    return _above(field, title, room, size, scale, **axis)


def _above(field: str, title: str, room: float, size: Size, scale: dict[str, Any], **axis: Any) -> Chart:
    return channel(
        f"{field}:Q", scale=scale, axis={"title": size.lines(title, room), "orient": "top", **axis}
    )


def row_axis(field: str, count: int) -> Chart:
    """The vertical place of row 1 … count, first row on top; drawn without an axis."""
    scale = {"domain": [0.5, count + 0.5], "reverse": True, "nice": False, "zero": False}
    return channel(f"{field}:Q", scale=scale, axis=None)
