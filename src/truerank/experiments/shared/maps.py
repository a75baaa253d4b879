"""Figures of cells: one value for each two names, or each name and rank."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

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

    def labels(values: Sequence[Any]) -> Any:
        return alt.Axis(
            values=list(values)[::every],
            labelAngle=-90 if every > 1 or text else 0,
            ticks=False,
            domain=False,
        )

    down = alt.Axis(values=list(y[2])[::every], ticks=False, domain=False)
    base = alt.Chart(frame).encode(
        x=alt.X(
            x[0],
            type="ordinal",
            title=x[1],
            sort=list(x[2]),
            scale=alt.Scale(domain=list(x[2]), padding=0),
            axis=labels(x[2]),
        ),
        y=alt.Y(
            y[0],
            type="ordinal",
            title=y[1],
            sort=list(y[2]),
            scale=alt.Scale(domain=list(y[2]), padding=0),
            axis=down,
        ),
    )
    cells = base.mark_rect().encode(color=alt.Color(colour, type="quantitative", scale=scale, legend=None))
    if text is None:
        return cells.properties(width=SIDE, height=SIDE, title=title)
    words = base.mark_text(fontSize=5.5).encode(text=alt.Text(text, type="nominal"))
    return alt.layer(cells, words).properties(width=SIDE, height=SIDE, title=title)


def side_by_side(*charts: Any) -> Any:
    """Charts in a row, each with colours of its own, in the look of a paper's column."""
    import altair as alt

    return (
        alt.hconcat(*charts, spacing=6)
        .resolve_scale(color="independent", x="independent", y="independent")
        .configure(font="Helvetica, Arial, Liberation Sans, sans-serif", padding=2)
        .configure_view(stroke="#888888", strokeWidth=0.5)
        .configure_axis(
            labelFontSize=6,
            titleFontSize=7,
            titleFontWeight="normal",
            grid=False,
            titlePadding=2,
            labelPadding=2,
        )
        .configure_title(fontSize=7.5, fontWeight="normal", offset=3)
        .configure_legend(labelFontSize=6.5, titleFontSize=7, titleFontWeight="normal", symbolSize=24)
    )
