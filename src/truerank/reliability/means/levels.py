"""Which facets a ranking is to hold over: prompts like these, judges like these, or seeds like these."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from truerank._support.arguments import setting
from truerank._support.notes import Note
from truerank._support.wording import listed
from truerank.errors import InputError, at, unknown_name
from truerank.kinds import BesideMachine
from truerank.numerics import special
from truerank.reliability.means.aggregates import Aggregate
from truerank.repeats import Facets
from truerank.scores import ScoreMatrix

if TYPE_CHECKING:
    from truerank.reliability.means.components import Cells, Components

SURE = 0.05
"""Below this p a seed that all topics share counts as a further source of noise."""

TOGETHER = 0.01
"""Below this p a note says that runs with the same label vary together, where the label may not be a seed."""

FEWEST_TO_SHRINK = 4 - 1e-9
"""Degrees of freedom of all systems together below which variances are not shrunken: 4, but for rounding."""

FEWEST_DATA_SETS = 3
"""Fewest data sets that show how data sets differ."""


JUDGES = frozenset({"judge", "rater", "annotator", "grader", "evaluator"})
"""Names of facets that may be people beside a machine."""


def facets_named(scores: ScoreMatrix, names: Sequence[str]) -> Facets:
    """The scores by facets of these names, or by runs with the same labels on every topic."""
    runs = scores.repeats
    labeled = None if runs is None else runs.labeled
    known = [one for one in (scores.facets, labeled) if one is not None]
    for one in known:
        if set(names) <= set(one.names):
            return one
    if known:
        there = [name for one in known for name in one.names]
        if "run" in names and "run" not in there:
            over = ",".join(["topics", *(name for name in names if name != "run")])
            raise InputError(
                f"{at(scores.source)}runs are always a sample, so none are named; use "
                f"{setting('generalize_to', over)}"
            )
        raise unknown_name("facet", next((name for name in names if name not in there), names[0]), there)
    what = listed([repr(name) for name in names])
    if scores.machine:
        raise InputError(
            f"{at(scores.source)}no method generalizes over {what} beside a machine judge that people "
            f"correct. Its scores are means over these levels: {setting('generalize_to', 'topics')}"
        )
    raise InputError(
        f"{at(scores.source)}generalizing over {what} needs scores at its levels: a table with one row per "
        f"score and a column of it, named with {setting('facet', 'COLUMN')}. Without one, use "
        f"{setting('generalize_to', 'topics')}"
    )


def facet_cells(scores: ScoreMatrix, question: str, rule: Aggregate) -> Cells | None:
    """The cells of a question such as ``topics,prompt,judge``; None where it names no facet."""
    population, *names = question.split(",")
    if not names:
        _refuse_incomplete(scores)
        return None
    found, where = facets_named(scores, names), at(scores.source)
    for name in names:
        if name not in found.several:
            raise InputError(
                f"{where}column {name!r} has one level, so nothing shows what other levels would do; leave "
                "it out"
            )
    if refused := no_method(scores, rule, population, found):
        one_each = scores.k > 1 and scores.n == scores.k
        fixed = setting("generalize_to", "data_sets" if one_each else "topics")
        over = listed([repr(name) for name in names])
        raise InputError(
            f"{where}no method generalizes over {over} {refused}. Keep the levels fixed: {fixed}"
        )
    if population == "data_sets" and scores.k < FEWEST_DATA_SETS:
        raise InputError(
            f"{where}only {scores.k} data sets; at least three are needed, and dozens are better. Or ask for "
            f"new {scores.unit.many} of these ({setting('generalize_to', ','.join(['topics', *names]))})"
        )
    kept = found.over({*names, *found.nested})
    if kept is None:
        raise _incomplete(scores, found, population, names, "so these levels cannot be kept fixed; use")
    cells = cells_of(scores, kept, population)
    if not cells.complete:
        from truerank.reliability.means.least_squares import refuse_disconnected

        refuse_disconnected(~np.isnan(cells.values), scores.systems, where, "cell")
    return cells


def cells_of(scores: ScoreMatrix, facets: Facets, population: str = "topics") -> Cells:
    """The scores in cells, each topic counting alike within its data set; all facets are a sample."""
    from truerank.reliability.means.components import DATA_SET, Cells

    here = (~np.isnan(facets.values)).sum(axis=1) > 1
    values, topics = facets.values, facets.topics
    if not here.all():  # a cell with one system contains no comparison
        values, topics = values[here], topics[here]
    strata = scores.stratum_of_each
    weights = (scores.topic_weights / np.maximum(np.bincount(topics, minlength=scores.n), 1))[topics]
    factors = {"topic": topics} if scores.n > scores.k or population == "topics" else {}
    if population == "data_sets":
        factors = {DATA_SET: strata[topics], **factors}
    factors |= {name: facets.code(name)[here] for name in facets.several}
    variance = facets.run_variance / facets.runs
    return Cells(
        values,
        factors,
        weights / weights.sum(),
        strata[topics] if scores.k > 1 and population == "topics" else None,
        0.0 if np.isnan(variance) else variance,
        facets.runs,
    )


def no_method(scores: ScoreMatrix, rule: Aggregate, population: str, facets: Facets) -> str:
    """Why no method treats these levels as a sample; empty where one does."""
    single = scores.k > 1 and bool(np.bincount(scores.stratum_of_each).min() < 2)
    reasons = {
        "beside clusters of topics": scores.clusters is not None,
        "beside data sets of one topic": population == "topics" and single,
        "beside families of data sets": population == "data_sets" and bool(scores.families),
        "beside a machine judge that people correct": isinstance(scores.kind, BesideMachine),
        "with empty cells in several data sets": scores.k > 1 and bool(np.isnan(facets.values).any()),
        f"by {rule.label}": rule.points is not None,
    }
    return next((reason for reason, holds in reasons.items() if holds), "")


def sampled_warnings(facets: Facets, names: Sequence[str], parts: Components) -> list[Note]:
    """Notes on facets whose levels are a sample."""
    found = []
    m = parts.cells.values.shape[1]
    for name in names:
        f = len(facets.levels[facets.names.index(name)])
        found.append(Note("facet-levels", {"case": "sampled", "facet": name, "levels": f}))
        if f == 2 or (m - 1) * (1 / float(parts.remaining[parts.place(name)]) - 1) < FEWEST_TO_SHRINK:
            found.append(Note("few-levels", {"facet": name, "levels": f, "m": m}, "alert"))
    return found


def level_test(scores: ScoreMatrix, facets: Facets, name: str) -> float | None:
    """p of no effect of a facet's levels on the order of systems (eq. 13); None where it cannot be tested."""
    from truerank.reliability.means.components import Components

    kept = facets.over([name])
    if kept is None or np.isnan(kept.values).any() or scores.k > 1 or name not in facets.several:
        return None
    found = Components.of(cells_of(replace(scores, strata=None), kept))
    place, rest = found.place(name), len(found.effects) - 1
    if place == rest or not found.degrees[rest] > 0:
        return None
    above, below = (found.reduced[u] / found.degrees[u] for u in (place, rest))
    if not below > 0:
        return 0.0 if above > 0 else 1.0
    m = scores.m
    return float(special.fdtrc((m - 1) * found.degrees[place], (m - 1) * found.degrees[rest], above / below))


