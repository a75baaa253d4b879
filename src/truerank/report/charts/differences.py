"""Every system's difference to the baseline, with its interval."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from truerank.reliability.against_one import VERDICTS
from truerank.report.charts.rows import (
    Rows,
    hover_rows,
    name_labels,
    remark,
    room_right,
    row_axis,
    tick_count,
)
from truerank.report.charts.style import PADDING, PAGE, Records, Size, chart, finished, noted, only
from truerank.report.lettering import in_passing, shortened_middle
from truerank.report.palette import ACCENT, DOUBT, INK, MUTED
from truerank.report.words import difference_interval, number, printable, share, span

if TYPE_CHECKING:
    from truerank.reliability.results import Assessment

SHAPES = ("triangle-right", "circle", "triangle-left")

SIGNED = "datum.value == 0 ? '0' : format(datum.value, '+')"


def differences_chart(assessment: Assessment, size: Size = PAGE, shown: Sequence[str] | None = None) -> Any:
    """Differences in ranking order; shape and colour say better, worse, or can't tell.

    Args:
        assessment: what to draw.
        size: for a page or a paper.
        shown: the systems that are drawn; all by default.
    """
    import altair as alt

    records = _records(assessment, shown)
    rows = Rows.of([r["name"] for r in records], size, records[-1]["rank"])
    y = row_axis("row", rows.count)
    end = 1.2 * size.font
    width = size.width - PADDING - rows.names - end
    baseline = shortened_middle(printable(assessment.settings.baseline or ""), 36)
    what = f"mean {printable(assessment.measure) or 'score'} minus that of {baseline}"
    x = alt.X(
        "low:Q",
        scale=alt.Scale(zero=True, nice=True),
        axis=alt.Axis(
            title=size.title(f"{what}, {difference_interval(assessment.settings)}", width),
            orient="top",
            tickCount=tick_count(size, width, "+0.00"),
            labelExpr=SIGNED,
        ),
    )
    color = alt.Color(
        "verdict:N",
        scale=alt.Scale(domain=list(VERDICTS), range=[ACCENT, MUTED, DOUBT]),
        legend=alt.Legend(
            title=None,
            orient="bottom",
            direction="horizontal",
            symbolOpacity=1,
            symbolSize=0.8 * size.font**2,
        ),
    )
    shape = alt.Shape(
        "verdict:N",
        scale=alt.Scale(domain=list(VERDICTS), range=list(SHAPES)),
    )
    drawn_fields = only(records, "row", "low", "high", "difference", "verdict")
    bars = chart(drawn_fields).mark_rule(strokeWidth=rows.stroke, opacity=0.5, aria=False)
    points = chart(drawn_fields).mark_point(filled=True, size=1.4 * rows.dot, opacity=1, aria=False)
    zero = chart([{"zero": 0}]).mark_rule(color=INK, strokeWidth=1, aria=False).encode(x=alt.X("zero:Q"))
    chart_ = alt.layer(
        zero,
        name_labels(records, rows),
        bars.encode(x=x, x2=alt.X2("high:Q"), y=y, color=color),
        points.encode(x=alt.X("difference:Q"), y=y, color=color, shape=shape),
        room_right(width, end),
        hover_rows(records, rows),
    )
    drawn = chart_.properties(width=width, height=rows.height)
    return finished(noted(drawn, remark(rows, len(assessment.ranking) - 1), size), size)


def _records(assessment: Assessment, shown: Sequence[str] | None) -> Records:
    ranks = {s.system: s.rank for s in assessment.ranking}
    records = []
    wanted = None if shown is None else {*shown}
    drawn = [d for d in assessment.baseline if wanted is None or d.system in wanted]
    for row, d in enumerate(drawn, start=1):
        about = [
            f"{ranks[d.system]}. {in_passing(d.system)}",
            f"{number(d.difference, 4, sign=True)} ({span(d.low, d.high)})",
            d.verdict,
        ]
        if not math.isnan(d.probability_better):
            about.append(f"truly better with probability {share(d.probability_better)}")
        records.append(
            {
                "row": row,
                "rank": ranks[d.system],
                "name": d.system,
                "difference": d.difference,
                "low": d.low,
                "high": d.high,
                "verdict": d.verdict,
                "about": " · ".join(about),
            }
        )
    return records
