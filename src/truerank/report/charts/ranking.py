"""Systems by row: means with intervals and rank ranges."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from truerank._support.wording import level_text
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
    COLUMN,
    PADDING,
    Chart,
    Records,
    Size,
    finished,
    hconcat,
    mark,
)
from truerank.report.palette import ACCENT, DOUBT, INK

if TYPE_CHECKING:
    from truerank.reliability.results import RankedSystem


def ranking_chart(
    ranking: Sequence[RankedSystem],
    level: float,
    score: str,
    size: Size = COLUMN,
    true_ranks: Mapping[str, int] | None = None,
    shown: Sequence[str] | None = None,
) -> Chart:
    """Scores with intervals on the left, rank ranges on the right, both at that level.

    Without swap probabilities (split-half alone) there are no rank ranges, and no right half. All systems are
    drawn unless some are `shown`.
    """
    records = _records(ranking, true_ranks or {}, shown)
    rows = _rows(records, ranking, size)
    ranked = records[0]["left"] is not None
    beside = 0.9 * size.font
    gap = 2.1 * size.font
    room = size.width - PADDING - rows.names - beside
    width = 0.5 * (room - gap) if ranked else room
    ends = [r[end] for r in records for end in ("mean_low", "mean", "mean_high")]
    x = number_axis("mean_low", f"{score}, {level_text(level)} interval", ends, width, size)
    layers = bars(records, rows, x, "mean_high"), dots(records, rows, "mean", ACCENT)
    drawn = row_panel(records, rows, *layers, width=width)
    if ranked:
        other = _ranks(records, rows, level, size, width, beside)
        drawn = hconcat(drawn, other, spacing=gap, bounds="flush")
    return finished(drawn, size, key=_key(records, level), note=remark(rows, len(ranking)))


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


def _ranks(
    records: Records,
    rows: Rows,
    level: float,
    size: Size,
    width: float,
    beside: float,
) -> Chart:
    """The panel of the ranks, with diamonds at the true ranks that are known."""
    known = [r for r in records if r["other"]]
    ends = [r[end] for r in records for end in ("left", "right", "place")] + [r["other"] for r in known]
    low, high = math.floor(min(ends) + 0.5), math.ceil(max(ends) - 0.5)
    x = rank_axis("left", f"rank range, {level_text(level)}", low, high, width, size)
    layers = [bars(records, rows, x, "right"), dots(records, rows, "place", INK)]
    y = row_axis("row", rows.count)
    if known:
        look: dict[str, Any] = {"color": DOUBT, "filled": False, "strokeWidth": 1.6}
        layers.append(mark("point", known, shape="diamond", size=2.2 * rows.dot, x="other:Q", y=y, **look))
    return row_panel(records, rows, *layers, width=width, named=False, beside=beside)


def _records(
    ranking: Sequence[RankedSystem],
    others: Mapping[str, int],
    shown: Sequence[str] | None,
) -> Records:
    """What is drawn of each system; `others` are its true ranks."""
    records: Records = []
    places = {s.rank: place for place, s in reversed([*enumerate(ranking, start=1)])}
    for s in ranking:
        if shown is not None and s.system not in shown:
            continue
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
            }
        )
    return records
