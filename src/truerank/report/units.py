"""What the ranking rests on, in words (topics, clusters of them, data sets), and what a score is called."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truerank._support.escaping import printable
from truerank._support.wording import plural
from truerank.reliability.means import AGGREGATES

if TYPE_CHECKING:
    from truerank.reliability.results import Assessment
    from truerank.scores import Battles


def units(assessment: Assessment) -> str:
    """What is a sample of more like it, and what resampling draws: ``topics``, ``data sets`` …"""
    means = assessment.means
    if means is not None:
        return plural("cluster of topics" if means.unit == "cluster" else means.unit)
    return "data sets" if assessment.settings.generalize_to == "data_sets" else "topics"


def one_score_each(assessment: Assessment) -> bool:
    """Whether each of several data sets has one score of each system: no topics to speak of."""
    return assessment.scores.n == assessment.scores.k > 1


def basis(assessment: Assessment) -> str:
    """What was observed: ``50 topics``, ``1,200 topics of 15 data sets``, ``40 data sets``."""
    scores = assessment.scores
    if scores.machine is not None:
        more = len(scores.machine.topics) - scores.n
        if not more:
            return f"{scores.n} topics judged by people and by a machine"
        return f"{scores.n} topics judged by people and {more:,} more judged by a machine"
    if scores.battles is not None:
        return battles_of(scores.battles)
    if scores.k == 1:
        return f"{scores.n} topics"
    if one_score_each(assessment):
        return f"{scores.k} data sets"
    return f"{scores.n:,} topics of {scores.k} data sets"


def battles_of(battles: Battles) -> str:
    """What was observed of an arena: ``3,000 battles on 80 prompts``."""
    number = f"{len(battles.first):,} battles"
    if battles.unit == "battle":
        return number
    groups = f"{int(battles.clusters.max()) + 1:,} {battles.unit}s"
    voters = "" if battles.voters is None else f" by {int(battles.voters.max()) + 1:,} voters"
    return f"{number} {'by' if battles.unit == 'voter' else 'on'} {groups}{voters}"


def score_word(assessment: Assessment) -> str:
    """What a system's score is called: ``mean``, ``points``, ``win rate``."""
    if assessment.scores.battles is not None:
        return "strength"
    name = assessment.settings.aggregate
    return AGGREGATES[name].score if name in AGGREGATES else "mean"


def score_title(assessment: Assessment) -> str:
    """What an axis of scores is called: ``mean AP``, ``points``."""
    word = score_word(assessment)
    return word if word != "mean" else f"mean {printable(assessment.measure) or 'score'}"
