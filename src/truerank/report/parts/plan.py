"""The parts of a plan's page: the answer, the curve, topics needed, generalizability, classical designs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from markupsafe import Markup

from truerank._support.wording import plural, topics_text
from truerank.planning.answer import sentences
from truerank.planning.maps import MAPS, TAU_MISS
from truerank.report.charts.plan import not_drawn, plan_chart
from truerank.report.page import Section
from truerank.report.parts.figure import figure
from truerank.report.parts.table import Cell, Column, Row, number_cell, table
from truerank.report.templating import fill
from truerank.report.words import (
    counts,
    level_text,
    number,
    percent,
    printable,
    sentence,
    span,
    symbol,
    symbol_html,
    symbols_html,
)

if TYPE_CHECKING:
    from truerank.planning import CurvePoint, Generalizability, Needed, Plan

TARGETS = {
    "width": "width of the interval",
    "winner": "the truly best system first",
    "pair": "power for the pair",
    "relative": "Eρ²",
    "absolute": "Φ",
}

SOURCES = {
    "system": "systems",
    "data_set": "data sets",
    "topic": "topics",
    "system_data_set": "system × data set",
    "residual": "system × topic, and the rest",
}


INDICES = (
    "Eρ²: of the variance of systems’ means, the share that would be there again on other topics. Φ: the "
    "same, with the topics’ own difficulty counted as error too. Both are 1 at best."
)
"""What the two indices of generalizability theory are."""

EFFECT = (
    "the typical true difference of two systems, over the standard deviation of their differences from topic "
    "to topic, squared. The larger it is, the fewer topics tell systems apart."
)
"""What the effect size c is."""


def subject(plan: Plan) -> str:
    """What was planned for: ``AP · 74 systems · a pilot of 50 topics``."""
    measure = [printable(plan.measure)] if plan.measure else []
    unit = "topic" if plan.unit == "topic per data set" else plan.unit
    pilot = {
        "pilot": f"a pilot of {plan.pilot_topics:,} {plural(unit)}",
        "model": "a simulation model",
        "effect": "a given effect size",
        "collections": "no scores yet",
    }[plan.settings.basis]
    return " · ".join([*measure, f"{plan.systems} systems", pilot])


def answer(plan: Plan) -> Markup:
    """The head of the page."""
    return fill(
        "plan-answer.html",
        said=[symbols_html(printable(one)) for one in sentences(plan)],
        warnings=len(plan.warnings),
    )


def curve_title(plan: Plan) -> str:
    """What the curve shows."""
    whose = "the pilot and new topics together" if plan.extend else f"new {plural(plan.unit)}"
    return f"What to expect by number of {whose}, with {level_text(plan.settings.level)} prediction intervals"


def points_shown(plan: Plan, shown: Sequence[int]) -> Iterator[tuple[int, list[CurvePoint]]]:
    """The points of all curves at some numbers of topics, and at the nearest to those needed."""
    curves = list(plan.curves.values())
    for row in zip(*curves, strict=True):
        if row[0].topics in shown or (plan.extend and row[0] is curves[0][0]):
            yield row[0].topics, list(row)


def needed_rows(plan: Plan) -> list[list[str]]:
    """Target, criterion, number and its interval, as text."""
    return [
        [target_text(one), criterion_text(one, plan), *map(topics_text, (one.topics, one.low, one.high))]
        for one in _all_needed(plan)
    ]


def target_text(one: Needed) -> str:
    """What is to be reached, and how much of it."""
    return f"{TARGETS.get(one.what) or symbol(one.what)} {'≤' if one.what == 'width' else '='} {one.target:g}"


def _all_needed(plan: Plan) -> list[Needed]:
    return [*plan.needed, *([plan.pair.needed] if plan.pair is not None else [])]


def criterion_text(one: Needed, plan: Plan) -> str:
    """By what it is to be reached."""
    if one.criterion == "expected":
        return "the expectation"
    return f"{level_text(round((1 + plan.settings.level) / 2, 12))} probability"


def _number_cell(topics: float) -> Cell:
    return Cell(topics_text(topics), topics if math.isfinite(topics) else None)


def curve(plan: Plan) -> Section:
    """The curve and the topics needed."""
    label = f"{symbol(plan.coefficient)} by number of {plural(plan.unit)}: expectation and band"
    picture = figure(
        lambda size: plan_chart(plan, size),
        "plan-curve",
        label,
        fill(
            "plan-caption.html",
            plan=plan,
            level=level_text(plan.settings.level),
            units=plural(plan.unit),
            label=symbol_html(plan.coefficient),
            elsewhere=Markup(" and ").join(
                Markup("{} = {}").format(symbol_html(what), f"{target:g}") for what, target in not_drawn(plan)
            ),
        ),
    )
    rows = [
        Row(
            [
                Cell(symbols_html(target_text(one)), one.what),
                Cell(criterion_text(one, plan), one.criterion),
                *(_number_cell(topics) for topics in (one.topics, one.low, one.high)),
            ]
        )
        for one in _all_needed(plan)
    ]
    columns = [
        Column("Target", numeric=False),
        Column("Reached by", numeric=False),
        Column(f"{plural(plan.unit).capitalize()}"),
        Column("From", meaning="lower end of the interval of that number"),
        Column("To", meaning="upper end"),
    ]
    needed = table(
        "needed-table",
        f"{plural(plan.unit).capitalize()} needed, with {level_text(plan.settings.level)} intervals over "
        "what is not known of the truth",
        columns,
        rows,
    )
    points = [
        Row(
            [
                Cell(f"{topics:,}", topics),
                *(
                    cell
                    for p in row
                    for cell in (number_cell(p.estimate), Cell(span(p.low, p.high, 2), p.low))
                ),
            ]
        )
        for topics, row in points_shown(plan, [p.topics for p in plan.curve])
    ]
    heads = [Column(f"{plural(plan.unit).capitalize()}")]
    for name in plan.curves:
        heads += [Column(symbol_html(name)), Column("Interval")]
    body = picture + needed + table("curve-table", curve_title(plan), heads, points)
    return Section("curve", "Curve", "How the ranking gains by topics", body)


def component_rows(g: Generalizability) -> list[tuple[str, float, float]]:
    """Source, variance and share of all."""
    parts = g.variance.to_dict() if g.nested is None else g.nested.to_dict()
    total = sum(parts.values())
    return [(SOURCES[name], value, value / total if total else 0.0) for name, value in parts.items()]


def generalizability(plan: Plan) -> Section | None:
    """Components, indices, the D-study and the published maps; ``None`` without a pilot."""
    g = plan.generalizability
    if g is None:
        return None
    components = table(
        "components-table",
        "Where the variance of a score comes from",
        [Column("Source", numeric=False), Column("Variance"), Column("Share")],
        [Row([Cell(n, n), number_cell(v, 5), Cell(percent(s), s)]) for n, v, s in component_rows(g)],
    )
    rows = []
    for name, index in (
        ("Eρ², of differences between systems", g.relative),
        ("Φ, of the scores themselves", g.absolute),
    ):
        ends = (
            Cell(span(index.interval.low, index.interval.high, 3), index.interval.low)
            if g.crossed
            else Cell("–", None)
        )
        more = counts(index.topics_low, index.topics_high) if g.crossed else "–"
        rows.append(
            Row(
                [
                    Cell(name, name),
                    number_cell(index.estimate, 4),
                    ends,
                    _number_cell(index.topics),
                    Cell(more, None),
                ]
            )
        )
    unit = f"{plural(plan.unit).capitalize()}"
    indices = table(
        "stability-table",
        f"Stability of the pilot, and {plural(plan.unit)} for {g.stability:g}",
        [
            Column("Index", numeric=False),
            Column("Now"),
            Column("Interval"),
            Column(f"{unit} for {g.stability:g}"),
            Column("From, to"),
        ],
        rows,
    )
    shown = (
        "tau",
        "tau_ap",
        "power",
        "minor_conflicts",
        "major_conflicts",
        "absolute_sensitivity",
        "relative_sensitivity",
        "rmse",
    )
    by_posterior = {p.topics: p.estimate for p in plan.curves["tau"]}
    study = table(
        "study-table",
        f"A D-study; from the fifth column on, what the published maps make of it (they miss τ by up to "
        f"{TAU_MISS:g}: compare with the posterior’s)",
        [
            Column(unit),
            Column("Eρ²"),
            Column("Φ"),
            Column("τ by the posterior", meaning="as in the curve above"),
            *(Column(symbols_html(MAPS[name][0])) for name in shown),
        ],
        [
            Row(
                [
                    Cell(f"{p.topics:,}", p.topics),
                    number_cell(p.relative),
                    number_cell(p.absolute),
                    number_cell(by_posterior.get(p.topics, math.nan)),
                    *(number_cell(p.mapped[name]) for name in shown),
                ]
            )
            for p in g.study
        ],
    )
    body = fill(
        "plan-generalizability.html",
        components=components,
        indices=indices,
        study=study,
        nested=g.nested is not None,
        meaning=INDICES,
    )
    return Section("generalizability", "Generalizability", "What generalizability theory says", body)


def designs(plan: Plan) -> Section | None:
    """Classical designs, data sets against topics, a budget of judgments; ``None`` without any."""
    parts = Markup()
    if plan.classical:
        rows = [
            Row([Cell(d.design, d.design), _number_cell(d.topics), Cell(printable(d.question), d.question)])
            for d in plan.classical
        ]
        columns = [
            Column("Design", numeric=False),
            Column("Topics"),
            Column("What it answers", numeric=False),
        ]
        parts += table(
            "classical-table",
            "Classical designs, each for a question of its own; none speaks of the ranking",
            columns,
            rows,
        )
    if plan.designs:
        rows = [
            Row(
                [
                    _number_cell(d.data_sets),
                    _number_cell(d.topics),
                    number_cell(d.estimate),
                    number_cell(d.relative),
                ]
            )
            for d in plan.designs
        ]
        columns = [Column("Data sets"), Column("Topics of each"), Column("τ"), Column("Eρ²")]
        parts += table("data-sets-table", "More data sets, or more topics of each", columns, rows)
    if plan.budget:
        rows = [
            Row(
                [
                    Cell(f"× {b.documents:g}", b.documents),
                    _number_cell(b.topics),
                    _number_cell(b.judgments),
                    number_cell(b.estimate),
                ]
            )
            for b in plan.budget
        ]
        columns = [Column("Documents of a topic"), Column("Topics"), Column("Judgments"), Column("τ")]
        parts += table("budget-table", "Ways to spend the budget of judgments", columns, rows)
    if not parts:
        return None
    return Section("designs", "Designs", "Other ways to plan", parts)


def methods(plan: Plan) -> Section:
    """How it was computed."""
    return Section("methods", "Methods", "How it was computed", fill("plan-methods.html", plan=plan))


def warnings(plan: Plan) -> Section:
    """What to know before relying on the plan."""
    body = fill("warning-list.html", warnings=[sentence(one) for one in plan.warnings], nothing="")
    return Section("warnings", "Warnings", "Before you rely on it", body)


def facts(plan: Plan) -> dict[str, str]:
    """Settings, for the section that says how to get the same digits again."""
    s = plan.settings
    found = {
        "truerank": f"version {s.version}",
        "Seed": str(s.seed),
        "Draws": f"{s.draws:,}",
        "Level": level_text(s.level),
    }
    if s.effect is not None:
        found["Effect size"] = f"c = {number(s.effect)}"
    if s.drop_bottom:
        found["Dropped"] = f"the bottom {percent(s.drop_bottom)}"
    return found
