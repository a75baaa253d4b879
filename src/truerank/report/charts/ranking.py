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
from truerank.report.sampled import score_title

if TYPE_CHECKING:
    from truerank.reliability.results import Assessment, RankedSystem


def ranking_chart(
    ranking: Sequence[RankedSystem],
    level: float,
    score: str,
    size: Size = PAGE,
    true_ranks: Mapping[str, int] | None = None,
    shown: Sequence[str] | None = None,
) -> Any:
    """Scores with intervals on the left, rank ranges on the right, both at that level.

    Without swap probabilities (split-half alone) there are no rank ranges, and no right half. Where
    panels are stacked the ranks come first. All systems are drawn unless some are `shown`.
    """
    records = _records(ranking, score, "true rank", true_ranks or {}, shown)
    rows = _rows(records, ranking, size)
    ranked = records[0]["left"] is not None
    beside_each_other = ranked and not size.stacked
    beside = 0.9 * size.font
    gap = 2.1 * size.font
    room = size.width - PADDING - rows.names - beside
    width = 0.5 * (room - gap) if beside_each_other else room
    drawn = _scores(records, rows, level, score, size, width)
    if ranked:
        other = _ranks(records, rows, level, size, width, beside, named=size.stacked)
        drawn = (
            hconcat(drawn, other, spacing=gap, bounds="flush")
            if beside_each_other
            else vconcat(other, drawn, spacing=2 * size.font)
        )
    key = "" if size.on_page else _key(records, level)
    note = f"{key} {remark(rows, len(ranking))}".strip()
    return finished(noted(drawn, note, size), size)


def moves_chart(
    a: Assessment,
    style: str,
    size: Size = PAGE,
    shown: Sequence[str] | None = None,
    key: str = "",
) -> Any:
    """Ranks with rank ranges at equal style, each beside the rank without; `key` says what marks mean."""
    without = {s.system: s.rank_without for s in a.ranking if s.rank_without is not None}
    records = _records(a.ranking, score_title(a), f"rank without {style}", without, shown)
    rows = _rows(records, a.ranking, size)
    width = size.width - PADDING - rows.names - size.font
    drawn = _ranks(records, rows, a.settings.levels[0], size, width, size.font, joined=True)
    more = remark(rows, len(a.ranking) if size.systems else rows.count)
    return finished(noted(drawn, "" if size.on_page else f"{key} {more}".strip(), size), size)


def _key(records: Records, level: float) -> str:
    """What the marks are; the axes say what is drawn and at which level."""
    parts = ["Dot: observed", f"bar: {level_text(level)} interval"]
    if records[0]["left"] is not None:
        parts[1] += ", and rank range for all systems together"
    if any(r["other"] for r in records):
        parts.append("diamond: true rank")
    return "; ".join(parts) + "."


def _rows(records: Records, ranking: Sequence[RankedSystem], size: Size) -> Rows:
    names = [r["name"] for r in records]
    return Rows.of(names, size, records[-1]["rank"], among=[s.system for s in ranking])


def _scores(records: Records, rows: Rows, level: float, score: str, size: Size, width: float) -> Any:
    ends = [r[end] for r in records for end in ("mean_low", "mean", "mean_high")]
    x = number_axis("mean_low", f"{score}, {level_text(level)} interval", ends, width, size)
    drawn = bars(records, rows, x, "mean_high"), dots(records, rows, "mean", ACCENT)
    return row_panel(records, rows, *drawn, width=width)


def _ranks(
    records: Records,
    rows: Rows,
    level: float,
    size: Size,
    width: float,
    beside: float,
    named: bool = True,
    joined: bool = False,
) -> Any:
    """The panel of the ranks, with diamonds at the other ranks that are known, joined to the dots or not."""
    known = [r for r in records if r["other"]]
    ends = [r[end] for r in records for end in ("left", "right", "place")] + [r["other"] for r in known]
    low, high = math.floor(min(ends) + 0.5), math.ceil(max(ends) - 0.5)
    x = rank_axis("left", f"rank range, {level_text(level)}", low, high, width, size)
    layers = [bars(records, rows, x, "right"), dots(records, rows, "place", INK)]
    y = row_axis("row", rows.count)
    if joined:
        line = chart(known).mark_rule(color=DOUBT, strokeWidth=0.5 * rows.stroke)
        layers.insert(1, line.encode(x="place:Q", x2="other:Q", y=y))
    if known:
        diamond = chart(known).mark_point(
            shape="diamond", color=DOUBT, filled=False, size=2.2 * rows.dot, strokeWidth=1.6
        )
        layers.append(diamond.encode(x="other:Q", y=y))
    return row_panel(records, rows, *layers, width=width, named=named, beside=beside)


def _records(
    ranking: Sequence[RankedSystem],
    score: str,
    other: str,
    others: Mapping[str, int],
    shown: Sequence[str] | None,
) -> Records:
    """What is drawn of each system; `others` are its ranks by what `other` names."""
    records: Records = []
    places = {s.rank: place for place, s in reversed([*enumerate(ranking, start=1)])}
    for s in ranking:
        if shown is not None and s.system not in shown:
            continue
        about = [
            f"{s.rank}. {in_passing(s.system)}",
            f"{score} {number(s.mean, 4)} ({span(s.mean_low, s.mean_high)})",
        ]
        if s.rank_low is not None:
            about.append(f"rank range {ranks(s.rank_low, s.rank_high)}")
        if s.system in others:
            about.append(f"{other} {others[s.system]}")
        records.append(
            {
                "row": len(records) + 1,
                "rank": s.rank,
                "place": places[s.rank],
                "name": s.system,
                "mean": s.mean,
                "mean_low": s.mean_low,
                "mean_high": s.mean_high,
                **rank_ends(s.rank_low, s.rank_high, len(ranking)),
                "other": others.get(s.system),
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
