"""Panels of lines, points or cells for papers: series differ by color, dash and shape, under one legend."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from truerank.coefficients import COEFFICIENTS
from truerank.report.charts.style import (
    DASHES,
    GUIDE_DASH,
    SHAPES,
    Chart,
    Size,
    channel,
    finished,
    guide,
    hconcat,
    layered,
    mark,
    records_of,
    symbol_drawn,
    vconcat,
)
from truerank.report.palette import SERIES

if TYPE_CHECKING:
    from pandas import DataFrame

HEIGHT, NARROWEST, BESIDE = 11.4, 7.4, 5.7
"""Height of a panel, its least width, and what its axis and labels take beside it; relative to the font."""

WIDEST = 3.2  # the most width of a panel, relative to its height


@dataclass(frozen=True)
class Series:
    """What every panel of a figure draws alike: a field of series, their legend and their names in order."""

    field: str
    title: str
    names: Sequence[str]
    size: Size

    def encode(self, values: Sequence[Any], filled: bool) -> dict[str, Any]:
        """The series by color, dash or shape, under one legend; filled marks have no dashed edges."""
        legend = {"orient": "bottom", "direction": "horizontal", "columns": min(len(self.names), 6)}
        legend |= {"symbolSize": 3.4 * self.size.font} | ({"symbolStrokeWidth": 0} if filled else {})
        scale = {"domain": [*self.names], "range": [values[i % len(values)] for i in range(len(self.names))]}
        return channel(f"{self.field}:N", title=self.title, sort=None, scale=scale, legend=legend)

    def area(self, area: float) -> float:
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
) -> Chart:
    """One line with marks per series, with dashed rules at some heights; `few`: no marks.

    `domain` has the limits upwards; `error` names the column of standard errors, drawn as bars.
    """
    font, records = series.size.font, records_of(frame)
    upwards = {"zero": False} | ({"domain": [*domain]} if domain else {}) | {"nice": True}
    place: dict[str, Any] = {
        "x": channel(f"{x}:Q", title=x_title, scale={"zero": False}),
        "y": channel(f"{y}:Q", title=y_title, scale=upwards),
        "color": series.encode(SERIES, not few),
    }
    dash = series.encode(DASHES, not few)
    layers = [guide([{"y": value}], series.size, y="y:Q") for value in rules]
    layers.append(mark("line", records, strokeWidth=font / 7, clip=True, strokeDash=dash, **place))
    if error:
        ends = records_of(frame.assign(low=frame[y] - frame[error], high=frame[y] + frame[error]))
        bars = {"x": f"{x}:Q", "y": "low:Q", "y2": "high:Q", "color": place["color"]}
        layers.append(mark("rule", ends, strokeWidth=font / 10, **bars))
    if not few:
        layers.append(
            mark("point", records, size=series.area(12), shape=series.encode(SHAPES, True), **place)
        )
    return layered(*layers)


def fitted(
    frame: DataFrame, x: tuple[str, str], y: tuple[str, str], fit: str, chosen: str, series: Series
) -> Chart:
    """Points with a fitted line per series, and an upright rule at one place of each; fields with titles."""
    font, records, color = series.size.font, records_of(frame), series.encode(SERIES, True)
    across = channel(f"{x[0]}:Q", title=x[1], axis={"tickCount": 4, "format": "~s"})
    inside = records_of(frame[frame[chosen] <= frame[x[0]].max()])
    upright: dict[str, Any] = {"x": channel(f"{chosen}:Q", aggregate="min"), "strokeDash": GUIDE_DASH}
    points: dict[str, Any] = {"y": channel(f"{y[0]}:Q", title=y[1]), "shape": series.encode(SHAPES, True)}
    return layered(
        mark("rule", inside, color=color, strokeWidth=font / 10, **upright),
        mark("line", records, color=color, strokeWidth=font / 8, x=across, y=f"{fit}:Q"),
        mark("point", records, color=color, size=series.area(5), x=across, **points),
    )


def against(
    frame: DataFrame,
    x: str,
    y: str,
    series: Series,
    titles: tuple[str, str],
    domain: tuple[float, float],
) -> Chart:
    """Points of one quantity against another, with the line where they are equal; titles across and up."""
    bottom, top = domain
    scale = {"domain": [bottom, top], "nice": False}
    diagonal = guide([{"v": bottom, "w": bottom}, {"v": top, "w": top}], series.size, x="v:Q", y="w:Q")
    across, up = (
        channel(f"{field}:Q", title=title, scale=scale, axis={"tickCount": 2, "format": "~g"})
        for field, title in zip((x, y), titles, strict=True)
    )
    look: dict[str, Any] = {"color": series.encode(SERIES, True), "shape": series.encode(SHAPES, True)}
    return layered(diagonal, mark("point", records_of(frame), size=series.area(14), x=across, y=up, **look))


def in_rows(
    groups: Sequence[Sequence[Chart]],
    size: Size,
    shape: Callable[[float], dict[str, float]],
    scales: Mapping[str, str] = MappingProxyType({}),
) -> Chart:
    """Panels of equal size below and beside each other; each group begins a new row.

    `shape` makes width and height of the room that a panel has; `scales` says what is shared or independent.
    """
    most = max(map(len, groups))
    across = min(most, max(1, int(size.width / ((NARROWEST + BESIDE) * size.font))))
    shaped = shape(size.width / across - BESIDE * size.font)
    space = 1.1 * size.font
    # A row resolves its own scales: what is said of the column of rows does not reach into them.
    resolve = {"resolve": {"scale": {**scales}}} if scales else {}
    rows = [
        hconcat(*({**item, **shaped} for item in group[start : start + across]), spacing=space, **resolve)
        for group in groups
        for start in range(0, len(group), across)
    ]
    return vconcat(*rows, spacing=space, **resolve)


def panels(
    frame: DataFrame,
    size: Size,
    rows: str,
    columns: str,
    panel: Callable[[DataFrame, Series], Chart],
    series: str,
    order: Sequence[str] | None = None,
    title: str | None = None,
) -> Chart:
    """A panel for each value of two fields, under one legend of the `series`, in order of appearance."""
    names = list(order) if order is not None else list(dict.fromkeys(frame[series]))
    drawn = Series(series, title or series.replace("_", " ").capitalize(), names, size)
    groups = [
        [
            {**panel(some, drawn), "title": f"{_drawn(row)}: {_drawn(column)}"}
            for column, some in frame[frame[rows] == row].groupby(columns, sort=False)
        ]
        for row in dict.fromkeys(frame[rows])
    ]
    height = HEIGHT * size.font
    scales = {"color": "shared", "shape": "shared", "strokeDash": "shared"}
    made = in_rows(groups, size, lambda room: {"width": min(room, WIDEST * height), "height": height}, scales)
    return finished(made, size, framed=True)


def _drawn(name: str) -> str:
    """A coefficient as its symbol; any other name, as that of a file, as it is."""
    return symbol_drawn(name) if name in COEFFICIENTS else str(name)


def coverage(
    table: DataFrame, size: Size, rows: str, columns: str, levels: Sequence[str], apart: Collection[str] = ()
) -> Chart:
    """Coverage by number of topics, one line per nominal level (in percent), with rules where it should be.

    `table` has the columns `rows`, `columns`, ``topics``, ``trials``, and one for each level. All panels have
    the same limits, and so have those `apart` from them, named by `columns`. Bars are standard errors.
    """
    nominal = [float(level) / 100 for level in levels]
    long = table.melt([rows, columns, "topics", "trials"], list(levels), "level", "coverage")
    long["se"] = (long["coverage"] * (1 - long["coverage"]) / long["trials"]) ** 0.5
    is_apart = long[columns].isin(apart)

    def panel(frame: DataFrame, series: Series) -> Chart:
        alike = long[is_apart == (frame[columns].iloc[0] in apart)]
        domain = (min(float((alike["coverage"] - alike["se"]).min()), *nominal), 1.0)
        titles = "Topics", "Coverage"
        return lines(frame, "topics", "coverage", *titles, series, rules=nominal, domain=domain, error="se")

    return panels(long, size, rows, columns, panel, series="level", order=levels, title="Level, %")


Axis = tuple[str, str, Sequence[Any]]  # a side of a map of cells: field, title, values in order


def heat_map(
    frame: DataFrame,
    x: Axis,
    y: Axis,
    color: str,
    text: str | None,
    scale: Mapping[str, Any],
    title: str,
    size: Size,
    every: int = 1,
    legend: str | None = None,
    ground: str | None = None,
) -> Chart:
    """Colored cells, one per row, with a text in each where there is a field of it.

    One label in `every` is written along the axes. `legend` is the title of a color scale, `ground` the color
    where there is no cell.
    """
    upright = -90 if every > 1 or text else 0
    records = records_of(frame)
    place = {"x": _axis(x, every, labelAngle=upright), "y": _axis(y, every)}
    bar = {"title": legend, "type": "gradient", "orient": "bottom", "format": "~g", "tickCount": 4}
    shade = channel(f"{color}:Q", scale={**scale}, legend=bar if legend else None)
    cells = mark("rect", records, color=shade, **place)
    if text is None:
        return {**cells, "title": title} | ({"view": {"fill": ground}} if ground else {})
    words = mark("text", records, fontSize=0.79 * size.font, text=f"{text}:N", **place)
    return layered(cells, words, title=title)


def _axis(axis: Axis, every: int, **options: Any) -> dict[str, Any]:
    """One side of the map: names or ranks in order, without ticks and line."""
    field, title, values = axis
    return channel(
        f"{field}:O",
        title=title,
        sort=[*values],
        scale={"domain": [*values], "padding": 0},
        axis={"values": [*values][::every], "ticks": False, "domain": False, **options},
    )


def side_by_side(size: Size, *charts: Chart) -> Chart:
    """Square maps beside each other, each with its own colors."""
    scales = {"color": "independent", "x": "independent", "y": "independent"}
    made = in_rows([charts], size, lambda room: {"width": min(room, 240), "height": min(room, 240)}, scales)
    return finished(made, size, framed=True)
