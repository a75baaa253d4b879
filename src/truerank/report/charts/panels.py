"""Panels of lines or points for papers: series differ by color, dash and shape, under one legend."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, cast

from truerank.coefficients import COEFFICIENTS
from truerank.report.charts.style import (
    DASHES,
    GUIDE_DASH,
    SHAPES,
    Size,
    by_series,
    finished,
    guide,
    hconcat,
    layered,
    symbol_drawn,
    vconcat,
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
        field: that distinguishes the series.
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
        return by_series(channel, self.field, self.title, self.names, values, self.size, filled)

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
    domain: tuple[float, float] | None = None,
    error: str | None = None,
) -> Any:
    """One line with marks per series, with dashed rules at some heights; `few`: no marks.

    `domain` has the limits upwards; `error` names the column of standard errors, drawn as bars.
    """
    import altair as alt

    kind: dict[str, Any] = {"zero": False}
    upwards = kind | ({"domain": domain} if domain else {})
    base = alt.Chart(frame).encode(
        x=alt.X(x, type="quantitative", title=x_title, scale=alt.Scale(**kind)),
        y=alt.Y(y, type="quantitative", title=y_title, scale=alt.Scale(**upwards, nice=True)),
        color=series.encode(alt.Color, SERIES, not few),
    )
    drawn = base.mark_line(strokeWidth=series.size.font / 7, clip=True)
    layers: list[Any] = [guide([{"y": value}], series.size, y="y:Q") for value in rules]
    layers.append(drawn.encode(strokeDash=series.encode(alt.StrokeDash, DASHES, not few)))
    if error:
        bars = alt.Chart(frame.assign(low=frame[y] - frame[error], high=frame[y] + frame[error]))
        layers.append(
            bars.mark_rule(strokeWidth=series.size.font / 10).encode(
                x=alt.X(x, type="quantitative"),
                y=alt.Y("low", type="quantitative"),
                y2="high",
                color=series.encode(alt.Color, SERIES, not few),
            )
        )
    if not few:
        marks = base.mark_point(size=series.mark(12))
        layers.append(marks.encode(shape=series.encode(alt.Shape, SHAPES, True)))
    return layered(*layers)


def fitted(
    frame: DataFrame, x: tuple[str, str], y: tuple[str, str], fit: str, chosen: str, series: Series
) -> Any:
    """Points with a fitted line per series, and an upright rule at one place of each; fields with titles."""
    import altair as alt

    color = series.encode(alt.Color, SERIES, True)
    shape = series.encode(alt.Shape, SHAPES, True)
    across = alt.X(x[0], type="quantitative", title=x[1], axis=alt.Axis(tickCount=4, format="~s"))
    base = alt.Chart(frame).encode(x=across, color=color)
    points = base.mark_point(size=series.mark(5)).encode(
        y=alt.Y(y[0], type="quantitative", title=y[1]), shape=shape
    )
    line = base.mark_line(strokeWidth=series.size.font / 8).encode(y=alt.Y(fit, type="quantitative"))
    inside = frame[frame[chosen] <= frame[x[0]].max()]
    rules = alt.Chart(inside).mark_rule(strokeWidth=series.size.font / 10, strokeDash=GUIDE_DASH)
    upright = rules.encode(x=alt.X(f"min({chosen})", type="quantitative"), color=color)
    return layered(upright, line, points)


def against(
    frame: DataFrame,
    x: str,
    y: str,
    series: Series,
    titles: tuple[str, str],
    domain: tuple[float, float],
) -> altair.TopLevelMixin:
    """Points of one quantity against another, with the line where they are equal; titles across and up."""
    import altair as alt

    bottom, top = domain
    scale = alt.Scale(domain=[bottom, top], nice=False)
    diagonal = guide([{"v": bottom, "w": bottom}, {"v": top, "w": top}], series.size, x="v:Q", y="w:Q")
    across, up = (
        channel(
            field,
            type="quantitative",
            title=title,
            scale=scale,
            axis=alt.Axis(tickCount=2, format="~g"),
        )
        for channel, field, title in zip((alt.X, alt.Y), (x, y), titles, strict=True)
    )
    points = alt.Chart(frame).mark_point(size=series.mark(14))
    color, shape = series.encode(alt.Color, SERIES, True), series.encode(alt.Shape, SHAPES, True)
    return layered(diagonal, points.encode(x=across, y=up, color=color, shape=shape))


def in_rows(
    groups: Sequence[Sequence[Any]],
    size: Size,
    shape: Callable[[float], dict[str, float]],
    scales: Mapping[str, str] = MappingProxyType({}),
) -> altair.VConcatChart:
    """Panels of equal size below and beside each other; each group begins a new row.

    `shape` makes width and height of the room that a panel has; `scales` says what is shared or independent.
    """
    most = max(map(len, groups))
    across = min(most, max(1, int(size.width / ((NARROWEST + BESIDE) * size.font))))
    shaped = shape(size.width / across - BESIDE * size.font)
    space = 1.1 * size.font
    rows = [
        hconcat(*(one.properties(**shaped) for one in group[start : start + across]), spacing=space)
        for group in groups
        for start in range(0, len(group), across)
    ]
    # A row resolves its own scales: what is said of the column of rows does not reach into them.
    made = vconcat(*(row.resolve_scale(**scales) for row in rows), spacing=space).resolve_scale(**scales)
    return cast("altair.VConcatChart", made)


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
    """A panel for each value of two fields, under one legend of the `series`, in order of appearance."""
    names = list(order) if order is not None else list(dict.fromkeys(frame[series]))
    drawn = Series(series, title or series.replace("_", " ").capitalize(), names, size)
    groups = [
        [
            panel(some, drawn).properties(title=f"{_drawn(row)}: {_drawn(column)}")
            for column, some in frame[frame[rows] == row].groupby(columns, sort=False)
        ]
        for row in dict.fromkeys(frame[rows])
    ]
    height = HEIGHT * size.font
    scales = {"color": "shared", "shape": "shared", "strokeDash": "shared"}
    made = in_rows(groups, size, lambda room: {"width": min(room, WIDEST * height), "height": height}, scales)
    chart: altair.VConcatChart = finished(made, size, framed=True)
    return chart


def _drawn(name: str) -> str:
    """A coefficient as its symbol; any other name, as that of a file, as it is."""
    return symbol_drawn(name) if name in COEFFICIENTS else str(name)


def coverage(
    table: DataFrame, size: Size, rows: str, columns: str, levels: Sequence[str], apart: Collection[str] = ()
) -> altair.VConcatChart:
    """Coverage by number of topics, one line per nominal level (in percent), with rules where it should be.

    `table` has the columns `rows`, `columns`, ``topics``, ``trials``, and one for each level. All panels have
    the same limits, and so have those `apart` from them, named by `columns`. Bars are standard errors.
    """
    nominal = [float(level) / 100 for level in levels]
    long = table.melt([rows, columns, "topics", "trials"], list(levels), "level", "coverage")
    long["se"] = (long["coverage"] * (1 - long["coverage"]) / long["trials"]) ** 0.5
    is_apart = long[columns].isin(apart)

    def panel(frame: DataFrame, series: Series) -> Any:
        alike = long[is_apart == (frame[columns].iloc[0] in apart)]
        domain = (min(float((alike["coverage"] - alike["se"]).min()), *nominal), 1.0)
        titles = "Topics", "Coverage"
        return lines(frame, "topics", "coverage", *titles, series, rules=nominal, domain=domain, error="se")

    return panels(long, size, rows, columns, panel, series="level", order=levels, title="Level, %")
