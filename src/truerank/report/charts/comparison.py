"""Two rankings side by side, and the evidence against each crossing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from truerank.coefficients import tied_ranks
from truerank.report.charts.rows import GAP, Rows, name_labels, remark, room_right, row_axis, texts_right
from truerank.report.charts.style import (
    COLUMN,
    PADDING,
    Chart,
    Records,
    Size,
    channel,
    finished,
    layered,
    mark,
)
from truerank.report.palette import ACCENT, DOUBT, INK, LINE, SOFT

if TYPE_CHECKING:
    from truerank.comparison import Comparison

ALPHA = 0.05
"""Below it a pair's paired t-test counts as significant."""

SOME = 1.0
"""|t| from which a crossing is more than noise would give most of the time."""

MOST = 2_000
"""Crossings drawn; those with most evidence, where there are more."""

COLORS = (LINE, SOFT, ACCENT, DOUBT)
"""No crossing; little evidence against it; some; significant."""

FULL = 3.0
"""|t| whose lines have full color, or the largest where that is more."""

FAINT = 0.3
"""Opacity of a line whose crossings have no evidence against them; that with most has 1."""

SIZES = (0.0, 0.8, 1.1, 1.5)
"""Of the dots, relative to a row's own dot."""


def crossings_chart(result: Comparison, size: Size = COLUMN) -> Chart:
    """The reference's ranking on the left, the other's on the right.

    Lines and dots have the color of the evidence, in the reference, for the order that the other ranking
    turns around. A line has that of its strongest crossing, fainter the less there is. O(m² + crossings).
    """
    left, right = place_of(result)
    pairs = crossing_pairs(result)
    systems = result.reference.systems
    rows = Rows.of(systems, size)
    width = size.width - 2 * rows.names - PADDING
    kinds = [0, 1, 2, 3]
    across = channel("x:Q", scale={"domain": [0, 1], "nice": False}, axis=None)
    color = channel("kind:N", scale={"domain": kinds, "range": [*COLORS]}, legend=None, sort=None)
    areas = {"domain": kinds, "range": [relative * rows.dot for relative in SIZES]}
    before = [{"row": left[s], "name": name, "rank": left[s]} for s, name in enumerate(systems)]
    behind = [
        {"row": right[s], "name": rows.labels[name], "rank": str(right[s])}
        for s, name in enumerate(systems)
        if (right[s] - 1) % rows.every == 0
    ]
    drawn = layered(
        mark(
            "rule",
            _lines(result, left, right, pairs),
            strokeWidth=max(1.0, 0.7 * rows.stroke),
            strokeCap="round",
            x=across,
            x2="x2:Q",
            y=row_axis("left", rows.count),
            y2="right:Q",
            color=color,
            opacity=channel("strength:Q", scale=None),
        ),
        mark(
            "circle",
            _dots(left, right, pairs[:MOST]),
            x=across,
            y=row_axis("y", rows.count),
            color=color,
            size=channel("kind:N", scale=areas, legend=None),
        ),
        name_labels(before, rows),
        room_right(width, rows.names),
        texts_right(behind, rows, "rank", GAP),
        texts_right(behind, rows, "name", GAP + rows.ranks, INK),
        width=width,
        height=rows.height,
    )
    return finished(drawn, size, note=remark(rows, rows.count))


def place_of(result: Comparison) -> tuple[list[int], list[int]]:
    """1-based ranks of the systems in the reference and in the other ranking; ties as the distance does."""
    order = result.reference.order
    ties_as_baseline = np.lexsort((np.argsort(order), tied_ranks(result.values)))
    places = []
    for ranking in (order, ties_as_baseline):
        ranks = np.empty(len(ranking), dtype=int)
        ranks[ranking] = np.arange(1, len(ranking) + 1)
        places.append(ranks.tolist())
    return places[0], places[1]


def crossing_pairs(result: Comparison) -> list[tuple[int, int, float, int]]:
    """The discordant pairs, most evidence first: above and below in the reference, |t|, kind of evidence."""
    from truerank.numerics.special import stdtr

    reference, other = tied_ranks(result.reference.means), tied_ranks(result.values)
    evidence = result.evidence()
    above, below = np.nonzero((reference[:, None] < reference[None, :]) & (other[:, None] > other[None, :]))
    t = evidence[above, below]
    significant = 2 * stdtr(result.reference.n - 1, -t) < ALPHA
    kinds = np.where(significant, 3, np.where(t >= SOME, 2, 1))
    strongest = np.argsort(-t, kind="stable")
    return [(int(above[i]), int(below[i]), float(t[i]), int(kinds[i])) for i in strongest]


def _lines(
    result: Comparison, left: list[int], right: list[int], pairs: list[tuple[int, int, float, int]]
) -> Records:
    strongest = {s: (t, kind) for above, below, t, kind in reversed(pairs) for s in (above, below)}
    most = max((t for t, _ in strongest.values() if t < np.inf), default=0.0)
    most = max(most, FULL)
    records = [
        {
            "x": 0,
            "x2": 1,
            "left": left[s],
            "right": right[s],
            "kind": strongest[s][1] if s in strongest else 0,
            "strength": FAINT + (1 - FAINT) * min(1.0, strongest[s][0] / most) if s in strongest else 1.0,
        }
        for s in range(result.reference.m)
    ]
    # The strongest are drawn last.
    return sorted(records, key=lambda r: (r["kind"], r["strength"], r["left"]))


def _dots(left: list[int], right: list[int], pairs: list[tuple[int, int, float, int]]) -> Records:
    """Where the two lines of each pair cross."""
    records = []
    for above, below, _, kind in reversed(pairs):
        before, after = left[below] - left[above], right[above] - right[below]
        x = before / (before + after)
        records.append(
            {
                "x": x,
                "y": left[above] + x * (right[above] - left[above]),
                "kind": kind,
            }
        )
    return records
