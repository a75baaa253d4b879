"""Every system against the baseline."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from truerank.report.charts.differences import differences_chart
from truerank.report.page import Section
from truerank.report.parts.figure import figure
from truerank.report.parts.table import Cell, Column, Row, name_cell, number_cell, table
from truerank.report.templating import fill
from truerank.report.units import score_word, units
from truerank.report.words import (
    difference_interval,
    level_text,
    listed,
    printable,
    share,
    span,
    verdict_text,
)

if TYPE_CHECKING:
    from truerank.reliability.results import Assessment


def baseline(assessment: Assessment) -> Section | None:
    """The differences to the baseline; ``None`` without one."""
    name = assessment.settings.baseline
    if name is None:
        return None
    sure = level_text(assessment.settings.levels[0])
    interval = difference_interval(assessment.settings)
    ranks = {s.system: s.rank for s in assessment.ranking}
    verdicts = [d.verdict for d in assessment.baseline]
    picture = figure(
        lambda size: differences_chart(assessment, size),
        "baseline-figure",
        f"Difference of every system's score to that of {printable(name)}, with its {interval}. "
        "The table below has the same numbers.",
        fill(
            "baseline-caption.html",
            score=score_word(assessment),
            units=units(assessment),
            interval=interval,
            sure=sure,
        ),
    )
    columns = [
        Column("Rank"),
        Column("System", numeric=False),
        Column("Difference", meaning=f"{score_word(assessment)} minus the baseline’s"),
        Column(interval, meaning="of the true difference; sorted by its lower end"),
        Column("Verdict", numeric=False, meaning=f"better or worse with at least {sure} probability"),
        Column("Truly better", meaning="probability of being truly better than the baseline"),
    ]
    rows = [
        Row(
            [
                Cell(str(ranks[d.system]), ranks[d.system]),
                name_cell(d.system),
                number_cell(d.difference, 4, sign=True),
                Cell(span(d.low, d.high, sign=True), d.low),
                Cell(verdict_text(verdict), verdict),
                Cell(
                    share(d.probability_better),
                    None if math.isnan(d.probability_better) else d.probability_better,
                ),
            ]
        )
        for d, verdict in zip(assessment.baseline, verdicts, strict=True)
    ]
    body = fill(
        "baseline.html",
        name=printable(name),
        rank=ranks[name],
        interval=interval,
        sure=sure,
        guarantee=assessment.settings.guarantee,
        counts={v: verdicts.count(v) for v in set(verdicts)},
        others=len(verdicts),
        figure=picture,
        table=table("baseline-table", "All differences", columns, rows, heading=1),
    )
    return Section("baseline", "Baseline", f"Against the baseline, {listed([name])}", body)


def baseline_sentence(assessment: Assessment) -> str:
    """How many systems are better than the baseline, and how many worse; empty without one."""
    name = assessment.settings.baseline
    if name is None or not assessment.baseline:
        return ""
    rank = next(s.rank for s in assessment.ranking if s.system == name)
    verdicts = [d.verdict for d in assessment.baseline]
    better, worse = verdicts.count("better"), verdicts.count("worse")
    unsure = len(verdicts) - better - worse
    return (
        f"Against the baseline {listed([name])}, at rank {rank}: of the other {len(verdicts)} systems "
        f"{better or 'none'} {'is' if better < 2 else 'are'} better, {worse or 'none'} worse, and "
        + (f"{unsure} can’t be told apart from it." if unsure else "all can be told apart from it.")
    )
