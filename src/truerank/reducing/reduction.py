"""`reduce`: which topics to keep, and what they are worth for new systems."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from truerank._support.arguments import check_whole, either, keywords_checked, setting
from truerank._support.notes import Note
from truerank._support.resources import Progress, one_blas_thread
from truerank._support.seeds import stream
from truerank._support.types import Matrix, Vector
from truerank._support.wording import listed
from truerank.errors import InputError, at, unknown_name
from truerank.numerics.intervals import check_levels
from truerank.readers import as_scores
from truerank.readers.missing import FILLED, Missing
from truerank.reducing.choosing import Places, Rule, chosen, drawn, plain, strata, weighted
from truerank.reducing.held_out import (
    REPEATS,
    HeldOut,
    Tau,
    chosen_weighted,
    dealt,
    families_found,
    held_out,
    random_plain,
    random_weighted,
    stratified_plain,
)
from truerank.reducing.model import KnownSystem, Model, Purpose, row_names
from truerank.reducing.results import Gain, HeldOutTau, RandomTopics, Reduction, SizePoint
from truerank.reliability.diagnostics import check_rankable
from truerank.reliability.estimators import ESTIMATORS, PairEstimator, TopicSample
from truerank.reliability.means import means_of
from truerank.reliability.means.means_of import has_topics
from truerank.scores import ScoreMatrix, ranking_order, renumbered

PURPOSES = ("better", "like")
FEWEST_KEPT = 3
FEWEST_SYSTEMS, FEWEST_FAMILIES = 10, 6  # below these nothing is said of systems held out
ENOUGH_FAMILIES = 12  # below this no topics are chosen
# Numbers of random topics, as multiples of those kept, among which the worth of a choice is found.
LARGER = (1.0, 1.25, 1.5, 2.0, 3.0, 4.0)


@keywords_checked
def reduce(
    scores: Any,
    keep: int | Sequence[int],
    *,
    for_: Purpose = "better",
    system_families: Mapping[str, str] | None = None,
    tau: float | None = None,
    level: float = 0.95,
    repeats: int = REPEATS,
    measure: str | None = None,
    missing: Missing = "error",
    seed: int = 0,
    progress: Progress | None = None,
) -> Reduction:
    """Which topics to keep, how to score by them, and what that is worth for new systems.

    Args:
        scores: a ScoreMatrix, or anything :func:`truerank.read_scores` takes, without empty cells. Data sets
            with one score each count as topics.
        keep: how many topics, at least 3 and fewer than there are. Of several numbers the first is kept, or
            the one that `tau` chooses; all are compared.
        for_: which new systems the topics are to serve. ``better`` than all known: a random topic of each
            stratum of difficulty, with plain means. ``like`` the known ones: topics that they choose and
            weight.
        system_families: the family of each system: near-copies, such as versions of one model, are held out
            together. By default families are found from the scores.
        tau: keep the fewest topics whose expected τ with the full board reaches this.
        level: of the intervals, in (0, 1).
        repeats: how often families are dealt to five folds anew.
        measure: which measure, where `scores` holds several.
        missing: what to do about missing scores, as :func:`truerank.read_scores`.
        seed: the same seed gives the same topics and digits.
        progress: called with (done, total, label) as the work goes on.

    Returns:
        The topics and what they are worth. O(repeats·(n·m² + n·m·k)).

    Raises:
        InputError: empty cells, too few or too many topics to keep, averages over data sets of several
            topics, or a system without a family.
        UnknownNameError: another purpose than ``better`` or ``like``.

    Example:
        >>> import numpy as np, truerank
        >>> rng = np.random.default_rng(1)
        >>> known = rng.normal(0.5, 0.2, (60, 1)) + rng.normal(0, 0.1, 20) + rng.normal(0, 0.1, (60, 20))
        >>> reduction = truerank.reduce(known, keep=12, repeats=1)
        >>> len(reduction.topics), reduction.tau_board.estimate > 0.5
        (12, True)
    """
    (level,) = check_levels(level)
    check_whole("repeats", repeats, 1)
    if for_ not in PURPOSES:
        raise unknown_name("purpose", for_, PURPOSES)
    table = _table(as_scores(scores, measure, missing, one_table="", ways=FILLED))
    board = _Board.of(table, system_families, repeats, level, seed)
    sizes = [keep] if isinstance(keep, int | np.integer) else list(keep)
    if not sizes:
        raise InputError(f"{setting('keep')} names no number of topics. Give one or more.")
    for size in sizes:
        _check_size(table, size)
    if tau is not None and not 0 < tau < 1:
        raise InputError(f"{setting('tau')} is a rank correlation between 0 and 1, not {tau:g}.")
    found = []
    with one_blas_thread():
        for done, size in enumerate(sizes):
            if progress:
                progress(done, len(sizes), f"{size} of {table.n}")
            found.append(_reduced(board, int(size), for_))
    best = found[0]
    if tau is not None:
        ordered = sorted(found, key=lambda one: one.keep)
        reached = (one for one in ordered if one.tau is not None and one.tau.estimate >= tau)
        best = next(reached, ordered[-1])
    return _result(board, best, found, for_, tau)


def _table(scores: ScoreMatrix) -> ScoreMatrix:
    """The scores as one complete table of distinct systems on topics that count alike."""
    where = at(scores.source)
    if scores.machine is not None:
        raise InputError(f"{where}topics are not chosen by machine judgments. Give one table of scores.")
    if not scores.complete:
        raise InputError(f"{where}empty cells. Fill or drop them: {either('missing=', '--missing ')}common.")
    if scores.k > 1 and (has_topics(scores) or scores.weights):
        raise InputError(
            f"{where}these are averages over {scores.k} data sets of several {scores.unit.many}. Reduce "
            "each data set by itself, or give one score per system and data set."
        )
    check_rankable(scores)
    return scores.drop_identical()


def _check_size(scores: ScoreMatrix, keep: int) -> None:
    check_whole("keep", keep, FEWEST_KEPT)
    if keep >= scores.n:
        raise InputError(
            f"{at(scores.source)}there are {scores.unit.count(scores.n)}, so {setting('keep', keep)} leaves "
            f"none out. Keep {FEWEST_KEPT} to {scores.n - 1}."
        )


@dataclass(frozen=True)
class _Board:
    """The full board, and what is the same for all numbers of topics."""

    scores: ScoreMatrix  # n × m, distinct systems
    families: Places  # m, numbered from 0
    swaps: Matrix | None  # m × m, the probability that each pair is in the wrong order; to hold systems out
    repeats: int
    level: float
    seed: int

    @classmethod
    def of(
        cls, scores: ScoreMatrix, named: Mapping[str, str] | None, repeats: int, level: float, seed: int
    ) -> _Board:
        if scores.m < 2:
            raise InputError(f"{at(scores.source)}only one distinct system, which nothing is compared with")
        families = families_found(scores.values) if named is None else _named(scores, named)
        enough = scores.m >= FEWEST_SYSTEMS and families.max() + 1 >= FEWEST_FAMILIES
        return cls(scores, families, board_swaps(scores) if enough else None, repeats, level, seed)

    @property
    def count(self) -> int:
        """F, how many families there are."""
        return int(self.families.max()) + 1

    @property
    def quantile(self) -> float:
        """t with F − 1 degrees of freedom, at the level."""
        return _t((1 + self.level) / 2, max(self.count - 1, 1))

    def interval(self, tau: Tau) -> HeldOutTau:
        half = self.quantile * tau.se
        return HeldOutTau(tau.estimate, max(tau.estimate - half, -1.0), min(tau.estimate + half, 1.0))

    def hold_out(self, *ways: Any) -> HeldOut:
        folds = dealt(self.families, self.repeats, self.seed)
        return held_out(self.scores.values, self.families, ways, folds, self.seed)


def _named(scores: ScoreMatrix, families: Mapping[str, str]) -> Places:
    """The family of each system as it was given."""
    if absent := [name for name in scores.systems if name not in families]:
        raise InputError(
            f"{setting('system_families')} has no family of {listed(absent)}. Name one for each system; a "
            "system without near-copies is a family by itself."
        )
    return renumbered(np.array([str(families[name]) for name in scores.systems]))[0]


def board_swaps(scores: ScoreMatrix, estimator: str = "eb") -> Matrix:
    """m × m, symmetric: the probability that the full board has each pair in the wrong order."""
    order = ranking_order(scores.values.mean(axis=0))
    method = ESTIMATORS[estimator]
    assert isinstance(method, PairEstimator)
    sample = TopicSample.of(means_of(scores.select(order)))
    upper = np.triu(method.fit(sample).probabilities, 1)
    swaps = np.empty_like(upper)
    swaps[np.ix_(order, order)] = upper + upper.T
    return swaps


@dataclass(frozen=True)
class _Kept:
    """One number of topics: what is kept, and its results on held-out systems."""

    keep: int  # k
    for_: Purpose
    rule: Rule
    tau: Tau | None = None  # with the full board; None where no systems are held out
    truth: Tau | None = None  # τ with the true ranking
    ceiling: float | None = None  # τ of the full board with the true ranking
    random: tuple[float, ...] = ()  # τ with the full board by random topics: plain, and weighted for `like`
    gains: tuple[Tau, ...] = ()  # over these
    worth: tuple[float, Literal["about", "at most", "more than"]] | None = None  # in random topics
    error: float = 0.0  # s_e of held-out systems; 0 for `better`


def _reduced(board: _Board, keep: int, for_: Purpose) -> _Kept:
    """Topics for one purpose; chosen only where the scores support it."""
    if for_ == "like" and board.swaps is not None and board.count >= ENOUGH_FAMILIES:
        found = _like(board, keep)
        if found.gains[1].estimate > 0:
            return found
    return _better(board, keep)


def _better(board: _Board, keep: int) -> _Kept:
    """A random topic of each stratum, with plain means."""
    groups = strata(board.scores.values, keep)
    rule = plain(drawn(groups, stream(board.seed, "draw", keep)))
    if board.swaps is None:
        return _Kept(keep, "better", rule)
    found = board.hold_out(stratified_plain(keep), random_plain(keep))
    tau, truth = found.tau(), found.tau(swaps=board.swaps)
    ceiling = found.ceiling(board.swaps).estimate
    return _Kept(keep, "better", rule, tau, truth, ceiling, (found.tau(1).estimate,))


def _like(board: _Board, keep: int) -> _Kept:
    """Chosen topics with weights, and what random ones would give."""
    values, n = board.scores.values, board.scores.n
    sizes = sorted({round(keep * factor) for factor in LARGER if round(keep * factor) < n})
    found = board.hold_out(
        chosen_weighted(keep), random_weighted(keep), *[random_plain(size) for size in sizes]
    )
    taus = [found.tau(way) for way in range(2 + len(sizes))]
    curve = np.array([one.estimate for one in taus[2:]])
    assert board.swaps is not None
    return _Kept(
        keep,
        "like",
        weighted(values, chosen(values, strata(values, keep), keep), board.families),
        taus[0],
        found.tau(swaps=board.swaps),
        found.ceiling(board.swaps).estimate,
        (taus[2].estimate, taus[1].estimate),
        (taus[0] - taus[2], taus[0] - taus[1]),
        _worth(taus[0].estimate, sizes, curve),
        float(np.sqrt(np.mean(found.errors**2))),
    )


def _worth(
    tau: float, sizes: Sequence[int], curve: Vector
) -> tuple[float, Literal["about", "at most", "more than"]]:
    """How many random topics have that τ: interpolated in the logarithm of their number."""
    rising = np.maximum.accumulate(curve)
    if tau <= rising[0]:
        return float(sizes[0]), "at most"
    if tau > rising[-1]:
        return float(sizes[-1]), "more than"
    return float(np.exp(np.interp(tau, rising, np.log(sizes)))), "about"


def _result(
    board: _Board, best: _Kept, found: Sequence[_Kept], asked: Purpose, target: float | None
) -> Reduction:
    scores, model = board.scores, _model(board, best)
    half = _half_width(board, best)
    gain = None
    if best.gains:
        over, over_weighted = best.gains
        helps = over.estimate > _t(0.95, board.count - 1) * over.se
        gain = Gain(over.estimate, over.se, helps, over_weighted.estimate, over_weighted.se)
    worth, worth_is = best.worth or (None, None)
    return Reduction(
        measure=scores.measure,
        keep=best.keep,
        all_topics=scores.n,
        systems=scores.m,
        families=board.count,
        for_=best.for_,
        asked=asked,
        topics=model.topics,
        weights=model.weights,
        intercept=model.intercept,
        tau_board=None if best.tau is None else board.interval(best.tau),
        tau_truth=None if best.truth is None else board.interval(best.truth),
        ceiling=best.ceiling,
        random=RandomTopics(best.random[0], (*best.random, None)[1]) if best.random else None,
        gain=gain,
        worth=worth,
        worth_is=worth_is,
        half_width=half,
        rank_width=int(np.median((np.abs(model.means[:, None] - model.means) <= half).sum(axis=1))),
        sizes=tuple(_point(board, one) for one in found),
        target=target,
        level=board.level,
        repeats=board.repeats,
        seed=board.seed,
        model=model,
        notes=(*scores.notes, *_notes(board, best, asked, found, target)),
        noun=scores.noun,
        reading=scores.reading,
    )


def _t(probability: float, degrees: int) -> float:
    """The quantile of Student's t."""
    from scipy.stats import t as student

    return float(student.ppf(probability, degrees))


