"""The one look of all charts: sizes, fonts, lines, and how series differ.

A chart is made of Altair's marks and goes through :func:`finished` once, which sets everything else.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cache
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from truerank.report.lettering import LOW, LOW_END, PHONE_WIDTH, text_width, wrapped
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
        background: a color.
        wide: how much wider than in Helvetica a text may come out where the chart is looked at.
        stacked: panels stand one below the other, the most important first.
        noted: whether what the marks mean is written below, where no caption says it.
        systems: the systems that are drawn, in ranking order; all by default.
    """

    width: int
    height: int
    row: float
    font: float
    background: str = "transparent"
    wide: float = 1.03
    stacked: bool = False
    noted: bool = True
    systems: tuple[str, ...] | None = None

    @property
    def on_page(self) -> bool:
        """Whether a page shows the chart, on a ground of its own color."""
        return self.background == "transparent"

    def text(self, text: str, font: float | None = None) -> float:
        """The room that a text takes at most, in points."""
        return self.wide * text_width(text, font or self.font)

    def lines(self, text: str, room: float, font: float | None = None) -> list[str]:
        """A text in lines that fit the room."""
        return wrapped(text, room, lambda line: self.text(line, font))


PAGE = Size(width=960, height=1600, row=23, font=13, wide=1.2)
"""As wide as the page's text; printing makes a chart smaller that is higher than the paper."""

PHONE = Size(width=PHONE_WIDTH, height=1900, row=22, font=12.5, wide=1.2, stacked=True)
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
"""How series differ without color, beside their colors (:data:`truerank.report.palette.SERIES`)."""

PADDING = 12
"""Points that an open chart keeps free left and right together, and a little more."""

HAIRLINE = 0.07
"""Width of frames, ticks and guides, relative to the font."""

GUIDE_DASH = [2, 2]


def chart(records: Records) -> altair.Chart:
    """A chart of these records; Altair is imported only when there is something to draw."""
    import altair as alt

    with unchecked():  # Altair copies lists deeply at every step, but not tuples
        made: altair.Chart = kinds().Chart(alt.InlineData(values=tuple(records)))
        return made


def unchecked() -> AbstractContextManager[None]:
    """Within it Altair checks no part of a chart against its schema: the tests do that for whole charts."""
    from altair.utils import schemapi

    return schemapi.debug_mode(False)


def layered(*layers: Any, **properties: Any) -> Any:
    """Layers on each other, with properties of the whole."""
    with unchecked():
        return kinds().LayerChart(layer=layers, **properties)


def hconcat(*charts: Any, **properties: Any) -> Any:
    """Charts from left to right, with properties of the whole."""
    with unchecked():
        return kinds().HConcatChart(hconcat=charts, **properties)


def vconcat(*charts: Any, **properties: Any) -> Any:
    """Charts from top to bottom, with properties of the whole."""
    with unchecked():
        return kinds().VConcatChart(vconcat=charts, **properties)


def fixed(channel: str, value: Any) -> Any:
    """A channel with one value for all marks, e.g. ``fixed("X", 5)``: much faster than ``altair.value``."""
    import altair as alt

    return getattr(alt, f"{channel}Value")(value)


def symbol_drawn(coefficient: str) -> str:
    """The symbol of a coefficient for a chart: :mod:`truerank.report.render` sets its index low."""
    head, _, index = symbol(coefficient).partition("_")
    return f"{head}{LOW}{index}{LOW_END}" if index else head


def noted(made: Any, note: str, size: Size) -> Any:
    """A chart with a remark below it, in lines that fit; the chart as it is without one."""
    import altair as alt

    if not note or not size.noted:
        return made
    lines = size.lines(note, size.width - 12)
    title = alt.Title(lines, orient="bottom", anchor="start", frame="bounds", offset=0.6 * size.font)
    title.fontSize, title.color = 0.92 * size.font, MUTED
    whole = made.copy(deep=False)
    whole.title = title
    return whole


def by_series(
    channel: Any,
    field: str,
    title: str | None,
    names: Sequence[str],
    values: Sequence[Any],
    size: Size = COLUMN,
    filled: bool = False,
) -> Any:
    """An encoding that gives every series of a figure its own color, dash or shape, under one legend.

    Where the legend shows filled marks they have no edges, which would have the dashes of the lines.
    """
    import altair as alt

    legend = alt.Legend(
        orient="bottom", direction="horizontal", columns=min(len(names), 6), symbolSize=3.4 * size.font
    )
    if filled:
        legend.symbolStrokeWidth = 0
    scale = alt.Scale(domain=list(names), range=[values[i % len(values)] for i in range(len(names))])
    return channel(field, type="nominal", title=title, sort=None, scale=scale, legend=legend)


