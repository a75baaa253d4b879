"""The ranking in one picture: means and their intervals, ranks and theirs, and the tiers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from truerank.report.charts.rows import (
    Rows,
    bands,
    hover_rows,
    name_labels,
    number_ticks,
    rank_ticks,
    remark,
    room_right,
    row_axis,
)
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
    only,
)
from truerank.report.lettering import in_passing
from truerank.report.palette import ACCENT, DOUBT, INK, MUTED, SOFT
from truerank.report.units import score_word
from truerank.report.words import level_text, number, printable, ranks, share, span

if TYPE_CHECKING:
    from truerank.reliability.results import Assessment


THIN = 0.35
"""Thickness of the line of the bands for all systems at once, beside that of the other bars."""


def ranking_chart(
    assessment: Assessment,
    size: Size = PAGE,
    true_ranks: Mapping[str, int] | None = None,
    shown: Sequence[str] | None = None,
) -> Any:
    """Means with intervals on the left, both kinds of rank intervals on the right, tiers as tinted bands.

    Without swap probabilities (split-half alone) there are no rank intervals, and no right half. Where
    panels are stacked the ranks come first.

    Args:
        assessment: what to draw.
        size: for a page or a paper.
        true_ranks: of every system, where they are known.
        shown: the systems that are drawn, in ranking order; all by default.
    """
    import altair as alt

    records = _records(assessment, true_ranks or {}, shown)
    rows = Rows.of([r["name"] for r in records], size, records[-1]["rank"], among=assessment.scores.systems)
    ranked = records[0]["rank_low"] is not None
    tiers = _tier_labels(records, rows)
    beside = max((size.text(one["text"], rows.font) for one in tiers), default=0.0) + 0.9 * size.font
    room = size.width - PADDING
    if size.stacked or not ranked:
        widths = room - rows.names - beside, room - rows.names - beside
    else:
        both = room - rows.names - beside - 1.8 * size.font
        widths = 0.5 * both, 0.5 * both
    made = [_means(assessment, records, rows, size, widths[0], named=True)]
    if ranked:
        other = _ranks(assessment, records, rows, tiers, size, widths[1], beside, named=size.stacked)
        made = [other, *made] if size.stacked else [*made, other]
    drawn = (
        alt.vconcat(*made, spacing=2 * size.font)
        if size.stacked
        else alt.hconcat(*made, spacing=1.8 * size.font, bounds="flush")
    )
    key = "" if size.on_page else _key(assessment, records)
    note = f"{key} {remark(rows, len(assessment.ranking))}".strip()
    return finished(noted(drawn, note, size), size)


def _key(assessment: Assessment, records: Records) -> str:
    """What the marks are; the axes say what is drawn and at which level."""
    level = level_text(assessment.settings.levels[0])
    parts = ["Dot: observed"]
    if records[0]["rank_low"] is None:
        parts.append(f"bar: {level} interval")
    elif assessment.settings.guarantee:
        parts.append(f"bar: {level} interval of the mean, {level} band of all true ranks at once")
    else:
        parts.append(f"bar: {level} interval")
        if records[0]["joint_left"] is not None:
            parts.append(f"thin line: {level} band of all true ranks at once")
    if any(r["true_rank"] for r in records):
        parts.append("diamond: true rank")
    if any(r["tier"] and r["tier"] % 2 == 0 for r in records):
        parts.append("tint: every second tier")
    return "; ".join(parts) + "."


def _means(
    assessment: Assessment, records: Records, rows: Rows, size: Size, width: float, named: bool
) -> Any:
    """The panel of the means."""
    import altair as alt

    level = level_text(assessment.settings.levels[0])
    word = score_word(assessment)
    what = word if word != "mean" else f"mean {printable(assessment.measure) or 'score'}"
    ends = [v for r in records for v in (r["mean_low"], r["mean"], r["mean_high"]) if math.isfinite(v)]
    ticks = number_ticks(min(ends), max(ends), width, size)
    x = alt.X(
        "mean_low:Q",
        scale=alt.Scale(domain=list(ticks.domain), zero=False, nice=False),
        axis=alt.Axis(
            title=size.title(f"{what}, {level} interval", width),
            orient="top",
            values=ticks.values,
            tickCount=len(ticks.values),
            format=ticks.format,
            labelOverlap=False,
        ),
    )
    layers = [
        bands(records, rows),
        *([name_labels(records, rows)] if named else []),
        _interval(records, rows, "mean_low", "mean_high", x, SOFT),
        _dot(records, rows, "mean", ACCENT),
        hover_rows(records, rows),
    ]
    return layered(*layers, width=width, height=rows.height)


def _ranks(
    assessment: Assessment,
    records: Records,
    rows: Rows,
    tiers: Records,
    size: Size,
    width: float,
    beside: float,
    named: bool,
) -> Any:
    """The panel of the ranks, with the tiers' numbers at its right edge."""
    import altair as alt

    sides = ("left", "right", "joint_left", "joint_right", "rank")
    ends = [r[end] for r in records for end in sides if r[end] is not None]
    low, high = math.floor(min(ends) + 0.5), math.ceil(max(ends) - 0.5)
    level = level_text(assessment.settings.levels[0])
    kind = "band" if assessment.settings.guarantee else "interval"
    ticks = rank_ticks(low, high, width, size)
    x = alt.X(
        "joint_left:Q",
        scale=alt.Scale(domain=[low - 0.5, high + 0.5], nice=False, zero=False),
        axis=alt.Axis(
            title=size.title(f"true rank, {level} {kind}", width),
            orient="top",
            values=ticks,
            tickCount=len(ticks),
            labelOverlap=False,
            format="d",
        ),
    )
    mark = chart(tiers).mark_text(
        align="left", baseline="middle", fontSize=rows.font, color=MUTED, aria=False
    )
    layers = [
        bands(records, rows),
        *([name_labels(records, rows)] if named else []),
        _interval(records, rows, "joint_left", "joint_right", x, SOFT, THIN),
        _interval(records, rows, "left", "right", alt.X("left:Q"), SOFT),
        _dot(records, rows, "rank", INK),
        *_truth(records, rows),
        mark.encode(
            x=fixed("X", "width"),
            xOffset=fixed("XOffset", 0.7 * size.font),
            y=row_axis("row", rows.count),
            text=alt.Text("text:N"),
        ),
        room_right(width, beside),
        hover_rows(records, rows),
    ]
    return layered(*layers, width=width, height=rows.height)


