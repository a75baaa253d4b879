"""Charts with one row a system: how large the rows come out, their names, tints and hover."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from truerank.report.charts.style import Records, Size, chart
from truerank.report.palette import BAND, INK, MUTED
from truerank.report.words import printable

if TYPE_CHECKING:
    import altair


@dataclass(frozen=True)
class Rows:
    """The rows of a chart, one a system, and how large they come out.

    Attributes:
        pitch: height of a row.
        font: of the names.
        every: one name in so many rows is written.
        names: width kept for the names and the ranks.
        ranks: width kept for the ranks alone.
    """

    count: int
    pitch: float
    font: float
    every: int
    names: float
    ranks: float

    @classmethod
    def of(cls, names: Sequence[str], size: Size) -> Rows:
        """Rows as high as fit, names as large as rows allow; where rows are too thin, fewer names."""
        count = len(names)
        pitch = min(size.row, size.height / count)
        smallest = 0.66 * size.font
        font = min(size.font, max(smallest, 0.9 * pitch))
        every = max(1, math.ceil(1.05 * font / pitch))
        longest = max(len(printable(name)) for name in names)
        ranks = 0.6 * font * len(str(count)) + font
        width = min(0.6 * font * (longest + 1), 0.3 * size.width)
        return cls(count, pitch, font, every, width + ranks, ranks)

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


def rank_ticks(count: int, room: float, font: float) -> list[int]:
    """Ranks to write along an axis of `count` ranks: 1, then round numbers, never too close."""
    least = (0.62 * len(str(count)) + 1.2) * font * count / room
    step = next(s for s in (1, 2, 5, 10, 20, 25, 50, 100, 200, 500, 1000, count) if s >= min(least, count))
    if step <= 2:
        return list(range(1, count + 1, step))
    return [1, *(rank for rank in range(step, count + 1, step) if rank - 1 >= least)]


def row_axis(field: str, count: int) -> altair.Y:
    """The vertical place of row 1 … count, first row on top; drawn without an axis."""
    import altair as alt

    scale = alt.Scale(domain=[0.5, count + 0.5], reverse=True, nice=False, zero=False)
    return alt.Y(f"{field}:Q", scale=scale, axis=None)


def name_labels(records: Records, rows: Rows) -> Any:
    """Names left of the rows, each with its rank behind it (records: `row`, `name`, `rank`)."""
    import altair as alt

    shown = [
        {"row": r["row"], "name": printable(r["name"]), "rank": str(r["rank"])}
        for r in records
        if (r["row"] - 1) % rows.every == 0
    ]
    y = row_axis("row", rows.count)
    text = chart(shown).mark_text(align="right", baseline="middle", fontSize=rows.font, aria=False)
    ranks = text.encode(x=alt.value(-7), y=y, text="rank:N", color=alt.value(MUTED))
    names = text.copy()
    names.mark.limit = rows.names - rows.ranks
    return alt.layer(
        ranks, names.encode(x=alt.value(-7 - rows.ranks), y=y, text="name:N", color=alt.value(INK))
    )


def bands(records: Records, rows: Rows) -> altair.Chart:
    """A tint behind the rows of every second tier (records: `row`, `tier`)."""
    import altair as alt

    tinted = [
        {"top": r["row"] - 0.5, "bottom": r["row"] + 0.5} for r in records if r["tier"] and r["tier"] % 2 == 0
    ]
    mark = chart(_merged(tinted)).mark_rect(color=BAND, aria=False)
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
