"""Figures of cells: one value for each two names, or each name and rank."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from truerank.report.charts.panels import in_rows
from truerank.report.charts.style import Size, finished, layered

if TYPE_CHECKING:
    from pandas import DataFrame

Axis = tuple[str, str, Sequence[Any]]
"""Field, title, and the values in order."""


def heat_map(
    frame: DataFrame,
    x: Axis,
    y: Axis,
    color: str,
    text: str | None,
    scale: Any,
    title: str,
    size: Size,
    every: int = 1,
    legend: str | None = None,
    ground: str | None = None,
) -> Any:
    """Colored cells, one per row, with a text in each where there is a field of it.

    One label in `every` is written along the axes. `legend` is the title of a color scale, `ground` the color
    where there is no cell.
    """
    import altair as alt

    upright = -90 if every > 1 or text else 0
    base = alt.Chart(frame).encode(x=_axis(alt.X, x, every, labelAngle=upright), y=_axis(alt.Y, y, every))
    bar = (
        alt.Legend(title=legend, type="gradient", orient="bottom", format="~g", tickCount=4)
        if legend
        else None
    )
    cells = base.mark_rect().encode(color=alt.Color(color, type="quantitative", scale=scale, legend=bar))
    if text is None:
        behind = alt.ViewBackground(fill=ground) if ground else alt.Undefined
        return cells.properties(title=title, view=behind)
    words = base.mark_text(fontSize=0.79 * size.font).encode(text=alt.Text(text, type="nominal"))
    return layered(cells, words, title=title)


def _axis(channel: Any, axis: Axis, every: int, **options: Any) -> Any:
    """One side of the map: names or ranks in order, without ticks and line."""
    import altair as alt

    field, title, values = axis
    return channel(
        field,
        type="ordinal",
        title=title,
        sort=list(values),
        scale=alt.Scale(domain=list(values), padding=0),
        axis=alt.Axis(values=list(values)[::every], ticks=False, domain=False, **options),
    )


def side_by_side(size: Size, *charts: Any) -> Any:
    """Square maps beside each other, each with its own colors."""
    scales = {"color": "independent", "x": "independent", "y": "independent"}
    made = in_rows([charts], size, lambda room: {"width": min(room, 240), "height": min(room, 240)}, scales)
    return finished(made, size, framed=True)
