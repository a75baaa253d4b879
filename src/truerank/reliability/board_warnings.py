"""What a user must know about data sets, empty cells and points before believing a number."""

from __future__ import annotations

import numpy as np

from truerank._support.notes import Note
from truerank._support.wording import some
from truerank.reliability.boards import Board
from truerank.reliability.hole_warnings import hole_warnings
from truerank.reliability.means import Aggregate, Means
from truerank.scores import ScoreMatrix

UNEQUAL = 4
"""How many times as many topics another data set may have before it is worth a warning."""

FEWEST_TOGETHER = 5
"""Data sets, in effect, from which on ranges hold together (docs/methods/evidence/ranks.md)."""


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
                "which rewards skipping hard ones (docs/methods/data-sets.md)",
            )
        )
    if empty and rule.points is None:
        lonely = int(((~np.isnan(ranked.values)).sum(axis=1) == 1).sum())
        alone = f". {ranked.unit.count(lonely)} with the score of a single system compare nothing"
        found.append(
            Note(
                "empty-cells",
                f"{cells} are empty; systems are compared by additive least squares. Where the empty cells "
                "are not at random, the ranking is less certain than the intervals say "
                "(docs/methods/data-sets.md)" + alone * (lonely > 0),
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
    """Whether there are units enough for ranges that hold together (docs/methods/evidence/ranks.md)."""
    return not means.of_data_sets or means.effective >= FEWEST_TOGETHER - 1e-9


def _sampled(ranked: ScoreMatrix, means: Means) -> list[Note]:
    """On what does not matter, and what can't be said, where data sets are a sample."""
    found = []
    if ranked.clusters is not None:
        said = f"clusters of {ranked.unit.many} do not matter where a data set is the unit"
        found.append(Note("clusters-unused", said))
    if not hold_together(means):
        found.append(
            Note(
                "ranges-apart",
                f"too few data sets for ranges that hold together: {means.effective:.3g} in effect, "
                f"at least {FEWEST_TOGETHER} needed; no rank ranges and no best set are given",
            )
        )
    return found


def _fixed(ranked: ScoreMatrix, means: Means, board: Board) -> list[Note]:
    """On fixed data sets: families that do not matter, and unequal sizes."""
    unused = Note("families-unused", "families of data sets do not matter where the data sets are fixed")
    return [unused] * bool(ranked.families) + _unequal(ranked, means, board)


def _unequal(ranked: ScoreMatrix, means: Means, board: Board) -> list[Note]:
    """On data sets with far fewer topics than others, which decide as much."""
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
