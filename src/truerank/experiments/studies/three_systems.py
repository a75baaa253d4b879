"""The example of carterette-2009 §3.1 and its Figure 2: every ranking of three systems over four topics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise, permutations
from typing import Any

import numpy as np

from truerank._support.escaping import printable
from truerank._support.seeds import stream
from truerank._support.types import Vector
from truerank.coefficients import kendall_interval, tau
from truerank.comparison.distance import Reference, rank_distance, rank_distance_test
from truerank.comparison.significance import significant_agreement
from truerank.experiments.experiment import Grid, Row, Summary, Task, declared, tables
from truerank.experiments.store import Results
from truerank.report.charts.style import Chart, Records, Size, channel, finished, layered, mark
from truerank.report.palette import ACCENT, BAND, DOUBT, INK, MUTED
from truerank.scores import ScoreMatrix

# Shares of the probability inside the contours; the paper names the first and the last.
CONTOURS = (0.025, 0.25, 0.5, 0.75, 0.9, 0.975)
FONT = 11  # of names and numbers, pixels


def cone_figure(scores: ScoreMatrix, y: Sequence[float], size: Size | None = None) -> Chart:
    """Where the true means of three systems may be, by ranking, and the nearest ones that rank as y does.

    The axes are the two differences between neighbors in y's order. Contours: the normal distribution of
    X's means (n topics). Shaded: y's ranking; the rank distance leads from X's means to its nearest point.
    """
    size = size or Size(420 + 6 * FONT, 340, 0, FONT)
    width = min(size.width - 6 * size.font, 38 * size.font)
    reference, values = Reference.of(scores), np.array(y)
    found = rank_distance(reference, values)
    order = reference.orders(values)[0]
    # Second difference to the right, first one upwards, as in the paper.
    center, nearest, target = found.differences[::-1], found.nearest[::-1], -np.diff(values[order])[::-1]
    rows = reference.factor[order]
    differences = rows[:-1] - rows[1:]
    covariance = (differences @ differences.T + reference.added) / reference.scores.n
    contours = _contours(center, np.linalg.cholesky(covariance)[::-1])
    low, high = _view(contours, target)
    names = [printable(name) for name in found.systems]
    (left, bottom), (right, top) = low.tolist(), high.tolist()
    first, second = f"{names[0]} − {names[1]}", f"{names[1]} − {names[2]}"
    place = {
        "x": channel("x:Q", title=second, scale={"domain": [left, right], "nice": False}),
        "y": channel("y:Q", title=first, scale={"domain": [bottom, top], "nice": False}),
    }
    labels = [
        "means of the reference",
        f"nearest that ranks alike: distance {found.distance:.2f}",
        "means behind the other ranking",
    ]
    places = zip((center.tolist(), nearest.tolist(), target.tolist()), labels, strict=True)
    points = [{"x": x, "y": y, "what": what} for (x, y), what in places]
    legend = {"title": None, "orient": "bottom", "direction": "vertical", "labelLimit": width}
    color = channel("what:N", legend=legend, scale={"domain": labels, "range": [INK, DOUBT, MUTED]})
    shape = channel("what:N", legend=legend, scale={"domain": labels})
    # The three lines on which two systems are equal: both axes and the falling diagonal.
    ends = ((0.0, bottom), (0.0, top)), ((left, 0.0), (right, 0.0)), ((left, -left), (right, -right))
    lines = zip(("x", "y", "diagonal"), ends, strict=True)
    parted = [{"line": line, "x": x, "y": y} for line, both in lines for x, y in both]
    shaded = [{"x": 0.0, "y": 0.0, "right": right, "top": top}]
    parting: dict[str, Any] = {"color": MUTED, "strokeDash": [4, 3], "strokeWidth": size.font / 8}
    contours_drawn: dict[str, Any] = {"color": ACCENT, "strokeWidth": size.font / 11, "clip": True}
    drawn = layered(
        mark("rect", shaded, color=BAND, x2="right:Q", y2="top:Q", **place),
        mark("line", parted, clip=True, detail="line:N", **parting, **place),
        mark("line", contours, detail="share:N", order="place:Q", **contours_drawn, **place),
        mark("line", points[:2], color=DOUBT, strokeWidth=size.font / 6, **place),
        mark("point", points, size=0.58 * size.font**2, color=color, shape=shape, **place),
        mark("text", _labels(names, low, high), color=MUTED, text="text:N", **place),
        width=width,
        height=0.81 * width,
    )
    return finished(drawn, size, framed=True)


def _contours(center: Vector, root: Any) -> Records:
    """Points of the ellipses that hold shares of a normal distribution with covariance `root` · `root`ᵀ."""
    radii = np.sqrt(-2 * np.log1p(-np.array(CONTOURS)))  # χ² quantiles, two degrees of freedom
    turn = np.linspace(0, 2 * np.pi, 121)
    circle = np.stack([np.cos(turn), np.sin(turn)])
    return [
        {"x": x, "y": y, "share": f"{share:.1%}", "place": place}
        for share, radius in zip(CONTOURS, radii, strict=True)
        for place, (x, y) in enumerate((center[:, None] + radius * root @ circle).T.tolist())
    ]


def _view(contours: Records, target: Vector) -> tuple[Vector, Vector]:
    reach = np.array([[c["x"], c["y"]] for c in contours] + [[0.0, 0.0], target.tolist()], dtype=float)
    low, high = reach.min(axis=0), reach.max(axis=0)
    # Every ranking has room for its name: each axis goes well beyond zero on both sides.
    room = np.array([0.3, 0.9]) * np.maximum(high, -low)
    return np.minimum(1.1 * low, -room), np.maximum(1.1 * high, room)


def _labels(names: list[str], low: Vector, high: Vector) -> Records:
    """The ranking that each of the six regions stands for, at a place inside it that is in view."""
    x, y = np.meshgrid(*(np.linspace(low[i], high[i], 61) for i in (0, 1)))
    wide, tall = high - low
    # How far inside its region a place is, in frame widths: from axes, diagonal and frame. A name is wide.
    sides = [np.abs(x), x - low[0], high[0] - x], [np.abs(y), y - low[1], high[1] - y]
    inside = np.min([*(d / wide for d in sides[0]), *(2 * d / tall for d in sides[1])], axis=0)
    inside = np.minimum(inside, np.abs(x + y) / (wide + tall))
    means = np.stack([x + y, x, np.zeros_like(x)])  # the systems', when the last one's is 0
    found = []
    for ranking in permutations(range(3)):
        region = np.all([means[a] > means[b] for a, b in pairwise(ranking)], axis=0)
        best = np.unravel_index(np.argmax(np.where(region, inside, -1)), x.shape)
        if region[best] and inside[best] > 0.02:
            text = " > ".join(names[system] for system in ranking)
            found.append({"x": float(x[best]), "y": float(y[best]), "text": text})
    return found


AP = [[0.283, 0.481, 0.516], [0.017, 0.399, 0.544], [0.075, 0.300, 0.277], [0.183, 0.662, 0.616]]
P10 = [0.5, 0.75, 0.7]
KENDALL = 0.9, 25  # τ and number of systems of the example of equation 1


@dataclass(frozen=True)
class ThreeSystemsParameters:
    """None: the example is the paper's, and all resamples of its four topics are enumerated."""


