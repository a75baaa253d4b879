"""What all estimators say of an assessment, for reading and for files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from truerank._support.escaping import printable
from truerank._support.plain import plain
from truerank._support.tables import Bounded, Column, Number, Table, Text
from truerank._support.wording import level_text
from truerank.reliability.estimators import ESTIMATORS
from truerank.reliability.results import Assessment
from truerank.report import charts
from truerank.report.view import Asked, Figure, Section
from truerank.report.views.assessment_methods import bounded, coefficients, estimators, is_split_half, made
from truerank.report.views.assessment_words import subject_words
from truerank.report.words import symbol, unnamed


def estimators_section(a: Assessment, asked: Asked, truth: Mapping[str, float] | None) -> Section:
    """The expected correlation by every estimator, with its interval."""
    level = level_text(a.settings.levels[0])
    names = list(dict.fromkeys(e.coefficient for e in a.estimates))
    shown = [one.name for one in estimators(a, asked.all_estimators)]
    known = " Dashed: the true value, known here." if truth else ""
    figure = Figure(
        "estimators",
        f"Dot: expected correlation with the true ranking. Bar: {level} interval. In color: "
        f"{printable(a.headline_estimator)}, the estimator behind everything above.{known}",
        f"Expected {' and '.join(map(symbol, names))} by every estimator. A table has the same numbers.",
        lambda size: charts.estimates_chart(a, size, truth, split_half=any(map(is_split_half, shown))),
    )
    text = [f"{symbol(one.name)} {one.reading}" for one in coefficients(a) if one.reading]
    text.append("Estimators differ in what they assume; where they agree, the assumptions matter little.")
    tables = [_correlation(a, names, shown), _estimates(a), _settings(a)]
    return Section("estimators", "All estimators", text, [figure], tables, details=not asked.all_estimators)


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
    rows = [[_called(name), *(bounded(a.estimate(c, name), level) for c in names)] for name in shown]
    note = ""
    if split := [name for name in shown if is_split_half(name)]:
        note = f"{', '.join(split)}: of two samples of {a.counted.many} with each other, for comparison only."
    strong = frozenset({shown.index(a.headline_estimator)} if len(shown) > 1 else ())
    return Table(
        "correlation",
        f"Expected correlation with the true ranking ({unnamed(subject_words(a)).removeprefix('of ')})",
        tuple(columns),
        rows,
        note,
        made(a),
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
