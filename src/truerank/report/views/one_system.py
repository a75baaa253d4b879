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


def view(result: MeanScore, asked: Asked) -> View:
    words = Words(
        "one_system",
        result=result,
        digits=score_digits([result.mean, result.mean_high]),
        level=level_text(result.level),
        count=result.sampled.count(result.topics),
        topics=result.sampled.many,
        inf=math.inf,
    )
    table = Table.of(
        "mean",
        "Mean score of one system",
        MeanScore,
        [result],
        {"level": level_text(result.level)},
        unit=result.sampled,
        note=f"{result.sampled.many.capitalize()} needed: for an interval of the target half-width.",
    )
    return View(
        command="assess",
        title=f"What is the mean score of {printable(result.system)}?",
        subject=subject(result.measure, "one system", result.sampled.count(result.topics)),
        answer=words.all("answer"),
        sections=[Section("mean", "Mean score", tables=[table.rounded_for([result.mean])])],
        notes=result.notes,
        how=f"One system has no ranking. Made with truerank {result.version}.",
        made=made(result.version),
        measure=result.measure,
        sentence=(
            f"The mean over {result.sampled.count(result.topics)} has a {level_text(result.level)} interval, "
            f"made with truerank {result.version} [@truerank]."
        ),
    )
