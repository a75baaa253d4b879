"""Every system's difference from the baseline, with its interval."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from truerank._support.escaping import printable
from truerank._support.wording import number, share, span
from truerank.report.charts.signed import signed_chart
from truerank.report.charts.style import PAGE, Records, Size
from truerank.report.lettering import fitted, in_passing, shortened_middle
from truerank.report.sampled import score_title
from truerank.report.words import difference_interval

if TYPE_CHECKING:
    from truerank.reliability.results import Assessment


SHOWN = {"better": "better", "undecided": "inconclusive", "fail": "worse"}
"""Verdicts as the chart names them."""


def differences_chart(assessment: Assessment, size: Size = PAGE, shown: Sequence[str] | None = None) -> Any:
    """Differences in ranking order; shape and color say better, worse, or inconclusive."""
    baseline = shortened_middle(printable(assessment.settings.baseline or ""), 36)
    baseline = fitted([baseline], 0.6 * size.width, size.text)[baseline]
    what = f"{score_title(assessment)} minus that of {baseline}"
    title = f"{what}, {difference_interval(assessment.settings)}"
    systems = assessment.scores.systems
    records = _records(assessment, shown)
    return signed_chart(records, "difference", title, tuple(SHOWN.values()), size, systems, len(systems) - 1)


def _records(assessment: Assessment, shown: Sequence[str] | None) -> Records:
    ranks = {s.system: s.rank for s in assessment.ranking}
    drawn = [d for d in assessment.baseline if shown is None or d.system in shown]
    records = []
    for row, d in enumerate(drawn, start=1):
        about = [
            f"{ranks[d.system]}. {in_passing(d.system)}",
            f"{number(d.difference, 4, sign=True)} ({span(d.low, d.high)})",
            SHOWN[d.verdict],
        ]
        if not math.isnan(d.probability_better):
            about.append(f"better with confidence {share(d.probability_better)}")
        records.append(
            {
                "row": row,
                "rank": ranks[d.system],
                "name": d.system,
                "difference": d.difference,
                "low": d.difference if math.isnan(d.low) else d.low,
                "high": d.difference if math.isnan(d.high) else d.high,
                "verdict": SHOWN[d.verdict],
                "about": " · ".join(about),
            }
        )
    return records
