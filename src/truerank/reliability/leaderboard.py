"""Boards: what a leaderboard shows of an assessment, under the names of leaderboards."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal, get_args

import numpy as np

from truerank._support.notes import Noted, Notes
from truerank._support.plain import Written
from truerank._support.tables import Column, Count, Name, Number, Ranks, Word
from truerank._support.types import LeftOut, Level, Unwritten
from truerank._support.units import Noun
from truerank._support.version import __version__
from truerank.battles import Scale
from truerank.errors import unknown_name
from truerank.reading import Reading
from truerank.reliability.assessment import assess
from truerank.reliability.frontier import YES_NO
from truerank.reliability.leader import Leader
from truerank.reliability.machine_judge import MachineJudge
from truerank.reliability.results import Assessment
from truerank.scores import TIE

Ties = Literal["min", "dense", "ordinal"]
"""How systems with equal scores are ranked: all with their best rank (1, 1, 3), that without gaps (1, 1, 2),
or in input order (1, 2, 3)."""


@dataclass(frozen=True)
class BoardRow:
    """One system on a leaderboard: what :class:`RankedSystem` says of it, under the names of leaderboards.

    Attributes:
        system: its name.
        score: its score by the board's rule.
        se: standard error of the score.
        rank: observed rank, 1 the best.
        rank_low: best rank that it may truly have; null where too few data sets are a sample.
        rank_high: worst rank that it may truly have; null in the same cases.
        tied_with_leader: whether it may truly be first: its rank range includes 1; null where there are no
            ranges.
        shrunken: score once it is allowed for that systems are ranked by it; null where scores are not means.
        topics: how many of the board's units it has scores on; null where prompts were dealt to groups.
        score_low: lower end of the interval of its score, at the board's level.
        score_high: upper end.
        battles: how many it had; left out but for battles.
        win_rate: its chance to beat another of these systems, drawn at random; left out but for battles.
        value: the second criterion, as it was given; left out without one.
        on_frontier: whether it may be on the true frontier of the score and the second criterion,
            jointly for all systems; left out without one.
    """

    system: Annotated[str, Column("System", Name())]
    score: Annotated[float, Column("{score}", Number())]
    se: Annotated[float, Column("SE", Number())]
    rank: Annotated[int, Column("Rank", Count())]
    rank_low: Annotated[
        int | None, Column("Rank range", Ranks(high="rank_high"), meaning="ranks that it may truly have")
    ]
    rank_high: int | None
    tied_with_leader: Annotated[bool | None, Column("May be first", Word(shown=YES_NO), details=True)]
    shrunken: Annotated[float | None, Column("Shrunken", Number())]
    topics: Annotated[int | None, Column("{Topics}", Count(), meaning="{topics} that it has scores on")]
    score_low: Annotated[float, Column("Low", Number(), details=True)]
    score_high: Annotated[float, Column("High", Number(), details=True)]
    battles: Annotated[LeftOut[int], Column("Battles", Count())] = None
    win_rate: LeftOut[float] = None
    value: Annotated[LeftOut[float], Column("{pareto}", Number())] = None
    on_frontier: Annotated[LeftOut[bool], Column("May be on the frontier", Word(shown=YES_NO))] = None


@dataclass(frozen=True)
class BoardTau:
    """The expected τ with the true ranking.

    Attributes:
        estimate: by the headline estimator of :func:`truerank.assess`.
        low: lower end of its interval, at the board's level.
        high: upper end.
    """

    estimate: float
    low: float
    high: float


@dataclass(frozen=True, eq=False, repr=False)
class Leaderboard(Noted, Written):
    """What a leaderboard shows of an assessment, best system first; its JSON is that of a board.

    Attributes:
        measure: its name; empty when unknown.
        rule: how scores come about: ``mean``, ``borda``, ``win-rate``, ``bradley-terry`` (of battles), or
            another rule's name.
        generalize_to: what the ranking is to hold on: ``topics``, ``data_sets`` or ``topics,FACET``.
        unit: what `topics` counts and errors are estimated from: ``topic``, ``question`` or ``data set``; of
            battles ``prompt``, ``voter`` or ``battle``.
        level: of the rank ranges, which hold together, and of the other intervals.
        systems: one row per system, best first.
        tau: the expected τ of the ranking.
        seed: of the joint draws.
        draws: how many joint draws.
        notes: what to know before showing it.
        version: of truerank.
        leader: the leader, its having been picked allowed for, where the number of submissions was given.
        scale: of strengths, where battles are ranked: ``logit``, or ``elo`` points.
        pairs_alike: whether every pair that met counted alike, where battles are ranked.
        covariates: what strengths are freed of, where battles are ranked at equal style.
        machine: the machine judge, where one judged more topics than people did.
        pareto: the name of the second criterion, where one was given.
        noun: what sentences call a topic.
        reading: what was taken for topics, systems and scores, and which scores are better; of tables.

    Example:
        >>> import truerank
        >>> board = truerank.board({"A": [0.4, 0.6, 0.5, 0.7], "B": [0.2, 0.5, 0.4, 0.3]} | {"C": [0.1] * 4})
        >>> [row.system for row in board.systems], board.rule
        (['A', 'B', 'C'], 'mean')
    """

    measure: str
    rule: str
    generalize_to: str
    unit: str
    level: Level
    systems: tuple[BoardRow, ...]
    tau: BoardTau
    seed: int
    draws: int
    notes: Notes = ()
    version: str = __version__
    leader: LeftOut[Leader] = None
    scale: LeftOut[Scale] = None
    pairs_alike: LeftOut[bool] = None
    covariates: LeftOut[tuple[str, ...]] = None
    machine: LeftOut[MachineJudge] = None
    pareto: LeftOut[str] = None
    noun: Unwritten[Noun] = "topic"
    reading: LeftOut[Reading] = None

    def __repr__(self) -> str:
        return f"<Leaderboard of {len(self.systems)} systems, first {self.systems[0].system}>"


def board(scores: Any, *, ties: Ties = "min", level: float = 0.95, **options: Any) -> Leaderboard:
    """A leaderboard's columns: those of :func:`truerank.assess` with the headline estimator alone.

    Args:
        scores: a ScoreMatrix, or anything :func:`truerank.read_scores` takes.
        ties: how equal scores are ranked: ``min`` (1, 1, 3), ``dense`` (1, 1, 2) or ``ordinal`` (1, 2, 3).
        level: of the rank ranges and intervals, in (0, 1).
        options: as :func:`truerank.assess`: ``aggregate``, ``measure``, ``tried``, ``pareto``, ``seed`` …

    Returns:
        The board. O((n + draws)·m²).

    Raises:
        InputError: scores that cannot be ranked, or an argument out of range.
        PairError: two systems.
        UnknownNameError: an unknown rule or treatment of ties.

    Example:
        >>> import numpy as np, truerank
        >>> rng = np.random.default_rng(1)
        >>> board = truerank.board(rng.normal([0.6, 0.5, 0.3], 0.1, (20, 3)))
        >>> [(row.system, row.rank_low, row.rank_high) for row in board.systems]
        [('sys1', 1, 1), ('sys2', 2, 2), ('sys3', 3, 3)]
    """
    if ties not in get_args(Ties):
        raise unknown_name("treatment of ties", ties, get_args(Ties))
    return board_of(assess(scores, coefficients="tau", levels=level, **options), ties)


OF_OTHERS = ("not-computed", "few-resamples")
"""Notes on estimators beside the headline."""


def board_of(found: Assessment, ties: Ties = "min") -> Leaderboard:
    """The board of an assessment, which has its expected τ."""
    left_out = OF_OTHERS if ties == "ordinal" else (*OF_OTHERS, "ties")
    ranked, settings, pareto = found.scores, found.settings, found.pareto
    tau, level = found.estimate(), settings.levels[0]
    interval = tau.interval(level)
    assert interval is not None
    return Leaderboard(
        measure=ranked.measure,
        rule=settings.aggregate,
        generalize_to=settings.generalize_to,
        unit=ranked.kind.noun,
        level=level,
        systems=_rows(found, ties),
        tau=BoardTau(tau.estimate, *interval),
        seed=settings.seed,
        draws=settings.draws,
        notes=tuple(note for note in found.notes if note.code not in left_out),
        leader=None if settings.tried is None else found.leader,
        scale=ranked.kind.scale,
        pairs_alike=settings.pairs_alike,
        covariates=tuple(effect.name for effect in found.covariates or ()) or None,
        machine=found.machine,
        pareto=None if pareto is None else pareto.measure,
        noun=found.noun,
        reading=ranked.reading,
    )


def _rows(found: Assessment, ties: Ties) -> tuple[BoardRow, ...]:
    dense = np.cumsum(np.abs(np.diff([s.mean for s in found.ranking], prepend=np.inf)) > TIE)
    ranks = {
        "dense": dense,
        "min": np.searchsorted(dense, dense) + 1,
        "ordinal": np.arange(1, len(dense) + 1),
    }
    costs = [None] * len(dense) if found.pareto is None else found.pareto.rows
    each = zip(found.ranking, ranks[ties].tolist(), found.scores.kind.counted, costs, strict=True)
    return tuple(
        BoardRow(
            system=one.system,
            score=one.mean,
            se=one.se,
            rank=rank,
            rank_low=one.rank_low,
            rank_high=one.rank_high,
            tied_with_leader=None if one.rank_low is None else one.rank_low == 1,
            shrunken=one.shrunken,
            topics=count,
            score_low=one.mean_low,
            score_high=one.mean_high,
            battles=one.battles,
            win_rate=one.win_rate,
            value=None if cost is None else cost.value,
            on_frontier=None if cost is None else cost.in_set,
        )
        for one, rank, count, cost in each
    )
