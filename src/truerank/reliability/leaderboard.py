"""Boards: the document of an assessment for a leaderboard, or the same from means and a covariance alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from truerank._support.arguments import check_whole, keywords_checked
from truerank._support.notes import Noted, Notes
from truerank._support.plain import Written
from truerank._support.tables import Column, Count, Name, Number, Ranks, Word
from truerank._support.types import LeftOut, Level, Matrix, Unwritten, Vector
from truerank._support.units import Noun
from truerank._support.version import __version__
from truerank.battles import Scale
from truerank.coefficients import TAU
from truerank.errors import InputError, unknown_name
from truerank.numerics.intervals import check_levels
from truerank.numerics.pairs import root_of
from truerank.reading import Reading
from truerank.reliability.assessment import HEADLINE, assess
from truerank.reliability.diagnostics import one_consequence, size_notes
from truerank.reliability.estimators import ESTIMATORS, PairEstimator, TopicSample
from truerank.reliability.frontier import YES_NO, TradeOff
from truerank.reliability.leader import Leader
from truerank.reliability.machine_judge import MachineJudge
from truerank.reliability.means import Aggregate, Means, find_aggregate
from truerank.reliability.predictive import Predictive, default_draws
from truerank.reliability.ranking import by_pairs, if_equal, ranking_of
from truerank.reliability.results import Assessment, Estimate, RankedSystem
from truerank.scores import TIE, ranking_order

Ties = Literal["min", "dense", "ordinal"]
"""How systems with equal scores are ranked: all with their best rank (1, 1, 3), that without gaps (1, 1, 2),
or in input order (1, 2, 3)."""

OPTIONS = ["generalize_to", "tried", "pareto", "missing", "pairs_alike", "draw_prior", "scale", "covariates"]
"""What else is given to :func:`truerank.assess`."""


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
        topics: how many of the board's units it has scores on. It is null where only a covariance is known,
            and where prompts were dealt to groups.
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
        generalize_to: what the ranking is to hold on: ``topics``, ``data_sets`` or ``topics,FACET``; null
            where only a covariance is known.
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
        >>> covariance = [[4e-4, 1e-4, 0], [1e-4, 4e-4, 0], [0, 0, 4e-4]]
        >>> board = truerank.board([0.61, 0.58, 0.40], covariance, df=99)
        >>> [(row.system, row.rank, row.rank_low, row.rank_high) for row in board.systems]
        [('sys1', 1, 1, 2), ('sys2', 2, 1, 2), ('sys3', 3, 3, 3)]
    """

    measure: str
    rule: str
    generalize_to: str | None
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


@partial(keywords_checked, options=OPTIONS)
def board(
    scores: Any,
    covariance: ArrayLike | None = None,
    *,
    df: float | None = None,
    systems: Sequence[str] | None = None,
    aggregate: str | Aggregate = "mean",
    ties: Ties = "min",
    level: float = 0.95,
    draws: int | None = None,
    measure: str | None = None,
    seed: int = 0,
    **options: Any,
) -> Leaderboard:
    """A leaderboard's columns, from scores or from means and their covariance.

    From scores it is :func:`truerank.assess` with the headline estimator alone, and has its digits.

    Args:
        scores: a ScoreMatrix, or anything :func:`truerank.read_scores` takes; with a covariance m means.
        covariance: m × m, of the means.
        df: degrees of freedom of the covariance: topics less one.
        systems: m names, for means; ``sys1 … sysm`` by default.
        aggregate: for scores: ``mean``, ``borda``, ``win-rate`` or an
            :class:`truerank.reliability.means.Aggregate`.
        ties: how equal scores are ranked: ``min`` (1, 1, 3), ``dense`` (1, 1, 2) or ``ordinal`` (1, 2, 3).
        level: of the rank ranges and intervals, in (0, 1).
        draws: joint draws, as :func:`truerank.assess`.
        measure: which measure, where `scores` holds several.
        seed: the same seed gives the same digits, and those of :func:`truerank.assess`.
        options: for scores: ``generalize_to``, ``tried``, ``pareto``, ``missing``, ``pairs_alike``,
            ``draw_prior``, ``scale`` and ``covariates``, as :func:`truerank.assess`.

    Returns:
        The board. O((n + draws)·m²).

    Raises:
        InputError: scores that cannot be ranked, numbers that are not a covariance matrix, or arguments that
            do not go together.
        PairError: two systems.
        UnknownNameError: an unknown rule or treatment of ties.

    Example:
        >>> import numpy as np, truerank
        >>> rng = np.random.default_rng(1)
        >>> board = truerank.board(rng.normal([0.6, 0.5, 0.3], 0.1, (20, 3)))
        >>> [(row.system, row.rank_low, row.rank_high) for row in board.systems]
        [('sys1', 1, 1), ('sys2', 2, 2), ('sys3', 3, 3)]
    """
    (level,) = check_levels(level)
    check_whole("draws", draws, 2)
    if ties not in get_args(Ties):
        raise unknown_name("treatment of ties", ties, get_args(Ties))
    rule = find_aggregate(aggregate)
    if covariance is None:
        if df is not None or systems is not None:
            raise InputError("df and systems go with means and a covariance. Leave them out with scores.")
        options |= {"aggregate": rule, "draws": draws, "measure": measure, "seed": seed}
        return board_of(assess(scores, coefficients="tau", levels=level, **options), ties)
    for name in (name for name, value in options.items() if value is not None):
        raise InputError(f"{name} needs scores. Leave it out with a covariance.")
    theta, matrix, degrees, names = _checked(scores, covariance, df, systems)
    means, method = _means_of(theta, matrix, degrees), ESTIMATORS[HEADLINE]
    assert isinstance(method, PairEstimator)
    draws = draws or default_draws(len(theta))
    predictive = Predictive(TopicSample.of(means, None, seed), (TAU,), draws, {"shrunk": matrix})
    # Here an assessment goes on once it has made its own means.
    estimates = by_pairs(method, "shrunk", predictive, (level,))
    estimates, p_values, notes = if_equal(predictive, method, "shrunk", estimates, "topic")
    half, topics = means.half_widths(level), round(means.effective)
    ends = theta - half, theta + half
    found = ranking_of(predictive, method, "shrunk", level, names, ends, p_values=p_values)
    size = {"n": topics, "given": topics, "unit": "topic", "voters": False}
    return Leaderboard(
        measure=measure or "",
        rule=rule.name,
        generalize_to=None,
        unit="topic",
        level=level,
        systems=_rows(found.rows, ties, [None] * len(theta)),
        tau=_tau(estimates[0], level),
        seed=seed,
        draws=draws,
        notes=one_consequence([*size_notes(size, len(theta)), *notes]),
    )


