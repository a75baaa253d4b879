"""What the rank distance measures, drawn for three systems: Carterette 2009, Figure 2."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from truerank._support.types import Matrix, Vector
from truerank.comparison.distance import Reference, aligned, rank_distance
from truerank.comparison.distance.rank_distance import refuse_swapped
from truerank.errors import InputError
from truerank.report.charts.style import Size, finished, layered
from truerank.report.palette import ACCENT, BAND, DOUBT, INK, MUTED
from truerank.report.words import printable

if TYPE_CHECKING:
    import altair as alt

CONTOURS = (0.025, 0.25, 0.5, 0.75, 0.9, 0.975)
"""Shares of the probability inside the contours; the paper names the first and the last."""

FONT = 11
"""Of names and numbers, pixels."""


def cone_figure(scores: Any, y: Any, width: int = 420, height: int = 340) -> alt.LayerChart:
    """Where the true means may be, which ranking each place stands for, and the nearest one like y.

    The axes are the two differences between neighbors in y's order. Contours: the normal distribution of
    X's means (n topics). Shaded: y's ranking; the rank distance leads from X's means to its nearest point.

    Args:
        scores: three systems' scores, or their :class:`Reference`.
        y: a value for each of the three systems, as in :func:`truerank.rank_distance`.
        width: of the plot in pixels.
        height: of the plot in pixels.

    Returns:
        The chart, to save or to show in a notebook.

    Raises:
        InputError: not three systems, or y before the scores.

    Example:
        >>> ap = [[.283, .481, .516], [.017, .399, .544], [.075, .300, .277], [.183, .662, .616]]
        >>> cone_figure(ap, [.5, .75, .7]).to_dict()["width"]
        420
    """
    import altair as alt

    refuse_swapped("cone_figure", scores, y)
    reference = scores if isinstance(scores, Reference) else Reference.of(scores)
    if reference.scores.m != 3:
        raise InputError(f"the figure shows three systems, not {reference.scores.m}")
    values = aligned(reference.scores, y)
    found = rank_distance(reference, values)
    order = reference.orders(values)[0]
    # Second difference to the right, first one upwards, as in the paper.
    centre, nearest = found.differences[::-1], found.nearest[::-1]
    target = -np.diff(values[order])[::-1]
    contours = _contours(centre, _root(reference, order)[::-1])
    low, high = _view(contours, target)
    a, b, c = (printable(name) for name in found.systems)
    x_axis = alt.X("x:Q", title=f"{b} − {c}", scale=alt.Scale(domain=[low[0], high[0]], nice=False))
    y_axis = alt.Y("y:Q", title=f"{a} − {b}", scale=alt.Scale(domain=[low[1], high[1]], nice=False))

    def layer(rows: list[dict[str, Any]]) -> alt.Chart:
        return alt.Chart(alt.InlineData(values=rows))

    shade = layer([{"x": 0.0, "y": 0.0, "right": float(high[0]), "top": float(high[1])}])
    parting = _parting(low, high)
    path = [{"x": float(p[0]), "y": float(p[1])} for p in (centre, nearest)]
    points = _points(centre, nearest, target, found.distance)
    names = [str(point["what"]) for point in points]
    legend = alt.Legend(orient="bottom", direction="vertical", labelLimit=width)
    labels = _labels(a, b, c, low, high)
    chart: alt.LayerChart = finished(
        layered(
            shade.mark_rect(color=BAND).encode(x_axis, y_axis, x2="right:Q", y2="top:Q"),
            layer(parting)
            .mark_line(color=MUTED, strokeDash=[4, 3], clip=True)
            .encode(x_axis, y_axis, detail="line:N"),
            layer(contours)
            .mark_line(color=ACCENT, strokeWidth=1, clip=True)
            .encode(x_axis, y_axis, detail="share:N", order="place:Q"),
            layer(path).mark_line(color=DOUBT, strokeWidth=2).encode(x_axis, y_axis),
            layer(points)
            .mark_point(filled=True, size=70, opacity=1)
            .encode(
                x_axis,
                y_axis,
                color=alt.Color(
                    "what:N",
                    title=None,
                    legend=legend,
                    scale=alt.Scale(domain=names, range=[INK, DOUBT, MUTED]),
                ),
                shape=alt.Shape("what:N", title=None, legend=legend, scale=alt.Scale(domain=names)),
            ),
            layer(labels).mark_text(color=MUTED, fontSize=FONT).encode(x_axis, y_axis, text="text:N"),
        ).properties(width=width, height=height),
        Size(width, height, row=0, font=FONT, background="white"),
        framed=True,
    )
    return chart


def _root(reference: Reference, order: NDArray[np.intp]) -> Matrix:
    """A root of the covariance of the two differences between means of neighbors in that order, 2 × 2."""
    rows = reference.factor[order]
    differences = rows[:-1] - rows[1:]
    covariance = (differences @ differences.T + reference.added) / reference.scores.n
    root: Matrix = np.asarray(np.linalg.cholesky(covariance), dtype=np.float64)
    return root


def _points(centre: Vector, nearest: Vector, target: Vector, distance: float) -> list[dict[str, Any]]:
    """The three points that the figure names."""
    return [
        {"x": float(p[0]), "y": float(p[1]), "what": what}
        for p, what in (
            (centre, "means of the reference"),
            (nearest, f"nearest that ranks alike: distance {distance:.2f}"),
            (target, "means behind the other ranking"),
        )
    ]


def _contours(centre: Vector, root: Matrix) -> list[dict[str, Any]]:
    """Points of the ellipses that hold the shares `CONTOURS` of a bivariate normal distribution.

    Args:
        centre: its mean, 2.
        root: 2 × 2; root · rootᵀ is its covariance.
    """
    radii = np.sqrt(-2 * np.log1p(-np.array(CONTOURS)))  # χ² quantiles, two degrees of freedom
    turn = np.linspace(0, 2 * np.pi, 121)
    circle = np.stack([np.cos(turn), np.sin(turn)])
    return [
        {"x": x, "y": y, "share": f"{share:.1%}", "place": place}
        for share, radius in zip(CONTOURS, radii, strict=True)
        for place, (x, y) in enumerate((centre[:, None] + radius * root @ circle).T.tolist())
    ]


def _view(contours: list[dict[str, Any]], target: Vector) -> tuple[Vector, Vector]:
    """The lowest and the highest x and y of the figure."""
    reach = np.array([[c["x"], c["y"]] for c in contours] + [[0.0, 0.0], target.tolist()], dtype=float)
    low, high = reach.min(axis=0), reach.max(axis=0)
    # Every ranking has room for its name: each axis goes well beyond zero on both sides.
    room = np.array([0.3, 0.9]) * np.maximum(high, -low)
    return np.minimum(1.1 * low, -room), np.maximum(1.1 * high, room)


def _parting(low: Vector, high: Vector) -> list[dict[str, Any]]:
    """Ends of the three lines on which two systems are equal: both axes and the falling diagonal."""
    return [
        {"line": "x", "x": 0.0, "y": float(low[1])},
        {"line": "x", "x": 0.0, "y": float(high[1])},
        {"line": "y", "x": float(low[0]), "y": 0.0},
        {"line": "y", "x": float(high[0]), "y": 0.0},
        *({"line": "diagonal", "x": x, "y": -x} for x in (float(low[0]), float(high[0]))),
    ]


def _labels(a: str, b: str, c: str, low: Vector, high: Vector) -> list[dict[str, Any]]:
    """The ranking that each of the six regions stands for, at a place inside it that is in view."""
    rankings = {
        (True, True, True): (a, b, c),
        (True, False, True): (b, a, c),
        (True, False, False): (b, c, a),
        (False, False, False): (c, b, a),
        (False, True, False): (c, a, b),
        (False, True, True): (a, c, b),
    }
    x, y = np.meshgrid(*(np.linspace(low[i], high[i], 61) for i in (0, 1)))
    scale = high - low
    # How far inside its region a place is: from both axes, the diagonal and the frame, in frame widths.
    inside = np.min(
        [
            np.abs(x) / scale[0],
            np.abs(x + y) / (scale[0] + scale[1]),
            (x - low[0]) / scale[0],
            (high[0] - x) / scale[0],
            2 * np.abs(y) / scale[1],  # a name is wide, not high
            2 * (y - low[1]) / scale[1],
            2 * (high[1] - y) / scale[1],
        ],
        axis=0,
    )
    found = []
    for (right, above, sum_positive), ranking in rankings.items():
        region = ((x > 0) == right) & ((y > 0) == above) & ((x + y > 0) == sum_positive)
        if region.any():
            best = np.unravel_index(np.argmax(np.where(region, inside, -1)), x.shape)
            if inside[best] > 0.02:
                found.append({"x": float(x[best]), "y": float(y[best]), "text": " > ".join(ranking)})
    return found
