"""What a gate found, as parts of a page."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

from markupsafe import Markup

from truerank.comparison.gate import Decision, Gate, gate
from truerank.comparison.gate.bounds import few_of
from truerank.report.charts.topic_differences import topic_differences_chart
from truerank.report.page import Section
from truerank.report.parts import gate_words as words
from truerank.report.parts.figure import figure
from truerank.report.parts.table import Cell, Column, Row, name_cell, number_cell, table
from truerank.report.templating import fill
from truerank.report.words import level_text, number, p_text, printable

if TYPE_CHECKING:
    from truerank.reliability.results import Assessment

PAPERS = ("hall-1992",)

MOST = 12
"""Comparisons of which a page draws every topic."""


def gate_of(assessment: Assessment) -> Gate:
    """The comparison of the two systems of an assessment: with the baseline, or the one given first."""
    settings = assessment.settings
    baseline = settings.baseline or settings.first
    known = baseline if baseline in assessment.scores.systems else None
    return gate(assessment.scores, known, level=settings.levels[0], seed=settings.seed)


def subject(found: Gate) -> str:
    """What was compared: ``AP · new against bm25 · 50 topics``."""
    first = found.decisions[0]
    if len(found.overall) > 1:
        return f"{len(found.overall)} comparisons with {printable(first.baseline)}"
    parts = [first.measure, f"{first.candidate} against {first.baseline}", words.amount(first)]
    return " · ".join(printable(part) for part in parts if part)


def answer(found: Gate) -> Markup:
    """The verdicts in sentences."""
    several = len(found.overall) > 1
    results = [
        {
            "heading": words.heading(found, one),
            "verdict": words.headline(found, one),
            "said": words.said(one),
            "more": [t for t in (words.fails_on(found, one), words.measured(one), words.tested(one)) if t],
        }
        for one in found.overall
    ]
    return fill(
        "gate-answer.html",
        results=results,
        several=several,
        together=words.together(found),
        warnings=len(words.warnings(found)),
    )


def differences(found: Gate) -> Section:
    """The differences on every topic, and the topics on which the candidate loses most."""
    several = len(found.overall) > 1
    bodies = []
    for place, one in enumerate(found.overall[:MOST], 1):
        anchor = f"topics-{place}"
        picture = figure(
            partial(topic_differences_chart, one),
            f"{anchor}-figure",
            f"Difference of {printable(one.candidate)} and {printable(one.baseline)} on every topic, with "
            f"their mean {number(one.difference, 4, sign=True)} and its bounds, {words.bounds(one)}.",
            f"A bar is a topic. The dot is the mean difference, the line its bounds, each at "
            f"{level_text(one.level)}"
            + (f"; the dashed line is the margin, −{words.score(one.margin)}." if one.margin else "."),
        )
        bodies.append(
            fill(
                "gate-topics.html",
                heading=f"{words.name(one.candidate)}{words.where(one)}" if several else "",
                figure=picture,
                losses=_losses(one, anchor),
                name=printable(one.candidate),
            )
        )
    left = len(found.overall) - MOST
    more = [Markup("<p>{} more comparisons are in the table below.</p>").format(left)] if left > 0 else []
    return Section("topics", "Topics", "Topic by topic", Markup("").join([*bodies, *more]))


def _losses(one: Decision, anchor: str) -> Markup | str:
    """The topics lost, as a table; empty where there are none."""
    if not one.losses:
        return ""
    columns = [Column("Topic", numeric=False)]
    sets = any(loss.data_set is not None for loss in one.losses)
    columns += [Column("Data set", numeric=False)] * sets
    columns += [Column("Baseline"), Column("Candidate"), Column("Difference")]
    rows = []
    for loss in one.losses:
        cells = [name_cell(loss.topic)]
        cells += [Cell(printable(loss.data_set or "–"), loss.data_set)] * sets
        cells += [number_cell(value, 4) for value in (loss.baseline, loss.candidate)]
        rows.append(Row([*cells, number_cell(loss.difference, 4, sign=True)]))
    return table(f"{anchor}-table", "Where the candidate loses most", columns, rows)


def decisions(found: Gate) -> list[Section]:
    """All decisions in a table, where there are several."""
    if len(found) < 2:
        return []
    level = level_text(found.decisions[0].level)
    sets = any(one.data_set is not None for one in found)
    columns = [
        Column("Candidate", numeric=False),
        Column("Measure", numeric=False),
        *[Column("Data set", numeric=False)] * sets,
        Column("Topics"),
        Column("Difference"),
        Column("Bounds", meaning=f"all lower bounds hold at once at {level}, as do all upper ones"),
        Column("Verdict", numeric=False),
        Column("p, adjusted", meaning=words.ADJUSTED),
        Column("Better", meaning="confidence that it is truly better"),
    ]
    rows = [
        Row(
            [
                name_cell(one.candidate),
                Cell(printable(one.measure) or "–", one.measure),
                *[Cell(printable(one.data_set) if one.data_set is not None else "all", one.data_set or "")]
                * sets,
                Cell(f"{one.topics:,}", one.topics),
                number_cell(one.difference, 4, sign=True),
                Cell(words.bounds(one).removeprefix("from "), one.low),
                Cell(words.verdict(one), one.verdict),
                Cell(p_text(one.p_adjusted), one.p_adjusted),
                Cell(words.percentage(one.probability_better), one.probability_better),
            ]
        )
        for one in found
    ]
    body = table("decisions-table", "All verdicts", columns, rows)
    return [Section("decisions", "Verdicts", "All comparisons, judged together", body)]


def methods(found: Gate) -> Section:
    """How the bounds, the verdicts and the number of topics come about."""
    first = found.decisions[0]
    body = fill(
        "gate-methods.html",
        level=level_text(first.level),
        central=level_text(round(2 * first.level - 1, 12)),
        margin=words.score(first.margin),
        several=len(found) > 1,
        exact=any(one.exact for one in found),
        few=math.ceil(few_of(found.comparisons, first.level)),
    )
    return Section("methods", "Methods", "How it is decided", body)
