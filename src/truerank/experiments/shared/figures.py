"""The figures' common parts: series told apart by colour, dash and shape at once, in a column's width.

Colours are Okabe and Ito's, safe for every common colour blindness; dash and shape keep the series
apart in grey.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from truerank.coefficients import COEFFICIENTS

if TYPE_CHECKING:
    import altair
    from pandas import DataFrame

COLUMN, TEXT = 242, 506
"""Widths of a column and of the text of a two-column paper, points."""

COLOURS = ("#0072b2", "#d55e00", "#000000", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#666666")
DASHES = ([1, 0], [5, 2], [2, 1.5], [7, 2, 1.5, 2], [4, 1.5, 1, 1.5, 1, 1.5], [9, 3], [1, 2.5], [3, 3])
SHAPES = ("circle", "square", "triangle-up", "diamond", "triangle-down", "cross", "triangle-right", "stroke")

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
    import pandas as pd

    scale = alt.Scale(type="log") if log else alt.Scale(zero=False, nice=True)
    base = alt.Chart(frame).encode(
        x=alt.X(
            x,
            type="quantitative",
            title=x_title,
            scale=alt.Scale(type="log") if log else alt.Scale(zero=False),
        ),
        y=alt.Y(y, type="quantitative", title=y_title, scale=scale),
        color=_encode(alt.Color, field, series, COLOURS),
    )
    layers: list[Any] = [
        alt.Chart(pd.DataFrame({"y": [value]}))
        .mark_rule(color="#999999", strokeWidth=0.5, strokeDash=[2, 2])
        .encode(y="y:Q")
        for value in rules
    ]
    layers.append(
        base.mark_line(strokeWidth=1, clip=True).encode(
            strokeDash=_encode(alt.StrokeDash, field, series, DASHES)
        )
    )
    if not few:
        layers.append(
            base.mark_point(size=12, filled=True, opacity=1).encode(
                shape=_encode(alt.Shape, field, series, SHAPES)
            )
        )
    return alt.layer(*layers)


def against(
    frame: DataFrame, x: str, y: str, field: str, series: Series, titles: tuple[str, str]
) -> altair.TopLevelMixin:
    """Points of one quantity against another, with the line where they are equal; titles across and up."""
    import altair as alt
    import pandas as pd

    top = float(max(frame[x].max(), frame[y].max())) * 1.05
    scale = alt.Scale(domain=[0, top], nice=False)
    diagonal = (
        alt.Chart(pd.DataFrame({"v": [0.0, top]}))
        .mark_line(color="#999999", strokeWidth=0.5, strokeDash=[2, 2])
        .encode(x="v:Q", y="v:Q")
    )
    points = (
        alt.Chart(frame)
        .mark_point(size=14, filled=True, opacity=1)
        .encode(
            x=alt.X(x, type="quantitative", title=titles[0], scale=scale, axis=alt.Axis(tickCount=3)),
            y=alt.Y(y, type="quantitative", title=titles[1], scale=scale, axis=alt.Axis(tickCount=3)),
            color=_encode(alt.Color, field, series, COLOURS),
            shape=_encode(alt.Shape, field, series, SHAPES),
        )
    )
    return alt.layer(diagonal, points)


def _encode(channel: Any, field: str, series: Series, ways: Sequence[Any]) -> Any:
    import altair as alt

    _, title, names = series
    spread = [ways[i % len(ways)] for i in range(len(names))]
    return channel(
        field,
        type="nominal",
        title=title,
        sort=None,
        scale=alt.Scale(domain=list(names), range=spread),
        legend=alt.Legend(orient="bottom", direction="horizontal", columns=min(len(names), 6)),
    )


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
    down = list(dict.fromkeys(frame[rows]))
    total = COLUMN if len(across) <= 2 else TEXT
    width = max(52, total / len(across) - 36)
    grid = []
    for row in down:
        line = []
        for column in across:
            some = frame[(frame[rows] == row) & (frame[columns] == column)]
            if len(some):
                heading = f"{_label(row)}: {_label(column)}"
                line.append(panel(some, described).properties(width=width, height=80, title=heading))
        grid.append(alt.hconcat(*line, spacing=8))
    chart: altair.VConcatChart = (
        alt.vconcat(*grid, spacing=8)
        .resolve_scale(color="shared", shape="shared", strokeDash="shared")
        .configure(font="Helvetica, Arial, Liberation Sans, sans-serif", padding=2, aria=False)
        .configure_view(stroke="#888888", strokeWidth=0.5)
        .configure_axis(
            labelFontSize=6.5,
            titleFontSize=7,
            titleFontWeight="normal",
            grid=False,
            tickSize=3,
            titlePadding=2,
            domainColor="#888888",
            tickColor="#888888",
            domainWidth=0.5,
            tickWidth=0.5,
            tickCount=5,
        )
        .configure_title(fontSize=7.5, fontWeight="normal", offset=3)
        .configure_legend(
            labelFontSize=7,
            titleFontSize=7,
            titleFontWeight="normal",
            symbolSize=24,
            symbolStrokeWidth=1,
            columnPadding=6,
            rowPadding=1,
            offset=4,
            titlePadding=2,
            padding=0,
        )
    )
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
    return panels(
        table.melt([rows, columns, "topics"], list(levels), "level", "coverage"),
        rows=rows,
        columns=columns,
        panel=lambda frame, names: lines(
            frame, "topics", "coverage", "level", "Topics", "Coverage", names, rules=nominal
        ),
        series="level",
        order=levels,
        title="Level, %",
    )


def _label(name: str) -> str:
    found = COEFFICIENTS.get(name)
    return found.label if found else name


def write(charts: dict[str, altair.TopLevelMixin], folder: Path) -> list[Path]:
    """Each chart as SVG, PDF and PNG into a folder, made if need be; returns what was written."""
    from truerank.report import render

    return render.write_files({name: render.svg(chart) for name, chart in charts.items()}, folder)
