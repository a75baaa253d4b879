"""Charts with one row a system: how large the rows come out, their names, tints and hover."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from truerank.report.charts.style import Records, Size, chart, fixed, layered
from truerank.report.lettering import fitted, left_out
from truerank.report.palette import INK, MUTED
from truerank.report.words import printable

if TYPE_CHECKING:
    import altair

NAMES = 0.32
"""The most that names may take of a chart's width; longer ones are shortened in the middle."""

SMALLEST_ON_PAGE, SMALLEST = 0.72, 0.65
"""Least size of a name, relative to the chart's font: nine points on a page, for phones."""

GAP = 7
"""Points between names and ranks, and what is drawn."""

TINT = 0.12
"""Opacity of the grey of every second tier: marks lie over the grid, which must stay to be seen."""


def lettering_of(count: int, size: Size, height: float | None = None) -> tuple[float, float, int]:
    """How high so many rows come out, the size of their names, and in how many rows one is named.

    Args:
        count: of the rows.
        size: of the chart.
        height: of all rows, where it is given.
    """
    pitch = height / count if height is not None else min(size.row, size.height / count)
    smallest = (SMALLEST_ON_PAGE if size.on_page else SMALLEST) * size.font
    font = min(size.font, max(smallest, 0.9 * pitch))
    return pitch, font, max(1, math.ceil(font / pitch))


@dataclass(frozen=True)
class Rows:
    """The rows of a chart, one a system, and how large they come out.

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

        Args:
            names: of the rows, from top to bottom.
            size: of the chart.
            highest: the highest rank that is written; as many as there are rows by default.
            ranked: whether ranks are written behind the names.
            among: the names of all systems, so that every figure of them shortens a name in the same way.
            height: of all rows, where it is given; the names are shortened as if it were not.
        """
        count = len(names)
        pitch, font, every = lettering_of(count, size, height)
        ranks = size.text(str(highest or count), font) + 0.9 * font if ranked else 0.0
        room = NAMES * size.width
        all_names = list(dict.fromkeys(printable(name) for name in (*among, *names)))
        shown = fitted(all_names, room, lambda text: size.text(text, size.font))
        labels = {name: shown[printable(name)] for name in names}
        widest = max(size.text(label, font) for label in labels.values())
        return cls(count, pitch, font, every, labels, ranks, GAP + ranks + widest)

    @property
    def unnamed(self) -> str:
        """Which rows are not named, as a sentence; empty where all are."""
        if self.every == 1:
            return ""
        return f"{self.count} systems, one in {self.every} named: rows 1, {1 + self.every} and so on."

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
    return " ".join(text for text in (chosen, rows.unnamed, rows.shortened) if text)


STEPS = (1, 2, 5, 10, 15, 20, 25, 30, 40, 50, 75, 100, 150, 200, 250, 300, 400, 500)
"""Between the ranks that an axis shows, and ten and a hundred times that."""

FEWEST = 3
"""Ticks that an axis has at least where they fit: two do not show the scale."""


def rank_ticks(low: int, high: int, room: float, size: Size) -> list[int]:
    """Ranks to write along an axis of ranks: the first, then round numbers, as many as keep apart.

    Where round numbers leave fewer than three, the middle and the last rank are written instead. An axis has
    to be told their number too (`tickCount`): by default Vega drops every second one of those it is given
    until there is one in 40 points.

    Args:
        low: the first rank of the axis.
        high: the last one.
        room: the axis' width, on which every rank has its share.
        size: of the chart.
    """
    pitch, space = room / (high - low + 1), 0.6 * size.font

    def apart(ticks: list[int]) -> bool:
        return all(
            (b - a) * pitch >= (size.text(str(a)) + size.text(str(b))) / 2 + space
            for a, b in itertools.pairwise(ticks)
        )

    found = [low]
    for step in (scale * step for scale in (1, 10, 100, 1000) for step in STEPS):
        rounded = range(step * math.ceil((low + 1) / step), high + 1, step)
        # A round number close behind the first rank goes, as 40 does behind 39.
        near = next((i for i, rank in enumerate(rounded) if apart([low, rank])), len(rounded))
        if near <= (low > 1) and apart([low, *rounded[near:]]):
            found = [low, *rounded[near:]]
            break
    if len(found) < FEWEST <= high - low + 1:
        for ticks in ([low, (low + high) // 2, high], [low, high]):
            if len(ticks) > len(found) and apart(ticks):
                return ticks
    return found


@dataclass(frozen=True)
class Ticks:
    """The numbers along an axis: where it begins and ends, the ticks, and how they are written."""

    domain: tuple[float, float]
    values: list[float]
    format: str


def number_ticks(low: float, high: float, room: float, size: Size, sign: str = "") -> Ticks:
    """As many round numbers as an axis from `low` to `high` has room for.

    The axis begins and ends a little beyond the data; further where three ticks then fit.

    Args:
        low: the least that is drawn.
        high: the most that is drawn.
        room: the axis' width.
        size: of the chart.
        sign: ``+`` where numbers above zero have one.
    """
    if not high > low:
        low, high = low - 0.05, high + 0.05
    fine = 10.0 ** math.floor(math.log10((high - low) / 5))
    low, high = fine * math.floor(low / fine + 1e-9), fine * math.ceil(high / fine - 1e-9)
    for exponent in itertools.count(math.floor(math.log10(fine))):
        decimals = max(0, -exponent)
        for factor in (1, 2, 5):
            step = factor * 10.0**exponent
            inside = range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)
            widest = max((size.text(f"{n * step:{sign}.{decimals}f}") for n in inside), default=0.0)
            if room * step / (high - low) < widest + 0.6 * size.font:
                continue
            ends = (low, high)
            if len(inside) < FEWEST:
                wider = range(math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9) + 1)
                longer = (len(wider) - 1) * step
                fits = room * step / max(longer, step) >= widest + 0.6 * size.font
                if len(wider) >= FEWEST and longer <= 1.5 * (high - low) and fits:
                    inside, ends = wider, (wider[0] * step, wider[-1] * step)
            values = [round(n * step, decimals) for n in inside]
            return Ticks((round(ends[0], 12), round(ends[1], 12)), values, f"{sign}.{decimals}f")
    raise AssertionError("an exponent that is high enough always fits")


