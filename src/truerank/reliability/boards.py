"""A leaderboard of several data sets, taken apart: what each adds, and the ranking without it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from truerank._support.notes import Note
from truerank._support.tables import Column, Count, Name, Number, Percent
from truerank._support.types import Correlation, Matrix, Nullable, OrNaN, Vector
from truerank._support.wording import some
from truerank.coefficients import tau
from truerank.reliability.accuracy import FEW_SETS
from truerank.reliability.hole_warnings import hole_warnings
from truerank.reliability.means import Aggregate, Means, find_aggregate
from truerank.reliability.means.data_sets import averaged_rest, total_points
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
        tau: between its ranking and the leaderboard's, in [−1, 1]; null with fewer than two systems.
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


@dataclass(frozen=True, eq=False)
class Board:
    """The data sets of a leaderboard, in the order of the scores.

    Attributes:
        data_sets: one each.
        ranks: K × m, the rank of each system (in ranking order) on each data set, ties sharing the average;
            NaN where it has no mean.
        dropped: for aggregates that depend on who takes part, the system whose absence changes most.
    """

    data_sets: tuple[DataSet, ...]
    ranks: Matrix
    dropped: DroppedSystem | None = None

    @property
    def most_moving(self) -> DataSet | None:
        """The data set without which the ranking changes most; ``None`` where none does."""
        known = [one for one in self.data_sets if one.tau_without < 1]
        return min(known, key=lambda one: one.tau_without, default=None)

    def leaders_without(self, leader: str) -> list[DataSet]:
        """The data sets without which another system would lead."""
        return [one for one in self.data_sets if one.leader_without not in ("", leader)]


def board_of(ranked: ScoreMatrix, aggregate: str | Aggregate = "mean") -> Board:
    """Take a leaderboard apart. O(K·m log m), with empty cells O(K·m³), votes O(K·m² log m)."""
    rule = find_aggregate(aggregate)
    table, weights = table_of(ranked, rule.points is not None), ranked.set_weights
    ranks = np.array([_ranks(row) for row in table])
    counts = np.ones(ranked.k) if ranked.strata is None else np.bincount(ranked.strata)
    place = np.arange(ranked.m, 0, -1.0)
    found = []
    for k, name in enumerate(ranked.data_sets):
        here = np.flatnonzero(~np.isnan(table[k]))
        own = float(tau(place[here], table[k, here])) if len(here) > 1 else np.nan
        without = _without(table, weights, k, rule)
        changed = np.nan if without is None else float(tau(place, without))
        leader = "" if without is None else ranked.systems[int(ranking_order(without)[0])]
        family = ranked.families[k] if ranked.families else ""
        found.append(
            DataSet(name, int(counts[k]), float(weights[k]), len(here), own, changed, leader, family)
        )
    return Board(tuple(found), ranks, _dropped(ranked, table, weights, rule))


def _ranks(scores: Vector) -> Vector:
    """Ranks, 1 the best, equal scores sharing their mean rank; NaN for what has no score."""
    ordered = np.sort(-scores)
    first, last = (np.searchsorted(ordered, -scores, side) for side in ("left", "right"))
    return np.where(np.isnan(scores), np.nan, (first + last + 1) / 2)


def _without(table: Matrix, weights: Vector, k: int, rule: Aggregate) -> Vector | None:
    """The systems' scores without data set k; ``None`` where the others can't compare all systems."""
    rest = np.delete(table, k, axis=0)
    left = np.delete(weights, k)
    if left.sum() <= 0:
        return None
    left = left / left.sum()
    if rule.points is not None:
        return total_points(rest, left, rule)
    k_sets, m = table.shape
    costly = k_sets * m**3 > MOST_WORK and np.isnan(rest).any()
    return None if costly else averaged_rest(rest, left)


def _dropped(ranked: ScoreMatrix, table: Matrix, weights: Vector, rule: Aggregate) -> DroppedSystem | None:
    """The system whose absence changes the others' order most, where points depend on who takes part."""
    k, m = table.shape
    if rule.points is None or m < 3 or k * m * m * np.log2(m) * 20 > MOST_WORK:
        return None
    place = np.arange(m, 0, -1.0)
    found = []
    for s in range(m):
        others = np.delete(np.arange(m), s)
        after = total_points(table[:, others], weights, rule)
        leader = ranked.systems[int(others[ranking_order(after)[0]])]
        found.append(DroppedSystem(ranked.systems[s], float(tau(place[others], after)), leader))
    return min(found, key=lambda one: one.tau)


