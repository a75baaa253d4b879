"""The one look of all charts: sizes, fonts, lines, and how series are told apart.

A chart is made of Altair's marks and goes through :func:`finished` once, which sets everything else.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar

from truerank.report.lettering import LOW, LOW_END, text_width, wrapped
from truerank.report.palette import FONT, GUIDE, INK, LINE, MUTED
from truerank.report.words import symbol

if TYPE_CHECKING:
    import altair

Records = list[dict[str, Any]]


@dataclass(frozen=True)
class Size:
    """How large a chart may become.

    Attributes:
        width: of everything, in points (as wide as a page's text, or a paper's column).
        height: the most that the rows of a chart may take.
        row: the most that one row takes.
        font: of names and numbers, in points.
        background: a colour.
        wide: how much wider than in Helvetica a text may come out where the chart is looked at.
        stacked: panels stand one below the other, the most important first.
        noted: whether what the marks mean is written below, where no caption says it.
    """

    width: int
    height: int
    row: float
    font: float
    background: str = "transparent"
    wide: float = 1.03
    stacked: bool = False
    noted: bool = True

    @property
    def on_page(self) -> bool:
        """Whether a page shows the chart, on a ground of its own colour."""
        return self.background == "transparent"

    def text(self, text: str, font: float | None = None) -> float:
        """The room that a text takes at most, in points."""
        return self.wide * text_width(text, font or self.font)

    def lines(self, text: str, room: float, font: float | None = None) -> list[str]:
        """A text in lines that fit the room."""
        return wrapped(text, room, lambda line: self.text(line, font))

    def title(self, text: str, room: float) -> list[str]:
        """A title in lines that fit the room, broken between its clauses where each of these fits."""
        clauses = re.split(r"(?<=[,;]) ", text)
        if any(self.text(clause) > room for clause in clauses):
            return self.lines(text, room)
        lines: list[str] = []
        for clause in clauses:
            longer = f"{lines[-1]} {clause}" if lines else clause
            if lines and self.text(longer) <= room:
                lines[-1] = longer
            else:
                lines.append(clause)
        return lines


PAGE = Size(width=960, height=1600, row=23, font=13, wide=1.2)
"""As wide as the page's text; printing makes a chart smaller that is higher than the paper."""

PHONE = Size(width=360, height=1900, row=22, font=12.5, wide=1.2, stacked=True)
"""A screen narrower than the page's text."""

COLUMN = Size(width=240, height=600, row=11, font=7, background="white")
"""A column of a two-column paper: 240 points, 85 mm."""

TEXT = Size(width=504, height=600, row=11, font=7, background="white")
"""Both columns of a two-column paper: 504 points, 178 mm."""

NOTEBOOK = Size(width=620, height=1060, row=23, font=10, background="white")
"""A notebook's cell."""

SHEET = Size(width=720, height=1060, row=23, font=10, background="white")
"""A figure that is a page by itself."""

DASHES = ([1, 0], [5, 2], [1, 1.5], [7, 2, 1.5, 2], [4, 1.5, 1, 1.5, 1, 1.5], [9, 3], [1, 2.5], [3, 3])
SHAPES = ("circle", "square", "triangle-up", "diamond", "triangle-down", "cross", "triangle-right", "stroke")
"""What keeps series apart in grey, beside their colours (:data:`truerank.report.palette.SERIES`)."""

PADDING = 12
"""Points that an open chart keeps free left and right together, and a little more."""

HAIRLINE = 0.07
"""Width of frames, ticks and guides, relative to the font."""

GUIDE_DASH = [2, 2]

EXACT: dict[str, Any] = {"tickRound": False, "translate": 0}
"""Of axes: grid lines and ticks stand where the data do, not at the nearest whole or half point."""


def chart(records: Records) -> altair.Chart:
    """A chart of these records; Altair is imported only when there is something to draw."""
    import altair as alt

    with unchecked():  # Altair copies lists deeply at every step, but not tuples
        return alt.Chart(alt.InlineData(values=tuple(records)))


def unchecked() -> AbstractContextManager[None]:
    """Within it Altair checks no part of a chart against its schema: the tests do that for whole charts."""
    from altair.utils import schemapi

    return schemapi.debug_mode(False)


def layered(*layers: Any, **properties: Any) -> Any:
    """Layers on each other, with properties of the whole, as ``altair.layer`` makes them but much faster.

    Altair copies all layers deeply, with each of the hundred options that a mark and its channels do not
    have, whenever a chart is layered, joined to another or written. So these go in as plain data.
    """
    import altair as alt

    with unchecked():
        return alt.layer(*map(_plain, layers), **properties)


def _plain(layer: Any) -> Any:
    """A layer whose mark and channels are plain data; layers of layers as they are."""
    import altair as alt

    mark, encoding = layer._get("mark"), layer._get("encoding")
    if not isinstance(mark, alt.SchemaBase) or not isinstance(encoding, alt.FacetedEncoding):
        return layer
    made = layer.copy(deep=False)
    made.mark = mark.to_dict(validate=False)
    made.encoding = _plain_encoding(encoding.to_dict(validate=False, context={"data": layer.data}))
    return made


@cache
def _plain_class() -> type:
    """The class of channels that are plain data: Altair asks for one of its own, and copies it deeply."""
    import altair as alt

    class PlainEncoding(alt.SchemaBase):
        _schema: ClassVar[dict[str, Any]] = {}
        _class_is_valid_at_instantiation = False

        def __deepcopy__(self, memo: Any) -> Any:
            return self

    return PlainEncoding


def _plain_encoding(channels: dict[str, Any]) -> Any:
    return _plain_class()(**channels)


