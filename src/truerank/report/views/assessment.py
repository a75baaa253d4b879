"""The view of an assessment: how close the ranking is, and which ranks each system may truly have."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from truerank._support.plain import plain
from truerank._support.tables import Bounded, Column, Count, Name, Number, Ranks, Table, Text
from truerank._support.wording import level_text, listed
from truerank.coefficients import COEFFICIENTS
from truerank.reliability.estimators import ESTIMATORS
from truerank.reliability.results import Assessment
from truerank.reliability.truth import true_coefficients
from truerank.report.sampled import score_word
from truerank.report.view import Asked, Section, View
from truerank.report.views import assessment_methods as methods
from truerank.report.views import assessment_sections as sections
from truerank.report.views import register
from truerank.report.views.arena import arena_section, style_section
from truerank.report.views.assessment_methods import is_split_half
from truerank.report.views.assessment_words import answer, subject_of, subject_words
from truerank.report.views.noise import noise_details, noise_section
from truerank.report.views.over_time import records_section
from truerank.report.views.trade_off import trade_off_section
from truerank.report.words import symbol

TITLE = "How close is this ranking to the true one?"


def view(a: Assessment, asked: Asked) -> View:
    """What there is to see of an assessment."""
    truth = None if asked.truth is None else true_coefficients(a, asked.truth)
    shown = (
        sections.ranking_section(a, asked),
        sections.leader_section(a, asked),
        sections.baseline_section(a, asked),
        trade_off_section(a),
        records_section(a),
        sections.data_sets_section(a, asked),
        style_section(a),
        arena_section(a),
        sections.machine_section(a, asked),
        noise_section(a, asked),
        noise_details(a),
        sections.pairs_section(a, asked),
        estimators_section(a),
    )
    return View(
        command="assess",
        title=TITLE,
        subject=subject_of(a),
        answer=answer(a, truth),
        sections=[section for section in shown if section],
        notes=list(a.notes),
        how=methods.how(a),
        measure=a.measure,
        facts=methods.facts_of(a),
        numbers=methods.numbers(a),
        sentence=methods.paper_sentence(a),
        quoted=["baseline"] * bool(a.baseline) + ["trade_off"] * bool(a.pareto),
        drawn=["trade-off"] if a.pareto else [],
        references=methods.papers(a),
        unit=a.counted.many,
        source=a.scores.source or "",
    )


def together(results: Sequence[Assessment], asked: Asked) -> Section:
    """The rankings by several measures side by side, in the order of the first."""
    first = results[0]
    level = level_text(first.settings.levels[0])
    rows: dict[str, list[Any]] = {s.system: [s.system] for a in results for s in a.ranking}
    columns = [Column("System", Name(), "system")]
    for a in results:
        found = {s.system: s for s in a.ranking}
        name = a.measure or score_word(a)
        columns.append(Column(name, Number(), f"mean {name}"))
        columns.append(Column("Rank", Count(), f"rank {name}"))
        columns.append(Column("Range", Ranks(high=f"rank_high {name}"), f"rank_low {name}"))
        for system, row in rows.items():
            s = found.get(system)
            row += [None, None, (None, None)] if s is None else [s.mean, s.rank, (s.rank_low, s.rank_high)]
    joint = f"rank range, joint for all systems at {level}."
    table = Table(
        "measures",
        f"Ranking by {listed([a.measure for a in results])}",
        tuple(columns),
        list(rows.values()),
        f"In the order of {first.measure}. Range: {joint}",
        sections.made_of(first),
    )
    return Section("measures", "Measures side by side", tables=[table])


# ── estimators ────────────────────────────────────────────────────────────────────────────────────────


def estimators_section(a: Assessment) -> Section:
    """The expected correlation by each estimator that was computed, with its interval."""
    names = list(dict.fromkeys(e.coefficient for e in a.estimates))
    shown = a.estimators
    known = [COEFFICIENTS[name] for name in names if name in COEFFICIENTS]
    text = [f"{one.label} {one.reading}" for one in known if one.reading]
    text.append("Estimators differ in what they assume; where they agree, the assumptions matter little.")
    tables = [_correlation(a, names, shown), _estimates(a), _settings(a)]
    return Section("estimators", "Estimators", text, tables=tables, details=len(shown) == 1)


def _correlation(a: Assessment, names: Sequence[str], shown: Sequence[str]) -> Table:
    """The estimates for reading: one row per estimator, one column per coefficient."""
    level = a.settings.levels[0]
    columns = [Column("Estimator", Text(), "estimator")]
    columns += [
        Column(
            f"{symbol(name)} ({level_text(level)} interval)",
            Bounded(digits=2, low=f"{name}_low", high=f"{name}_high"),
            name,
            "expected correlation of the observed ranking with the true one",
        )
        for name in names
    ]
    rows = [[_called(name), *(methods.bounded(a.estimate(c, name), level) for c in names)] for name in shown]
    note = ""
    if split := [name for name in shown if is_split_half(name)]:
        note = f"{', '.join(split)}: of two samples of {a.counted.many} with each other, for comparison only."
    strong = frozenset({shown.index(a.headline_estimator)} if len(shown) > 1 else ())
    return Table(
        "correlation",
        f"Expected correlation with the true ranking ({subject_words(a).removeprefix('of ')})",
        tuple(columns),
        rows,
        note,
        sections.made_of(a),
        strong=strong,
    )


def _called(estimator: str) -> str:
    """What an estimator is called, with the name that one types: ``empirical Bayes (eb)``."""
    label = ESTIMATORS[estimator].label if estimator in ESTIMATORS else estimator
    return label if label == estimator else f"{label} ({estimator})"


def _estimates(a: Assessment) -> Table:
    """The estimates for files: every interval of every estimator."""
    ends = [f"{i.method}_{100 * i.level:g}" for e in a.estimates for i in e.intervals]
    keys = [f"{end}_{name}" for name in dict.fromkeys(ends) for end in ("low", "high")]
    columns = [Column(key, Text(), key) for key in ("estimator", "coefficient", "dependence")]
    columns += [Column(key, Number(), key) for key in ("estimate", "variance", *keys)]
    rows = []
    for e in a.estimates:
        row: dict[str, float] = {}
        for i in e.intervals:
            row |= {f"low_{i.method}_{100 * i.level:g}": i.low, f"high_{i.method}_{100 * i.level:g}": i.high}
        first = [e.estimator, e.coefficient, e.dependence, e.estimate, e.variance]
        rows.append([*first, *(row.get(key) for key in keys)])
    return Table("estimates", "All estimates", tuple(columns), rows, files_only=True)


def _settings(a: Assessment) -> Table:
    """What to cite: measure, sizes, headline, and everything that sets the digits."""
    facts: dict[str, Any] = {
        "measure": a.measure,
        a.sampled.many: a.scores.n,
        "systems": a.scores.m,
        "headline estimator": a.headline_estimator,
        "dependence": a.dependence_of(a.headline_estimator),
    }
    if a.machine is not None:
        facts |= {
            f"machine {a.sampled.many}": a.machine.machine_topics,
            f"effective {a.sampled.many}": a.machine.effective_topics,
            "lambda": a.machine.scale,
        }
    facts |= plain(a.settings)
    columns = (Column("Setting", Text(), "setting"), Column("Value", Text(), "value"))
    return Table("settings", "Settings", columns, list(facts.items()), files_only=True)


register(
    Assessment,
    view,
    together,
    tables="ranking baseline trade_off records data_sets style arena machine sources levels noise "
    f"correlation estimates settings {' '.join(f'swaps_{name}' for name in ESTIMATORS)}",
)
