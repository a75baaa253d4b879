"""The two figures of yang-2018, for any runs: topics' scores in other collections, and error rates."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from truerank._support.escaping import printable
from truerank._support.wording import level_text, number, span
from truerank.documents.models import MODELS
from truerank.errors import unknown_name
from truerank.report.charts.style import (
    COLUMN,
    DASHES,
    Records,
    Size,
    chart,
    finished,
    fixed,
    hconcat,
    hover_points,
    layered,
    noted,
    vconcat,
)
from truerank.report.lettering import in_passing
from truerank.report.palette import ACCENT, INK, MUTED, SERIES_ON_PAGE

if TYPE_CHECKING:
    from truerank.documents.document_analysis import DocumentAnalysis


def topic_chart(analyses: Sequence[DocumentAnalysis], system: str | None = None, size: Size = COLUMN) -> Any:
    """Figure 1: a system's sampled score on each topic, mean ± sd, against the raw one.

    One panel per model, of the best system unless another one is named.
    """
    import altair as alt

    name = system or analyses[0].scores.systems[0]
    if name not in analyses[0].scores.systems:
        raise unknown_name("system", name, analyses[0].scores.systems)
    columns = 1 if size.stacked else len(analyses)
    room = (size.width - 2.9 * size.font * (columns + 1)) / columns
    side = room if size.stacked else min(room, 0.56 * size.width, size.height / 2)
    measure = printable(analyses[0].measure)
    rows = [_topics(analysis, name) for analysis in analyses]
    top = max(1.0, *(record["high"] for records in rows for record in records))
    scale = alt.Scale(domain=[0, min(top, 1.2)], nice=False)
    stroke = 0.11 * size.font
    made: list[Any] = []
    for analysis, records in zip(analyses, rows, strict=True):
        first = not made or size.stacked
        across = alt.Axis(title=f"raw {measure}", tickCount=5, labelFlush=True)
        x = alt.X("raw:Q", scale=scale, axis=across)
        up = alt.Axis(title=f"sampled {measure}" if first else None, labels=first, tickCount=5)
        y, low = (alt.Y(f"{field}:Q", scale=scale, axis=up) for field in ("mean", "low"))
        ends = chart([{"raw": 0.0, "mean": 0.0}, {"raw": 1.0, "mean": 1.0}])
        diagonal = ends.mark_line(color=MUTED, strokeWidth=stroke, strokeDash=[3, 2])
        bars = chart(records).mark_rule(color=ACCENT, strokeWidth=stroke, opacity=0.55)
        points = chart(records).mark_point(color=ACCENT, size=0.14 * size.font**2)
        # A mark, because a page would show a title's description on hover.
        heading = chart([{}]).mark_text(text=_named(analysis.model, size), color=INK)
        panel = layered(
            diagonal.encode(x=x, y=y),
            bars.encode(x=x, y=low, y2="high:Q"),
            points.encode(x=x, y=y),
            hover_points(records, size, x=x, y=y),
            heading.encode(x=fixed("X", side / 2), y=fixed("Y", -size.font)),
            width=side,
            height=side,
        )
        made.append(panel)
    if size.stacked:
        return finished(vconcat(*made, spacing=2 * size.font), size)
    key = (
        f"Topics of {in_passing(name)}. Dot: mean of the samples; bar: one standard deviation either way; "
        f"dashed: sampled and raw {measure} are the same."
    )
    drawn = hconcat(*made, bounds="flush", spacing=3 * size.font)
    return finished(noted(drawn, "" if size.on_page else key, size), size)


def _named(model: str, size: Size) -> str:
    """A document model's name, on paper in words: a page explains the short ones."""
    found = None if size.on_page else MODELS.get(model)
    return found.label if found else printable(model)


def _topics(analysis: DocumentAnalysis, system: str) -> Records:
    s = analysis.scores.systems.index(system)
    columns = analysis.scores.values, analysis.topic_means, analysis.topic_deviations
    values = zip(analysis.scores.topics, *(column[:, s].tolist() for column in columns), strict=True)
    return [
        {
            "raw": raw,
            "mean": mean,
            "low": max(mean - sd, 0.0),
            "high": mean + sd,
            "about": f"topic {in_passing(topic)} · raw {number(raw, 4)} · {printable(analysis.model)} "
            f"{number(mean, 4)} ± {number(sd, 4)}",
        }
        for topic, raw, mean, sd in values
    ]


def error_chart(analyses: Sequence[DocumentAnalysis], size: Size = COLUMN) -> Any:
    """Figure 2: the error rate by how far apart a sample puts two systems, one line per model."""
    import altair as alt

    models = [_named(analysis.model, size) for analysis in analyses]
    records = [
        {
            "model": a.model,
            "named": named,
            "bin": place,
            "rate": bin_.error_rate,
            "from": bin_.interval.low,
            "to": bin_.interval.high,
            "about": f"{printable(a.model)} · from {bin_.low:.2f} · error rate {number(bin_.error_rate, 4)} "
            f"({span(bin_.interval.low, bin_.interval.high, 4)})",
        }
        for a, named in zip(analyses, models, strict=True)
        for place, bin_ in enumerate(a.error_rate, 1)
        if not math.isnan(bin_.error_rate)
    ]
    width = size.width - (5 if size.on_page else 7.2) * size.font
    measure = printable(analyses[0].measure)
    what = f"bins of 0.01 of the sampled difference in mean {measure}, the 21st: 0.20 and more"
    x = alt.X(
        "bin:Q",
        scale=alt.Scale(domain=[0, 25], nice=False),
        axis=alt.Axis(title=size.lines(what, width), tickCount=5, grid=False),
    )
    up = alt.Axis(title="error rate", tickCount=6, format="~g")
    y, low = (alt.Y(f"{field}:Q", scale=alt.Scale(zero=True), axis=up) for field in ("rate", "from"))
    legend = alt.Legend(title=None, orient="top-right", symbolSize=3 * size.font, symbolStrokeWidth=0)
    color, dash = (
        channel("named:N", scale=alt.Scale(domain=models, range=list(values[: len(models)])), legend=legend)
        for channel, values in ((alt.Color, SERIES_ON_PAGE), (alt.StrokeDash, DASHES))
    )
    layers = (
        chart(records).mark_rule(strokeWidth=0.13 * size.font).encode(x=x, y=low, y2="to:Q", color=color),
        chart(records).mark_line(strokeWidth=0.2 * size.font).encode(x=x, y=y, color=color, strokeDash=dash),
        chart(records).mark_point(size=0.23 * size.font**2).encode(x=x, y=y, color=color),
        hover_points(records, size, x=x, y=y),
    )
    drawn = layered(*layers, width=width, height=min(0.55 * size.width, 430))
    key = (
        "Point: share of pairs of systems that a sample orders otherwise than the raw scores; "
        f"bar: its {level_text(analyses[0].settings.level)} Monte Carlo interval."
    )
    return finished(noted(drawn, "" if size.on_page else key, size), size)
