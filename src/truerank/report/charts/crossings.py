"""Two rankings side by side: a line a system, and a dot where two cross, by the evidence against it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from truerank.coefficients import tied_ranks
from truerank.report.charts.rows import GAP, Rows, name_labels, remark, room_right, row_axis
from truerank.report.charts.style import (
    PADDING,
    PAGE,
    Records,
    Size,
    chart,
    finished,
    fixed,
    layered,
    noted,
)
from truerank.report.lettering import in_passing
from truerank.report.palette import ACCENT, DOUBT, INK, LINE, MUTED, SOFT
from truerank.report.words import number

if TYPE_CHECKING:
    from truerank.comparison import Comparison

ALPHA = 0.05
"""Below it a pair's paired t-test counts as significant."""

SOME = 1.0
"""|t| from which a crossing is more than noise would give most of the time."""

MOST = 2_000
"""Crossings drawn; those with most evidence, where there are more."""

COLOURS = (LINE, SOFT, ACCENT, DOUBT)
"""No crossing; little evidence against it; some; significant."""

FULL = 3.0
"""|t| whose lines have full colour, or the largest where that is more."""

FAINT = 0.3
"""Opacity of a line whose crossings have no evidence against them; that with most has 1."""

SIZES = (0.0, 0.8, 1.1, 1.5)
"""Of the dots, relative to a row's own dot."""


def crossings_chart(result: Comparison, size: Size = PAGE) -> Any:
    """The reference's ranking on the left, the other's on the right.

    Lines and dots have the colour of the evidence, in the reference, for the order that the other
    ranking turns round; a line has that of its strongest crossing, fainter
    the less there is. O(m² + crossings).
    """
    import altair as alt

    left, right = place_of(result)
    pairs = crossing_pairs(result)
    rows = Rows.of(result.reference.systems, size)
    lines = _lines(result, left, right, pairs)
    dots = _dots(result, left, right, pairs[:MOST])
    scale = alt.Scale(domain=[0, 1], nice=False)
    across = alt.X("x:Q", scale=scale, axis=None)
    colour = alt.Color(
        "kind:N", scale=alt.Scale(domain=[0, 1, 2, 3], range=list(COLOURS)), legend=None, sort=None
    )
    span = chart(lines).mark_rule(strokeWidth=max(1.0, 0.7 * rows.stroke), strokeCap="round")
    marks = chart(dots).mark_circle(opacity=1)
    width = size.width - 2 * rows.names - PADDING
    made = layered(
        span.encode(
            x=across,
            x2=alt.X2("x2:Q"),
            y=row_axis("left", rows.count),
            y2=alt.Y2("right:Q"),
            color=colour,
            opacity=alt.Opacity("strength:Q", scale=None),
            description=alt.Description("about:N"),
        ),
        marks.encode(
            x=across,
            y=row_axis("y", rows.count),
            color=colour,
            size=alt.Size(
                "kind:N",
                scale=alt.Scale(domain=[0, 1, 2, 3], range=[relative * rows.dot for relative in SIZES]),
                legend=None,
            ),
            description=alt.Description("about:N"),
        ),
        name_labels(
            [
                {"row": left[s], "name": name, "rank": left[s]}
                for s, name in enumerate(result.reference.systems)
            ],
            rows,
        ),
        *_right_labels(result, right, rows, width),
    ).properties(width=width, height=rows.height)
    return finished(noted(made, remark(rows, rows.count), size), size)


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
    from scipy.special import stdtr

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
            "about": f"{in_passing(name)}: rank {left[s]} in the reference, {right[s]} in the other",
        }
        for s, name in enumerate(result.reference.systems)
    ]
    return sorted(
        records, key=lambda r: (r["kind"], r["strength"], r["left"])
    )  # the strongest are drawn last


def _dots(
    result: Comparison, left: list[int], right: list[int], pairs: list[tuple[int, int, float, int]]
) -> Records:
    """Where the two lines of each pair cross."""
    records = []
    names, means = result.reference.systems, result.reference.means
    for above, below, t, kind in reversed(pairs):
        before, after = left[below] - left[above], right[above] - right[below]
        x = before / (before + after)
        size = "∞" if t == float("inf") else number(t, 2)
        records.append(
            {
                "x": x,
                "y": left[above] + x * (right[above] - left[above]),
                "kind": kind,
                "about": f"{in_passing(names[above])} above {in_passing(names[below])} in the reference by "
                f"{number(float(means[above] - means[below]), 4)}, t = {size}; the other way round here",
            }
        )
    return records


def _right_labels(result: Comparison, right: list[int], rows: Rows, width: float) -> list[Any]:
    """Names right of the rows, each with its rank before it."""
    import altair as alt

    shown = [
        {"row": right[s], "name": rows.labels[name], "rank": str(right[s])}
        for s, name in enumerate(result.reference.systems)
        if (right[s] - 1) % rows.every == 0
    ]
    y = row_axis("row", rows.count)
    text = chart(shown).mark_text(align="left", baseline="middle", fontSize=rows.font, aria=False)
    ranks = text.encode(x=fixed("X", "width"), y=y, text=alt.Text("rank:N"), color=fixed("Color", MUTED))
    names = text.encode(x=fixed("X", "width"), y=y, text=alt.Text("name:N"), color=fixed("Color", INK))
    return [
        room_right(width, rows.names),
        ranks.encode(xOffset=fixed("XOffset", GAP)),
        names.encode(xOffset=fixed("XOffset", GAP + rows.ranks)),
    ]