def load(sources: Any, parameters: ThreeSystemsParameters) -> dict[str, ScoreMatrix]:
    return {"example": ScoreMatrix.build(AP, systems=["A", "B", "C"], measure="AP")}


def work(scores: ScoreMatrix, task: Task, seed: int) -> list[Row]:
    values = [-str(task["ranking"]).index(system) for system in scores.systems]
    test = rank_distance_test(scores, values, seed=int(stream(seed, "example").integers(1 << 31)))
    kept = significant_agreement(scores, values)
    return [{"tau": tau(scores.means, values), "kept": kept, "distance": test.distance, "p": test.p_value}]


def summarize(results: Results) -> Summary:
    import pandas as pd

    rows = results.frame()[["ranking", "tau", "kept", "distance", "p"]]
    low, high = kendall_interval(*KENDALL)
    interval = pd.DataFrame([(*KENDALL, low, high)], columns=["tau", "systems", "low", "high"])
    frames = {"rankings": rows, "interval": interval}
    example = load(None, results.parameters)["example"]
    return Summary(tables("three-systems", frames), {"contours": partial(cone_figure, example, P10)})


EXPERIMENT = declared(
    "three-systems",
    ThreeSystemsParameters,
    work,
    summarize,
    6,
    load=load,
    prepare=lambda parameters, data, seed: data["example"],
    grid=lambda parameters, data: Grid({"ranking": tuple("".join(order) for order in permutations("ABC"))}),
)
