"""Which facet a ranking is to hold over: prompts like these, or seeds like these."""

from __future__ import annotations

from truerank._support.arguments import setting
from truerank._support.wording import listed
from truerank.errors import InputError, at, unknown_name
from truerank.reliability.means.aggregates import Aggregate
from truerank.repeats import Facet
from truerank.scores import ScoreMatrix

SURE = 0.05
"""p below which a seed that all topics share counts as another source of noise."""

TOGETHER = 0.01
"""p below which runs with the same label are said to go together, where the label need not be a seed."""


def facets_of(scores: ScoreMatrix) -> tuple[Facet, ...]:
    """All facets that scores may generalize over: their own, and runs with the same labels on every topic."""
    runs = scores.repeats
    return (*scores.facets, *([runs.labeled] if runs is not None and runs.labeled is not None else ()))


def facet_named(scores: ScoreMatrix, name: str) -> Facet:
    """The facet of that column.

    Raises:
        InputError: there is no facet at all.
        UnknownNameError: no such facet.
    """
    found = facets_of(scores)
    if not found and scores.machine is not None:
        raise InputError(
            f"{at(scores.source)}no method generalizes over {name!r} beside a machine judge that people "
            f"correct. Its scores are means over these levels: {setting('generalize_to', 'topics')}"
        )
    if not found:
        unit = scores.unit.one
        raise InputError(
            f"{at(scores.source)}no column of scores is a facet such as prompts or judges. Name it with "
            f"{setting('facet', name)}, and give every system a score on each {unit} at each of its levels"
        )
    for facet in found:
        if facet.name == name:
            return facet
    raise unknown_name("facet", name, [facet.name for facet in found])


def asked_facet(scores: ScoreMatrix, question: str, rule: Aggregate) -> Facet | None:
    """The facet that a question such as ``topics,prompt`` names; None where it names none.

    Raises:
        InputError: two facets, or scores for which there is no method.
        UnknownNameError: no such facet.
    """
    _, *names = question.split(",")
    if not names:
        return None
    where = at(scores.source)
    if len(names) > 1:
        raise InputError(
            f"{where}a ranking can generalize to new topics and new levels of one facet, not of "
            f"{listed(names)}. The others are averaged over: these levels and no others"
        )
    facet = facet_named(scores, names[0])
    refused = _no_method(scores, rule)
    if refused:
        one_each = scores.k > 1 and scores.n == scores.k
        fixed = setting("generalize_to", "data_sets" if one_each else "topics")
        raise InputError(
            f"{where}no method generalizes over {facet.name!r} {refused}. Keep its levels fixed: {fixed}"
        )
    return facet


def _no_method(scores: ScoreMatrix, rule: Aggregate) -> str:
    reasons = {
        "beside several data sets": scores.k > 1,
        "beside clusters of topics": scores.clusters is not None,
        "beside a machine judge that people correct": scores.machine is not None,
        "with empty cells": not scores.complete,
        f"by {rule.label}": rule.points is not None,
    }
    return next((reason for reason, holds in reasons.items() if holds), "")


def question_of_seeds(scores: ScoreMatrix) -> str | None:
    """``topics,seed`` where runs share a seed over all topics, and the seeds show an effect."""
    runs = scores.repeats
    if runs is None or runs.labeled is None or not runs.shared:
        return None
    from truerank.reliability.means.facet_means import FacetParts

    if scores.k > 1 or scores.clusters is not None or scores.machine is not None or not scores.complete:
        return None
    return f"topics,{runs.column}" if FacetParts.of(runs.labeled.values).test < SURE else None
