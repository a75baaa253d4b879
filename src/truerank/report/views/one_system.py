"""The view of the mean score of one system: its interval, and the topics that a narrower one takes."""

from __future__ import annotations

import math

from truerank._support.escaping import printable
from truerank._support.tables import Table
from truerank._support.wording import level_text, score_digits
from truerank.reliability.one_system import MeanScore
from truerank.report.view import Asked, Section, View
from truerank.report.views import made, subject
from truerank.report.words import Words


def view(found: MeanScore, asked: Asked) -> View:
    """What there is to see of the mean."""
    said = Words(
        "one_system",
        found=found,
        digits=score_digits([found.mean, found.mean_high]),
        level=level_text(found.level),
        count=found.sampled.count(found.topics),
        topics=found.sampled.many,
        inf=math.inf,
    )
    table = Table.of(
        "mean",
        "Mean score of one system",
        MeanScore,
        [found],
        {"level": level_text(found.level)},
        unit=found.sampled,
        note=f"{found.sampled.many.capitalize()} needed: for an interval of the target half-width.",
    )
    return View(
        command="assess",
        title=f"What is the mean score of {printable(found.system)}?",
        subject=subject(found.measure, "one system", found.sampled.count(found.topics)),
        answer=said.all("answer"),
        sections=[Section("mean", "Mean score", tables=[table.rounded_for([found.mean])])],
        notes=found.notes,
        how=f"One system has no ranking. Made with truerank {found.version}.",
        made=made(found.version),
        measure=found.measure,
        sentence=(
            f"The mean over {found.sampled.count(found.topics)} has a {level_text(found.level)} interval, "
            f"made with truerank {found.version} [@truerank]."
        ),
    )
