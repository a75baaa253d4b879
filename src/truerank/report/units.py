"""What the ranking rests on, in words (topics, clusters of them, data sets), and what a score is called."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from truerank._support.display import Shown
from truerank._support.escaping import printable
from truerank._support.tables import Column, Kind, Table, Text, Word
from truerank._support.units import Noun, held, in_units
from truerank._support.wording import count, listed, plural
from truerank.reliability.means import AGGREGATES
from truerank.report.view import Section, View
from truerank.scores import ScoreMatrix

if TYPE_CHECKING:
    from markupsafe import Markup

    from truerank.reliability.results import Assessment
    from truerank.scores import Battles


def units(assessment: Assessment) -> str:
    """What is a sample of more like it, and what resampling draws: ``topics``, ``data sets`` …"""
    means = assessment.means
    if means is not None and means.unit == "cluster":
        return f"clusters of {assessment.sampled.many}"
    if means is not None:
        return assessment.scores.unit_of(means.unit).many
    of_sets = assessment.settings.generalize_to.startswith("data_sets")
    return "data sets" if of_sets else assessment.sampled.many


def one_score_each(assessment: Assessment) -> bool:
    """Whether each of several data sets has one score of each system: no topics to speak of."""
    return assessment.noun == "data set"


def basis(assessment: Assessment) -> str:
    """What was observed: ``50 topics``, ``1,200 topics of 15 data sets``, ``40 data sets``."""
    scores, topics = assessment.scores, assessment.sampled.many
    judge = assessment.machine
    if judge is not None and scores.machine is not None:
        n, more = judge.human_topics, judge.machine_topics - judge.human_topics
        on = f"{n} {topics}" if scores.battles is None else battles_of(scores.battles)
        if not more:
            return f"{on} judged by people and by a machine"
        by_machine = f"{more:,} more"
        if scores.machine.battles is not None:
            others = ~np.isin(scores.machine.battles.clusters, scores.machine.matched)
            by_machine = f"{np.count_nonzero(others):,} on {by_machine}"
        return f"{on} judged by people and {by_machine} judged by a machine"
    if scores.battles is not None:
        return battles_of(scores.battles)
    if scores.k == 1:
        return f"{scores.n:,} {topics}{clusters_of(assessment)}"
    if one_score_each(assessment):
        return f"{scores.k} data sets"
    return f"{scores.n:,} {topics}{clusters_of(assessment)} of {scores.k} data sets"


def clusters_of(assessment: Assessment) -> str:
    """How many clusters the topics are in, where clusters are the sample: `` in 91 clusters``."""
    means, clusters = assessment.means, assessment.scores.clusters
    if clusters is None or means is None or means.unit != "cluster":
        return ""
    return f" in {count(int(clusters.max()) + 1, 'cluster')}"


def levels_of(name: str) -> str:
    """What the levels of a facet are called, by its column: ``templates``, ``prompts`` for ``prompt_id``."""
    return plural(in_words(name))


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
    voters = "" if battles.voters is None else f" by {int(battles.voters.max()) + 1:,} voters"
    return f"{number} {'by' if battles.unit == 'voter' else 'on'} {groups}{voters}"


def score_word(assessment: Assessment) -> str:
    """What a system's score is called: ``mean``, ``points``, ``win rate``."""
    if assessment.scores.battles is not None:
        return "Elo" if assessment.scores.battles.scale == "elo" else "strength"
    name = assessment.settings.aggregate
    return AGGREGATES[name].score if name in AGGREGATES else "mean"


def judged(assessment: Assessment) -> str:
    """What a judge gives: ``scores``, or ``battles``."""
    return "scores" if assessment.scores.battles is None else "battles"


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


def called(view: View, result: Shown) -> View:
    """The same view, whose every sentence calls the unit that is sampled what the result calls it.

    Numbers, names from the data, names of files and what is to be typed stay as they are.
    """
    sampled: Noun = "data set" if view.unit.endswith("data sets") else result.noun
    view = replace(view, outside=view.outside or OUTSIDE[sampled])
    if result.noun == "topic":
        return view
    said = partial(in_units, noun=result.noun, names=_names(view.sections, result))
    return replace(
        view,
        title=said(view.title),
        subject=said(view.subject),
        answer=[said(one) for one in view.answer],
        sections=[_section(one, said) for one in view.sections],
        how=said(view.how),
        explained=[one._replace(explanation=said(one.explanation)) for one in view.explained],
        methods=_markup(view.methods, said),
        facts={said(name): text if name in _TYPED else said(text) for name, text in view.facts.items()},
        sentence=said(view.sentence),
        unit=said(view.unit),
        outside=said(view.outside),
    )


def section_called(section: Section, results: Sequence[Shown]) -> Section:
    """The same section of several results, in the word that the first of them has for its unit."""
    if results[0].noun == "topic":
        return section
    return _section(section, partial(in_units, noun=results[0].noun, names=_names([section], *results)))


_TYPED = ("Command", "Scores")
"""Facts that are what a user typed."""


def _names(sections: Sequence[Section], *results: Shown) -> set[str]:
    """The names from the data that sentences may hold, as far as they say topic themselves."""
    tables = [table for section in sections for table in section.tables]
    found = held(str(row[place]) for table in tables for place in table.names for row in table.rows)
    for result in results:
        scores = getattr(result, "scores", None)
        if isinstance(scores, ScoreMatrix):
            found |= scores.named_topics
    return found


def _section(section: Section, said: Callable[[str], str]) -> Section:
    figures = [replace(one, caption=said(one.caption), label=said(one.label)) for one in section.figures]
    return replace(
        section,
        title=said(section.title),
        text=[said(one) for one in section.text],
        figures=figures,
        tables=[_table(one, said) for one in section.tables],
        html=_markup(section.html, said),
    )


def _table(table: Table, said: Callable[[str], str]) -> Table:
    def cell(column: Column, value: Any) -> Any:
        return said(value) if isinstance(column.kind, Text) and isinstance(value, str) else value

    return replace(
        table,
        caption=said(table.caption),
        columns=tuple(
            replace(one, heading=said(one.heading), meaning=said(one.meaning), kind=_kind(one.kind, said))
            for one in table.columns
        ),
        rows=[
            [cell(column, value) for column, value in zip(table.columns, row, strict=True)]
            for row in table.rows
        ],
        note=said(table.note),
        made=said(table.made),
    )


def _kind(kind: Kind, said: Callable[[str], str]) -> Kind:
    if not isinstance(kind, Word):
        return kind
    return replace(kind, shown={word: said(text) for word, text in kind.shown.items()})


def _markup(made: Callable[[], Markup] | None, said: Callable[[str], str]) -> Callable[[], Markup] | None:
    return None if made is None else lambda: cast("Markup", said(made()))