def guide(records: Records, size: Size = COLUMN, **encoding: Any) -> Any:
    """A thin dashed line where something should lie: between two records, or from side to side for one."""
    base = chart(records)
    style: dict[str, Any] = {"color": GUIDE, "strokeWidth": HAIRLINE * size.font, "strokeDash": GUIDE_DASH}
    return (base.mark_line if len(encoding) > 1 else base.mark_rule)(**style).encode(**encoding)


def hover_points(records: Records, size: Size, **encoding: Any) -> Any:
    """An unseen circle over each point, described by `about`: what a page shows on hover."""
    mark = chart(records).mark_point(fill="transparent", strokeWidth=0, size=0.9 * size.font**2)
    return mark.encode(description="about:N", **encoding)


def _framed(size: Size, hairline: float, small: float) -> dict[str, Any]:
    return {
        "padding": 2,
        "view": {"stroke": GUIDE, "strokeWidth": hairline},
        "axis": {
            "grid": False,
            "domainColor": GUIDE,
            "domainWidth": hairline,
            "tickColor": GUIDE,
            "tickWidth": hairline,
            "tickSize": 0.43 * size.font,
            "labelPadding": 2,
            "titlePadding": small if size.on_page else 2,  # a page may be read with wider letters
        },
        "axisQuantitative": {"tickCount": 5},
        "legend": {
            "offset": 4,
            "columnPadding": 6,
            "rowPadding": 1,
            "titlePadding": 2,
            "symbolStrokeWidth": 1,
        },
        "concat": {"spacing": 2 * size.font},
    }


def _open(size: Size) -> dict[str, Any]:
    return {
        "padding": {"left": 4, "right": 6, "top": 4, "bottom": 4},
        "view": {"stroke": None},
        "axis": {
            "gridColor": LINE,
            "gridWidth": 0.6,
            "domain": False,
            "ticks": False,
            "labelPadding": 4,
            "labelFlush": False,
            "labelOverlap": "parity",
            "labelSeparation": 0.6 * size.font,
            "titlePadding": 5,
        },
        "legend": {"offset": size.font},
        "concat": {"spacing": size.font},
    }


def finished(made: Any, size: Size, framed: bool = False) -> Any:
    """The chart with the project's look.

    Framed, for quantities against each other, every panel has a frame with ticks, and no grid. Open it has
    a grid, and neither lines nor ticks.
    """
    hairline, small = HAIRLINE * size.font, 0.92 * size.font
    lettering = {
        "labelFontSize": small,
        "labelColor": MUTED,
        "titleColor": INK,
        "titleFontSize": size.font,
        "titleFontWeight": "normal",
    }
    # Grid lines and ticks stand where the data do, not at the nearest whole or half point.
    exact = {"tickRound": False, "translate": 0}
    look = _framed(size, hairline, small) if framed else _open(size)
    look["axis"] |= lettering | exact
    look["legend"] |= lettering
    # In one go and in a shallow copy: each of Altair's own ways to configure copies everything deeply.
    whole = made.copy(deep=False)
    whole.config = {
        "background": size.background,
        "font": FONT,
        "aria": not framed,
        "mark": {"aria": False},
        "point": {"filled": True, "opacity": 1},
        "circle": {"opacity": 1},
        "text": {"baseline": "middle", "fontSize": size.font},
        "title": {
            "fontSize": 1.07 * size.font,
            "fontWeight": "normal",
            "offset": 3,
            "color": INK,
            "subtitleColor": MUTED,
            "subtitleFontSize": size.font,
        },
        **look,
    }
    return whole


@cache
def kinds() -> SimpleNamespace:
    """`Chart`, `LayerChart`, `HConcatChart` and `VConcatChart`; Altair is imported with the first of them.

    Nothing changes the parts of a chart once they are in it, so a copy may share them.
    """
    import altair as alt

    class Shared:
        _args: tuple[Any, ...]
        _kwds: dict[str, Any]

        def __deepcopy__(self, _: Any) -> Any:
            made = object.__new__(type(self))
            object.__setattr__(made, "_args", self._args)
            object.__setattr__(made, "_kwds", dict(self._kwds))
            return made

        def _repr_mimebundle_(self: Any, *_: Any, **__: Any) -> dict[str, str]:
            """What a notebook shows: a picture that needs no network, where Altair's own fetches scripts."""
            from truerank.report.render import svg

            return {"image/svg+xml": svg(self)}

    class Chart(Shared, alt.Chart):
        def encode(self, *channels: Any, **named: Any) -> Any:
            """As Altair's; a channel is known by its name."""
            made = {
                name: getattr(alt, name[0].upper() + name[1:])(given) if isinstance(given, str) else given
                for name, given in named.items()
            }
            return super().encode(*channels, **made)

    class LayerChart(Shared, alt.LayerChart):
        pass

    class HConcatChart(Shared, alt.HConcatChart):
        pass

    class VConcatChart(Shared, alt.VConcatChart):
        pass

    return SimpleNamespace(
        Chart=Chart, LayerChart=LayerChart, HConcatChart=HConcatChart, VConcatChart=VConcatChart
    )
