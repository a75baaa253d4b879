"""How far a machine judge over-scores every system, with its interval."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from truerank.report.charts.signed import signed_chart
from truerank.report.charts.style import PAGE, Records, Size
from truerank.report.words import level_text, number, printable, span

if TYPE_CHECKING:
    from truerank.reliability.results import Assessment

VERDICTS = ("over-scored", "not separated", "under-scored")


def machine_chart(assessment: Assessment, size: Size = PAGE, shown: Sequence[str] | None = None) -> Any:
    """Biases less their average in ranking order; shape and color say over- or under-scored, or neither.

    Args:
        assessment: what to draw.
        size: for a page or a paper.
        shown: the systems that are drawn; all by default.

    Raises:
        ValueError: an assessment without a machine judge.
    """
    if assessment.machine is None:
        raise ValueError("an assessment without a machine judge has no biases to show")
    score = printable(assessment.measure) or "score"
    what = f"machine minus human {score}, beyond the average of all systems"
    title = f"{what}, {level_text(assessment.machine.level)} interval"
    systems = assessment.scores.systems
    return signed_chart(_records(assessment, shown), "relative", title, VERDICTS, size, systems, len(systems))


def _records(assessment: Assessment, shown: Sequence[str] | None) -> Records:
    assert assessment.machine is not None
    wanted = None if shown is None else {*shown}
    drawn = [one for one in assessment.machine.systems if wanted is None or one.system in wanted]
    ranks = {s.system: s.rank for s in assessment.ranking}
    return [
        {
            "row": row,
            "rank": ranks[one.system],
            "name": one.system,
            "relative": one.relative,
            "low": one.relative_low,
            "high": one.relative_high,
            "verdict": one.verdict,
            "about": " · ".join(
                (
                    f"{ranks[one.system]}. {printable(one.system)}",
                    f"{number(one.relative, 4, sign=True)} ({span(one.relative_low, one.relative_high)})",
                    one.verdict,
                )
            ),
        }
        for row, one in enumerate(drawn, start=1)
    ]
