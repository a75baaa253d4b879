"""The view of a gate on two means with their standard errors."""

from __future__ import annotations

from collections.abc import Iterator

from truerank._support.escaping import printable
from truerank._support.tables import Table
from truerank._support.wording import level_text
from truerank._support.words import filled, named
from truerank.comparison.gate.unpaired import UnpairedDecision, UnpairedGate
from truerank.report.view import Asked, Section, View
from truerank.report.views import facts, made, register
from truerank.report.views import gate_words as words
from truerank.report.views.gate import verdicts


def view(found: UnpairedGate, asked: Asked) -> View:
    """What there is to see of it."""
    (one,) = found.decisions
    level, margin = level_text(one.level), words.margin_text(found.decisions)
    return View(
        command="gate",
        title=words.title(found),
        subject=about(one),
        badge=(words.headline(found, one), words.TONES[found.verdict]),
        answer=list(sentences(found, one)),
        sections=[_numbers(found)],
        notes=one.notes,
        how=(
            f"Baseline {named(one.baseline)}, {margin}; {level} intervals by the normal distribution, "
            f"unpaired; truerank {found.version}."
        ),
        measure=one.measure,
        facts=facts(found.version) | {"Level": level, "Margin": margin.partition(" ")[2]},
        sentence=(
            f"We compared two means by their standard errors, unpaired, {margin}, by truerank "
            f"{found.version} [@truerank]. The interval is two-sided, at {level}, by the normal "
            "distribution; the verdict is read off it."
        ),
    )


def about(one: UnpairedDecision) -> str:
    """The two systems, the measure, and that they are not paired."""
    parts = [f"{named(one.candidate)} against {named(one.baseline)}", printable(one.measure), "unpaired"]
    return ", ".join(filter(None, parts))


def said(one: UnpairedDecision) -> str:
    """What the verdict means."""
    return words.meaning(one, filled(words.FILE, "sure", {"one": one, "new": []}))


def sentences(found: UnpairedGate, one: UnpairedDecision) -> Iterator[str]:
    """What the verdict means, the difference, and its p-values."""
    yield said(one)
    measured = {"one": one, "scores": "Mean", "digits": words.DIGITS, "people": None, "finite": True}
    yield filled(words.FILE, "measured", measured)
    yield filled(words.FILE, "tested_unpaired", {"one": one})


def _numbers(found: UnpairedGate) -> Section:
    (one,) = found.decisions
    table = Table.of(
        "gate",
        f"Verdict against {named(one.baseline)}, {words.margin_text(found.decisions)}, unpaired",
        UnpairedDecision,
        found.decisions,
        {"level": level_text(one.level)},
        [] if one.margin else ["p_margin"],
        [
            *("candidate", "verdict", "difference", "stderr", "p_value", "p_margin"),
            *("candidate_mean", "baseline_mean"),
        ],
        unit=one.sampled,
        note="p: two-sided, of no difference. Standard error: of the difference.",
        made=made(found.version),
    )
    return verdicts(found.decisions, table)


register(UnpairedGate, view, tables="gate")