def question_of_seeds(scores: ScoreMatrix) -> str | None:
    """``topics,seed`` where runs share a seed over all topics, and the seeds show an effect."""
    runs = scores.repeats
    if runs is None or runs.labeled is None or not runs.shared or scores.machine:
        return None
    if scores.k > 1 or scores.clusters is not None or not scores.complete:
        return None
    p = level_test(scores, runs.labeled, runs.column)
    return f"topics,{runs.column}" if p is not None and p < SURE else None


def _refuse_incomplete(scores: ScoreMatrix) -> None:
    """Refuse fixed levels that some topics lack: means would be over different levels."""
    facets = scores.facets
    if facets is None or facets.crossed_over(facets.nested):
        return
    mean = "so a mean is not over the same levels everywhere"
    raise _incomplete(
        scores, facets, "topics", (), f"{mean}. To take them for a sample of levels like these, use"
    )


def _incomplete(
    scores: ScoreMatrix, facets: Facets, population: str, names: Sequence[str], why: str
) -> InputError:
    """The refusal of levels that would have to be the same everywhere, and are not."""
    fixed = listed([repr(name) for name in facets.several if name not in (*names, *facets.nested)])
    instead = setting("generalize_to", ",".join([population, *_loose(facets, names)]))
    judges = [name for name in facets.several if name.casefold() in JUDGES and name not in names]
    beside = (
        f". If {judges[0]!r} is people and a machine, put the rows of the machine into a file for "
        f"{setting('machine', 'FILE')}"
        if judges
        else ""
    )
    return InputError(
        f"{at(scores.source)}not every {scores.unit.one} has every level of {fixed}, {why} {instead}{beside}"
    )


def _loose(facets: Facets, names: Sequence[str]) -> tuple[str, ...]:
    """The fewest facets, these among them, beside which the others have all their levels everywhere."""
    others = [name for name in facets.several if name not in (*names, *facets.nested)]
    for size in range(len(others)):
        for more in combinations(others, size):
            if facets.crossed_over([*names, *facets.nested, *more]):
                return (*names, *more)
    return (*names, *others)
