"""Systems by row: means with intervals and rank ranges, by one or several measures, and the leader."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from truerank._support.escaping import printable
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
    Chart,
    Records,
    Size,
    finished,
    hconcat,
    mark,
    symbol_drawn,
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
) -> Chart:
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
    ends = [r[end] for r in records for end in ("mean_low", "mean", "mean_high")]
    x = number_axis("mean_low", f"{score}, {level_text(level)} interval", ends, width, size)
    layers = bars(records, rows, x, "mean_high"), dots(records, rows, "mean", ACCENT)
    drawn = row_panel(records, rows, *layers, width=width)
    if ranked:
        other = _ranks(records, rows, level, size, width, beside, named=size.stacked)
        drawn = (
            hconcat(drawn, other, spacing=gap, bounds="flush")
            if beside_each_other
            else vconcat(other, drawn, spacing=2 * size.font)
        )
    return finished(drawn, size, key=_key(records, level), note=remark(rows, len(ranking)))


def moves_chart(
    a: Assessment,
    style: str,
    size: Size = PAGE,
    shown: Sequence[str] | None = None,
    key: str = "",
) -> Chart:
    """Ranks with rank ranges at equal style, each beside the rank without; `key` says what marks mean."""
    without = {s.system: s.rank_without for s in a.ranking if s.rank_without is not None}
    records = _records(a.ranking, score_title(a), f"rank without {style}", without, shown)
    rows = _rows(records, a.ranking, size)
    width = size.width - PADDING - rows.names - size.font
    drawn = _ranks(records, rows, a.settings.levels[0], size, width, size.font, joined=True)
    more = "" if size.on_page else remark(rows, len(a.ranking) if size.systems else rows.count)
    return finished(drawn, size, key=key, note=more)


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
    named: bool = True,
    joined: bool = False,
) -> Chart:
    """The panel of the ranks, with diamonds at the other ranks that are known, joined to the dots or not."""
    known = [r for r in records if r["other"]]
    ends = [r[end] for r in records for end in ("left", "right", "place")] + [r["other"] for r in known]
    low, high = math.floor(min(ends) + 0.5), math.ceil(max(ends) - 0.5)
    x = rank_axis("left", f"rank range, {level_text(level)}", low, high, width, size)
    layers = [bars(records, rows, x, "right"), dots(records, rows, "place", INK)]
    y = row_axis("row", rows.count)
    if joined:
        ends_at: dict[str, Any] = {"x": "place:Q", "x2": "other:Q", "y": y}
        layers.insert(1, mark("rule", known, color=DOUBT, strokeWidth=0.5 * rows.stroke, **ends_at))
    if known:
        look: dict[str, Any] = {"color": DOUBT, "filled": False, "strokeWidth": 1.6}
        layers.append(mark("point", known, shape="diamond", size=2.2 * rows.dot, x="other:Q", y=y, **look))
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


def leader_chart(a: Assessment, size: Size = PAGE, key: str = "") -> Chart:
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
    hollow: dict[str, Any] = {"color": INK, "size": 1.6 * rows.dot, "filled": False}
    layers = (
        bars([ends], rows, x, "high"),
        mark("point", records, x="observed:Q", y=row_axis("row", rows.count), **hollow),
        dots(records, rows, "shrunken", ACCENT),
    )
    return finished(row_panel(records, rows, *layers, width=width, beside=size.font), size, key=key)


NARROWEST = 9.0
"""Of a panel, in widths of the font; of more measures than fit so, the next stand below."""


def measures_chart(
    assessments: Sequence[Assessment], size: Size = PAGE, shown: Sequence[str] | None = None
) -> Chart:
    """One panel per measure: observed ranks and rank ranges, in the first one's order.

    Systems that one of the measures lacks are left out.
    """
    common = set.intersection(*({s.system for s in one.ranking} for one in assessments))
    wanted = common if shown is None else common & {*shown}
    first = [s.system for s in assessments[0].ranking if s.system in wanted]
    rows = Rows.of(first, size, ranked=False, among=assessments[0].scores.systems)
    end, gap = 0.7 * size.font, 1.6 * size.font
    room = size.width - PADDING - rows.names - end
    across = max(1, min(len(assessments), int((room + gap) // (NARROWEST * size.font + gap))))
    width = (room - (across - 1) * gap) / across
    highest = max(len(one.ranking) for one in assessments)
    panels = []
    for place, one in enumerate(assessments):
        title = [*(line.removesuffix(",") for line in size.lines(_title(one), width)), "rank"]
        x = rank_axis("left", title, 1, highest, width, size)
        records = _by_measure(one, first, highest)
        layers = bars(records, rows, x, "right"), dots(records, rows, "rank", INK)
        named = place % across == 0
        panels.append(row_panel(records, rows, *layers, width=width, named=named, beside=end))
    lines = [
        hconcat(*panels[start : start + across], spacing=gap, bounds="flush")
        for start in range(0, len(panels), across)
    ]
    drawn = vconcat(*lines, spacing=2 * size.font) if len(lines) > 1 else lines[0]
    level = level_text(assessments[0].settings.levels[0])
    what = f"Dot: observed rank; bar: rank range, joint for all systems at {level}."
    chosen = "Ordered" if shown is None else "Chosen and ordered"
    by = f"{chosen} by {in_passing(assessments[0].measure) or 'the first'}."
    return finished(drawn, size, key=what, note=f"{by} {remark(rows, highest)}".strip())


def _by_measure(assessment: Assessment, names: Sequence[str], highest: int) -> Records:
    found = {s.system: s for s in assessment.ranking}
    return [
        {
            "row": row,
            "name": name,
            "rank": found[name].rank,
            **rank_ends(
                found[name].rank_low or found[name].rank, found[name].rank_high or found[name].rank, highest
            ),
            "about": f"{in_passing(name)} · rank {found[name].rank}",
        }
        for row, name in enumerate(names, start=1)
    ]


def _title(assessment: Assessment) -> str:
    """The measure, and how close its ranking is to its true one, with the interval of that."""
    name = printable(assessment.measure) or "scores"
    own = [e for e in assessment.estimates if e.estimator == assessment.headline_estimator]
    lead = next((e for e in own if e.coefficient == "tau"), own[0] if own else None)
    if lead is None or math.isnan(lead.estimate):
        return name
    ends = lead.interval(assessment.settings.levels[0])
    value = number(lead.estimate, 2)
    if ends is not None and math.isfinite(ends.low) and math.isfinite(ends.high):
        value += f"\u00a0[{number(ends.low, 2)},\u00a0{number(ends.high, 2)}]"  # on one line
    return f"{name}, {symbol_drawn(lead.coefficient)} = {value}"
