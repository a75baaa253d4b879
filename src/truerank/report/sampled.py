"""What the ranking rests on, in words (topics, clusters of them, data sets), and what a score is called."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from truerank._support.escaping import printable
from truerank._support.units import Noun
from truerank._support.wording import count, listed, plural
from truerank.reliability.means import AGGREGATES

if TYPE_CHECKING:
    from truerank.battles import Battles
    from truerank.reliability.results import Assessment
    from truerank.repeats import Facets


def one_score_each(assessment: Assessment) -> bool:
    """Whether each of several data sets has one score of each system: no topics to speak of."""
    return assessment.noun == "data set"


def basis(assessment: Assessment) -> str:
    """What was observed: ``50 topics``, ``1,200 topics of 15 data sets``, ``40 data sets``."""
    scores, topics = assessment.scores, assessment.sampled.many
    judge = assessment.machine
    if judge and scores.machine:
        n, more = judge.human_topics, judge.machine_topics - judge.human_topics
        on = f"{n:,} {topics}"
        if not more:
            return f"{on} judged by people and by a machine"
        by_machine = f"{more:,} more"
        return f"{on} judged by people and {by_machine} judged by a machine"
    if scores.battles:
        return battles_of(scores.battles)
    on = f"{scores.n:,} {topics}{clusters_of(assessment)}"
    if scores.k == 1:
        return on
    sets = f"{scores.k:,} data sets"
    return sets if one_score_each(assessment) else f"{on} of {sets}"


def clusters_of(assessment: Assessment) -> str:
    """How many clusters the topics are in, where clusters are the sample: `` in 91 clusters``."""
    means, clusters = assessment.means, assessment.scores.clusters
    if clusters is None or means is None or means.unit != "cluster":
        return ""
    number, _, word = count(int(clusters.max()) + 1, "cluster").partition(" ")
    return f" in {number} {word}"


def levels_of(name: str) -> str:
    """What the levels of a facet are called, by its column: ``templates``, ``prompts`` for ``prompt_id``."""
    return plural(in_words(name))


def levels_counted(facets: Facets, name: str) -> str:
    """How many levels a facet has: ``3 templates``."""
    levels = levels_of(name)
    return f"{len(facets.levels[facets.names.index(name)])} {levels}"


def levels_like(names: Sequence[str]) -> str:
    """The levels of several facets: ``prompts and judges``."""
    return listed([levels_of(name) for name in names])


def in_words(facet: str) -> str:
    """The column of a facet as a word of a sentence."""
    return printable(facet).removesuffix("_id").replace("_", " ")


def battles_of(battles: Battles) -> str:
    """What was observed of an arena: ``3,000 battles on 80 prompts``."""
    number = f"{len(battles.first):,} battles"
    if battles.unit == "battle":
        return number
    groups = f"{battles.units:,} {battles.unit}s"
    voters = ""
    if battles.voters is not None:
        voters = f" by {int(battles.voters.max()) + 1:,} voters"
    return f"{number} {'by' if battles.unit == 'voter' else 'on'} {groups}{voters}"


def score_word(assessment: Assessment) -> str:
    """What a system's score is called: ``mean``, ``points``, ``win rate``."""
    scale = assessment.scores.kind.scale
    if scale is not None:
        return "Elo" if scale == "elo" else "strength"
    name = assessment.settings.aggregate
    return AGGREGATES[name].score if name in AGGREGATES else "mean"


def score_title(assessment: Assessment) -> str:
    """What an axis of scores is called: ``mean AP``, ``points``."""
    word = score_word(assessment)
    return word if word != "mean" else f"mean {printable(assessment.measure) or 'score'}"


OUTSIDE: dict[Noun, str] = {
    "topic": "another document collection, other relevance judgments or another measure",
    "question": "other kinds of questions, another judge or another measure",
    "data set": "other kinds of data sets or another measure",
    "prompt": "other kinds of prompts, other users or other matchmaking",
    "voter": "other kinds of users, other prompts or other matchmaking",
    "battle": "other kinds of prompts, other users or other matchmaking",
}
"""What numbers say nothing about, by what is sampled."""
