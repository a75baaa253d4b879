"""How the numbers were computed: only what this assessment used, with its formulas."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truerank.reliability.estimators import ESTIMATORS
from truerank.reliability.estimators.eb import posterior
from truerank.report.page import Section
from truerank.report.templating import fill
from truerank.report.words import level_text, printable

if TYPE_CHECKING:
    from truerank.reliability.results import Assessment

EXPLAINED = ("eb", "ml", "msqd", "res", "kd", "sh-w", "sh-wo", "sh")
"""Estimators that the template knows; any other is named by its label."""


def methods(assessment: Assessment) -> Section:
    """The formulas behind this assessment."""
    names = list(dict.fromkeys(e.estimator for e in assessment.estimates))
    dependences = {e.dependence for e in assessment.estimates} - {None}
    body = fill(
        "methods.html",
        learnt=posterior(assessment.scores.values) if "eb" in names else None,
        names=names,
        labels={n: ESTIMATORS[n].label if n in ESTIMATORS else "" for n in names},
        others=[printable(n) for n in names if n not in EXPLAINED],
        coefficients={e.coefficient for e in assessment.estimates},
        dependences=dependences,
        pairwise=bool(assessment.swap_probabilities),
        headline=printable(assessment.headline_estimator),
        settings=assessment.settings,
        level=level_text(assessment.settings.levels[0]),
    )
    return Section("methods", "Methods", "How it was computed", body)
