"""The machine judge beside people: what it adds, and which systems it favours."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan
from typing import TYPE_CHECKING

from truerank.report.charts.machine import machine_chart
from truerank.report.page import Section
from truerank.report.parts.figure import figure
from truerank.report.parts.table import Cell, Column, Row, name_cell, number_cell, table
from truerank.report.templating import fill
from truerank.report.words import level_text, number, printable, shortened, span, verdict_text

if TYPE_CHECKING:
    from truerank.reliability.machine_judge import MachineBias, MachineJudge
    from truerank.reliability.results import Assessment

NAMED = 5
"""Favoured systems that a sentence names."""


def gain_sentence(judge: MachineJudge) -> str:
    """What the machine's scores add to the human ones."""
    n = judge.human_topics
    worth = f"{judge.effective_topics:,.0f}"
    if judge.same_topics:
        agreement = (
            ""
            if isnan(judge.agreement)
            else f"; the two rankings agree with τ = {number(judge.agreement, 2)}"
        )
        return (
            f"The machine judged no other topics than people did, so the human means stay as they are "
            f"(λ = 0){agreement}."
        )
    if not judge.helps:
        return (
            f"The machine’s scores add next to nothing to the {n} human topics "
            f"(λ = {number(judge.scale, 2)}, of at most 1)."
        )
    return (
        f"With the machine’s scores {n} human topics count as {worth} "
        f"(λ = {number(judge.scale, 2)}, of at most 1)."
    )


def favour_sentence(judge: MachineJudge) -> str:
    """Whom the machine judge favours, and whom it puts down."""
    sure = f"with {level_text(judge.level)} confidence for all systems at once"
    parts = []
    if judge.over_scored:
        parts.append(f"favours {_listed(judge.over_scored)}")
    if judge.under_scored:
        parts.append(f"puts down {_listed(judge.under_scored)}")
    if not parts:
        return (
            f"No system is surely favoured by the machine beyond the average of all, {sure}; that is no "
            "proof that none is."
        )
    return f"Beyond its average the machine {' and '.join(parts)}, {sure}."


def _listed(systems: Sequence[MachineBias]) -> str:
    shown = [
        f"{shortened(printable(one.system), most=60)} ({number(one.relative, sign=True)})"
        for one in systems[:NAMED]
    ]
    left = len(systems) - len(shown)
    last = f"{left} more" if left else shown.pop()
    return f"{', '.join(shown)} and {last}" if shown else last


def machine_sentences(assessment: Assessment) -> list[str]:
    """What is to be said of the machine judge; nothing without one."""
    judge = assessment.machine
    return [] if judge is None else [gain_sentence(judge), favour_sentence(judge)]


def machine(assessment: Assessment) -> Section | None:
    """The section of the machine judge; ``None`` without one."""
    judge = assessment.machine
    if judge is None:
        return None
    level = level_text(judge.level)
    places = {s.system: s.rank for s in assessment.ranking}
    columns = [
        Column("Rank"),
        Column("System", numeric=False),
        Column(
            "Bias", meaning="the machine’s mean score less that of people, on the topics that both judged"
        ),
        Column(f"{level} interval", meaning="of the bias, for all systems at once; sorted by its lower end"),
        Column("Beyond average", meaning="the bias less the average over systems, which moves no ranking"),
        Column(f"{level} interval", meaning="of that, for all systems at once; sorted by its lower end"),
        Column("Verdict", numeric=False, meaning="whether that interval leaves zero out"),
    ]
    rows = [
        Row(
            [
                Cell(str(places[one.system]), places[one.system]),
                name_cell(one.system),
                number_cell(one.bias, 4, sign=True),
                Cell(span(one.low, one.high, sign=True), one.low),
                number_cell(one.relative, 4, sign=True),
                Cell(span(one.relative_low, one.relative_high, sign=True), one.relative_low),
                Cell(verdict_text(one.verdict), one.verdict),
            ]
        )
        for one in judge.systems
    ]
    picture = figure(
        lambda size: machine_chart(assessment, size),
        "machine-figure",
        "How far the machine’s bias for each system is above the average over systems, with its interval. "
        "The table below has the same numbers.",
        fill("machine-caption.html", level=level),
    )
    body = fill(
        "machine.html",
        judge=judge,
        gain=gain_sentence(judge),
        rest=judge.machine_topics - judge.human_topics,
        level=level,
        figure=picture,
        table=table("machine-table", "The machine’s bias for every system", columns, rows, heading=1),
    )
    return Section("machine", "Machine judge", "What the machine judge adds, and whom it favours", body)
