"""Several measures (or tables) of the same systems side by side: what each says of every system's rank."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from truerank.report.charts.rows import Rows, name_labels, rank_ticks, remark, room_right, row_axis
from truerank.report.charts.style import (
    PADDING,
    PAGE,
    Records,
    Size,
    chart,
    finished,
    layered,
    noted,
    symbol_drawn,
)
from truerank.report.lettering import in_passing
from truerank.report.palette import INK, SOFT
from truerank.report.words import NONE, level_text, number, printable

if TYPE_CHECKING:
    from truerank.reliability.results import Assessment

NARROWEST = 9.0
"""Of a panel, in widths of the font; of more measures than fit so, the next stand below."""


def measures_chart(
    assessments: Sequence[Assessment], size: Size = PAGE, shown: Sequence[str] | None = None
) -> Any:
    """A panel a measure: observed ranks, and the intervals of the true ones, in the first one's order.

    Args:
        assessments: of two measures or more; systems that one of them lacks are left out.
        size: for a page or a paper.
        shown: the systems that are drawn; all by default.
    """
    import altair as alt

    common = set.intersection(*({s.system for s in one.ranking} for one in assessments))
    wanted = common if shown is None else common & {*shown}
    first = [s for s in assessments[0].ranking if s.system in wanted]
    places = {s.system: row for row, s in enumerate(first, start=1)}
    rows = Rows.of(list(places), size, ranked=False, among=assessments[0].scores.systems)
    end, gap = 0.7 * size.font, 1.6 * size.font
    room = size.width - PADDING - rows.names - end
    across = max(1, min(len(assessments), int((room + gap) // (NARROWEST * size.font + gap))))
    width = (room - (across - 1) * gap) / across
    highest = max(len(one.ranking) for one in assessments)
    lines = []
    for start in range(0, len(assessments), across):
        panels = [
            _panel(one, places, rows, size, width, highest, named=not place, end=end)
            for place, one in enumerate(assessments[start : start + across])
        ]
        lines.append(alt.hconcat(*panels, spacing=gap, bounds="flush"))
    drawn = alt.vconcat(*lines, spacing=2 * size.font) if len(lines) > 1 else lines[0]
    left_out = remark(rows, max(len(one.ranking) for one in assessments))
    level = level_text(assessments[0].settings.levels[0])
    what = f"Dot: observed rank; bar: {level} interval of the true rank."
    chosen = "Ordered" if shown is None else "Chosen and ordered"
    by = f"{chosen} by {in_passing(assessments[0].measure) or 'the first'}."
    return finished(noted(drawn, f"{what} {by} {left_out}".strip(), size), size)


def _panel(
    assessment: Assessment,
    places: dict[str, int],
    rows: Rows,
    size: Size,
    width: float,
    highest: int,
    named: bool,
    end: float,
) -> Any:
    import altair as alt

    records: Records = [
        {
            "row": places[s.system],
            "name": s.system,
            "rank": s.rank,
            "left": max((s.rank_low or s.rank) - 0.35, 0.5),
            "right": min((s.rank_high or s.rank) + 0.35, highest + 0.5),
            "about": f"{in_passing(s.system)} · rank {s.rank}",
        }
        for s in sorted(assessment.ranking, key=lambda s: places.get(s.system, 0))
        if s.system in places
    ]
    ticks = rank_ticks(1, highest, width, size)
    x = alt.X(
        "left:Q",
        scale=alt.Scale(domain=[0.5, highest + 0.5], nice=False, zero=False),
        axis=alt.Axis(
            title=[*(line.removesuffix(",") for line in size.title(_title(assessment), width)), "rank"],
            orient="top",
            values=ticks,
            tickCount=len(ticks),
            labelOverlap=False,
            format="d",
        ),
    )
    y = row_axis("row", rows.count)
    bars = chart(records).mark_rule(
        color=SOFT, strokeWidth=rows.stroke, strokeCap="round" if rows.pitch > 5 else "butt", aria=False
    )
    dots = chart(records).mark_circle(color=INK, opacity=1, size=rows.dot, aria=False)
    layers = [
        *([name_labels(records, rows)] if named else []),
        bars.encode(x=x, x2=alt.X2("right:Q"), y=y),
        dots.encode(x=alt.X("rank:Q"), y=y),
        room_right(width, end),
    ]
    return layered(*layers, width=width, height=rows.height)


def _title(assessment: Assessment) -> str:
    """The measure, and how close its ranking is to its true one, with the interval of that."""
    name = printable(assessment.measure) or "scores"
    own = [e for e in assessment.estimates if e.estimator == assessment.headline_estimator]
    lead = next((e for e in own if e.coefficient == "tau"), own[0] if own else None)
    if lead is None or math.isnan(lead.estimate):
        return name
    ends = lead.interval(assessment.settings.levels[0])
    value = _bracketed(lead.estimate, ends.low if ends else math.nan, ends.high if ends else math.nan)
    kept = value.replace(" ", "\u00a0")  # on one line
    return f"{name}, {symbol_drawn(lead.coefficient)} = {kept}"


def _bracketed(value: float, low: float, high: float) -> str:
    """A value with its interval; the value alone where it has none.

    >>> _bracketed(0.312, 0.27, 0.348), _bracketed(-0.1, float("nan"), 1.0)
    ('0.31 [0.27, 0.35]', '−0.10')
    """
    ends = [number(end, 2) for end in (low, high)]
    text = number(value, 2)
    return text if NONE in ends else f"{text} [{', '.join(ends)}]"
