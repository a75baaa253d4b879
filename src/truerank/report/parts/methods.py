"""How the numbers were computed: only what this assessment used, with its formulas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from truerank._support.references import REFERENCES
from truerank.coefficients import COEFFICIENTS
from truerank.reliability.dependence import DEPENDENCES, OWN, OWN_DRAWS
from truerank.reliability.estimators import ESTIMATORS
from truerank.report.formulas import cite
from truerank.report.page import Section
from truerank.report.templating import fill
from truerank.report.units import score_word, units
from truerank.report.words import Described, described, level_text, printable, rough

if TYPE_CHECKING:
    from truerank.reliability.results import Assessment


def methods(assessment: Assessment) -> Section:
    """The formulas behind this assessment, by those who own them: its estimators and coefficients."""
    body = fill(
        "methods.html",
        coefficients=coefficients_of(assessment),
        estimators=[_estimator(assessment, e) for e in estimators_of(assessment)],
        sources=sources,
        dependences=dependences_of(assessment),
        pairwise=bool(assessment.swap_probabilities),
        headline=printable(assessment.headline_estimator),
        settings=assessment.settings,
        level=level_text(assessment.settings.levels[0]),
        guarantee=assessment.settings.guarantee,
        units=units(assessment),
        score=score_word(assessment),
        stratified=assessment.scores.k > 1 and assessment.settings.generalise_to == "topics",
        machine=assessment.machine,
        linear=assessment.means is None or assessment.means.linear,
    )
    return Section("methods", "Methods", "How it was computed", body)


def estimators_of(assessment: Assessment) -> list[Described]:
    """What the estimators of an assessment say of themselves, in its order."""
    return described(ESTIMATORS, (e.estimator for e in assessment.estimates))


def coefficients_of(assessment: Assessment) -> list[Described]:
    """What the coefficients of an assessment say of themselves, in its order."""
    return described(COEFFICIENTS, (e.coefficient for e in assessment.estimates))


def dependences_of(assessment: Assessment) -> list[Described]:
    """What the dependences of an assessment say of themselves."""
    known = {**DEPENDENCES, OWN: OWN_DRAWS}
    return described(known, (e.dependence for e in assessment.estimates if e.dependence))


def papers_of(assessment: Assessment) -> list[str]:
    """Keys of the papers that its estimators come from, that of the approach first."""
    own = [key for e in estimators_of(assessment) for key in e.references[:1]]
    known = [key for key in own if key in REFERENCES and key != "truerank"]
    return list(dict.fromkeys(["urbano-marrero-2016", *known]))


def _estimator(assessment: Assessment, found: Described) -> dict[str, Any]:
    """What the template shows of an estimator: what it says of itself, and what it learnt here."""
    learnt = assessment.learnt.get(found.name, ())
    resampled = getattr(ESTIMATORS.get(found.name), "resampled", False)
    return found._asdict() | {
        "learnt": [(f"{one.symbol} = {rough(one.value).replace('−', '-')}", one.meaning) for one in learnt],
        "resamples": assessment.settings.resamples if resampled else None,
    }


def sources(thing: Described | dict[str, Any]) -> Markup:
    """Links to the publications that a thing comes from; nothing where it names none."""
    keys = thing["references"] if isinstance(thing, dict) else thing.references
    return fill("sources.html", links=[cite(key) for key in keys]) if keys else Markup("")