def _model(board: _Board, kept: _Kept) -> Model:
    scores = board.scores
    values, names = scores.values, row_names(scores)
    spreads = values.var(axis=0, ddof=1)
    variances = spreads if kept.for_ == "better" else _of_differences(values)
    return Model(
        measure=scores.measure,
        noun=scores.noun,
        direction="" if scores.reading is None else scores.reading.direction,
        for_=kept.for_,
        topics=tuple(names[row] for row in kept.rule.topics.tolist()),
        weights=tuple(kept.rule.weights.tolist()),
        intercept=kept.rule.intercept,
        all_topics=scores.n,
        families=board.count,
        error=kept.error,
        spread=float(spreads.mean()),
        binary=bool(np.isin(values, (0, 1)).all()),
        known=tuple(
            KnownSystem(*one)
            for one in zip(scores.systems, values.mean(axis=0).tolist(), variances.tolist(), strict=True)
        ),
    )


def _of_differences(values: Matrix) -> Vector:
    """v_j: the variance over topics of the differences of each system from the others, on average."""
    covariance = np.cov(values, rowvar=False)
    own, m = np.diag(covariance), values.shape[1]
    differences: Vector = ((m - 2) * own + own.sum() - 2 * (covariance.sum(axis=0) - own)) / (m - 1)
    return differences


