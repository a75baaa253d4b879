"""A leaderboard of several data sets, taken apart, and notes on data sets and empty cells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from truerank._support.notes import Note
from truerank._support.tables import Column, Count, Name, Number, Percent
from truerank._support.types import Correlation, Matrix, Nullable, OrNaN, Vector
from truerank.coefficients import tau, tau_a
from truerank.reliability.diagnostics import FEW_SETS
from truerank.reliability.means import AGGREGATES, Aggregate, Means
from truerank.reliability.means.data_sets import additive, averaged_rest, total_points
from truerank.reliability.means.means import members
from truerank.reliability.means.means_of import table_of
from truerank.scores import ScoreMatrix, ranking_order

MOST_WORK = 3e10
"""Most operations spent on leaving out each data set, or each system."""


@dataclass(frozen=True)
class DataSet:
    """One data set of a leaderboard.

    Attributes:
        name: name of the data set.
        topics: how many it has.
        weight: what it counts in the average, out of 1.
        systems: how many systems have a mean here.
        tau: τ_a between its ranking and the leaderboard's, in [−1, 1]: a tied pair counts half; null with
            fewer than two systems.
        tau_without: of the leaderboard's ranking with the one without it; null where it was not computed.
        leader_without: the leader without it; empty where it was not computed.
        family: of the data set, where families were given.
    """

    name: Annotated[str, Column("Data set", Name())]
    topics: Annotated[int, Column("{Topics}", Count())]
    weight: Annotated[float, Column("Weight", Percent(digits=1))]
    systems: Annotated[int, Column("Systems", Count())]
    tau: Annotated[Correlation, Nullable(), Column("τ with all", Number(digits=2))]
    tau_without: Annotated[OrNaN, Column("τ without", Number(digits=2))]
    leader_without: Annotated[str, Column("Leader without", Name())]
    family: Annotated[str, Column("Family", Name())] = ""


@dataclass(frozen=True)
class DroppedSystem:
    """The leaderboard without one system, where a system's score depends on which others are there.

    Attributes:
        system: the one left out.
        tau: between the ranking of the others before and after, in [−1, 1].
        leader: who leads then.
    """

    system: str
    tau: Correlation
    leader: str


@dataclass(frozen=True)
class MostMoving:
    """What the ranking rests on most; with several data sets.

    Attributes:
        data_set: the data set without which it changes most; ``None`` where none does.
        system: the system whose absence changes most; ``None`` for an average, which needs no other system.
    """

    data_set: str | None
    system: DroppedSystem | None


def data_sets_of(
    ranked: ScoreMatrix, aggregate: str | Aggregate = "mean"
) -> tuple[tuple[DataSet, ...], MostMoving]:
    """Take a leaderboard apart. O(K·m log m), with empty cells O(K·m³), votes O(K·m² log m)."""
    rule = AGGREGATES.find(aggregate)
    table, weights = table_of(ranked, rule.points is not None), ranked.set_weights
    counts = np.ones(ranked.k) if ranked.strata is None else np.bincount(ranked.strata)
    place = np.arange(ranked.m, 0, -1.0)
    found = []
    for k, name in enumerate(ranked.data_sets):
        here = np.flatnonzero(~np.isnan(table[k]))
        own = float(tau_a(place[here], table[k, here])) if len(here) > 1 else np.nan
        changed, leader = np.nan, ""
        if (without := _without(table, weights, k, rule)) is not None:
            changed, leader = float(tau(place, without)), ranked.systems[int(ranking_order(without)[0])]
        family = ranked.families[k] if ranked.families else ""
        found.append(
            DataSet(name, int(counts[k]), float(weights[k]), len(here), own, changed, leader, family)
        )
    moving = min((one for one in found if one.tau_without < 1), key=lambda one: one.tau_without, default=None)
    dropped = []
    # Where points depend on who takes part, leaving out a system may change the order of the others.
    if (
        rule.points is not None
        and ranked.m > 2
        and table.size * ranked.m * np.log2(ranked.m) * 20 <= MOST_WORK
    ):
        for s in range(ranked.m):
            others = np.delete(np.arange(ranked.m), s)
            after = total_points(table[:, others], weights, rule)
            leader = ranked.systems[int(others[ranking_order(after)[0]])]
            dropped.append(DroppedSystem(ranked.systems[s], float(tau(place[others], after)), leader))
    most = min(dropped, key=lambda one: one.tau, default=None)
    return tuple(found), MostMoving(None if moving is None else moving.name, most)


def _without(table: Matrix, weights: Vector, k: int, rule: Aggregate) -> Vector | None:
    """The systems' scores without data set k; ``None`` where the others can't compare all systems."""
    rest, left = np.delete(table, k, axis=0), np.delete(weights, k)
    if left.sum() <= 0:
        return None
    left = left / left.sum()
    if rule.points is not None:
        return total_points(rest, left, rule)
    costly = len(table) * table.shape[1] ** 3 > MOST_WORK and np.isnan(rest).any()
    return None if costly else averaged_rest(rest, left)


UNEQUAL = 4
"""A data set may have this many times fewer topics than another before a warning."""


def board_warnings(
    ranked: ScoreMatrix, means: Means, sets: Sequence[DataSet], rule: Aggregate, unasked: bool = False
) -> list[Note]:
    """Notes on which question is answered, unequal data sets, empty cells and points."""
    found, unit = list(means.notes), ranked.unit.one
    if unasked:
        found.append(Note("data-sets-sampled", {}, "alert"))
    if sets and means.of_data_sets:
        if ranked.clusters is not None:
            found.append(Note("no-effect", {"case": "clusters", "unit": unit}))
        if not hold_together(means):
            found.append(Note("ranges-apart", {"fewest": FEW_SETS, "data_sets": means.effective}))
    elif sets:
        if ranked.families:
            found.append(Note("no-effect", {"case": "families"}))
        small, large = (end(sets, key=lambda one: one.topics) for end in (min, max))
        if large.topics >= UNEQUAL * small.topics:
            facts = {"sizes": [small.topics, large.topics], "all": sum(one.topics for one in sets)}
            facts |= {"smallest": small.name, "effective": means.effective, "unit": unit}
            found.append(Note("unequal-data-sets", facts))
    empty = np.isnan(ranked.values)
    if ranked.kind.by_cells and empty.any():
        holes = {
            "empty": int(empty.sum()),
            "cells": ranked.values.size,
            "used": "least squares" if rule.points is None else "points",
            "levels": _without_some_levels(ranked, empty),
            "alone": int(((~empty).sum(axis=1) == 1).sum()),
            "unit": unit,
        }
        found.append(Note("empty-cells", {"case": "cells", **holes}))
        found += hole_warnings(ranked) if rule.points is None else []
    if lacking := [one.name for one in sets if one.systems < ranked.m]:
        lacks = {"data_sets": lacking, "rule": rule.name, "one_each": ranked.k == ranked.n}
        found.append(Note("empty-cells", {"case": "data-sets", **lacks}))
    return found


def _without_some_levels(ranked: ScoreMatrix, empty: NDArray[np.bool_]) -> dict[str, Any] | None:
    """Cells that have some levels of a facet but not all, if there are any."""
    facets = ranked.facets
    if facets is None:
        return None
    some_levels = np.zeros(empty.shape, dtype=bool)
    np.logical_or.at(some_levels, facets.topics, ~np.isnan(facets.values))
    some_levels &= empty
    systems = [ranked.systems[s] for s in np.flatnonzero(some_levels.any(axis=0))]
    facts = {"cells": int(some_levels.sum()), "systems": systems, "facets": list(facets.names)}
    return facts if systems else None


def hold_together(means: Means) -> bool:
    """Whether there are enough units for ranges that hold together (docs/methods/evidence/ranks.md)."""
    return not means.of_data_sets or means.effective >= FEW_SETS - 1e-9


NOT_AT_RANDOM = 0.01
"""Chance that cells empty at random are mistaken for cells that depend on how hard topics are."""


def hole_warnings(scores: ScoreMatrix) -> list[Note]:
    """A note where topics that many systems lack are harder or easier than those that few lack."""
    from scipy.stats import spearmanr

    empty = np.isnan(scores.values)
    strata, unit = scores.stratum_of_each, scores.unit.one
    if scores.k == scores.n > 1:
        strata, unit = np.zeros(scores.n, dtype=np.intp), "data set"  # one score for each
    levels = topic_levels(scores.values)
    rows = np.isfinite(levels)
    sets = members(strata, int(strata.max()) + 1)
    for places in sets:
        # That a system has no score on a whole data set says nothing about topics.
        empty[places] &= ~empty[places].all(axis=0)
    share = empty.mean(axis=1)
    for places in sets:
        rows[places] &= np.ptp(share[places]) > 0
    if rows.sum() < 5:
        return []
    adjusted = _centered(levels, strata, rows)[rows]
    if np.ptp(adjusted) == 0:
        return []
    if not spearmanr(_centered(share, strata, rows)[rows], adjusted).pvalue <= NOT_AT_RANDOM:
        return []
    adjusted += levels[rows].mean()
    mean, others = (float(np.average(adjusted, weights=part)) for part in (share[rows], 1 - share[rows]))
    facts = {"case": "not-at-random", "mean": mean, "others": others, "unit": unit}
    return [Note("missing-topics", facts)]


def topic_levels(values: Matrix) -> Vector:
    """Mean score of all systems on each topic, as if every system had one there; NaN where none has."""
    effects = additive(values, np.full(len(values), 1 / len(values))).effects
    return np.where(np.isnan(values).all(axis=1), np.nan, effects)


def _centered(levels: Vector, strata: NDArray[np.intp], rows: NDArray[np.bool_]) -> Vector:
    """The levels less the mean of their data set over some rows."""
    sizes = np.maximum(np.bincount(strata, weights=rows), 1)
    means = np.bincount(strata, weights=np.where(rows, levels, 0)) / sizes
    return np.asarray(levels - means[strata])
