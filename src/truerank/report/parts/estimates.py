"""All estimators, with intervals, for every coefficient."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from markupsafe import Markup

from truerank.reliability.estimators import ESTIMATORS, SplitHalfEstimator
from truerank.report.charts.estimates import estimates_chart
from truerank.report.page import Section
from truerank.report.parts.figure import figure
from truerank.report.parts.methods import coefficients_of, estimators_of
from truerank.report.parts.table import Cell, Column, Row, number_cell, table
from truerank.report.templating import fill
from truerank.report.words import level_text, printable, span, symbol, symbol_html

if TYPE_CHECKING:
    from truerank.reliability.results import Assessment


def is_split_half(estimator: str) -> bool:
    """Whether an estimator compares no ranking with the true one."""
    return isinstance(ESTIMATORS.get(estimator), SplitHalfEstimator)


def without_split_half(assessment: Assessment) -> Assessment:
    """The assessment without its split-half estimators; as it is where there are no others."""
    kept = tuple(e for e in assessment.estimates if not is_split_half(e.estimator))
    return replace(assessment, estimates=kept) if 0 < len(kept) < len(assessment.estimates) else assessment


def estimates(assessment: Assessment, truth: Mapping[str, float] | None = None) -> Section:
    """The picture and the table of all estimates; a line where the truth is known."""
    level = level_text(assessment.settings.levels[0])
    coefficients = list(dict.fromkeys(e.coefficient for e in assessment.estimates))
    picture = figure(
        lambda size: estimates_chart(assessment, size, truth),
        "estimates-figure",
        f"Expected {' and '.join(symbol(c) for c in coefficients)} with the true ranking by every estimator, "
        f"with {level} intervals. The table below has the same numbers.",
        fill(
            "estimates-caption.html",
            level=level,
            headline=assessment.headline_estimator,
            truth=bool(truth),
        ),
    )
    body = fill(
        "estimates.html",
        figure=picture,
        table=_table(assessment, coefficients),
        coefficients=[c for c in coefficients_of(assessment) if c.reading],
        estimators=[e for e in estimators_of(assessment) if e.reading],
    )
    return Section("estimators", "Estimators", "How close, by every estimator", body)


def _table(assessment: Assessment, coefficients: list[str]) -> Markup:
    levels = assessment.settings.levels
    columns = [
        Column("Estimator", numeric=False),
        Column("Coefficient", numeric=False),
        Column("Expected", meaning="expected correlation with the true ranking"),
        Column("sd", meaning="standard deviation of that correlation"),
        *(Column(f"{level_text(level)} interval", meaning="sorted by its lower end") for level in levels),
    ]
    labels = {e.name: e.label for e in estimators_of(assessment)}
    rows = []
    for coefficient in coefficients:
        for e in assessment.estimates:
            if e.coefficient != coefficient:
                continue
            label = Markup("<b>{}</b> <span class=quiet>{}</span>").format(
                printable(e.estimator), printable(labels[e.estimator])
            )
            intervals = [e.interval(level) for level in levels]
            cells = [
                Cell(label, e.estimator),
                Cell(symbol_html(coefficient), coefficient),
                number_cell(e.estimate),
                number_cell(math.sqrt(e.variance) if e.variance >= 0 else math.nan),
                *(Cell(span(i.low, i.high), i.low) if i else Cell("–", None) for i in intervals),
            ]
            rows.append(Row(cells, "headline" if e.estimator == assessment.headline_estimator else ""))
    return table("estimates-table", "Estimates", columns, rows)
