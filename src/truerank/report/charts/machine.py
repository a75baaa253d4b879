"""How far a machine judge favours every system, with its interval."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from truerank.report.charts.differences import SHAPES, SIGNED
from truerank.report.charts.rows import Rows, hover_rows, name_labels, number_ticks, row_axis
from truerank.report.charts.style import PAGE, Records, Size, chart, finished
from truerank.report.palette import ACCENT, DOUBT, INK, MUTED
from truerank.report.words import level_text, number, printable, span

if TYPE_CHECKING:
    from truerank.reliability.results import Assessment

VERDICTS = ("favoured", "can’t tell", "put down")


def machine_chart(assessment: Assessment, size: Size = PAGE) -> Any:
    """Biases less their average in ranking order; shape and colour say favoured, put down, or can't tell.

    Raises:
        ValueError: an assessment without a machine judge.
    """
    import altair as alt

    if assessment.machine is None:
        raise ValueError("an assessment without a machine judge has no biases to show")
    records = _records(assessment)
    rows = Rows.of([r["name"] for r in records], size, among=assessment.scores.systems)
    y = row_axis("row", rows.count)
    width = size.width - rows.names - 14
    what = (
        f"machine minus human {printable(assessment.measure) or 'score'}, beyond the average of all systems"
    )
    ends = [v for r in records for v in (r["low"], r["favour"], r["high"]) if math.isfinite(v)]
    ticks = number_ticks(min(0.0, *ends), max(0.0, *ends), width, size, "+")
    x = alt.X(
        "low:Q",
        scale=alt.Scale(domain=list(ticks.domain), zero=False, nice=False),
        axis=alt.Axis(
            title=size.title(f"{what}, {level_text(assessment.machine.level)} interval", width),
            orient="top",
            values=ticks.values,
            tickCount=len(ticks.values),
            labelExpr=SIGNED.format(ticks.format),
            labelOverlap=False,
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
    shape = alt.Shape("verdict:N", scale=alt.Scale(domain=list(VERDICTS), range=list(SHAPES)))
    bars = chart(records).mark_rule(strokeWidth=rows.stroke, opacity=0.5, aria=False)
    points = chart(records).mark_point(filled=True, size=1.4 * rows.dot, opacity=1, aria=False)
    zero = chart([{"zero": 0}]).mark_rule(color=INK, strokeWidth=1, aria=False).encode(x="zero:Q")
    chart_ = alt.layer(
        zero,
        name_labels(records, rows),
        bars.encode(x=x, x2=alt.X2("high:Q"), y=y, color=color),
        points.encode(x="favour:Q", y=y, color=color, shape=shape),
        hover_rows(records, rows),
    )
    return finished(chart_.properties(width=width, height=rows.height), size)


def _records(assessment: Assessment) -> Records:
    assert assessment.machine is not None
    ranks = {s.system: s.rank for s in assessment.ranking}
    return [
        {
            "row": row,
            "rank": ranks[one.system],
            "name": one.system,
            "favour": one.favour,
            "low": one.favour_low,
            "high": one.favour_high,
            "verdict": one.verdict,
            "about": " · ".join(
                (
                    f"{ranks[one.system]}. {printable(one.system)}",
                    f"{number(one.favour, 4, sign=True)} ({span(one.favour_low, one.favour_high)})",
                    one.verdict,
                )
            ),
        }
        for row, one in enumerate(assessment.machine.systems, start=1)
    ]
