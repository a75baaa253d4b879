"""How far a machine judge over-scores every system, with its interval."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from truerank._support.escaping import printable
from truerank._support.wording import level_text, number, span
from truerank.report.charts.signed import signed_chart
from truerank.report.charts.style import PAGE, Size
from truerank.report.sampled import score_word

if TYPE_CHECKING:
    from truerank.reliability.results import Assessment

VERDICTS = ("over-scored", "inconclusive", "under-scored")


def machine_chart(assessment: Assessment, size: Size = PAGE, shown: Sequence[str] | None = None) -> Any:
    """Biases minus their average in ranking order; shape and color say over- or under-scored, or neither."""
    if assessment.machine is None:
        raise ValueError("an assessment without a machine judge has no biases to show")
    score = score_word(assessment)
    if assessment.scores.kind.by_cells:
        score = printable(assessment.measure) or "score"
    what = f"machine minus human {score}, beyond the average of all systems"
    title = f"{what}, {level_text(assessment.machine.level)} interval"
    drawn = [one for one in assessment.machine.systems if shown is None or one.system in shown]
    ranks = {s.system: s.rank for s in assessment.ranking}
    records = [
        {
            "row": row,
            "rank": ranks[one.system],
            "name": one.system,
            "relative": one.relative,
            "low": one.relative_low,
            "high": one.relative_high,
            "verdict": one.verdict,
            "about": f"{ranks[one.system]}. {printable(one.system)} · "
            f"{number(one.relative, 4, sign=True)} ({span(one.relative_low, one.relative_high)}) · "
            f"{one.verdict}",
        }
        for row, one in enumerate(drawn, start=1)
    ]
    systems = assessment.scores.systems
    return signed_chart(records, "relative", title, VERDICTS, size, systems, len(systems))
