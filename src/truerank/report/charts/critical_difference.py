"""The critical difference diagram: systems along a line, and bars that join those that do not differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from truerank._support.escaping import printable
from truerank._support.types import Matrix, Vector
from truerank._support.wording import number
from truerank.comparison.significance import CORRECTIONS, TESTS
from truerank.comparison.significance.significance_test import friedman, nemenyi_p_values
from truerank.reliability.standings import groups_of
from truerank.report.charts.style import (
    COLUMN,
    Chart,
    Records,
    Size,
    channel,
    finished,
    layered,
    mark,
    vconcat,
)
from truerank.report.lettering import fitted
from truerank.report.palette import INK, MUTED

if TYPE_CHECKING:
    from truerank.comparison.significance import Significance

MOST = 30  # systems that are drawn at most, the best ones


@dataclass(frozen=True)
class Line:
    """Systems by one test: its name, where systems stand, best first, and which of them it joins."""

    title: str
    places: Vector
    groups: Sequence[Sequence[int]]
    names: Sequence[str]


def lines(result: Significance, size: Size = COLUMN) -> list[Line]:
    """By the result's own test along mean scores, and by Nemenyi's along mean ranks."""
    test = TESTS[result.tests.test]
    how = test.label if test.simultaneous else f"{test.label}, {CORRECTIONS[result.tests.correction].label}"
    made = []
    if result.tests.test != "nemenyi":
        made.append(
            _line(f"Mean scores, {how}", result.scores.means, result.tests.p_values, result, size, -1)
        )
    values = result.scores.values
    ranks = friedman(values)
    critical = number(critical_difference(result), 2)
    title = f"Mean ranks, Nemenyi's test (critical difference {critical})"
    return [*made, _line(title, ranks.ranks, nemenyi_p_values(values), result, size, 1)]


def critical_difference(result: Significance) -> float:
    """For mean ranks, q_α √(m(m + 1) / 6n), q the studentized range over √2 (Demšar 2006, 3.2.2)."""
    from scipy.stats import studentized_range

    n, m = result.scores.values.shape
    return float(studentized_range.ppf(1 - result.alpha, m, np.inf) * np.sqrt(m * (m + 1) / (12 * n)))


def _line(title: str, places: Vector, p: Matrix, result: Significance, size: Size, sign: int) -> Line:
    """The systems that are drawn, best first; a group is one of which no two differ, of two or more."""
    order = np.argsort(sign * places, kind="stable")[:MOST]
    apart = p[np.ix_(order, order)] < result.alpha
    np.fill_diagonal(apart, False)
    groups = [np.flatnonzero(group).tolist() for group in groups_of(apart)]
    names = [printable(result.scores.systems[s]) for s in order]
    return Line(title, places[order], [group for group in groups if len(group) > 1], names)


def critical_difference_chart(result: Significance, size: Size = COLUMN) -> Chart:
    """The diagrams by both ways, one below the other; each has its test in the title."""
    shown = lines(result, size)
    left = result.scores.m - len(shown[0].names)
    note = f"{left} more systems are not drawn." if left else ""
    return finished(vconcat(*(_drawn(line, size) for line in shown), spacing=2 * size.font), size, note=note)


def _drawn(line: Line, size: Size) -> Chart:
    """One diagram: an axis above, names below on either side, each with a line to its place."""
    font, row, m = size.font, 1.5 * size.font, len(line.names)
    shown = list(fitted(line.names, 0.3 * size.width, size.text).values())
    half = (m + 1) // 2
    left, right = (max(map(size.text, side), default=0) + font for side in (shown[:half], shown[half:]))
    places = [float(place) for place in line.places]
    rows = _stacked(line.groups)
    below = 0.7 * row + (max(rows, default=-1) + 1) * 0.6 * row
    height = below + row * half
    axis = {"title": line.title, "titleAnchor": "start", "titleX": 0, "orient": "top", "tickCount": 5}
    axis |= {"grid": False, "domain": True, "ticks": True, "domainColor": MUTED, "tickColor": MUTED}
    scale = {"domain": [places[0], places[-1]], "range": [left + font, size.width - right - font]}
    x = channel("x:Q", scale={**scale, "nice": False, "zero": False}, axis=axis)
    y = channel("y:Q", scale={"domain": [height, 0], "nice": False}, axis=None)
    thin: dict[str, Any] = {"strokeWidth": 0.08 * font, "color": MUTED, "y": y}
    layers = []
    for align, edge, side, some in (
        ("right", left, -1, range(half)),
        ("left", size.width - right, 1, range(half, m)),
    ):
        named: Records = [
            {"x": places[s], "y": below + row * min(s, m - 1 - s), "top": 0.0, "name": shown[s]} for s in some
        ]
        look: dict[str, Any] = {"text": "name:N", "align": align, "color": INK, "limit": 0}
        layers += [
            mark("rule", named, x=x, y2="top:Q", **thin),
            mark("rule", named, x=x, x2=edge, **thin),
            mark("text", named, x=edge + 0.4 * side * font, y=y, **look),
        ]
    ends = list(zip(line.groups, [0.5 * row + place * 0.6 * row for place in rows], strict=True))
    bars: Records = [{"x": places[group[0]], "end": places[group[-1]], "y": at} for group, at in ends]
    dots: Records = [{"x": places[s], "y": at} for group, at in ends for s in group]
    thick: dict[str, Any] = {"strokeWidth": 0.35 * font, "strokeCap": "round"}
    layers.append(mark("rule", bars, x=x, x2="end:Q", y=y, color=INK, **thick))
    layers.append(mark("point", dots, x=x, y=y, color=INK, size=0.5 * font**2))
    return layered(*layers, width=size.width, height=height)


def _stacked(groups: Sequence[Sequence[int]]) -> list[int]:
    """The row of each bar: bars of one row do not touch."""
    ends: list[int] = []
    rows = []
    for group in groups:
        row = next((row for row, end in enumerate(ends) if end < group[0]), len(ends))
        ends[row : row + 1] = [group[-1]]
        rows.append(row)
    return rows