def _records(assessment: Assessment, true_ranks: Mapping[str, int], shown: Sequence[str] | None) -> Records:
    records: Records = []
    word = score_word(assessment)
    wanted = None if shown is None else set(shown)
    for s in assessment.ranking:
        if wanted is not None and s.system not in wanted:
            continue
        true_rank = true_ranks.get(s.system)
        about = [
            f"{s.rank}. {in_passing(s.system)}",
            f"{word} {number(s.mean, 4)} ({span(s.mean_low, s.mean_high)})",
        ]
        if s.rank_low is not None:
            if not assessment.settings.guarantee:
                about.append(f"true rank {ranks(s.rank_low, s.rank_high)}")
            if s.joint_low is not None:
                about.append(f"all at once {ranks(s.joint_low, s.joint_high)}")
            about.append(f"the best with {share(s.probability_best)} probability")
        if s.tier:
            about.append(f"tier {s.tier}")
        if true_rank:
            about.append(f"really {true_rank}")
        records.append(
            {
                "row": len(records) + 1,
                "rank": s.rank,
                "name": s.system,
                "mean": s.mean,
                "mean_low": s.mean_low,
                "mean_high": s.mean_high,
                "rank_low": s.rank_low,
                **_ends("", s.rank_low, s.rank_high, len(assessment.ranking)),
                **_ends("joint_", s.joint_low, s.joint_high, len(assessment.ranking)),
                "tier": s.tier,
                "true_rank": true_rank,
                "about": " · ".join(about),
            }
        )
    return records


def _ends(kind: str, low: int | None, high: int | None, count: int) -> dict[str, float | None]:
    """Where the bar of some ranks begins and ends: a little beyond them, so that one rank alone shows too."""
    if low is None or high is None:
        return {f"{kind}left": None, f"{kind}right": None}
    return {f"{kind}left": max(low - 0.35, 0.5), f"{kind}right": min(high + 0.35, count + 0.5)}


def _interval(
    records: Records, rows: Rows, low: str, high: str, x: Any, color: str, thickness: float = 1.0
) -> Any:
    """A bar from one field to another; thinner than others by that factor."""
    import altair as alt

    mark = chart(only(records, "row", low, high)).mark_rule(
        color=color,
        strokeWidth=thickness * rows.stroke,
        strokeCap="round" if rows.pitch > 5 else "butt",
        aria=False,
    )
    return mark.encode(x=x, x2=alt.X2(f"{high}:Q"), y=row_axis("row", rows.count))


def _dot(records: Records, rows: Rows, field: str, color: str) -> Any:
    import altair as alt

    mark = chart(only(records, "row", field)).mark_circle(color=color, opacity=1, size=rows.dot, aria=False)
    return mark.encode(x=alt.X(f"{field}:Q"), y=row_axis("row", rows.count))


def _truth(records: Records, rows: Rows) -> list[Any]:
    """Where the truth is known: a diamond at each system's true rank."""
    import altair as alt

    known = [r for r in records if r["true_rank"]]
    if not known:
        return []
    mark = chart(known).mark_point(
        shape="diamond",
        color=DOUBT,
        filled=False,
        opacity=1,
        size=2.2 * rows.dot,
        strokeWidth=1.6,
        aria=False,
    )
    return [mark.encode(x=alt.X("true_rank:Q"), y=row_axis("row", rows.count))]


def _tier_labels(records: Records, rows: Rows) -> Records:
    """The tiers' numbers, each at the tier's first row that has room; tiers too thin for that have none.

    Where there is one tier alone it needs no number.
    """
    if len({r["tier"] for r in records}) < 2:
        return []
    firsts: Records = []
    below, labelled = -math.inf, None
    for r in records:
        if r["tier"] and r["tier"] != labelled and (r["row"] - below) * rows.pitch >= rows.font:
            firsts.append({"row": r["row"], "text": f"tier {r['tier']}"})
            below, labelled = r["row"], r["tier"]
    return firsts
