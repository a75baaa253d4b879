"""Panels of lines or points for papers: series told apart by colour, dash and shape, under one legend."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from truerank.report.charts.style import (
    COLUMN,
    DASHES,
    SHAPES,
    TEXT,
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

HEIGHT = 80
"""Of a panel, points."""

NARROWEST = 52
"""Of a panel, points."""

BESIDE = 40
"""Points that a panel's axis and labels take."""

Series = tuple[str, str, Sequence[str]]
"""Field that tells the series apart, its title, and its values in order."""


def lines(
    frame: DataFrame,
    x: str,
    y: str,
    field: str,
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
        field: of the series.
        x_title: its axis.
        y_title: its axis.
        series: all series of the figure, so that every panel draws them alike.
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
        color=_encode(alt.Color, field, series, SERIES, not few),
    )
    drawn = base.mark_line(strokeWidth=1, clip=True)
    layers: list[Any] = [guide([{"y": value}], y="y:Q") for value in rules]
    layers.append(drawn.encode(strokeDash=_encode(alt.StrokeDash, field, series, DASHES, not few)))
    if not few:
        marks = base.mark_point(size=12, filled=True, opacity=1)
        layers.append(marks.encode(shape=_encode(alt.Shape, field, series, SHAPES, True)))
    return layered(*layers)


def against(
    frame: DataFrame, x: str, y: str, field: str, series: Series, titles: tuple[str, str]
) -> altair.TopLevelMixin:
    """Points of one quantity against another, with the line where they are equal; titles across and up."""
    import altair as alt

    # An unbiased estimate of a variance may be negative.
    bottom = min(0.0, float(min(frame[x].min(), frame[y].min())) * 1.05)
    top = float(max(frame[x].max(), frame[y].max())) * 1.05
    scale = alt.Scale(domain=[bottom, top], nice=False)
    axis = partial(alt.Axis, tickCount=3)
    diagonal = guide([{"v": bottom, "w": bottom}, {"v": top, "w": top}], x="v:Q", y="w:Q")
    points = (
        alt.Chart(frame)
        .mark_point(size=14, filled=True, opacity=1)
        .encode(
            x=alt.X(x, type="quantitative", title=titles[0], scale=scale, axis=axis()),
            y=alt.Y(y, type="quantitative", title=titles[1], scale=scale, axis=axis()),
            color=_encode(alt.Color, field, series, SERIES, True),
            shape=_encode(alt.Shape, field, series, SHAPES, True),
        )
    )
    return layered(diagonal, points)


def _encode(channel: Any, field: str, series: Series, values: Sequence[Any], filled: bool) -> Any:
    _, title, names = series
    return told_apart(channel, field, title, names, values, filled=filled)


def panels(
    frame: DataFrame,
    rows: str,
    columns: str,
    panel: Callable[[DataFrame, Series], Any],
    series: str,
    order: Sequence[str] | None = None,
    title: str | None = None,
) -> altair.VConcatChart:
    """A panel for each value of two fields, under one legend; up to two columns fit a paper's column.

    Args:
        frame: the points of all panels.
        rows: field of the panels' rows.
        columns: field of the panels' columns.
        panel: draws one.
        series: the field that tells series apart.
        order: of the series; of appearance by default.
        title: of the legend.
    """
    import altair as alt

    names = list(order) if order is not None else list(dict.fromkeys(frame[series]))
    described = (series, title or series.replace("_", " ").capitalize(), names)
    across = list(dict.fromkeys(frame[columns]))
    size = COLUMN if len(across) <= 2 else TEXT
    width = max(NARROWEST, size.width / len(across) - BESIDE)
    grid = []
    for row in dict.fromkeys(frame[rows]):
        line = []
        for column in across:
            some = frame[(frame[rows] == row) & (frame[columns] == column)]
            if len(some):
                heading = f"{symbol_drawn(row)}: {symbol_drawn(column)}"
                line.append(panel(some, described).properties(width=width, height=HEIGHT, title=heading))
        grid.append(alt.hconcat(*line, spacing=8))
    made = alt.vconcat(*grid, spacing=8).resolve_scale(color="shared", shape="shared", strokeDash="shared")
    chart: altair.VConcatChart = finished(made, size, framed=True)
    return chart


def coverage(table: DataFrame, rows: str, columns: str, levels: Sequence[str]) -> altair.VConcatChart:
    """Coverage by number of topics, a line a nominal level, with dashed rules where it should be.

    Args:
        table: the columns `rows`, `columns`, ``topics``, and one for each level, in percent.
        rows: field of the panels' rows.
        columns: field of the panels' columns.
        levels: nominal levels, in percent.
    """
    nominal = [float(level) / 100 for level in levels]

    def panel(frame: DataFrame, names: Series) -> Any:
        return lines(frame, "topics", "coverage", "level", "Topics", "Coverage", names, rules=nominal)

    long = table.melt([rows, columns, "topics"], list(levels), "level", "coverage")
    return panels(long, rows, columns, panel, series="level", order=levels, title="Level, %")
