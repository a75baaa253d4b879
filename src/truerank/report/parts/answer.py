"""The answer in plain sentences: how close the ranking is to the true one, and who ties at the top."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from markupsafe import Markup

from truerank.report.formulas import symbol_html
from truerank.report.parts.machine import machine_sentences
from truerank.report.templating import fill
from truerank.report.units import basis, one_score_each, truth_meaning
from truerank.report.words import level_text, listed, number, printable, span

if TYPE_CHECKING:
    from truerank.numerics.intervals import Interval
    from truerank.reliability.results import Assessment, Best, Estimate


FEW = 3
"""Systems that a sentence of the head names; the rest are counted, and stand in the table."""


@dataclass(frozen=True)
class Share:
    """The share of pairs of systems in their true order, (1 + τ)/2, in pairs of a hundred."""

    expected: int
    low: int
    high: int

    @classmethod
    def of(cls, tau: float, interval: Interval | None) -> Share:
        """From τ and its interval."""
        low, high = (interval.low, interval.high) if interval else (tau, tau)
        return cls(*(round(50 * (1 + max(-1.0, min(1.0, value)))) for value in (tau, low, high)))


def subject(assessment: Assessment) -> str:
    """What was assessed: ``AP · 74 systems · 50 topics``."""
    scores = assessment.scores
    measure = [printable(scores.measure)] if scores.measure else []
    topics = [] if one_score_each(assessment) else [f"{scores.n} topics"]
    if scores.machine is not None:
        topics = [f"{scores.n} human topics", f"{len(scores.machine.topics):,} machine topics"]
    sets = [f"{scores.k} data sets"] if scores.k > 1 else []
    return " · ".join([*measure, f"{scores.m} systems", *topics, *sets])


def headline(assessment: Assessment) -> Estimate:
    """The estimate that leads: τ where it was computed, by the headline estimator."""
    own = [e for e in assessment.estimates if e.estimator == assessment.headline_estimator]
    return next((e for e in own if e.coefficient == "tau"), own[0])


def agreement_sentence(assessment: Assessment) -> Markup:
    """How close the observed ranking is to the true one."""
    estimate = headline(assessment)
    if estimate.dependence is None:
        return Markup(
            "Only split-half was asked for, which compares two samples of the topics; it is no estimate of "
            "the agreement with the true ranking to rely on."
        )
    scores, level = assessment.scores, assessment.settings.levels[0]
    measure = f" by {printable(scores.measure)}" if scores.measure else ""
    observed = f"The observed ranking of {scores.m} systems{measure} on {basis(assessment)}"
    coefficient = symbol_html(estimate.coefficient)
    if math.isnan(estimate.estimate):
        return Markup("{} can’t be compared with the true one: {} gave no estimate of {}.").format(
            observed, estimate.estimator, coefficient
        )
    interval = estimate.interval(level)
    inside = f" ({level_text(level)} interval {span(interval.low, interval.high, 2)})" if interval else ""
    return Markup("{} is expected to agree with the true one{} at <strong>{} = {}</strong>{}.").format(
        observed, scope(assessment), coefficient, number(estimate.estimate, 2), inside
    )


def scope(assessment: Assessment) -> str:
    """Which question is answered; empty where there is one data set."""
    count = assessment.scores.k
    if count == 1:
        return ""
    if assessment.settings.generalise_to == "data_sets":
        return " on new data sets like these"
    return f" on new topics of these {count} data sets"


def pairs_sentence(assessment: Assessment) -> str:
    """The same as a share of pairs; empty where τ is not the headline."""
    estimate = headline(assessment)
    if estimate.coefficient != "tau" or estimate.dependence is None or math.isnan(estimate.estimate):
        return ""
    share = Share.of(estimate.estimate, estimate.interval(assessment.settings.levels[0]))
    between = f" (from {share.low} to {share.high})" if share.low < share.high else ""
    return (
        f"Put plainly: of every 100 pairs of systems, about {share.expected}{between} "
        f"{'is' if share.expected == 1 else 'are'} in the right order."
    )


def top_sentences(assessment: Assessment) -> list[str]:
    """What is known of the top: whom the first system is above, and who may be the best.

    None where there are no swap probabilities.
    """
    above, best = assessment.above, assessment.best
    if above is None or best is None:
        return []
    level = level_text(assessment.settings.levels[0])
    names = [s.system for s in assessment.ranking]
    like = [names[s] for s in range(1, len(names)) if not above[0, s]]
    first = f"The best system here, {listed(names[:1])},"
    if not like:
        sentence = f"{first} is above {'the other one' if len(names) == 2 else 'every other one'}, "
        sentence += "" if len(names) == 2 else "each "
        sentence += f"with at least {level} probability."
    elif len(like) == len(names) - 1:
        others = "the other one" if len(like) == 1 else f"any of the other {len(like)}"
        sentence = f"{first} can’t be told apart from {others}."
    else:
        sentence = f"{first} can’t be told apart from {len(like)} of the other {len(names) - 1}: "
        sentence += f"{listed(like, FEW)}."
    found = [sentence, _best_sentence(best, level, len(names))]
    if best.k == 1 and set(best.systems) != {names[0], *like}:
        found.append("Being told apart is about each pair by itself, this set about the best alone.")
    if assessment.settings.guarantee:
        found.append(
            f"Systems are told apart only where, with {level} confidence, no pair at all is put in the wrong "
            "order, whatever the truth is."
        )
    return found


def _best_sentence(best: Best, level: str, systems: int) -> str:
    """Who may be the best, or among the best k."""
    count, k = len(best.systems), best.k
    what = "the truly best one" if k == 1 else f"the {k} truly best"
    if count == systems:
        return f"No system can be ruled out as {'the truly best one' if k == 1 else f'one of {what}'}."
    if count == k:
        verb = "is" if k == 1 else "are"
        return f"With at least {level} probability {what} {verb} {listed(best.systems, FEW)}."
    verb = "is one of these" if k == 1 else "are among these"
    return f"With at least {level} probability {what} {verb} {count}: {listed(best.systems, FEW)}."


def twice_sentence(assessment: Assessment) -> str:
    """What twice the topics would bring; empty where that is no more, and where `eb` cannot tell.

    The expectation is over all collections of that size, and some that are at hand do better than most.
    """
    from truerank._support.wording import plural
    from truerank.planning import tau_of_twice

    estimate, means = headline(assessment), assessment.means
    if (estimate.estimator, estimate.coefficient) != ("eb", "tau") or means is None or not means.linear:
        return ""
    scores, unit = assessment.scores, means.unit
    each = " of each data set" if scores.k > 1 and not unit.endswith("data set") else ""
    both = ", by people and by the machine," if scores.machine is not None else ""
    tau = round(tau_of_twice(means), 2)
    if tau <= round(estimate.estimate, 2):
        return ""
    return (
        f"Twice as many {plural(unit)}{each}{both} would be expected to bring it to τ = {number(tau, 2)}; "
        "truerank plan says how many a target takes."
    )


def answer_sentences(assessment: Assessment) -> list[str]:
    """The head of the page as plain text, for the terminal and a notebook."""
    first = " ".join([agreement_sentence(assessment).striptags(), pairs_sentence(assessment)]).strip()
    found = (
        first,
        *machine_sentences(assessment),
        *top_sentences(assessment),
        twice_sentence(assessment),
    )
    return [sentence for sentence in found if sentence]


def truth_sentence(assessment: Assessment, truth: Mapping[str, float]) -> Markup:
    """How close it really is, where the truth is known: the coefficients by name."""
    parts = Markup(" and ").join(
        Markup("{} = {}").format(symbol_html(name), number(value, 2)) for name, value in truth.items()
    )
    return Markup("Here the truth is known: the observed ranking really agrees with it at {}.").format(parts)


def answer(assessment: Assessment, truth: Mapping[str, float] | None = None) -> Markup:
    """The head of an assessment's page.

    Args:
        assessment: what to tell.
        truth: coefficients with the true ranking, by name, where that is known.
    """
    estimate = headline(assessment)
    level = assessment.settings.levels[0]
    plain = bool(pairs_sentence(assessment))
    share = Share.of(estimate.estimate, estimate.interval(level)) if plain else None
    return fill(
        "answer.html",
        agreement=agreement_sentence(assessment),
        pairs=pairs_sentence(assessment),
        meaning=truth_meaning(assessment),
        machine=machine_sentences(assessment),
        top=top_sentences(assessment),
        twice=twice_sentence(assessment),
        truth=truth_sentence(assessment, truth) if truth else "",
        share=share,
        level=level_text(level),
        warnings=len(assessment.warnings),
    )
