"""A leaderboard's columns: of each system score, standard error, rank, rank range and shrunken score.

From scores the rank ranges hold together, with the digits of `assess`. From means and a covariance alone
they are of each system by itself, cheap enough for a service that adds a system at a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from truerank._support.arguments import check_whole, keywords_checked
from truerank._support.display import Shown
from truerank._support.notes import Note, Noted, Notes
from truerank._support.plain import Written
from truerank._support.tables import Column, Count, Name, Number, Ranks, Word
from truerank._support.types import LeftOut, Level, Matrix, OrNaN, Unwritten, Vector, WrittenAs
from truerank._support.units import Noun
from truerank._support.version import __version__
from truerank.coefficients import TAU
from truerank.errors import InputError, PairError, unknown_name
from truerank.numerics.intervals import check_levels, quantile_interval
from truerank.numerics.matrices import root_of
from truerank.readers import as_scores
from truerank.readers.missing import ALL_WAYS, Missing
from truerank.reliability import order
from truerank.reliability.board_warnings import board_warnings, hold_together
from truerank.reliability.dependence import OWN
from truerank.reliability.diagnostics import check_rankable, data_warnings
from truerank.reliability.estimators import ESTIMATORS, PairEstimator, TopicSample, eb
from truerank.reliability.machine_judge import MachineJudge, machine_judge, machine_warnings
from truerank.reliability.means import Aggregate, Means, Question, find_aggregate, means_of, question_of
from truerank.reliability.means.bradley_terry import BRADLEY_TERRY, win_rates
from truerank.reliability.means.means_of import theta_of
from truerank.reliability.predictive import Predictive, default_draws
from truerank.reliability.ranks import rank_bands
from truerank.reliability.row_order import canonical_rows
from truerank.reliability.shrunken import Contrasts, contrasts, expected_effects
from truerank.reliability.submissions import Tried, tried_bound
from truerank.reliability.swaps import SwapDraws
from truerank.scores import TIE, Battles, Scale, ScoreMatrix, identical_systems, ranking_order

Ties = Literal["min", "dense", "ordinal"]
"""How systems with equal scores are ranked: all with their best rank (1, 1, 3), that without gaps (1, 1, 2),
or in input order (1, 2, 3)."""

TIES = ("min", "dense", "ordinal")


@dataclass(frozen=True)
class BoardRow:
    """One system on a leaderboard.

    Attributes:
        system: its name.
        score: its score by the board's rule.
        se: standard error of the score; null where nothing tells it.
        rank: observed rank, 1 the best.
        rank_low: best rank that it may truly have; null where too few data sets are a sample.
        rank_high: worst rank that it may truly have; null likewise.
        tied_with_leader: whether it may truly be first: its rank range includes 1; null where there are no
            ranges.
        shrunken: score once it is allowed for that systems are ranked by it; null where scores are no means.
        topics: topics (data sets, where each has one score; prompts of an arena) that it has scores on. It is
            null where only a covariance is known, and where prompts were dealt to groups.
        score_low: lower end of the interval of its strength, at the board's level; left out but for battles.
        score_high: upper end; likewise.
        battles: how many it had; likewise.
        win_rate: its chance to beat another of these systems, drawn at random; likewise.
    """

    system: Annotated[str, Column("System", Name())]
    score: Annotated[float, Column("{score}", Number())]
    se: Annotated[OrNaN, Column("SE", Number())]
    rank: Annotated[int, Column("Rank", Count())]
    rank_low: Annotated[
        int | None, Column("Rank range", Ranks(high="rank_high"), meaning="ranks that it may truly have")
    ]
    rank_high: int | None
    tied_with_leader: Annotated[
        bool | None, Column("May be first", Word(shown={"True": "yes", "False": "no"}), details=True)
    ]
    shrunken: Annotated[OrNaN, Column("Shrunken", Number())]
    topics: Annotated[int | None, Column("{Topics}", Count(), meaning="{topics} that it has scores on")]
    score_low: LeftOut[float] = None
    score_high: LeftOut[float] = None
    battles: Annotated[LeftOut[int], Column("Battles", Count())] = None
    win_rate: LeftOut[float] = None


@dataclass(frozen=True)
class BoardTau:
    """The expected τ with the true ranking.

    Attributes:
        estimate: by the estimator `eb`, as :func:`truerank.assess` has it.
        low: lower end of its interval, at the board's level.
        high: upper end.
    """

    estimate: float
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class _OfBattles:
    """What rows of battles have beside those of scores: m each, in ranking order."""

    low: Vector
    high: Vector
    battles: NDArray[np.intp]
    win_rates: Vector


@dataclass(frozen=True, eq=False)
class _Pairs:
    """What a board from a covariance keeps, so that one more system costs a row.

    Attributes:
        covariance: m × m, in ranking order.
        degrees: of freedom of it.
        found: the posterior that the first systems were fitted with.
        above: m × m, P(row's system is truly above the column's).
        effects: m × m, the posterior mean of the row's score minus the column's.
    """

    covariance: Matrix
    degrees: float
    found: eb.Posterior
    above: Matrix
    effects: Matrix


@dataclass(frozen=True, eq=False, repr=False)
class Leaderboard(Noted, Written, Shown):
    """A leaderboard, best system first.

    Attributes:
        measure: its name; empty when unknown.
        rule: how scores come about: ``mean``, ``borda``, ``win-rate``, ``bradley-terry`` (of battles), or
            another rule's name.
        level: of the rank ranges.
        joint: whether all rank ranges hold together; otherwise each is of a system by itself.
        names: m, in ranking order.
        scores: m.
        errors: m; NaN where nothing tells them.
        low: m, the best rank that each may truly have; ``None`` where too few data sets are a sample.
        high: m, the worst; ``None`` likewise.
        shrunken: m; ``None`` where scores are no means.
        topics: m, topics that each has scores on; ``None`` where only a covariance is known, and where
            prompts were dealt to groups.
        ties: how systems with equal scores are ranked.
        seed: of the joint draws; null where there are none.
        draws: how many joint draws; null likewise.
        notes: what to know before showing it.
        version: of truerank.
        tried: the leader's score, where the number of submissions was given.
        noun: what sentences call a topic.
        scale: of strengths, where battles are ranked: ``logit``, or ``elo`` points.
        unit: what errors are estimated from, where battles are ranked: ``prompt``, ``voter`` or ``battle``.
        pairs_alike: whether every pair that met counted alike, where battles are ranked.
        tau: the expected τ of the ranking, where battles are ranked and ranges hold together.
        machine: the machine judge, where one judged more topics than people did.

    Example:
        >>> import truerank
        >>> covariance = [[4e-4, 1e-4, 0], [1e-4, 4e-4, 0], [0, 0, 4e-4]]
        >>> board = truerank.board([0.61, 0.58, 0.40], covariance, df=99)
        >>> [(row.system, row.rank, row.rank_low, row.rank_high) for row in board.rows]
        [('sys1', 1, 1, 2), ('sys2', 2, 1, 2), ('sys3', 3, 3, 3)]
        >>> [row.system for row in board.add("new", 0.55, [1e-4, 1e-4, 0], 4e-4).rows]
        ['sys1', 'sys2', 'new', 'sys3']
    """

    measure: str
    rule: str
    level: Level
    joint: bool
    names: Annotated[tuple[str, ...], WrittenAs(systems="rows")]
    scores: Unwritten[Vector]
    errors: Unwritten[Vector]
    low: Unwritten[NDArray[np.integer] | None]
    high: Unwritten[NDArray[np.integer] | None]
    shrunken: Unwritten[Vector | None]
    topics: Unwritten[tuple[int, ...] | None]
    ties: Unwritten[Ties] = "min"
    seed: int | None = None
    draws: int | None = None
    notes: Notes = ()
    version: str = __version__
    tried: LeftOut[Tried] = None
    _pairs: Unwritten[_Pairs | None] = None
    noun: Unwritten[Noun] = "topic"
    scale: LeftOut[Scale] = None
    unit: LeftOut[Literal["prompt", "voter", "battle"]] = None
    pairs_alike: LeftOut[bool] = None
    tau: LeftOut[BoardTau] = None
    machine: LeftOut[MachineJudge] = None
    _battles: Unwritten[_OfBattles | None] = None

    def __repr__(self) -> str:
        return f"<Leaderboard of {len(self.names)} systems, first {self.names[0]}>"

    @property
    def ranks(self) -> NDArray[np.intp]:
        """Observed ranks, m; equal scores as :attr:`ties` says."""
        fresh = np.append(True, np.abs(np.diff(self.scores)) > TIE)
        places = np.arange(1, len(fresh) + 1)
        if self.ties == "ordinal":
            return places
        return np.cumsum(fresh) if self.ties == "dense" else np.maximum.accumulate(np.where(fresh, places, 1))

    @cached_property
    def rows(self) -> tuple[BoardRow, ...]:
        """One row per system, best first."""
        nothing = [None] * len(self.names)
        low, high = (nothing if ends is None else ends.tolist() for ends in (self.low, self.high))
        pulled = [np.nan] * len(self.names) if self.shrunken is None else self.shrunken.tolist()
        made = tuple(
            BoardRow(
                name, score, se, rank, first, last, None if first is None else first == 1, shrunken, topics
            )
            for name, score, se, rank, first, last, shrunken, topics in zip(
                self.names,
                self.scores.tolist(),
                self.errors.tolist(),
                self.ranks.tolist(),
                low,
                high,
                pulled,
                self.topics or nothing,
                strict=True,
            )
        )
        if self._battles is None:
            return made
        fought = self._battles
        columns = (fought.low, fought.high, fought.battles, fought.win_rates)
        return tuple(
            replace(row, score_low=low, score_high=high, battles=battles, win_rate=rate)
            for row, low, high, battles, rate in zip(made, *(c.tolist() for c in columns), strict=True)
        )

    def add(self, system: str, score: float, covariances: ArrayLike, variance: float) -> Leaderboard:
        """The board with one more system, in O(m²) additions of bytes and O(m) of everything else.

        The swap curve that the first systems were fitted with is kept: one more of a hundred moves no
        probability by more than 0.0002. Make the board anew once in a while.

        Args:
            system: its name.
            score: its score.
            covariances: m, of its score with those of the systems on the board, in ranking order.
            variance: of its score.

        Returns:
            A new board; this one stays as it is.

        Raises:
            InputError: a board from scores, a name that is taken, or numbers that are no covariance.
        """
        old = self._pairs
        if old is None:
            raise InputError(
                "add needs a board from means and a covariance. Make this one anew from all scores."
            )
        if system in self.names:
            raise InputError(f"{system!r} is on the board already. Give another name.")
        shared = np.asarray(covariances, dtype=np.float64)
        m = len(self.names)
        if shared.shape != (m,) or not np.isfinite(shared).all() or not np.isfinite([score, variance]).all():
            raise InputError(f"covariances must be {m} finite numbers, one per system in ranking order")
        own = np.diag(old.covariance)
        if variance < 0 or np.any(shared**2 > (1 + 1e-9) * own * variance + 1e-300):
            raise InputError(
                "the variance and covariances do not fit: no correlation is beyond 1. Check their units."
            )
        gaps = score - self.scores
        errors = np.sqrt(np.maximum(own + variance - 2 * shared, 0.0))
        above, effects = _against(gaps, errors, old.found)
        place = int(np.searchsorted(-self.scores, -score, side="right"))
        pairs = replace(
            old,
            covariance=_inserted(old.covariance, place, shared, shared, variance),
            above=_inserted(old.above, place, above, 1 - above, np.nan),
            effects=_inserted(old.effects, place, effects, -effects, 0.0),
        )
        names = (*self.names[:place], system, *self.names[place:])
        return _board_of_pairs(self, names, np.insert(self.scores, place, score), pairs)


def _inserted(table: Matrix, place: int, row: Vector, column: Vector, corner: float) -> Matrix:
    m = len(table)
    found = np.empty((m + 1, m + 1))
    old = np.delete(np.arange(m + 1), place)
    first, last = slice(0, place), slice(place + 1, None)
    for into, out in ((first, slice(0, place)), (last, slice(place, None))):
        found[into, first], found[into, last] = table[out, :place], table[out, place:]
    found[place, old], found[old, place], found[place, place] = row, column, corner
    return found


def _against(gaps: Vector, errors: Vector, found: eb.Posterior) -> tuple[Vector, Vector]:
    """Of one system against others: the probability of being above, and the expected true difference."""
    sure = errors <= 0
    z = np.minimum(np.abs(gaps) / np.where(sure, 1.0, errors), eb.LARGEST)
    degrees = np.broadcast_to(found.degrees[0, -1], z.shape)
    wrong = np.where(sure, np.where(gaps == 0, 0.5, 0.0), eb.swapped(found, z, degrees))
    size = np.where(sure, np.abs(gaps), errors * expected_effects(found, z, degrees))
    return np.where(gaps >= 0, 1 - wrong, wrong), np.sign(gaps) * size


def _board_of_pairs(board: Leaderboard, names: tuple[str, ...], scores: Vector, pairs: _Pairs) -> Leaderboard:
    """A board whose per-system intervals and shrunken scores are read from its pairs. O(m²)."""
    m, enough = len(names), (1 + board.level) / 2
    errors = np.sqrt(np.diag(pairs.covariance))
    with np.errstate(invalid="ignore"):
        beaten = pairs.above >= enough
    observed = scores - scores.mean()
    own = np.sqrt(np.maximum(_contrast_variances(pairs.covariance), 0.0))
    found = Contrasts(observed, own, pairs.effects.sum(axis=1) / m, np.zeros(m), 0.0)
    return replace(
        board,
        names=names,
        scores=scores,
        errors=errors,
        low=1 + beaten.sum(axis=0),
        high=m - beaten.sum(axis=1),
        shrunken=scores.mean() + found.limited,
        _pairs=pairs,
    )


def _contrast_variances(covariance: Matrix) -> Vector:
    """Of each score minus the mean of all."""
    average = covariance.mean(axis=0)
    found: Vector = np.diag(covariance) - 2 * average + average.mean()
    return found


@keywords_checked
def board(
    scores: Any,
    covariance: ArrayLike | None = None,
    *,
    df: float | None = None,
    systems: Sequence[str] | None = None,
    aggregate: str | Aggregate = "mean",
    generalize_to: Question | None = None,
    joint: bool | None = None,
    ties: Ties = "min",
    level: float = 0.95,
    draws: int | None = None,
    tried: int | None = None,
    measure: str | None = None,
    missing: Missing = "error",
    pairs_alike: bool = False,
    draw_prior: float = 0.0,
    scale: Scale | None = None,
    seed: int = 0,
) -> Leaderboard:
    """A leaderboard's columns, from scores or from means and their covariance.

    Args:
        scores: a ScoreMatrix, or anything :func:`truerank.read_scores` takes; with a covariance m means.
        covariance: m × m, of the means.
        df: degrees of freedom of the covariance: topics less one.
        systems: m names, for means; ``sys1 … sysm`` by default.
        aggregate: for scores: ``mean``, ``borda``, ``win-rate`` or an
            :class:`truerank.reliability.means.Aggregate`.
        generalize_to: for scores: ``topics`` or ``data_sets``, as :func:`truerank.assess`.
        joint: whether all rank ranges hold together (scores, by default) or each is of a system by itself
            (means, by default).
        ties: how equal scores are ranked: ``min`` (1, 1, 3), ``dense`` (1, 1, 2) or ``ordinal`` (1, 2, 3).
        level: of the rank ranges, in (0, 1).
        draws: joint draws, as :func:`truerank.assess`.
        tried: for scores: how many submissions there were, those that are not on the board among them. Gives
            a bound of the leader's score that holds where none was built on the board.
        measure: which measure, where `scores` holds several.
        missing: what to do about missing scores, as :func:`truerank.read_scores`.
        pairs_alike: of battles, as for :func:`truerank.assess`.
        draw_prior: likewise.
        scale: likewise.
        seed: the same seed gives the same digits, and those of :func:`truerank.assess`.

    Returns:
        The board. O(n·m²), with joint ranges O(draws·m²) more.

    Raises:
        InputError: scores that cannot be ranked, numbers that are no covariance, or arguments that do not go
            together.
        PairError: two systems.
        UnknownNameError: an unknown rule or treatment of ties.

    Example:
        >>> import numpy as np, truerank
        >>> rng = np.random.default_rng(1)
        >>> board = truerank.board(rng.normal([0.6, 0.5, 0.3], 0.1, (20, 3)))
        >>> [(row.system, row.rank_low, row.rank_high) for row in board.rows]
        [('sys1', 1, 1), ('sys2', 2, 2), ('sys3', 3, 3)]
    """
    (level,) = check_levels(level)
    check_whole("draws", draws, 2)
    check_whole("tried", tried, 1)
    if ties not in TIES:
        raise unknown_name("treatment of ties", ties, TIES)
    rule = find_aggregate(aggregate)
    if covariance is not None:
        if tried is not None:
            raise InputError("tried needs scores. Leave it out with a covariance.")
        empty = _empty(measure or "", rule.name, level, bool(joint), ties)
        return _from_covariance(scores, covariance, df, systems, empty, draws, seed)
    if df is not None or systems is not None:
        raise InputError("df and systems go with means and a covariance. Leave them out with scores.")
    table = as_scores(scores, measure, missing, one_table="", ways=ALL_WAYS, battles=True)
    table = table.counting(pairs_alike, draw_prior, scale)
    check_rankable(table)
    if table.m == 2:
        raise PairError(*table.systems)
    if tried is not None and tried < table.m:
        raise InputError(f"{tried} submissions were tried, and {table.m} are in the table. Count them all.")
    empty = replace(_empty(table.measure, rule.name, level, joint is not False, ties), noun=table.noun)
    if table.battles is not None:
        held = table.battles
        empty = replace(
            empty, rule=BRADLEY_TERRY, scale=held.scale, unit=held.unit, pairs_alike=held.pairs_alike
        )
    question = question_of(table, generalize_to)
    found = _from_scores(table, empty, question, rule, draws, seed)
    if tried is not None:
        degrees = means_of(table, question, rule).common_degrees
        first = (found.names[0], float(found.scores[0]), float(found.errors[0]))
        found = replace(found, tried=tried_bound(*first, degrees, tried, level))
    return found


def _empty(measure: str, rule: str, level: float, joint: bool, ties: Ties) -> Leaderboard:
    nothing = np.empty(0)
    return Leaderboard(measure, rule, level, joint, (), nothing, nothing, None, None, None, None, ties)


def _from_scores(
    table: ScoreMatrix, empty: Leaderboard, question: Question, rule: Aggregate, draws: int | None, seed: int
) -> Leaderboard:
    ranked = table.select(ranking_order(theta_of(table, question, rule)))
    in_order = canonical_rows(ranked)
    means = means_of(in_order, question, rule)
    sample = TopicSample.of(means, None, seed)
    count = default_draws(ranked.m) if draws is None else draws
    linear = means.linear
    method = (
        ESTIMATORS["eb"]
        if linear
        else next(
            one
            for one in ESTIMATORS.values()
            if isinstance(one, PairEstimator) and one.replicates is not None
        )
    )
    predictive = Predictive(sample, (TAU,) if ranked.battles is not None else (), count)
    identical = identical_systems(ranked)
    found = eb.posterior(means) if linear else None
    probabilities = predictive.fit(method).probabilities if found is None else found.probabilities()
    notes = list(ranked.noted)
    if ranked.battles is not None:
        notes = [*data_warnings(ranked, means), *board_warnings(ranked, means, None, rule)]
    judge = None if ranked.machine is None else machine_judge(in_order, empty.level, seed)
    if judge is not None:
        notes += machine_warnings(in_order, judge, seed)
    low = high = expected = None
    if not empty.joint:
        chance = order.probabilities_above(probabilities, identical)
        with np.errstate(invalid="ignore"):
            beaten = chance >= (1 + empty.level) / 2
        low, high = 1 + beaten.sum(axis=0), ranked.m - beaten.sum(axis=1)
    elif hold_together(means):
        drawn = predictive.rank_draws(method, "shrunk" if linear else OWN)
        if ranked.battles is not None and isinstance(method, PairEstimator):
            expected = _tau(predictive, method, empty.level)
        low, high = _rank_ranges(drawn, empty.level, identical)
    else:
        notes.append(Note("ranges-apart", "too few data sets for rank ranges that hold together"))
    # Of prompts that were dealt to groups only those can be counted, and nobody asks for these.
    dealt = ranked.battles is not None and ranked.battles.dealt
    errors = means.system_errors()[0] if linear else sample.replicates.std(axis=1, ddof=1)
    return replace(
        empty,
        names=ranked.systems,
        scores=means.theta,
        errors=errors,
        low=low,
        high=high,
        shrunken=None if found is None else means.theta.mean() + contrasts(means, found).limited,
        topics=None if dealt else tuple(np.count_nonzero(~np.isnan(ranked.values), axis=0).tolist()),
        seed=seed if empty.joint else None,
        draws=count if empty.joint else None,
        notes=tuple(notes),
        tau=expected,
        machine=judge,
        _battles=None if ranked.battles is None else _of_battles(ranked.battles, means, empty.level),
    )


def _of_battles(battles: Battles, means: Means, level: float) -> _OfBattles:
    half = means.half_widths(level)
    fought = battles.fought(len(means.theta))
    logit = battles.points[0]
    return _OfBattles(means.theta - half, means.theta + half, fought, win_rates(means.contrasts / logit))


def _tau(predictive: Predictive, method: PairEstimator, level: float) -> BoardTau:
    """The expected τ and its interval, as an assessment has them."""
    expected = predictive.model(method, "shrunk").expectation(TAU)
    found = quantile_interval(predictive.draws(method, "shrunk").coefficient(TAU), level)
    return BoardTau(expected, min(found.low, expected), max(found.high, expected))


MOST_DEGREES = 1e5
"""More degrees of freedom change nothing, and the tables of the estimator underflow."""


def _from_covariance(
    given: Any,
    covariance: ArrayLike,
    df: float | None,
    systems: Sequence[str] | None,
    empty: Leaderboard,
    draws: int | None,
    seed: int,
) -> Leaderboard:
    theta, matrix, names = _checked(given, covariance, df, systems)
    assert df is not None
    df = min(df, MOST_DEGREES)
    ranking = ranking_order(theta)
    theta, matrix = theta[ranking], matrix[np.ix_(ranking, ranking)]
    root = root_of(matrix) / np.sqrt(2)
    means = Means(
        theta=theta,
        contrasts=theta,
        influences=np.vstack([root, -root]),  # any rows that add up to 0 and have that covariance serve
        strata=np.zeros(2 * len(theta), dtype=np.intp),
        factors=np.ones(1),
        stratum_degrees=np.array([float(df)]),
        effective=float(df) + 1,
    )
    found = eb.posterior(means)
    probabilities = found.probabilities()
    effects = contrasts(means, found).effects
    assert effects is not None
    pairs = _Pairs(matrix, float(df), found, order.probabilities_above(probabilities), effects)
    made = _board_of_pairs(empty, tuple(names[s] for s in ranking), theta, pairs)
    if not empty.joint:
        return made
    count = default_draws(len(theta)) if draws is None else draws
    predictive = Predictive(TopicSample.of(means, None, seed), (), count, {"shrunk": matrix})
    low, high = _rank_ranges(predictive.rank_draws("eb"), empty.level)
    return replace(
        made,
        low=low,
        high=high,
        seed=seed,
        draws=count,
        _pairs=None,
    )


def _rank_ranges(
    drawn: SwapDraws, level: float, identical: Sequence[Sequence[int]] = ()
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    bands = rank_bands(drawn.ranks(), level, identical)
    return bands.joint_low, bands.joint_high


def _checked(
    given: Any, covariance: ArrayLike, df: float | None, systems: Sequence[str] | None
) -> tuple[Vector, Matrix, list[str]]:
    """Means, covariance and names, in the order given."""
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
    return theta, (matrix + matrix.T) / 2, names