UNEQUAL = 4
"""A data set may have this many times fewer topics than another before a warning."""


def board_warnings(
    ranked: ScoreMatrix, means: Means, board: Board | None, rule: Aggregate, unasked: bool = False
) -> list[Note]:
    """Notes on which question is answered, unequal data sets, empty cells and points."""
    found = list(means.notes)
    if board is not None and unasked:
        found.append(
            Note(
                "data-sets-sampled",
                "with one score per system and data set, this is the answer for new data sets like these. "
                "It says nothing of new questions in the same data sets",
                "alert",
            )
        )
    if board is not None:
        found += _sampled(ranked, means) if means.of_data_sets else _fixed(ranked, means, board)
    empty = int(np.isnan(ranked.values).sum()) if ranked.kind.by_cells else 0
    cells, units = f"{empty:,} of {ranked.values.size:,} cells", ranked.unit.many
    if empty and rule.points is not None:
        found.append(
            Note(
                "empty-cells",
                f"{cells} are empty. A system's mean on a data set is over the {units} that it has there, "
                "which rewards skipping hard ones",
            )
        )
    if empty and rule.points is None:
        lonely = int(((~np.isnan(ranked.values)).sum(axis=1) == 1).sum())
        alone = f". {ranked.unit.count(lonely)} with the score of a single system compare nothing"
        found.append(
            Note(
                "empty-cells",
                f"{cells} are empty; systems are compared by additive least squares. Where the empty cells "
                "are not at random, the ranking is less certain than the intervals say"
                + alone
                * (lonely > 0),
            )
        )
        found += hole_warnings(ranked)
    if board is not None and any(one.systems < ranked.m for one in board.data_sets):
        lacking = [one.name for one in board.data_sets if one.systems < ranked.m]
        how = {
            "mean": "they are assumed to do as well there as elsewhere",
            "borda": "they get no point there, as MTEB's rule has it",
            "win-rate": "their win rate is over the other data sets, as HELM's rule has it",
        }.get(rule.name, "their points are over the other data sets")
        found.append(
            Note("few-scores", f"some systems have too few scores, or none, on {some(lacking)}: {how}")
        )
    return found


def hold_together(means: Means) -> bool:
    """Whether there are enough units for ranges that hold together (docs/methods/evidence/ranks.md)."""
    return not means.of_data_sets or means.effective >= FEW_SETS - 1e-9


def _sampled(ranked: ScoreMatrix, means: Means) -> list[Note]:
    """Notes where data sets are a sample: what has no effect, and what cannot be concluded."""
    found = []
    if ranked.clusters is not None:
        said = f"clusters of {ranked.unit.many} do not matter where a data set is the unit"
        found.append(Note("clusters-unused", said))
    if not hold_together(means):
        found.append(
            Note(
                "ranges-apart",
                f"no rank ranges and no best set are given: they need {FEW_SETS} data sets in effect, "
                f"and there are {means.effective:.3g}",
            )
        )
    return found


def _fixed(ranked: ScoreMatrix, means: Means, board: Board) -> list[Note]:
    """Notes on fixed data sets: families without effect, and unequal sizes."""
    unused = Note("families-unused", "families of data sets do not matter where the data sets are fixed")
    return [unused] * bool(ranked.families) + _unequal(ranked, means, board)


def _unequal(ranked: ScoreMatrix, means: Means, board: Board) -> list[Note]:
    """A note on data sets with far fewer topics than others but the same weight."""
    sizes = [one.topics for one in board.data_sets]
    if max(sizes) < UNEQUAL * min(sizes):
        return []
    small = min(board.data_sets, key=lambda one: one.topics)
    units = ranked.unit.many
    return [
        Note(
            "unequal-data-sets",
            f"data sets have from {min(sizes)} to {max(sizes)} {units} and count by their weight, so the few "
            f"of {small.name!r} decide much. All {sum(sizes)} {units} are worth {means.effective:.0f} equal "
            "ones",
        )
    ]
