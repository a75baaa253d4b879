"""The view of the mean score of one system: its interval, and the topics that a narrower one takes."""

from __future__ import annotations

import math
from collections.abc import Iterator

from truerank._support.escaping import printable
from truerank._support.tables import Table
from truerank._support.wording import level_text, number, rough, score_digits, span, topics_text
from truerank.reliability.one_system import MeanScore
from truerank.report.view import Asked, Section, View
from truerank.report.views import facts, made, register, subject


def view(found: MeanScore, asked: Asked) -> View:
    """What there is to see of the mean."""
    return View(
        command="assess",
        title=f"What is the mean score of {printable(found.system)}?",
        subject=subject(found.measure, "one system", found.sampled.count(found.topics)),
        answer=list(_answer(found)),
        sections=[_section(found)],
        notes=found.notes,
        how=f"One system has no ranking. Made with truerank {found.version}.",
        measure=found.measure,
        facts=facts(found.version),
        sentence=(
            f"The mean over {found.sampled.count(found.topics)} has a {level_text(found.level)} interval, "
            f"made with truerank {found.version} [@truerank]."
        ),
    )


def _answer(found: MeanScore) -> Iterator[str]:
    digits, many = score_digits([found.mean, found.mean_high]), found.sampled.many
    yield (
        f"{printable(found.system)}: mean {number(found.mean, digits)}, {level_text(found.level)} interval "
        f"{span(found.mean_low, found.mean_high, digits)}, over {found.sampled.count(found.topics)}."
    )
    if abs(found.effective - found.topics) > 0.5:
        yield f"They depend on each other: in effect they are {number(found.effective, 1)} {many}."
    about = found.topics_needed > 99 and math.isfinite(found.topics_needed)
    needed = f"{'about ' if about else ''}{topics_text(found.topics_needed)}"
    yield (f"A mean ± {rough(found.half_width)} takes {needed} {many}, if they vary like these.")


def _section(found: MeanScore) -> Section:
    table = Table.of(
        "mean",
        "Mean score of one system",
        MeanScore,
        [found],
        {"level": level_text(found.level)},
        unit=found.sampled,
        note=f"{found.sampled.many.capitalize()} needed: for an interval of this half-width.",
        made=made(found.version),
    )
    return Section("mean", "Mean score", tables=[table.rounded_for([found.mean])])


register(MeanScore, view, tables="mean")