def row_axis(field: str, count: int) -> altair.Y:
    """The vertical place of row 1 … count, first row on top; drawn without an axis."""
    import altair as alt

    scale = alt.Scale(domain=[0.5, count + 0.5], reverse=True, nice=False, zero=False)
    return alt.Y(f"{field}:Q", scale=scale, axis=None)


def name_labels(records: Records, rows: Rows) -> Any:
    """Names left of the rows, each with its rank behind it (records: `row`, `name`, `rank`)."""
    import altair as alt

    shown = [
        {"row": r["row"], "name": rows.labels[r["name"]], "rank": str(r["rank"])}
        for r in records
        if (r["row"] - 1) % rows.every == 0
    ]
    y = row_axis("row", rows.count)
    text = chart(shown).mark_text(align="right", baseline="middle", fontSize=rows.font, aria=False)
    # Channels as objects throughout: Altair takes some milliseconds to make one of a mere text or value.
    place, what, color = fixed("X", -GAP - rows.ranks), alt.Text("name:N"), fixed("Color", INK)
    layers = [room_left(rows.names), text.encode(x=place, y=y, text=what, color=color)]
    if rows.ranks:
        place, what, color = fixed("X", -GAP), alt.Text("rank:N"), fixed("Color", MUTED)
        layers.append(text.encode(x=place, y=y, text=what, color=color))
    return layered(*layers)


def room_left(width: float) -> Any:
    """Nothing to see: it keeps room for names that come out wider than they were measured."""
    return _nothing(-width, 0.0)


def room_right(across: float, width: float) -> Any:
    """The same to the right of a panel that is so wide."""
    return _nothing(across, across + width)


def _nothing(left: float, right: float) -> Any:

    mark = chart([{}]).mark_rect(opacity=0, aria=False)
    return mark.encode(x=fixed("X", left), x2=fixed("X2", right), y=fixed("Y", 0), y2=fixed("Y2", 1))


def bands(records: Records, rows: Rows) -> altair.Chart:
    """A tint behind the rows of every second tier (records: `row`, `tier`); the grid shows through it."""
    import altair as alt

    tinted = [
        {"top": r["row"] - 0.5, "bottom": r["row"] + 0.5} for r in records if r["tier"] and r["tier"] % 2 == 0
    ]
    mark = chart(_merged(tinted)).mark_rect(color=MUTED, opacity=TINT, aria=False)
    return mark.encode(y=row_axis("top", rows.count), y2=alt.Y2("bottom:Q"))


def _merged(spans: Records) -> Records:
    """Neighbouring spans as one, so that no seam shows between them."""
    merged: Records = []
    for span in spans:
        if merged and merged[-1]["bottom"] == span["top"]:
            merged[-1]["bottom"] = span["bottom"]
        else:
            merged.append(dict(span))
    return merged


def hover_rows(records: Records, rows: Rows) -> altair.Chart:
    """An unseen rectangle over each row, described by `about`: what the page shows on hover."""
    import altair as alt

    spans = [{"top": r["row"] - 0.5, "bottom": r["row"] + 0.5, "about": r["about"]} for r in records]
    mark = chart(spans).mark_rect(fill="transparent")
    return mark.encode(
        y=row_axis("top", rows.count), y2=alt.Y2("bottom:Q"), description=alt.Description("about:N")
    )
