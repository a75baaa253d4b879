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
from truerank.comparison.significance.pair_tests import friedman, nemenyi_p_values
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

MOST = 30
"""Systems that are drawn at most, the best ones."""


@dataclass(frozen=True)
class Line:
    """Systems by one test: its name, where systems stand, best first, and which of them it joins."""

    title: str
    places: Vector
    groups: Sequence[Sequence[int]]
    names: Sequence[str]


def lines(found: Significance, size: Size = COLUMN) -> list[Line]:
    """By the result's own test along mean scores, and by Nemenyi's along mean ranks."""
    test = TESTS[found.tests.test]
    how = test.label if test.simultaneous else f"{test.label}, {CORRECTIONS[found.tests.correction].label}"
    made = []
    if found.tests.test != "nemenyi":
        made.append(_line(f"Mean scores, {how}", found.scores.means, found.tests.p_values, found, size, -1))
    values = found.scores.values
    ranks = friedman(values)
    critical = number(critical_difference(found), 2)
    title = f"Mean ranks, Nemenyi's test (critical difference {critical})"
    return [*made, _line(title, ranks.ranks, nemenyi_p_values(values), found, size, 1)]


def critical_difference(found: Significance) -> float:
    """Of mean ranks: q_α √(m(m + 1) / 6n), q the studentized range over √2 (Demšar 2006, 3.2.2)."""
    from scipy.stats import studentized_range

    n, m = found.scores.values.shape
    return float(studentized_range.ppf(1 - found.alpha, m, np.inf) * np.sqrt(m * (m + 1) / (12 * n)))


def _line(title: str, places: Vector, p: Matrix, found: Significance, size: Size, sign: int) -> Line:
    """The systems that are drawn, best first; a group is one of which no two differ, of two or more."""
    wanted = size.systems or found.scores.systems
    order = [s for s in np.argsort(sign * places, kind="stable") if found.scores.systems[s] in wanted][:MOST]
    apart = p[np.ix_(order, order)] < found.alpha
    np.fill_diagonal(apart, False)
    groups = [np.flatnonzero(group).tolist() for group in groups_of(apart)]
    names = [printable(found.scores.systems[s]) for s in order]
    return Line(title, places[order], [group for group in groups if len(group) > 1], names)


def critical_difference_chart(found: Significance, size: Size = COLUMN) -> Chart:
    """The diagrams by both ways, one below the other; each has its test in the title."""
    shown = lines(found, size)
    left = found.scores.m - len(shown[0].names)
    note = f"{left} more systems are not drawn." if left else ""
    return finished(vconcat(*(_drawn(line, size) for line in shown), spacing=2 * size.font), size, note=note)


def _drawn(line: Line, size: Size) -> Chart:
    """One diagram, in points from its upper left corner."""
    font, row = size.font, 1.5 * size.font
    shown = list(fitted(line.names, 0.3 * size.width, size.text).values())
    half = (len(shown) + 1) // 2
    sides = shown[:half], shown[half:]
    left, right = (max(map(size.text, side), default=0) + font for side in sides)
    first, last = float(line.places[0]), float(line.places[-1])
    scale = (size.width - left - right - 2 * font) / ((last - first) or 1)
    x = [left + font + (float(place) - first) * scale for place in line.places]
    axis = 2.2 * row
    rows = _stacked(line.groups)
    below = axis + 0.7 * row + (max(rows, default=-1) + 1) * 0.6 * row
    thin, thick, dots, texts = [], [], [], [_text(line.title, 0, 0.5 * row, "left")]
    thin.append((x[0], axis, x[-1], axis))
    for tick in _ticks(first, last):
        at = left + font + (tick - first) * scale
        thin.append((at, axis - 0.25 * row, at, axis))
        texts.append(_text(f"{tick:g}".replace("-", "−"), at, axis - 0.7 * row, "center"))
    for group, place in zip(line.groups, rows, strict=True):
        y = axis + 0.5 * row + place * 0.6 * row
        thick.append((x[group[0]], y, x[group[-1]], y))
        dots += [{"x": x[s], "y": y} for s in group]
    for s, name in enumerate(shown):
        on_left = s < half
        y = below + row * (s if on_left else len(shown) - 1 - s)
        edge = left if on_left else size.width - right
        thin += [(x[s], axis, x[s], y), (x[s], y, edge, y)]
        beside = -0.4 * font if on_left else 0.4 * font
        texts.append(_text(name, edge + beside, y, "right" if on_left else "left"))
    return _picture(thin, thick, dots, texts, below + row * half, size)


def _picture(
    thin: list[Any], thick: list[Any], dots: Records, texts: Records, height: float, size: Size
) -> Chart:
    place: dict[str, Any] = {
        "x": channel("x:Q", scale={"domain": [0, size.width], "nice": False}, axis=None),
        "y": channel("y:Q", scale={"domain": [height, 0], "nice": False}, axis=None),
    }

    def ruled(lines: list[Any], width: float, color: str) -> Chart:
        records = [{"x": a, "y": b, "x2": c, "y2": d} for a, b, c, d in lines]
        look: dict[str, Any] = {"strokeWidth": width, "color": color, "strokeCap": "round"}
        return mark("rule", records, x2="x2:Q", y2="y2:Q", **place, **look)

    layers = [ruled(thin, 0.08 * size.font, MUTED)]
    if thick:
        layers.append(ruled(thick, 0.35 * size.font, INK))
        layers.append(mark("point", dots, color=INK, size=0.5 * size.font**2, **place))
    for align in ("left", "center", "right"):
        some = [one for one in texts if one["align"] == align]
        look: dict[str, Any] = {"align": align, "color": INK, "limit": 0}
        layers.append(mark("text", some, text="text:N", **place, **look))
    return layered(*layers, width=size.width, height=height)


def _text(text: str, x: float, y: float, align: str) -> dict[str, Any]:
    return {"text": text, "x": x, "y": y, "align": align}


def _stacked(groups: Sequence[Sequence[int]]) -> list[int]:
    """The row of each bar: bars of one row do not touch."""
    ends: list[int] = []
    rows = []
    for group in groups:
        row = next((row for row, end in enumerate(ends) if end < group[0]), len(ends))
        ends[row : row + 1] = [group[-1]]
        rows.append(row)
    return rows


def _ticks(first: float, last: float) -> list[float]:
    """About five round numbers between two."""
    low, high = sorted((first, last))
    if high == low:
        return [low]
    step = 10 ** np.floor(np.log10((high - low) / 5))
    step *= next(by for by in (1, 2, 5, 10) if (high - low) / (by * step) <= 6)
    return [float(tick) for tick in np.arange(np.ceil(low / step), np.floor(high / step) + 1) * step]
