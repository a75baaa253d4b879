"""The ranking in one picture: means with their intervals, and rank ranges."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from truerank._support.wording import level_text, number, ranks, span
from truerank.report.charts.rows import (
    Rows,
    bars,
    dots,
    number_axis,
    rank_axis,
    rank_ends,
    remark,
    row_axis,
    row_panel,
)
from truerank.report.charts.style import (
    PADDING,
    PAGE,
    Records,
    Size,
    chart,
    finished,
    hconcat,
    noted,
    vconcat,
)
from truerank.report.lettering import in_passing
from truerank.report.palette import ACCENT, DOUBT, INK
from truerank.report.sampled import score_title, score_word

if TYPE_CHECKING:
    from truerank.reliability.results import Assessment


def ranking_chart(
    assessment: Assessment,
    size: Size = PAGE,
    true_ranks: Mapping[str, int] | None = None,
    shown: Sequence[str] | None = None,
) -> Any:
    """Means with intervals on the left, rank ranges on the right.

    Without swap probabilities (split-half alone) there are no rank ranges, and no right half. Where
    panels are stacked the ranks come first. All systems are drawn unless some are `shown`.
    """
    records = _records(assessment, true_ranks or {}, shown)
    rows = Rows.of([r["name"] for r in records], size, records[-1]["rank"], among=assessment.scores.systems)
    ranked = records[0]["rank_low"] is not None
    beside_each_other = ranked and not size.stacked
    beside = 0.9 * size.font
    gap = 2.1 * size.font
    room = size.width - PADDING - rows.names - beside
    width = 0.5 * (room - gap) if beside_each_other else room
    drawn = _means(assessment, records, rows, size, width)
    if ranked:
        other = _ranks(assessment, records, rows, size, width, beside)
        drawn = (
            hconcat(drawn, other, spacing=gap, bounds="flush")
            if beside_each_other
            else vconcat(other, drawn, spacing=2 * size.font)
        )
    key = "" if size.on_page else _key(assessment, records)
    note = f"{key} {remark(rows, len(assessment.ranking))}".strip()
    return finished(noted(drawn, note, size), size)


def _key(assessment: Assessment, records: Records) -> str:
    """What the marks are; the axes say what is drawn and at which level."""
    level = level_text(assessment.settings.levels[0])
    parts = ["Dot: observed", f"bar: {level} interval"]
    if records[0]["rank_low"] is not None:
        parts[1] += ", and rank range for all systems together"
    if any(r["true_rank"] for r in records):
        parts.append("diamond: true rank")
    return "; ".join(parts) + "."


def _means(assessment: Assessment, records: Records, rows: Rows, size: Size, width: float) -> Any:
    level = level_text(assessment.settings.levels[0])
    ends = [r[end] for r in records for end in ("mean_low", "mean", "mean_high")]
    x = number_axis("mean_low", f"{score_title(assessment)}, {level} interval", ends, width, size)
    drawn = bars(records, rows, x, "mean_high"), dots(records, rows, "mean", ACCENT)
    return row_panel(records, rows, *drawn, width=width)


def _ranks(
    assessment: Assessment, records: Records, rows: Rows, size: Size, width: float, beside: float
) -> Any:
    """The panel of the ranks."""
    ends = [r[end] for r in records for end in ("left", "right", "rank")]
    low, high = math.floor(min(ends) + 0.5), math.ceil(max(ends) - 0.5)
    level = level_text(assessment.settings.levels[0])
    x = rank_axis("left", f"rank range, {level}", low, high, width, size)
    layers = [bars(records, rows, x, "right"), dots(records, rows, "rank", INK)]
    if known := [r for r in records if r["true_rank"]]:
        diamond = chart(known).mark_point(
            shape="diamond", color=DOUBT, filled=False, size=2.2 * rows.dot, strokeWidth=1.6
        )
        layers.append(diamond.encode(x="true_rank:Q", y=row_axis("row", rows.count)))
    return row_panel(records, rows, *layers, width=width, named=size.stacked, beside=beside)


def _records(assessment: Assessment, true_ranks: Mapping[str, int], shown: Sequence[str] | None) -> Records:
    records: Records = []
    word = score_word(assessment)
    for s in assessment.ranking:
        if shown is not None and s.system not in shown:
            continue
        true_rank = true_ranks.get(s.system)
        about = [
            f"{s.rank}. {in_passing(s.system)}",
            f"{word} {number(s.mean, 4)} ({span(s.mean_low, s.mean_high)})",
        ]
        if s.rank_low is not None:
            about.append(f"rank range {ranks(s.rank_low, s.rank_high)}")
        about += [f"true rank {true_rank}"] if true_rank else []
        records.append(
            {
                "row": len(records) + 1,
                "rank": s.rank,
                "name": s.system,
                "mean": s.mean,
                "mean_low": s.mean_low,
                "mean_high": s.mean_high,
                "rank_low": s.rank_low,
                **rank_ends(s.rank_low, s.rank_high, len(assessment.ranking)),
                "true_rank": true_rank,
                "about": " · ".join(about),
            }
        )
    return records


SHOWN = 10
"""Systems that are drawn."""


def leader_chart(a: Assessment, size: Size = PAGE, key: str = "") -> Any:
    """Observed and shrunken scores of the first systems; `key` says what marks mean."""
    assert a.leader is not None
    first = a.ranking[:SHOWN]
    records: Records = [
        {
            "row": row,
            "name": s.system,
            "rank": s.rank,
            "observed": s.mean,
            "shrunken": s.shrunken,
            "about": f"{in_passing(s.system)} · observed {number(s.mean)} · shrunken {number(s.shrunken)}",
        }
        for row, s in enumerate(first, start=1)
    ]
    ends = {"row": 1, "low": a.leader.low, "high": a.leader.high}
    rows = Rows.of([s.system for s in first], size, among=a.scores.systems)
    width = size.width - PADDING - rows.names - size.font
    values = [*(r[field] for r in records for field in ("observed", "shrunken")), ends["low"], ends["high"]]
    x = number_axis("low", score_title(a), values, width, size)
    circles = chart(records).mark_point(color=INK, size=1.6 * rows.dot, filled=False)
    layers = (
        bars([ends], rows, x, "high"),
        circles.encode(x="observed:Q", y=row_axis("row", rows.count)),
        dots(records, rows, "shrunken", ACCENT),
    )
    drawn = row_panel(records, rows, *layers, width=width, beside=size.font)
    return finished(noted(drawn, "" if size.on_page else key, size), size)
