"""Panels of lines or points for papers: series told apart by colour, dash and shape, under one legend."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from truerank.report.charts.style import (
    DASHES,
    SHAPES,
    Size,
    finished,
    guide,
    layered,
    symbol_drawn,
    told_apart,
)
from truerank.report.palette import SERIES

if TYPE_CHECKING:
    import altair
    from pandas import DataFrame

HEIGHT, NARROWEST, BESIDE = 11.4, 7.4, 5.7
"""Of a panel, its least width, and what its axis and labels take beside it; relative to the font."""

WIDEST = 3.2
"""Of a panel, relative to its height."""


@dataclass(frozen=True)
class Series:
    """What every panel of a figure draws alike.

    Attributes:
        field: that tells the series apart.
        title: of the legend.
        names: of all series, in order.
        size: of the figure.
    """

    field: str
    title: str
    names: Sequence[str]
    size: Size

    def encode(self, channel: Any, values: Sequence[Any], filled: bool) -> Any:
        """The series by a channel, under the one legend."""
        return told_apart(channel, self.field, self.title, self.names, values, self.size, filled)

    def mark(self, area: float) -> float:
        """The size of a mark, in square points, that has this one in a paper's column."""
        return area * (self.size.font / 7) ** 2


def lines(
    frame: DataFrame,
    x: str,
    y: str,
    x_title: str,
    y_title: str,
    series: Series,
    rules: Sequence[float] = (),
    few: bool = False,
    log: bool = False,
) -> Any:
    """One line with marks a series, with dashed rules at some heights.

    Args:
        frame: the points.
        x: field across.
        y: field up.
        x_title: its axis.
        y_title: its axis.
        series: all series of the figure.
        rules: heights of grey rules.
        few: no marks, where points are many.
        log: logarithmic scales both ways.
    """
    import altair as alt

    across = alt.Scale(type="log") if log else alt.Scale(zero=False)
    up = alt.Scale(type="log") if log else alt.Scale(zero=False, nice=True)
    base = alt.Chart(frame).encode(
        x=alt.X(x, type="quantitative", title=x_title, scale=across),
        y=alt.Y(y, type="quantitative", title=y_title, scale=up),
        color=series.encode(alt.Color, SERIES, not few),
    )
    drawn = base.mark_line(strokeWidth=series.size.font / 7, clip=True)
    layers: list[Any] = [guide([{"y": value}], series.size, y="y:Q") for value in rules]
    layers.append(drawn.encode(strokeDash=series.encode(alt.StrokeDash, DASHES, not few)))
    if not few:
        marks = base.mark_point(size=series.mark(12), filled=True, opacity=1)
        layers.append(marks.encode(shape=series.encode(alt.Shape, SHAPES, True)))
    return layered(*layers)


def against(
    frame: DataFrame, x: str, y: str, series: Series, titles: tuple[str, str]
) -> altair.TopLevelMixin:
    """Points of one quantity against another, with the line where they are equal; titles across and up."""
    import altair as alt

    # An unbiased estimate of a variance may be negative.
    bottom = min(0.0, float(min(frame[x].min(), frame[y].min())) * 1.05)
    top = float(max(frame[x].max(), frame[y].max())) * 1.05
    scale = alt.Scale(domain=[bottom, top], nice=False)
    axis = partial(alt.Axis, tickCount=3)
    diagonal = guide([{"v": bottom, "w": bottom}, {"v": top, "w": top}], series.size, x="v:Q", y="w:Q")
    points = (
        alt.Chart(frame)
        .mark_point(size=series.mark(14), filled=True, opacity=1)
        .encode(
            x=alt.X(x, type="quantitative", title=titles[0], scale=scale, axis=axis()),
            y=alt.Y(y, type="quantitative", title=titles[1], scale=scale, axis=axis()),
            color=series.encode(alt.Color, SERIES, True),
            shape=series.encode(alt.Shape, SHAPES, True),
        )
    )
    return layered(diagonal, points)


def in_rows(
    groups: Sequence[Sequence[Any]], size: Size, shape: Callable[[float], dict[str, float]]
) -> altair.VConcatChart:
    """Panels of equal size below and beside each other; each group begins a row of its own.

    Args:
        groups: of panels.
        size: of the whole.
        shape: from the room that a panel has to its width and height.
    """
    import altair as alt

    most = max(map(len, groups))
    across = min(most, max(1, int(size.width / ((NARROWEST + BESIDE) * size.font))))
    shaped = shape(size.width / across - BESIDE * size.font)
    space = 1.1 * size.font
    rows = [
        alt.hconcat(*(one.properties(**shaped) for one in group[start : start + across]), spacing=space)
        for group in groups
        for start in range(0, len(group), across)
    ]
    return alt.vconcat(*rows, spacing=space)


def panels(
    frame: DataFrame,
    size: Size,
    rows: str,
    columns: str,
    panel: Callable[[DataFrame, Series], Any],
    series: str,
    order: Sequence[str] | None = None,
    title: str | None = None,
) -> altair.VConcatChart:
    """A panel for each value of two fields, under one legend.

    Args:
        frame: the points of all panels.
        size: of the figure; what has no room beside the others goes below them.
        rows: field of the panels' rows.
        columns: field of the panels' columns.
        panel: draws one.
        series: the field that tells series apart.
        order: of the series; of appearance by default.
        title: of the legend.
    """
    names = list(order) if order is not None else list(dict.fromkeys(frame[series]))
    alike = Series(series, title or series.replace("_", " ").capitalize(), names, size)
    groups = []
    for row in dict.fromkeys(frame[rows]):
        some = frame[frame[rows] == row]
        groups.append(
            [
                panel(some[some[columns] == column], alike).properties(
                    title=f"{symbol_drawn(row)}: {symbol_drawn(column)}"
                )
                for column in dict.fromkeys(some[columns])
            ]
        )
    height = HEIGHT * size.font
    made = in_rows(groups, size, lambda room: {"width": min(room, WIDEST * height), "height": height})
    shared = made.resolve_scale(color="shared", shape="shared", strokeDash="shared")
    chart: altair.VConcatChart = finished(shared, size, framed=True)
    return chart


def coverage(
    table: DataFrame, size: Size, rows: str, columns: str, levels: Sequence[str]
) -> altair.VConcatChart:
    """Coverage by number of topics, a line a nominal level, with dashed rules where it should be.

    Args:
        table: the columns `rows`, `columns`, ``topics``, and one for each level, in percent.
        size: of the figure.
        rows: field of the panels' rows.
        columns: field of the panels' columns.
        levels: nominal levels, in percent.
    """
    nominal = [float(level) / 100 for level in levels]

    def panel(frame: DataFrame, series: Series) -> Any:
        return lines(frame, "topics", "coverage", "Topics", "Coverage", series, rules=nominal)

    long = table.melt([rows, columns, "topics"], list(levels), "level", "coverage")
    return panels(long, size, rows, columns, panel, series="level", order=levels, title="Level, %")
