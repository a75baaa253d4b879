"""The two figures of yang-2018, for any runs: topics' scores in other collections, and error rates."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from truerank._support.escaping import printable
from truerank._support.wording import level_text
from truerank.documents.models import MODELS
from truerank.errors import unknown_name
from truerank.report.charts.style import (
    COLUMN,
    DASHES,
    Chart,
    Records,
    Size,
    channel,
    finished,
    hconcat,
    layered,
    mark,
)
from truerank.report.lettering import in_passing
from truerank.report.palette import ACCENT, INK, MUTED, SERIES_ON_PAGE

if TYPE_CHECKING:
    from truerank.documents.analysis import DocumentAnalysis


def topic_chart(
    analyses: Sequence[DocumentAnalysis], system: str | None = None, size: Size = COLUMN
) -> Chart:
    """Figure 1: a system's sampled score on each topic, mean ± sd, against the raw one.

    One panel per model, of the best system unless another one is named.
    """
    name = system or analyses[0].scores.systems[0]
    if name not in analyses[0].scores.systems:
        raise unknown_name("system", name, analyses[0].scores.systems)
    columns = len(analyses)
    room = (size.width - 2.9 * size.font * (columns + 1)) / columns
    side = min(room, 0.56 * size.width, size.height / 2)
    measure = printable(analyses[0].measure)
    rows = [_topics(analysis, name) for analysis in analyses]
    top = max(1.0, *(record["high"] for records in rows for record in records))
    scale = {"domain": [0, min(top, 1.2)], "nice": False}
    stroke = 0.11 * size.font
    ends: Records = [{"raw": 0.0, "mean": 0.0}, {"raw": 1.0, "mean": 1.0}]
    made: list[Chart] = []
    for analysis, records in zip(analyses, rows, strict=True):
        first = not made
        across = {"title": f"raw {measure}", "tickCount": 5, "labelFlush": True}
        up = {"title": f"sampled {measure}" if first else None, "labels": first, "tickCount": 5}
        x = channel("raw:Q", scale=scale, axis=across)
        y, low = (channel(f"{field}:Q", scale=scale, axis=up) for field in ("mean", "low"))
        dashed: dict[str, Any] = {"color": MUTED, "strokeDash": [3, 2]}
        bar: dict[str, Any] = {"color": ACCENT, "opacity": 0.55}
        panel = layered(
            mark("line", ends, strokeWidth=stroke, x=x, y=y, **dashed),
            mark("rule", records, strokeWidth=stroke, x=x, y=low, y2="high:Q", **bar),
            mark("point", records, color=ACCENT, size=0.14 * size.font**2, x=x, y=y),
            mark(
                "text",
                [{}],
                color=INK,
                text={"value": _named(analysis.model)},
                x=side / 2,
                y=-size.font,
            ),
            width=side,
            height=side,
        )
        made.append(panel)
    key = (
        f"Topics of {in_passing(name)}. Dot: mean of the samples; bar: one standard deviation either way; "
        f"dashed: sampled and raw {measure} are the same."
    )
    drawn = hconcat(*made, bounds="flush", spacing=3 * size.font)
    return finished(drawn, size, key=key)


def _named(model: str) -> str:
    """A document model's name in words."""
    found = MODELS.get(model)
    return found.label if found else printable(model)


def _topics(analysis: DocumentAnalysis, system: str) -> Records:
    s = analysis.scores.systems.index(system)
    columns = analysis.scores.values, analysis.topic_means, analysis.topic_deviations
    values = zip(*(column[:, s].tolist() for column in columns), strict=True)
    return [
        {
            "raw": raw,
            "mean": mean,
            "low": max(mean - sd, 0.0),
            "high": mean + sd,
        }
        for raw, mean, sd in values
    ]


def error_chart(analyses: Sequence[DocumentAnalysis], size: Size = COLUMN) -> Chart:
    """Figure 2: the error rate by how far apart a sample puts two systems, one line per model."""
    models = [_named(analysis.model) for analysis in analyses]
    records = [
        {
            "model": a.model,
            "named": named,
            "bin": place,
            "rate": bin_.error_rate,
            "from": bin_.interval.low,
            "to": bin_.interval.high,
        }
        for a, named in zip(analyses, models, strict=True)
        for place, bin_ in enumerate(a.error_rate, 1)
        if not math.isnan(bin_.error_rate)
    ]
    width = size.width - 7.2 * size.font
    measure = printable(analyses[0].measure)
    what = f"bins of 0.01 of the sampled difference in mean {measure}, the 21st: 0.20 and more"
    across = {"title": size.lines(what, width), "tickCount": 5, "grid": False}
    x = channel("bin:Q", scale={"domain": [0, 25], "nice": False}, axis=across)
    up = {"title": "error rate", "tickCount": 6, "format": "~g"}
    y, low = (channel(f"{field}:Q", scale={"zero": True}, axis=up) for field in ("rate", "from"))
    legend = {"title": None, "orient": "top-right", "symbolSize": 3 * size.font, "symbolStrokeWidth": 0}
    color, dash = (
        channel("named:N", scale={"domain": models, "range": [*values[: len(models)]]}, legend=legend)
        for values in (SERIES_ON_PAGE, DASHES)
    )
    place: dict[str, Any] = {"x": x, "y": y, "color": color}
    bars: dict[str, Any] = {"x": x, "y": low, "y2": "to:Q", "color": color}
    layers = (
        mark("rule", records, strokeWidth=0.13 * size.font, **bars),
        mark("line", records, strokeWidth=0.2 * size.font, strokeDash=dash, **place),
        mark("point", records, size=0.23 * size.font**2, **place),
    )
    drawn = layered(*layers, width=width, height=min(0.55 * size.width, 430))
    key = (
        "Point: share of pairs of systems that a sample orders otherwise than the raw scores; "
        f"bar: its {level_text(analyses[0].settings.level)} Monte Carlo interval."
    )
    return finished(drawn, size, key=key)
