"""The one look of all charts: sizes, fonts, lines, and how series differ.

A chart is a Vega-Lite specification, made of :func:`mark`, :func:`layered`, :func:`hconcat` and
:func:`vconcat`. It goes through :func:`finished` once, which sets everything else.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from truerank.report.lettering import LOW, LOW_END, text_width, wrapped
from truerank.report.palette import FONT, GUIDE, INK, LINE, MUTED
from truerank.report.words import symbol, with_symbols

if TYPE_CHECKING:
    from pandas import DataFrame

Chart = dict[str, Any]
"""A Vega-Lite specification, or a part of one. Nothing changes it once it is made, so charts share parts."""

Records = list[dict[str, Any]]


@dataclass(frozen=True)
class Size:
    """How large a chart may become, in points, and what of it is drawn."""

    width: int  # of everything
    height: int  # the most that the rows of a chart may take
    row: float  # the most that one row takes
    font: float  # of names and numbers
    wide: float = 1.03  # how much wider than in Helvetica a text may come out where the chart is looked at
    key: str | None = None  # what the marks mean, which is written below; none where a caption says it
    systems: tuple[str, ...] | None = None  # those that are drawn, in ranking order; all by default

    def text(self, text: str, font: float | None = None) -> float:
        """The room that a text takes at most, in points."""
        return self.wide * text_width(text, font or self.font)

    def lines(self, text: str, room: float, font: float | None = None) -> list[str]:
        return wrapped(text, room, lambda line: self.text(line, font))


COLUMN = Size(width=240, height=600, row=11, font=7)  # a column of a two-column paper: 240 points, 85 mm


NOTEBOOK = Size(width=620, height=1060, row=23, font=10)  # a notebook's cell

DASHES = ([1, 0], [5, 2], [1, 1.5], [7, 2, 1.5, 2], [4, 1.5, 1, 1.5, 1, 1.5], [9, 3], [1, 2.5], [3, 3])
SHAPES = ("circle", "square", "triangle-up", "diamond", "triangle-down", "cross", "triangle-right", "stroke")
"""How series differ without color, beside their colors (:data:`truerank.report.palette.SERIES`)."""

PADDING = 12  # points that an open chart keeps free left and right together, and a little more

HAIRLINE = 0.07  # width of frames, ticks and guides, relative to the font

GUIDE_DASH = [2, 2]

_TYPES = {"Q": "quantitative", "N": "nominal", "O": "ordinal"}
_FIELD = re.compile(rf"(?P<name>.+):(?P<type>[{''.join(_TYPES)}])")
_PLACES = frozenset({"x", "y", "x2", "y2", "xOffset"})


def mark(kind: str, records: Records, **looks: Any) -> Chart:
    """A mark for each record; what it looks like is the same for all, or a channel.

    A channel is ``"field:Q"`` (or ``:N`` or ``:O``), what :func:`channel` gives, or for a place a number of
    points.
    """
    style: dict[str, Any] = {"type": kind}
    encoding: dict[str, Any] = {}
    for name, look in looks.items():
        if isinstance(look, str) and (result := _FIELD.fullmatch(look)):
            encoding[name] = channel(look) if name not in ("x2", "y2") else {"field": result["name"]}
        elif isinstance(look, dict) and {"field", "value"} & look.keys():
            encoding[name] = look
        elif name in _PLACES:
            encoding[name] = {"value": look}
        else:
            style[name] = look
    return {"data": {"values": records}, "mark": style, "encoding": encoding}


def channel(field: str, **options: Any) -> dict[str, Any]:
    """A channel for a field, ``name:Q``, with its title, scale, axis or legend."""
    name, _, kind = field.rpartition(":")
    return {"field": name, "type": _TYPES[kind], **options}


def channels(fields: str, **options: Any) -> list[dict[str, Any]]:
    return [channel(f"{name}:Q", **options) for name in fields.split()]


def records_of(frame: DataFrame) -> Records:
    known = frame.astype(object).where(frame.notna(), None)
    return [{str(key): value for key, value in row.items()} for row in known.to_dict("records")]


def layered(*layers: Chart, **properties: Any) -> Chart:
    return {"layer": [*layers], **properties}


def hconcat(*charts: Chart, **properties: Any) -> Chart:
    return {"hconcat": [*charts], **properties}


def vconcat(*charts: Chart, **properties: Any) -> Chart:
    return {"vconcat": [*charts], **properties}


def _low(base: str, index: str) -> str:
    """A symbol for a chart: :mod:`truerank.report.render` sets its index low."""
    return f"{base}{LOW}{index}{LOW_END}" if index else base


def symbol_drawn(coefficient: str) -> str:
    head, _, index = symbol(coefficient).partition("_")
    return _low(head, index)


def guide(records: Records, size: Size, **encoding: Any) -> Chart:
    """A thin dashed line where something should lie: between two records, or from side to side for one."""
    kind = "line" if len(encoding) > 1 else "rule"
    return mark(
        kind, records, color=GUIDE, strokeWidth=HAIRLINE * size.font, strokeDash=GUIDE_DASH, **encoding
    )


def finished(made: Chart, size: Size, framed: bool = False, note: str | None = None) -> Chart:
    """The chart with the project's look, and below it what its marks mean, with a `note` (if there may be).

    Framed, for quantities against each other, every panel has a frame with ticks, and no grid. Open it has
    a grid, and neither lines nor ticks.
    """
    font, hairline = size.font, HAIRLINE * size.font
    lettering = {
        "labelFontSize": 0.92 * font,
        "labelColor": MUTED,
        "titleColor": INK,
        "titleFontSize": font,
        "titleFontWeight": "normal",
    }
    # Grid lines and ticks stand where the data do, not at the nearest whole or half point.
    axis: Chart = {**lettering, "tickRound": False, "translate": 0}
    if framed:
        guides = {"domainColor": GUIDE, "domainWidth": hairline, "tickColor": GUIDE, "tickWidth": hairline}
        axis |= {"grid": False, "tickSize": 0.43 * font, "labelPadding": 2, "titlePadding": 2, **guides}
        legend: Chart = {
            "offset": 4,
            "columnPadding": 6,
            "rowPadding": 1,
            "titlePadding": 2,
            "symbolStrokeWidth": 1,
        }
        look: Chart = {"padding": 2, "view": {"stroke": GUIDE, "strokeWidth": hairline}}
        look |= {"axisQuantitative": {"tickCount": 5}, "concat": {"spacing": 2 * font}}
    else:
        axis |= {"gridColor": LINE, "gridWidth": 0.6, "domain": False, "ticks": False, "labelPadding": 4}
        axis |= {"labelFlush": False, "labelOverlap": "parity", "labelSeparation": 0.6 * font}
        axis["titlePadding"], legend = 5, {"offset": font}
        look = {"padding": {"left": 4, "right": 6, "top": 4, "bottom": 4}, "view": {"stroke": None}}
        look |= {"concat": {"spacing": font}}
    config = look | {
        "background": "white",
        "font": FONT,
        "aria": not framed,
        "mark": {"aria": False},
        "point": {"filled": True, "opacity": 1},
        "circle": {"opacity": 1},
        "text": {"baseline": "middle", "fontSize": font},
        "title": {
            "fontSize": 1.07 * font,
            "fontWeight": "normal",
            "offset": 3,
            "color": INK,
            "subtitleColor": MUTED,
            "subtitleFontSize": font,
        },
        "axis": axis,
        "legend": legend | lettering,
    }
    whole = {**made, "config": config}
    if note is not None and size.key is not None and (below := f"{size.key} {note}".strip()):
        whole["title"] = {
            "text": size.lines(with_symbols(below, str, _low), size.width - 12),
            "orient": "bottom",
            "anchor": "start",
            "frame": "bounds",
            "offset": 0.6 * font,
            "fontSize": 0.92 * font,
            "color": MUTED,
        }
    return whole
