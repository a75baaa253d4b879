"""Which facets a ranking is to hold over: prompts like these, judges like these, or seeds like these."""

from __future__ import annotations

from collections.abc import Sequence
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
    from truerank.reliability.means.components import Cells

SURE = 0.05
"""Below this p a seed that all topics share counts as a further source of noise."""

TOGETHER = 0.01
"""Below this p a note says that runs with the same label vary together, where the label may not be a seed."""

FEWEST_TO_SHRINK = 4 - 1e-9
"""Degrees of freedom of all systems together below which variances are not shrunken: 4, but for rounding."""

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
    names = question.split(",")[1:]
    if not names:
        _refuse_incomplete(scores)
        return None
    found, where = facets_named(scores, names), at(scores.source)
    names = [name for name in names if name not in found.nested]  # drawn anew with the topics
    if not names:
        return None
    for name in names:
        if name not in found.several:
            raise InputError(
                f"{where}column {name!r} has one level, so nothing shows what other levels would do; leave "
                "it out"
            )
    if refused := no_method(scores, rule):
        one_each = scores.k > 1 and scores.n == scores.k
        fixed = setting("generalize_to", "data_sets" if one_each else "topics")
        over = listed([repr(name) for name in names])
        raise InputError(
            f"{where}no method generalizes over {over} {refused}. Keep the levels fixed: {fixed}"
        )
    cells = cells_of(found, names)
    if cells is None:
        raise _incomplete(scores, found)
    return cells


def cells_of(facets: Facets, names: Sequence[str]) -> Cells | None:
    """The scores in cells of topics and levels of these facets; None where one is missing."""
    from truerank.reliability.means.components import TOPIC, Cells

    values = facets.array(names)
    if values is None:
        return None
    of_cell = facets.run_variance / facets.runs * values[..., 0].size / len(facets.topics)
    factors = (TOPIC, *(name for name in facets.names if name in names))
    return Cells(values, factors, 0.0 if np.isnan(of_cell) else of_cell, facets.runs)


def no_method(scores: ScoreMatrix, rule: Aggregate) -> str:
    """Why no method treats levels as a sample; empty where one does."""
    reasons = {
        "beside several data sets": scores.k > 1,
        "beside clusters of topics": scores.clusters is not None,
        "beside a machine judge that people correct": isinstance(scores.kind, BesideMachine),
        f"by {rule.label}": rule.points is not None,
    }
    return next((reason for reason, holds in reasons.items() if holds), "")


def sampled_warnings(facets: Facets, names: Sequence[str], systems: int) -> list[Note]:
    """Notes on facets whose levels are a sample."""
    found = []
    for name in names:
        f = len(facets.levels[facets.names.index(name)])
        found.append(Note("facet-levels", {"case": "sampled", "facet": name, "levels": f}))
        if f == 2 or (systems - 1) * (f - 1) < FEWEST_TO_SHRINK:
            found.append(Note("few-levels", {"facet": name, "levels": f, "m": systems}, "alert"))
    return found


def level_test(scores: ScoreMatrix, facets: Facets, name: str) -> float | None:
    """p of no effect of a facet's levels on the order of systems (eq. 13); None where it cannot be tested."""
    from truerank.reliability.means.components import Components

    cells = None if scores.k > 1 or name not in facets.several else cells_of(facets, [name])
    if cells is None:
        return None
    found, m = Components.of(cells), scores.m
    place, rest = found.place(name), len(found.effects) - 1
    above, below = (found.reduced[u] / found.degrees[u] for u in (place, rest))
    if not below > 0:
        return 0.0 if above > 0 else 1.0
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
    if facets is not None and not facets.crossed_over(facets.nested):
        raise _incomplete(scores, facets)


def _incomplete(scores: ScoreMatrix, facets: Facets) -> InputError:
    """The refusal of levels that have to be the same everywhere, and are not."""
    names = [name for name in facets.several if name not in facets.nested] or list(facets.several)
    judges = [name for name in names if name.casefold() in JUDGES]
    beside = (
        f" If {judges[0]!r} is people and a machine, put the rows of the machine into a file for "
        f"{setting('machine', 'FILE')}."
        if judges
        else ""
    )
    fixed = listed(list(map(repr, names)))
    return InputError(
        f"{at(scores.source)}not every {scores.unit.one} has every level of {fixed}, so a mean is not over "
        "the same levels everywhere. Levels that can stand for each other are runs: "
        f"{setting('run_column', (judges or names)[0])}.{beside}"
    )
