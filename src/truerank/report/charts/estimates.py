"""All estimators with their intervals, one panel per coefficient."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from truerank._support.escaping import printable
from truerank._support.wording import level_text, number, span
from truerank.report.charts.rows import Rows, bars, dots, number_axis, row_panel, texts_right
from truerank.report.charts.style import (
    PADDING,
    PAGE,
    Chart,
    Records,
    Size,
    finished,
    hconcat,
    mark,
    symbol_drawn,
    vconcat,
)
from truerank.report.palette import ACCENT, DOUBT, INK, LINE, MUTED, SOFT
from truerank.report.words import symbol

if TYPE_CHECKING:
    from collections.abc import Mapping

    from truerank.reliability.results import Assessment

NARROWEST = 8.0
"""Of a panel, in widths of the font; where two have no room for that they stand one below the other."""


def estimates_chart(
    assessment: Assessment,
    size: Size = PAGE,
    truth: Mapping[str, float] | None = None,
    split_half: bool = True,
) -> Chart:
    """Expected coefficients by every estimator, the headline one in full color; a dashed line at the truth.

    Estimators that compare two samples of topics have rows only with `split_half`, or where there are no
    others.
    """
    real = tuple(e for e in assessment.estimates if e.dependence is not None)
    if real and not split_half:
        assessment = replace(assessment, estimates=real)
    estimators = list(dict.fromkeys(e.estimator for e in assessment.estimates))
    rows = Rows.of(estimators, size, ranked=False)
    known = dict(truth or {})
    panels = {
        name: _records(assessment, name)
        for name in dict.fromkeys(e.coefficient for e in assessment.estimates)
    }
    every = [record for records in panels.values() for record in records]
    ends = [record[end] for record in every for end in ("low", "estimate", "high")] + list(known.values())
    beside = max(size.text(record["text"], rows.font) for record in every) + size.font
    gap = 1.4 * size.font
    across = 1 if size.stacked else len(panels)
    # A number at a panel's left edge reaches into the gap before it by half its width.
    room = (size.width - PADDING - rows.names - (across - 1) * (gap + size.font)) / across - beside
    if across > 1 and room < NARROWEST * size.font:
        across, room = 1, size.width - PADDING - rows.names - beside
    level = level_text(assessment.settings.levels[0])
    made: list[Any] = []
    for name, records in panels.items():
        title = size.lines(f"{symbol_drawn(name)}, {level} interval", room + 0.6 * beside)
        x = number_axis("low", title, ends, room, size, titleAnchor="start")
        layers = [
            bars(
                [r for r in records if r["low"] is not None], rows, x, "high", _shade(SOFT, LINE), least=1.5
            ),
            dots([r for r in records if r["estimate"] is not None], rows, "estimate", _shade(ACCENT, MUTED)),
            texts_right(records, rows, "text", 0.7 * size.font, _shade(INK, MUTED)),
        ]
        if name in known:
            look: dict[str, Any] = {"color": DOUBT, "strokeWidth": 1.4, "strokeDash": [4, 3]}
            layers.insert(0, mark("rule", [{"truth": known[name]}], x="truth:Q", **look))
        named = not made or across == 1
        made.append(row_panel(records, rows, *layers, width=room, named=named, beside=beside))
    joined = vconcat(*made, spacing=2 * size.font) if across == 1 else hconcat(*made, spacing=gap)
    return finished(joined, size)


def _records(assessment: Assessment, coefficient: str) -> Records:
    level = assessment.settings.levels[0]
    records = []
    of_coefficient = [e for e in assessment.estimates if e.coefficient == coefficient]
    for row, e in enumerate(of_coefficient, start=1):
        interval = e.interval(level)
        inside = span(interval.low, interval.high, 2) if interval else ""
        records.append(
            {
                "row": row,
                "name": e.estimator,
                "estimate": e.estimate if math.isfinite(e.estimate) else None,
                "low": interval.low if interval else None,
                "high": interval.high if interval else None,
                "strong": e.estimator == assessment.headline_estimator,
                "text": f"{number(e.estimate)}  ({inside})" if inside else number(e.estimate),
                "about": f"{printable(e.estimator)} · {symbol(coefficient)} {number(e.estimate, 4)}"
                + (f" · {level_text(level)} interval {inside}" if inside else ""),
            }
        )
    return records


def _shade(strong: str, others: str) -> dict[str, Any]:
    """The color of the headline estimator, and that of all others."""
    return {"value": others, "condition": {"test": "datum.strong", "value": strong}}
