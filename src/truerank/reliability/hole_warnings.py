"""Whether cells are empty at random, or on topics that are harder or easier than others."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from truerank._support.arguments import setting
from truerank._support.notes import Note
from truerank._support.types import Matrix, Vector
from truerank.numerics.rank_tests import rank_correlation_p_value, rank_sum_p_value
from truerank.scores import ScoreMatrix

NOT_AT_RANDOM = 0.01
"""Chance that cells empty at random are mistaken for cells that depend on how hard topics are."""


def _consequence(units: str) -> str:
    return (
        f", so the empty cells are not at random. Least squares corrects for hard {units} only as far as "
        f"they lower all systems alike, and no interval shows the rest. Compare with "
        f"{setting('missing', 'common')}"
    )


def hole_warnings(scores: ScoreMatrix) -> list[Note]:
    """Warnings about the topics on which cells are empty."""
    empty = np.isnan(scores.values)
    if not empty.any():
        return []
    levels = topic_levels(scores.values)
    strata = scores.stratum_of_each
    units = scores.unit.many
    if scores.k == scores.n > 1:
        strata, units = np.zeros(scores.n, dtype=np.intp), "data sets"  # one score for each
    empty = _within_data_sets(empty, strata)
    groups = _by_group(scores, empty, levels, strata, units)
    if 0 < len(groups) <= 3:
        return groups
    return _overall(empty, levels, strata, units) or groups[:3]


def topic_levels(values: Matrix) -> Vector:
    """Mean score of all systems on each topic, as if every system had one there."""
    there = (~np.isnan(values)).astype(np.float64)
    filled = np.nan_to_num(values)
    per_topic, per_system = there.sum(axis=1), there.sum(axis=0)
    systems = np.zeros(values.shape[1])
    topics = np.zeros(values.shape[0])
    for _ in range(200):
        topics = (filled.sum(axis=1) - there @ systems) / np.maximum(per_topic, 1)
        changed = (filled.sum(axis=0) - topics @ there) / np.maximum(per_system, 1)
        step = float(np.abs(changed - systems).max(initial=0.0))
        systems = changed
        if step <= 1e-10 * (1e-300 + float(np.abs(filled).max())):
            break
    # Systems without any score have no effect and carry no information about topics.
    mean = systems[per_system > 0].mean() if (per_system > 0).any() else 0.0
    return np.where(per_topic > 0, topics + mean, np.nan)


def _within_data_sets(empty: NDArray[np.bool_], strata: NDArray[np.intp]) -> NDArray[np.bool_]:
    """The empty cells, without those of systems that have no score on a whole data set."""
    lacked = np.array([empty[strata == k].all(axis=0) for k in range(int(strata.max()) + 1)])
    return np.asarray(empty & ~lacked[strata])


def _by_group(
    scores: ScoreMatrix, empty: NDArray[np.bool_], levels: Vector, strata: NDArray[np.intp], units: str
) -> list[Note]:
    """A note for each group of systems that lack the same topics, where these are harder or easier."""
    patterns, group = np.unique(empty, axis=1, return_inverse=True)
    members = [np.flatnonzero(group.ravel() == g) for g in range(patterns.shape[1])]
    tested = []
    for pattern, systems in zip(patterns.T, members, strict=True):
        rows = _compared(pattern, strata) & np.isfinite(levels)
        centered = _centered(levels, strata, rows)
        lacked, had = pattern & rows, ~pattern & rows
        if lacked.any() and had.any():
            chance = rank_sum_p_value(centered[lacked], centered[had])
            tested.append((chance, systems, lacked, had))
    limit = NOT_AT_RANDOM / 2 / max(len(tested), 1)
    odd = sorted((one for one in tested if one[0] <= limit), key=lambda one: -len(one[1]))
    found = []
    for _, systems, lacked, had in odd:
        rows = lacked | had
        adjusted = levels[rows].mean() + _centered(levels, strata, rows)
        there, others = float(adjusted[lacked].mean()), float(adjusted[had].mean())
        found.append(
            Note(
                "not-at-random",
                f"the {int(lacked.sum())} {units} that {_systems(scores, systems, 'lack')} are "
                f"{'harder' if there < others else 'easier'} than the others (mean score {there:.3g} against "
                f"{others:.3g}){_consequence(units)}",
                systems=tuple(scores.systems[s] for s in systems.tolist()),
            )
        )
    return found


def _overall(empty: NDArray[np.bool_], levels: Vector, strata: NDArray[np.intp], units: str) -> list[Note]:
    """A note where topics that many systems lack are harder or easier than those that few lack."""
    share = empty.mean(axis=1)
    rows = np.isfinite(levels)
    for k in range(int(strata.max()) + 1):
        if np.ptp(share[strata == k]) == 0:
            rows &= strata != k
    if rows.sum() < 5:
        return []
    adjusted = _centered(levels, strata, rows)[rows]
    if np.ptp(adjusted) == 0:
        return []
    chance = rank_correlation_p_value(_centered(share, strata, rows)[rows], adjusted)
    if not chance <= NOT_AT_RANDOM / 2:
        return []
    adjusted += levels[rows].mean()
    missing = float(np.average(adjusted, weights=share[rows]))
    present = float(np.average(adjusted, weights=1 - share[rows]))
    return [
        Note(
            "not-at-random",
            f"scores are missing more often on {'harder' if missing < present else 'easier'} {units} (mean "
            f"score {missing:.3g} where they are missing, {present:.3g} elsewhere){_consequence(units)}",
        )
    ]


def _compared(pattern: NDArray[np.bool_], strata: NDArray[np.intp]) -> NDArray[np.bool_]:
    """The topics of data sets of which a system lacks some topics but not all."""
    sizes = np.bincount(strata)
    lacked = np.bincount(strata, weights=pattern)
    return ((lacked > 0) & (lacked < sizes))[strata]


def _centered(levels: Vector, strata: NDArray[np.intp], rows: NDArray[np.bool_]) -> Vector:
    """The levels less the mean of their data set over some rows."""
    sizes = np.maximum(np.bincount(strata, weights=rows), 1)
    means = np.bincount(strata, weights=np.where(rows, levels, 0)) / sizes
    return np.asarray(levels - means[strata])


def _systems(scores: ScoreMatrix, columns: NDArray[np.intp], verb: str = "") -> str:
    """`2 systems (a, b)`, or `2 systems lack (a, b)`."""
    names = ", ".join(scores.systems[s] for s in columns[:5].tolist()) + (", …" if len(columns) > 5 else "")
    one = len(columns) == 1
    verb = "" if not verb else f" {verb}s" if one else f" {verb}"
    return f"{len(columns)} system{'' if one else 's'}{verb} ({names})"