def only(records: Records, *fields: str) -> Records:
    """The records with these fields alone, for layers that need no more of hundreds of rows."""
    return [{field: record[field] for field in fields} for record in records]


def fixed(channel: str, value: Any) -> Any:
    """A channel with one value for all marks, e.g. ``fixed("X", 5)``: much faster than ``altair.value``."""
    import altair as alt

    return getattr(alt, f"{channel}Value")(value)


def symbol_drawn(coefficient: str) -> str:
    """The symbol of a coefficient for a chart: :mod:`truerank.report.render` sets its index low."""
    head, _, index = symbol(coefficient).partition("_")
    return f"{head}{LOW}{index}{LOW_END}" if index else head


def noted(made: Any, note: str, size: Size) -> Any:
    """A finished chart with a remark below it, in lines that fit; the chart as it is without one."""
    import altair as alt

    if not note or not size.noted:
        return made
    lines = size.lines(note, size.width - 12)
    title = alt.Title(lines, orient="bottom", anchor="start", frame="bounds", offset=0.6 * size.font)
    title.fontSize, title.color = 0.92 * size.font, MUTED
    whole = made.copy(deep=False)
    whole.title = title
    return whole


def told_apart(
    channel: Any,
    field: str,
    title: str | None,
    names: Sequence[str],
    values: Sequence[Any],
    size: Size = COLUMN,
    filled: bool = False,
) -> Any:
    """An encoding that gives every series its own colour, dash or shape, under one legend.

    Args:
        channel: ``altair.Color``, ``altair.StrokeDash`` or ``altair.Shape``.
        field: that tells the series apart.
        title: of the legend.
        names: of all series of the figure, in order, so that every panel draws them alike.
        values: of the channel, used from the first on, over and over.
        size: of the chart; its legend has at most as many columns as fit.
        filled: whether the legend shows filled marks: their edges would have the dashes of the lines.
    """
    import altair as alt

    legend = alt.Legend(
        orient="bottom", direction="horizontal", columns=min(len(names), 6), symbolSize=3.4 * size.font
    )
    if filled:
        legend.symbolStrokeWidth = 0
    return channel(
        field,
        type="nominal",
        title=title,
        sort=None,
        scale=alt.Scale(domain=list(names), range=[values[i % len(values)] for i in range(len(names))]),
        legend=legend,
    )


def guide(records: Records, size: Size = COLUMN, **encoding: Any) -> Any:
    """A thin dashed line in grey: where something should lie, or must not lie beyond.

    Args:
        records: its ends, or one record for a rule from side to side.
        size: of the chart.
        encoding: ``x``, ``y`` or both, as Altair's shorthands.
    """
    base = chart(records)
    style: dict[str, Any] = {
        "color": GUIDE,
        "strokeWidth": HAIRLINE * size.font,
        "strokeDash": GUIDE_DASH,
        "aria": False,
    }
    mark = base.mark_line(**style) if len(encoding) > 1 else base.mark_rule(**style)
    return mark.encode(**encoding)


def finished(made: Any, size: Size, framed: bool = False) -> Any:
    """The chart with the project's look.

    Args:
        made: any Altair chart.
        size: where it goes.
        framed: a frame with ticks around every panel, and no grid: for quantities against each other.
    """
    axes, legend = _framed(size) if framed else _open(size)
    frame: dict[str, Any] = (
        {"stroke": GUIDE, "strokeWidth": HAIRLINE * size.font} if framed else {"stroke": None}
    )
    small, text = 0.92 * size.font, {"titleFontSize": size.font, "titleFontWeight": "normal"}
    lettering = {"labelFontSize": small, "labelColor": MUTED, "titleColor": INK, **text}
    # All at once and in a shallow copy: each of Altair's own ways to configure copies everything deeply.
    whole = made.copy(deep=False)
    whole.config = {
        "background": size.background,
        "font": FONT,
        "padding": 2 if framed else {"left": 4, "right": 6, "top": 4, "bottom": 4},
        "aria": not framed,
        "view": frame,
        "axis": {**lettering, **axes},
        "axisQuantitative": {"tickCount": 5} if framed else {},
        "legend": {**lettering, **legend},
        "title": {
            "fontSize": 1.07 * size.font,
            "fontWeight": "normal",
            "offset": 3,
            "color": INK,
            "subtitleColor": MUTED,
            "subtitleFontSize": size.font,
        },
        "concat": {"spacing": 2 * size.font if framed else size.font},
    }
    return whole


def _framed(size: Size) -> tuple[dict[str, Any], dict[str, Any]]:
    """Axes and legend of panels with a frame."""
    axes = {
        "grid": False,
        "domainColor": GUIDE,
        "domainWidth": HAIRLINE * size.font,
        "tickColor": GUIDE,
        "tickWidth": HAIRLINE * size.font,
        "tickSize": 0.43 * size.font,
        "labelPadding": 2,
        "titlePadding": 0.6 * size.font if size.on_page else 2,  # a page may be read with wider letters
        **EXACT,
    }
    legend = {
        "offset": 4,
        "columnPadding": 6,
        "rowPadding": 1,
        "titlePadding": 2,
        "padding": 0,
        "symbolStrokeWidth": 1,
    }
    return axes, legend


def _open(size: Size) -> tuple[dict[str, Any], dict[str, Any]]:
    """Axes and legend of charts without a frame: a grid, and neither lines nor ticks."""
    axes = {
        "gridColor": LINE,
        "gridWidth": 0.6,
        "domain": False,
        "ticks": False,
        "labelPadding": 4,
        "labelFlush": False,
        "labelOverlap": "parity",
        "labelSeparation": 0.6 * size.font,
        "titlePadding": 5,
        **EXACT,
    }
    return axes, {"offset": size.font}
