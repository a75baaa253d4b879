"""The ranking in one picture: means and their intervals, ranks and theirs, and the tiers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from truerank.report.charts.rows import Rows, bands, hover_rows, name_labels, rank_ticks, row_axis
from truerank.report.charts.style import PAGE, Records, Size, chart, finished
from truerank.report.palette import ACCENT, DOUBT, INK, MUTED, SOFT
from truerank.report.units import score_word
from truerank.report.words import level_text, number, printable, ranks, share, span

if TYPE_CHECKING:
    from truerank.reliability.results import Assessment


THIN = 0.35
"""Thickness of the line of the bands for all systems at once, beside that of the other bars."""


def ranking_chart(
    assessment: Assessment, size: Size = PAGE, true_ranks: Mapping[str, int] | None = None
) -> Any:
    """Means with intervals on the left, both kinds of rank intervals on the right, tiers as tinted bands.

    Without swap probabilities (split-half alone) there are no rank intervals, and no right half.
    """
    import altair as alt

    records = _records(assessment, true_ranks or {})
    rows = Rows.of([r["name"] for r in records], size)
    ranked = records[0]["rank_low"] is not None
    room = size.width - rows.names - 14 - (3 * size.font if ranked else 0)
    share = 0.52 if ranked else 1.0
    level = level_text(assessment.settings.levels[0])
    word = score_word(assessment)
    what = word if word != "mean" else f"mean {printable(assessment.measure) or 'score'}"
    means = alt.layer(
        bands(records, rows),
        name_labels(records, rows),
        _interval(records, rows, "mean_low", "mean_high", _scale(f"{what}, {level} interval"), SOFT),
        _dot(records, rows, "mean", ACCENT),
        hover_rows(records, rows),
    ).properties(width=share * room - 4, height=rows.height)
    if not ranked:
        return finished(means, size)
    count = len(records)
    scale = alt.Scale(domain=[0.5, count + 0.5], nice=False, zero=False)
    width = (1 - share) * room - size.font
    axis = alt.Axis(
        title=f"true rank, {level} {'band' if assessment.settings.guarantee else 'interval'}",
        orient="top",
        values=rank_ticks(count, width, size.font),
        format="d",
    )
    ranks = alt.layer(
        bands(records, rows),
        _interval(
            records,
            rows,
            "joint_left",
            "joint_right",
            alt.X("joint_left:Q", scale=scale, axis=axis),
            SOFT,
            THIN,
        ),
        _interval(records, rows, "left", "right", alt.X("left:Q"), SOFT),
        _dot(records, rows, "row", INK),
        *_truth(records, rows),
        _tier_labels(records, rows, size),
        hover_rows(records, rows),
    ).properties(width=width, height=rows.height)
    return finished(alt.hconcat(means, ranks), size)


def _records(assessment: Assessment, true_ranks: Mapping[str, int]) -> Records:
    records, word = [], score_word(assessment)
    for s in assessment.ranking:
        true_rank = true_ranks.get(s.system)
        about = [
            f"{s.rank}. {printable(s.system)}",
            f"{word} {number(s.mean, 4)} ({span(s.mean_low, s.mean_high)})",
        ]
        if s.rank_low is not None:
            if not assessment.settings.guarantee:
                about.append(f"true rank {ranks(s.rank_low, s.rank_high)}")
            about.append(f"all at once {ranks(s.joint_low, s.joint_high)}")
            about.append(f"the best with {share(s.probability_best)} probability")
        if s.tier:
            about.append(f"tier {s.tier}")
        if true_rank:
            about.append(f"really {true_rank}")
        records.append(
            {
                "row": s.rank,
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


def _scale(title: str) -> Any:
    import altair as alt

    return alt.X(
        "mean_low:Q",
        scale=alt.Scale(zero=False, nice=True),
        axis=alt.Axis(title=title, orient="top", tickCount=5),
    )


def _interval(
    records: Records, rows: Rows, low: str, high: str, x: Any, color: str, thickness: float = 1.0
) -> Any:
    """A bar from one field to another; thinner than others by that factor."""
    import altair as alt

    mark = chart(records).mark_rule(
        color=color,
        strokeWidth=thickness * rows.stroke,
        strokeCap="round" if rows.pitch > 5 else "butt",
        aria=False,
    )
    return mark.encode(x=x, x2=alt.X2(f"{high}:Q"), y=row_axis("row", rows.count))


def _dot(records: Records, rows: Rows, field: str, color: str) -> Any:
    mark = chart(records).mark_circle(color=color, opacity=1, size=rows.dot, aria=False)
    return mark.encode(x=f"{field}:Q", y=row_axis("row", rows.count))


def _truth(records: Records, rows: Rows) -> list[Any]:
    """Where the truth is known: a diamond at each system's true rank."""
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
    return [mark.encode(x="true_rank:Q", y=row_axis("row", rows.count))]


def _tier_labels(records: Records, rows: Rows, size: Size) -> Any:
    """The tier's number at the right edge, at its first row; left out where tiers are too thin."""
    import altair as alt

    firsts, below = [], -math.inf
    for r in records:
        new = r["tier"] and (r["row"] == 1 or records[r["row"] - 2]["tier"] != r["tier"])
        if new and (r["row"] - below) * rows.pitch >= rows.font:
            firsts.append({"row": r["row"], "text": f"tier {r['tier']}"})
            below = r["row"]
    mark = chart(firsts).mark_text(
        align="left", baseline="middle", fontSize=min(rows.font, 0.92 * size.font), color=MUTED, aria=False
    )
    return mark.encode(
        x=alt.value("width"), xOffset=alt.value(5), y=row_axis("row", rows.count), text="text:N"
    )