def _half_width(board: _Board, kept: _Kept) -> float:
    """Half the interval of a new system's score on the full board; for `better`, of the median known one."""
    if kept.for_ == "like":
        return float(board.quantile * kept.error * np.sqrt(1 + 1 / board.count))
    n, k = board.scores.n, kept.keep
    spread = float(np.median(board.scores.values.var(axis=0, ddof=1)))
    return float(_t((1 + board.level) / 2, k - 1) * np.sqrt((1 - k / n) * spread / k))


def _point(board: _Board, kept: _Kept) -> SizePoint:
    interval = HeldOutTau(np.nan, np.nan, np.nan) if kept.tau is None else board.interval(kept.tau)
    truth = np.nan if kept.truth is None else kept.truth.estimate
    random = kept.random[0] if kept.random else np.nan
    half = _half_width(board, kept)
    return SizePoint(kept.keep, interval.estimate, interval.low, interval.high, truth, random, half)


def _notes(
    board: _Board, best: _Kept, asked: Purpose, found: Sequence[_Kept], target: float | None
) -> Iterator[Note]:
    """What to know before using the topics."""
    unit = board.scores.unit
    if board.swaps is None:
        yield Note(
            "no-held-out",
            f"{board.scores.m} systems in {board.count} families",
            meaning=f"too few to hold some out ({FEWEST_SYSTEMS} and {FEWEST_FAMILIES}), so what the "
            f"{unit.many} are worth is not known",
        )
    if asked == "like" and best.for_ == "better":
        few = board.swaps is None or board.count < ENOUGH_FAMILIES
        why = f"only {board.count} families of systems" if few else "weights alone do as well as a choice"
        yield Note(
            "not-chosen", why, "alert", meaning=f"the {unit.many} are a stratified random draw instead"
        )
    if best.for_ == "like":
        yield Note(
            "for-like-only",
            "the weights hold for systems like the known ones",
            meaning="a system better than all of them is scored too low, and its interval fails",
        )
    if best.tau is not None and best.ceiling is not None and best.tau.estimate > best.ceiling:
        yield Note(
            "mimicry",
            "the topics kept agree with the full board more than the full board with the truth",
            meaning="part of that is chance on the board; quote τ with the truth",
        )
    if board.scores.clusters is not None:
        yield Note(
            "clusters", f"{unit.many} are drawn one by one", meaning="their clusters are not kept whole"
        )
    if target is not None and not (best.tau is not None and best.tau.estimate >= target):
        yield Note("target-missed", f"no number of {unit.many} given reaches τ = {target:g}", "alert")
