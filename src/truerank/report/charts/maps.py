"""Figures of cells: one value for each two names, or each name and rank."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from truerank.report.charts.style import COLUMN, finished, layered

if TYPE_CHECKING:
    from pandas import DataFrame

Axis = tuple[str, str, Sequence[Any]]
"""Field, title, and the values in order."""

SIDE = 106
"""Width of one of two maps in a paper's column, points."""


def heat_map(
    frame: DataFrame,
    x: Axis,
    y: Axis,
    colour: str,
    text: str | None,
    scale: Any,
    title: str,
    every: int = 1,
) -> Any:
    """Coloured cells, with a text in each where there is one.

    Args:
        frame: a row a cell.
        x: across.
        y: down.
        colour: field of the colour.
        text: field of the text.
        scale: of the colour, an ``altair.Scale``.
        title: above the map.
        every: one label in so many is written along the axes.
    """
    import altair as alt

    upright = -90 if every > 1 or text else 0
    base = alt.Chart(frame).encode(x=_axis(alt.X, x, every, labelAngle=upright), y=_axis(alt.Y, y, every))
    cells = base.mark_rect().encode(color=alt.Color(colour, type="quantitative", scale=scale, legend=None))
    if text is None:
        return cells.properties(width=SIDE, height=SIDE, title=title)
    words = base.mark_text(fontSize=0.79 * COLUMN.font).encode(text=alt.Text(text, type="nominal"))
    return layered(cells, words, width=SIDE, height=SIDE, title=title)


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


def side_by_side(*charts: Any) -> Any:
    """Charts in a row, each with colours of its own, in the look of a paper's column."""
    import altair as alt

    row = alt.hconcat(*charts, spacing=6).resolve_scale(color="independent", x="independent", y="independent")
    return finished(row, COLUMN, framed=True)
