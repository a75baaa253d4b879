"""All estimators with their intervals, one panel a coefficient."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from truerank.report.charts.rows import GAP, Rows, hover_rows, number_ticks, room_left, room_right, row_axis
from truerank.report.charts.style import (
    PADDING,
    PAGE,
    Records,
    Size,
    chart,
    finished,
    fixed,
    layered,
    symbol_drawn,
)
from truerank.report.palette import ACCENT, DOUBT, INK, LINE, MUTED, SOFT
from truerank.report.words import level_text, number, printable, span, symbol

if TYPE_CHECKING:
    from collections.abc import Mapping

    from truerank.reliability.results import Assessment, Estimate

NARROWEST = 8.0
"""Of a panel, in widths of the font; where two have no room for that they stand one below the other."""


def estimates_chart(
    assessment: Assessment,
    size: Size = PAGE,
    truth: Mapping[str, float] | None = None,
    split_half: bool = True,
) -> Any:
    """Expected coefficients by every estimator; the headline one in full colour.

    Args:
        assessment: what to draw.
        size: for a page or a paper.
        truth: the coefficients with the true ranking, where that is known: a line in each panel.
        split_half: whether estimators that compare two samples of topics have rows too; where there are
            no others they always do.
    """
    import altair as alt

    real = tuple(e for e in assessment.estimates if e.dependence is not None)
    if real and not split_half:
        assessment = replace(assessment, estimates=real)
    coefficients = list(dict.fromkeys(e.coefficient for e in assessment.estimates))
    estimators = list(dict.fromkeys(e.estimator for e in assessment.estimates))
    rows = Rows.of(estimators, size, ranked=False)
    ends = [v for e in assessment.estimates for v in _ends(e, assessment.settings.levels[0])]
    ends += list((truth or {}).values())
    low, high = (min(ends), max(ends)) if ends else (0.0, 1.0)
    margin = 0.06 * max(high - low, 0.02)
    domain = [max(-1.0, low - margin), min(1.0, high + margin)]
    texts = [r["text"] for name in coefficients for r in _records(assessment, name)]
    beside = max(size.text(text, 0.92 * rows.font) for text in texts) + 1.0 * size.font
    gap = 1.4 * size.font
    across = 1 if size.stacked else len(coefficients)
    # A number at a panel's left edge reaches into the gap before it by half its width.
    room = (size.width - PADDING - rows.names - (across - 1) * (gap + size.font)) / across - beside
    if across > 1 and room < NARROWEST * size.font:
        across, room = 1, size.width - PADDING - rows.names - beside
    panels = [
        _panel(
            assessment,
            name,
            rows,
            domain,
            size,
            (truth or {}).get(name),
            named=not position or across == 1,
            width=max(room, 40),
            beside=beside,
        )
        for position, name in enumerate(coefficients)
    ]
    if across == 1:
        return finished(alt.vconcat(*panels, spacing=2 * size.font), size)
    return finished(alt.hconcat(*panels, spacing=gap), size)


def _ends(estimate: Estimate, level: float) -> list[float]:
    interval = estimate.interval(level)
    ends = [estimate.estimate, *((interval.low, interval.high) if interval else ())]
    return [v for v in ends if math.isfinite(v)]


def _records(assessment: Assessment, coefficient: str) -> Records:
    level = assessment.settings.levels[0]
    records = []
    of_coefficient = [e for e in assessment.estimates if e.coefficient == coefficient]
    for row, e in enumerate(of_coefficient, start=1):
        interval = e.interval(level)
        inside = f"{span(interval.low, interval.high, 2)}" if interval else ""
        strong = e.estimator == assessment.headline_estimator
        records.append(
            {
                "row": row,
                "name": e.estimator,
                "estimate": e.estimate if math.isfinite(e.estimate) else None,
                "low": interval.low if interval else None,
                "high": interval.high if interval else None,
                "strong": strong,
                "text": f"{number(e.estimate)}  ({inside})" if inside else number(e.estimate),
                "about": f"{printable(e.estimator)} · {symbol(coefficient)} {number(e.estimate, 4)}"
                + (f" · {level_text(level)} interval {inside}" if inside else ""),
            }
        )
    return records


def _panel(
    assessment: Assessment,
    coefficient: str,
    rows: Rows,
    domain: list[float],
    size: Size,
    truth: float | None,
    named: bool,
    width: float,
    beside: float,
) -> Any:
    import altair as alt

    records = _records(assessment, coefficient)
    level = level_text(assessment.settings.levels[0])
    ticks = number_ticks(domain[0], domain[1], width, size)
    x = alt.X(
        "low:Q",
        scale=alt.Scale(domain=list(ticks.domain), nice=False, zero=False),
        axis=alt.Axis(
            title=size.title(f"{symbol_drawn(coefficient)}, {level} interval", width + 0.6 * beside),
            orient="top",
            values=ticks.values,
            tickCount=len(ticks.values),
            format=ticks.format,
            labelOverlap=False,
            titleAnchor="start",
        ),
    )
    y = row_axis("row", rows.count)
    drawn = [r for r in records if r["estimate"] is not None and r["low"] is not None]
    points = [r for r in records if r["estimate"] is not None]
    bars = (
        chart(drawn)
        .mark_rule(strokeWidth=max(rows.stroke, 1.5), strokeCap="round", aria=False)
        .encode(x=x, x2=alt.X2("high:Q"), y=y, color=_shade(SOFT, LINE))
    )
    dots = (
        chart(points)
        .mark_circle(size=rows.dot, opacity=1, aria=False)
        .encode(x=alt.X("estimate:Q"), y=y, color=_shade(ACCENT, MUTED))
    )
    layers: list[Any] = [bars, dots, _numbers(records, rows, size)]
    layers.append(room_right(width, beside))
    if named:
        layers += [room_left(rows.names), _names(records, rows)]
    if truth is not None:
        line = chart([{"truth": truth}]).mark_rule(
            color=DOUBT, strokeWidth=1.4, strokeDash=[4, 3], aria=False
        )
        layers.insert(0, line.encode(x=alt.X("truth:Q")))
    return layered(*layers, hover_rows(records, rows), width=width, height=rows.height)


def _shade(strong: str, others: str) -> Any:
    """The colour of the headline estimator, and that of all others."""
    import altair as alt

    return alt.ColorValue(others, condition={"test": "datum.strong", "value": strong})


def _numbers(records: Records, rows: Rows, size: Size) -> Any:
    """The estimates in figures, right of the panel."""
    import altair as alt

    text = chart(records).mark_text(align="left", baseline="middle", fontSize=0.92 * rows.font, aria=False)
    return text.encode(
        x=fixed("X", "width"),
        xOffset=fixed("XOffset", size.font * 0.7),
        y=row_axis("row", rows.count),
        text=alt.Text("text:N"),
        color=_shade(INK, MUTED),
    )


def _names(records: Records, rows: Rows) -> Any:
    """The estimators' names, left of the first panel."""
    import altair as alt

    shown = [{"row": r["row"], "name": rows.labels[r["name"]]} for r in records]
    text = chart(shown).mark_text(align="right", baseline="middle", fontSize=rows.font, color=INK, aria=False)
    return text.encode(x=fixed("X", -GAP), y=row_axis("row", rows.count), text=alt.Text("name:N"))
