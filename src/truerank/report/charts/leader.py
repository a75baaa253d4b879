"""The first systems, each as observed and as it is once selection is allowed for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from truerank._support.wording import number
from truerank.report.charts.rows import Rows, bars, dots, number_axis, row_axis, row_panel
from truerank.report.charts.style import PADDING, PAGE, Records, Size, chart, finished, noted
from truerank.report.lettering import in_passing
from truerank.report.palette import ACCENT, INK
from truerank.report.sampled import score_title

if TYPE_CHECKING:
    from truerank.reliability.results import Assessment

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