OF_OTHERS = ("not-computed", "few-resamples")
"""Notes on estimators beside the headline."""


def board_of(found: Assessment, ties: Ties = "min") -> Leaderboard:
    """The board of an assessment, which has its expected τ."""
    left_out = OF_OTHERS if ties == "ordinal" else (*OF_OTHERS, "ties")
    ranked, settings = found.scores, found.settings
    return Leaderboard(
        measure=ranked.measure,
        rule=settings.aggregate,
        generalize_to=settings.generalize_to,
        unit=ranked.kind.noun,
        level=settings.levels[0],
        systems=_rows(found.ranking, ties, ranked.kind.counted, found.pareto),
        tau=_tau(found.estimate(), settings.levels[0]),
        seed=settings.seed,
        draws=settings.draws,
        notes=tuple(note for note in found.notes if note.code not in left_out),
        leader=None if settings.tried is None else found.leader,
        scale=ranked.kind.scale,
        pairs_alike=settings.pairs_alike,
        covariates=tuple(effect.name for effect in found.covariates or ()) or None,
        machine=found.machine,
        pareto=None if found.pareto is None else found.pareto.measure,
        noun=found.noun,
        reading=ranked.reading,
    )


def _rows(
    ranking: Sequence[RankedSystem],
    ties: Ties,
    topics: Sequence[int | None],
    pareto: TradeOff | None = None,
) -> tuple[BoardRow, ...]:
    fresh = np.abs(np.diff([s.mean for s in ranking], prepend=np.inf)) > TIE
    dense = np.cumsum(fresh)
    ranks = {
        "dense": dense,
        "min": np.searchsorted(dense, dense) + 1,
        "ordinal": np.arange(1, len(dense) + 1),
    }
    weighed = [None] * len(dense) if pareto is None else pareto.rows
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
        for one, rank, count, cost in zip(ranking, ranks[ties].tolist(), topics, weighed, strict=True)
    )


def _tau(found: Estimate, level: float) -> BoardTau:
    interval = found.interval(level)
    assert interval is not None
    return BoardTau(found.estimate, interval.low, interval.high)


MOST_DEGREES = 1e5
"""More degrees of freedom change nothing, and the tables of the estimator underflow."""


def _means_of(theta: Vector, covariance: Matrix, df: float) -> Means:
    """Means with that covariance: any influence rows that add up to 0 and have it serve."""
    root, degrees = root_of(covariance) / np.sqrt(2), min(df, MOST_DEGREES)
    return Means(
        theta=theta,
        contrasts=theta,
        influences=np.vstack([root, -root]),
        strata=np.zeros(2 * len(theta), dtype=np.intp),
        factors=np.ones(1),
        stratum_degrees=np.array([degrees]),
        effective=degrees + 1,
    )


def _checked(
    given: Any, covariance: ArrayLike, df: float | None, systems: Sequence[str] | None
) -> tuple[Vector, Matrix, float, list[str]]:
    """Means, covariance, degrees of freedom and names, in ranking order."""
    try:
        theta, matrix = np.asarray(given, dtype=np.float64), np.asarray(covariance, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"means and covariance must be numbers ({error})") from None
    m = theta.size
    if theta.ndim != 1 or m < 2 or not np.isfinite(theta).all():
        raise InputError("with a covariance the scores are a list of at least two finite means")
    if matrix.shape != (m, m) or not np.isfinite(matrix).all():
        raise InputError(f"the covariance of {m} means is {m} × {m} finite numbers, not {matrix.shape}")
    size = float(np.abs(matrix).max())
    if not np.allclose(matrix, matrix.T, rtol=0, atol=1e-9 * size):
        raise InputError("the covariance is not symmetric. Check its rows and columns.")
    if np.linalg.eigvalsh(matrix).min() < -1e-9 * m * size:
        raise InputError("the covariance has a negative eigenvalue, so it is none. Check its numbers.")
    if df is None or not np.isfinite(df) or df < 1:
        raise InputError("a covariance needs its degrees of freedom, 1 or more. Give df: topics less one.")
    names = [f"sys{s}" for s in range(1, m + 1)] if systems is None else list(map(str, systems))
    if len(names) != m or len(set(names)) != m:
        raise InputError(f"systems must be {m} different names")
    order = ranking_order(theta)
    matrix = (matrix + matrix.T)[np.ix_(order, order)] / 2
    return theta[order], matrix, float(df), [names[s] for s in order]
