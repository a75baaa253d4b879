"""How far a machine judge favours every system, with its interval."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from truerank.report.charts.signed import signed_chart
from truerank.report.charts.style import PAGE, Records, Size
from truerank.report.words import level_text, number, printable, span

if TYPE_CHECKING:
    from truerank.reliability.results import Assessment

VERDICTS = ("favoured", "can’t tell", "put down")


def machine_chart(assessment: Assessment, size: Size = PAGE) -> Any:
    """Biases less their average in ranking order; shape and colour say favoured, put down, or can't tell.

    Raises:
        ValueError: an assessment without a machine judge.
    """
    if assessment.machine is None:
        raise ValueError("an assessment without a machine judge has no biases to show")
    score = printable(assessment.measure) or "score"
    what = f"machine minus human {score}, beyond the average of all systems"
    title = f"{what}, {level_text(assessment.machine.level)} interval"
    systems = assessment.scores.systems
    return signed_chart(_records(assessment), "favour", title, VERDICTS, size, systems, len(systems))


def _records(assessment: Assessment) -> Records:
    assert assessment.machine is not None
    ranks = {s.system: s.rank for s in assessment.ranking}
    return [
        {
            "row": row,
            "rank": ranks[one.system],
            "name": one.system,
            "favour": one.favour,
            "low": one.favour_low,
            "high": one.favour_high,
            "verdict": one.verdict,
            "about": " · ".join(
                (
                    f"{ranks[one.system]}. {printable(one.system)}",
                    f"{number(one.favour, 4, sign=True)} ({span(one.favour_low, one.favour_high)})",
                    one.verdict,
                )
            ),
        }
        for row, one in enumerate(assessment.machine.systems, start=1)
    ]
