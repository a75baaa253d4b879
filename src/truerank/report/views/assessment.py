"""The view of an assessment: how close the ranking is, and which ranks each system may truly have."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from truerank._support.tables import Column, Count, Name, Number, Ranks, Table
from truerank._support.wording import level_text, listed
from truerank.reliability.estimators import ESTIMATORS
from truerank.reliability.results import Assessment
from truerank.reliability.truth import true_coefficients
from truerank.report import charts
from truerank.report.sampled import score_word
from truerank.report.view import Asked, Figure, Section, View
from truerank.report.views import assessment_methods as methods
from truerank.report.views import assessment_paper as paper
from truerank.report.views import assessment_sections as sections
from truerank.report.views import register
from truerank.report.views.arena import arena_section, style_section
from truerank.report.views.assessment_estimators import estimators_section
from truerank.report.views.assessment_words import answer, subject
from truerank.report.views.noise import noise_details, noise_section

TITLE = "How close is this ranking to the true one?"


def view(a: Assessment, asked: Asked) -> View:
    """What there is to see of an assessment."""
    truth = None if asked.truth is None else true_coefficients(a, asked.truth)
    shown = (
        sections.ranking_section(a, asked),
        sections.leader_section(a, asked),
        sections.baseline_section(a, asked),
        sections.data_sets_section(a, asked),
        style_section(a),
        arena_section(a),
        sections.machine_section(a, asked),
        noise_section(a, asked),
        noise_details(a),
        sections.pairs_section(a, asked),
        estimators_section(a, asked, truth),
    )
    return View(
        command="assess",
        title=TITLE,
        subject=subject(a),
        answer=answer(a, truth),
        sections=[section for section in shown if section],
        notes=list(a.notes),
        how=methods.how(a),
        measure=a.measure,
        explained=[
            *methods.estimators(a, asked.all_estimators),
            *methods.coefficients(a),
            *methods.dependences(a),
        ],
        methods=partial(methods.methods, a, asked.all_estimators),
        facts=methods.facts(a, asked.command),
        numbers=paper.numbers(a),
        sentence=paper.paper_sentence(a),
        quoted=["baseline"] if a.baseline else [],
        references=paper.papers(a),
        data=partial(sections.page_data, a),
        unit=a.counted.many,
        source=a.scores.source or "",
    )


def together(results: Sequence[Assessment], asked: Asked) -> Section:
    """The rankings by several measures side by side, in the order of the first."""
    first = results[0]
    level = level_text(first.settings.levels[0])
    order = list(dict.fromkeys(s.system for a in results for s in a.ranking))
    rows: list[list[Any]] = [[name] for name in order]
    columns = [Column("System", Name(), "system")]
    for a in results:
        found = {s.system: s for s in a.ranking}
        name = a.measure or score_word(a)
        columns.append(Column(name, Number(), f"mean {name}"))
        columns.append(Column("Rank", Count(), f"rank {name}"))
        columns.append(Column("Range", Ranks(high=f"rank_high {name}"), f"rank_low {name}"))
        for row in rows:
            s = found.get(row[0])
            row += [None, None, (None, None)] if s is None else [s.mean, s.rank, (s.rank_low, s.rank_high)]
    table = Table(
        "measures",
        f"Ranking by {listed([a.measure for a in results])}",
        tuple(columns),
        rows,
        f"In the order of {first.measure}. Range: rank range, joint for all systems at {level}.",
        methods.made(first),
    )
    figure = Figure(
        "measures",
        f"Dot: observed rank. Bar: rank range, joint for all systems at {level}.",
        "The ranks of the systems by each measure. A table has the same numbers.",
        lambda size: charts.measures_chart(results, size, size.systems),
    )
    return Section("measures", "Measures side by side", figures=[figure], tables=[table])


register(
    Assessment,
    view,
    together,
    tables=(
        *(
            "ranking",
            "baseline",
            "data_sets",
            "style",
            "arena",
            "machine",
            "sources",
            "levels",
            "other_runs",
            "noise",
        ),
        *("correlation", "estimates", "settings"),
        *(f"swaps_{name}" for name in ESTIMATORS),
    ),
    figures=(
        *("ranking", "leader", "baseline", "data-sets", "style", "battles", "machine-judge"),
        *("noise", "swap-probabilities", "estimators"),
    ),
    joint_figures=("measures",),
)
