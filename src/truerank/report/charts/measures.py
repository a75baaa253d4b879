"""Several measures (or tables) of the same systems side by side: what each says of every system's rank."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from truerank._support.escaping import printable
from truerank._support.wording import level_text, number
from truerank.report.charts.rows import Rows, bars, dots, rank_axis, rank_ends, remark, row_panel
from truerank.report.charts.style import (
    PADDING,
    PAGE,
    Records,
    Size,
    finished,
    hconcat,
    noted,
    symbol_drawn,
    vconcat,
)
from truerank.report.lettering import in_passing
from truerank.report.palette import INK

if TYPE_CHECKING:
    from truerank.reliability.results import Assessment

NARROWEST = 9.0
"""Of a panel, in widths of the font; of more measures than fit so, the next stand below."""


def measures_chart(
    assessments: Sequence[Assessment], size: Size = PAGE, shown: Sequence[str] | None = None
) -> Any:
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
        records = _records(one, first, highest)
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
    return finished(noted(drawn, f"{what} {by} {remark(rows, highest)}".strip(), size), size)


def _records(assessment: Assessment, names: Sequence[str], highest: int) -> Records:
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
