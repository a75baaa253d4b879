"""`assess`: how close an observed ranking is to the true one, from one score matrix."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any, Literal, TypeAlias, TypeVar

from truerank._support.arguments import check_whole, keywords_checked, setting
from truerank._support.notes import Note
from truerank._support.registry import Named, Registry
from truerank._support.resources import Progress, need_memory, one_blas_thread
from truerank._support.seeds import stream
from truerank._support.types import Matrix
from truerank._support.units import Unit
from truerank._support.version import __version__
from truerank.battles import Scale
from truerank.coefficients import COEFFICIENTS, Coefficient
from truerank.errors import InputError, PairError, at, unknown_name
from truerank.numerics.intervals import (
    Interval,
    check_levels,
    normal_interval,
    quantile_interval,
)
from truerank.numerics.pairs import mirror
from truerank.readers.criterion import Criterion
from truerank.readers.dates import dates_for, dates_of
from truerank.readers.machine_scores import scores_to_rank
from truerank.readers.missing import ALL_WAYS, Missing
from truerank.readers.score_reading import as_scores
from truerank.reliability.against_one import Difference, by_means, gate_of, gates_decide
from truerank.reliability.arena import Arena, arena_of, style_effects, without_style
from truerank.reliability.arena_checks import arena_warnings
from truerank.reliability.boards import board_of, board_warnings, hold_together
from truerank.reliability.dependence import OWN, find_dependence
from truerank.reliability.diagnostics import (
    alike_warnings,
    check_rankable,
    contradiction,
    data_warnings,
    nearly_equal_warnings,
    one_consequence,
    resampling_warnings,
)
from truerank.reliability.equality import may_be_equal
from truerank.reliability.estimators import (
    ESTIMATORS,
    Estimator,
    PairEstimator,
    SplitHalfEstimator,
    TopicSample,
)
from truerank.reliability.fragility import fragility
from truerank.reliability.frontier import TradeOff
from truerank.reliability.guarantee import Guarantee
from truerank.reliability.guarantee import guarantee as guarantee_of
from truerank.reliability.leader import ADAPTIVE, Contrasts, Leader, leader_of, leader_warnings
from truerank.reliability.machine_judge import machine_judge, machine_warnings
from truerank.reliability.means import Aggregate, Means, Question, find_aggregate, means_of
from truerank.reliability.means.bradley_terry import BRADLEY_TERRY
from truerank.reliability.means.means_of import question_of, theta_of
from truerank.reliability.noise import noise
from truerank.reliability.over_time import OverTime, over_time
from truerank.reliability.predictive import Predictive, default_draws
from truerank.reliability.ranking import Ranking, mean_interval, ranking_of, score_limits
from truerank.reliability.results import (
    Assessment,
    BaselineDifference,
    Best,
    Estimate,
    RankedSystem,
    Settings,
)
from truerank.reliability.row_order import canonical_rows
from truerank.reliability.standings import Standings
from truerank.reliability.swaps import SwapDraws, SwapModel
from truerank.reliability.trade_off import trade_off
from truerank.reliability.variance import sampled_variance
from truerank.scores import ScoreMatrix, identical_systems, ranking_order, unknown_system

_T = TypeVar("_T", bound=Named)

SAMPLES = 20_000
"""Pairs of pairs behind a sampled variance, as in the thesis."""

HEADLINE = "eb"
"""The headline estimator: the least biased with few topics (docs/methods/empirical-bayes.md)."""


@keywords_checked
def assess(
    scores: Any,
    estimator: str | Estimator | Sequence[str | Estimator] | None = None,
    coefficients: str | Sequence[str | Coefficient] | None = None,
    *,
    levels: float | Sequence[float] = (0.95,),
    dependence: str = "shrunk",
    drop_bottom: float = 0.0,
    drop_identical: bool = False,
    baseline: str | None = None,
    pareto: Any = None,
    date: Any = None,
    best: int | None = None,
    tried: int | None = None,
    guarantee: bool = False,
    generalize_to: Question | None = None,
    aggregate: str | Aggregate = "mean",
    measure: str | None = None,
    missing: Missing = "error",
    draws: int | None = None,
    resamples: int | None = None,
    variance: Literal["draws", "sampled"] = "draws",
    samples: int | None = None,
    machine: Any = None,
    pairs_alike: bool = False,
    draw_prior: float = 0.0,
    scale: Scale | None = None,
    covariates: str | Sequence[str] = (),
    seed: int = 0,
    progress: Progress | None = None,
) -> Assessment:
    """How close is the observed ranking to the true one?

    Args:
        scores: a ScoreMatrix, or anything :func:`truerank.read_scores` takes (a path, a data frame, an array
            of n × m, dictionaries, results of other libraries); of one or several data sets.
        estimator: one or several, by name or as objects; ``all`` for all that are registered. By default
            `eb`, or `res` where only resampling is defined (ranks on data sets, ``own`` dependence).
        coefficients: which to compute; τ and τ_AP by default.
        levels: of the intervals, each in (0, 1); the first is also that of means, ranks and
            baseline differences.
        dependence: how swaps go together: ``shrunk``, ``sample`` (bavdaz-2018, too wide) or
            ``own`` (only with estimators that have joint draws).
        drop_bottom: keep the systems whose mean is at least this quantile of the means.
        drop_identical: first keep of the systems with the same scores on every topic only one, the first.
        baseline: compare every other system with this one.
        pareto: another criterion, such as cost: a number of each system (a mapping, a series or a file of two
            columns), scores on topics, or another measure in `scores`. Less of it is better unless its name
            says otherwise (docs/methods/trade-offs.md).
        date: when each system was submitted, as a mapping, a series or a file of two columns: of each new
            leader, whether it beat the record before it (docs/methods/records.md).
        best: look for the systems that may be among the best so many.
        tried: how many variants the leader was picked from, where they are not all in the table.
        guarantee: control the family-wise error over all pairs: the chance of any wrong order is below 1 −
            level whatever the truth, even if all are equal. Ranges are wider, and 100 systems take seconds
            more.
        generalize_to: new ``topics`` of these data sets (the default), or new ``data_sets`` like these, which
            the ranking is to hold on. One score per system and data set allows only the latter. Or new topics
            and new levels of a facet: ``topics,prompt``.
        aggregate: how the data sets, or without them the topics, become one score: ``mean``, ``borda``,
            ``win-rate``, or an :class:`truerank.reliability.means.Aggregate`.
        measure: which measure, where `scores` holds several.
        missing: what to do about missing scores, as :func:`truerank.read_scores`; without effect on a
            ScoreMatrix.
        draws: joint draws behind variances and quantile intervals, at least 2; by default 10,000, fewer for
            more than 447 systems and 500 from 2,000 systems on.
        resamples: T of the bootstrap for `res`; by default as many as bring the Monte
            Carlo error of their estimates under 0.0005.
        variance: from the joint draws, or ``sampled`` pairs of pairs as in bavdaz-2018 §4.2.4 (corrected; can
            be negative, which counts as 0 in a normal interval). Quantile intervals come from the draws
            either way.
        samples: pairs of pairs behind a sampled variance, 20,000 unless said otherwise.
        machine: a machine judge's scores of the same systems on the topics of `scores`, which people judged,
            and on more. They may have any form that `scores` may have, and make the human means more exact
            (:func:`truerank.readers.with_machine`).
        pairs_alike: of battles, whether every pair that met counts alike, however often it met.
        draw_prior: of battles, how many drawn ones of each system with a player of strength 0 are added, so
            that strengths are finite; they draw strengths towards 0.
        scale: of strengths from battles, ``logit`` (the default) or ``elo``.
        covariates: of battles, what else may decide them, as for :func:`truerank.read_scores`. Strengths
            are then those at equal style.
        seed: the same seed gives the same digits, in whatever order the topics are.
        progress: called with (done, total, label) as the work goes on.

    Returns:
        The assessment. Cost O(n·m² log n + (draws + T)·m²) an estimator.

    Raises:
        InputError: scores that cannot be ranked, or an argument out of range.
        UnknownNameError: an unknown estimator, coefficient, dependence or baseline.

    Example:
        >>> import numpy as np, truerank
        >>> rng = np.random.default_rng(1)
        >>> scores = rng.beta(2, 4, (50, 1)) * [0.9, 0.8, 0.7] + rng.uniform(0, 0.1, (50, 3))
        >>> result = truerank.assess(scores, seed=1)
        >>> result.estimate("tau").estimate > 0.9
        True
    """
    asked = _Asked.of(
        estimator,
        coefficients,
        levels,
        aggregate,
        variance,
        samples,
        dependence=dependence,
        drop_bottom=drop_bottom,
        drop_identical=drop_identical,
        baseline=baseline,
        pareto=criterion_of(pareto, scores, missing),
        date=None if date is None else dates_of(date),
        best=best,
        tried=tried,
        guarantee=guarantee,
        generalize_to=generalize_to,
        draws=draws,
        resamples=resamples,
        seed=seed,
    )
    counting = (pairs_alike, draw_prior, scale)
    return _assessed(scores_to_rank(scores, measure, missing, covariates, counting, machine), asked, progress)


def assess_alone(
    table: ScoreMatrix, levels: float | Sequence[float], aggregate: str | Aggregate, **asked: Any
) -> Assessment:
    """The ranking and the expected τ alone, with the digits of :func:`assess`."""
    return _assessed(table, _Asked.of(None, "tau", levels, aggregate, **asked), None)


@dataclass(frozen=True)
class _Asked:
    """The checked arguments; without names (`named`) `estimators` are all that may serve."""

    estimators: list[Estimator]
    named: bool
    alone: bool
    coefficients: list[Coefficient]
    levels: tuple[float, ...]
    rule: Aggregate
    pairs_of_pairs: int | None
    draws: int | None
    tried: int | None
    generalize_to: Question | None
    seed: int
    dependence: str = "shrunk"
    best: int | None = None
    resamples: int | None = None
    drop_bottom: float = 0.0
    drop_identical: bool = False
    baseline: str | None = None
    pareto: Criterion | None = None
    date: Mapping[str, str] | None = None
    guarantee: bool = False

    @classmethod
    def of(
        cls,
        estimator: Any,
        coefficients: Any,
        levels: Any,
        aggregate: str | Aggregate,
        variance: str = "draws",
        samples: int | None = None,
        **others: Any,
    ) -> _Asked:
        """Check what does not depend on the scores."""
        for name, least in (("draws", 2), ("resamples", 2), ("best", 1), ("tried", 1)):
            check_whole(name, others.get(name), least)
        check_whole("samples", samples, 1)
        if variance not in ("draws", "sampled"):
            raise unknown_name("variance", variance, ("draws", "sampled"))
        if samples is not None and variance != "sampled":
            raise InputError(
                "samples goes with variance='sampled'; resamples and draws are the other two counts"
            )
        everything = estimator in ("all", ["all"], ("all",))
        named = estimator is not None and not everything
        chosen = _chosen(estimator if named else None, ESTIMATORS, "estimator")
        if find_dependence(others.get("dependence", "shrunk")).name == OWN and not named:
            chosen = [e for e in chosen if isinstance(e, PairEstimator) and e.replicates is not None]
        return cls(
            chosen,
            named,
            estimator is None,
            _chosen(coefficients, COEFFICIENTS, "coefficient"),
            check_levels(levels),
            find_aggregate(aggregate),
            (samples or SAMPLES) if variance == "sampled" else None,
            **others,
        )


@one_blas_thread()
def _assessed(table: ScoreMatrix, asked: _Asked, progress: Progress | None) -> Assessment:
    """The assessment of a table; on one thread of BLAS, as its matrices are many and small."""
    level, question = asked.levels[0], question_of(table, asked.generalize_to)
    ranked, dropped = _ranked(table, asked, question)
    in_order = canonical_rows(ranked)  # the same digits, in whatever order the table has the topics
    means = means_of(in_order, question, asked.rule)
    sample = TopicSample.of(means, asked.resamples, asked.seed)
    chosen, dependence = _defined(asked.estimators, means, asked.dependence, asked.named)
    chosen = [e for e in chosen if e.name == _headline(chosen)] if asked.alone else chosen
    draws = default_draws(ranked.m) if asked.draws is None else asked.draws
    # Matrices of all pairs, two of each estimator and a dozen on the way; and draws of all systems.
    peak = 8 * ranked.m**2 * (2 * len(chosen) + 12) + 24 * draws * ranked.m
    need_memory(peak, f"assessing {ranked.m:,} systems", "use fewer estimators, draws or systems")
    predictive = Predictive(sample, asked.coefficients, draws)
    board = board_of(ranked, asked.rule) if ranked.k > 1 else None
    judge = machine_judge(in_order, level, asked.seed) if ranked.machine is not None else None
    unasked = asked.generalize_to is None and question == "data_sets"
    notes = [
        *data_warnings(ranked, means, any(e.name == HEADLINE for e in chosen), dependence == "sample"),
        *board_warnings(ranked, means, board, asked.rule, unasked),
        *(machine_warnings(in_order, judge, asked.seed) if judge is not None else ()),
    ]
    estimates = _estimates(chosen, dependence, predictive, asked, ranked.unit, notes, progress)
    resampled = any(isinstance(e, PairEstimator) and e.resampled for e in chosen)
    resamples = sample.replicates.shape[1] if resampled else None
    if resamples and asked.resamples is None:
        notes += resampling_warnings(resamples, sample.resampled[1])
    headline, by_pair = _headline(chosen), [e for e in chosen if isinstance(e, PairEstimator)]
    fits = {e.name: predictive.fit(e) for e in by_pair}
    method = next((e for e in by_pair if e.name == headline), None)
    notes += alike_warnings(means, fits[headline]) if headline == HEADLINE else []
    p_values = None
    equal = may_be_equal(predictive, method, dependence) if method and headline == HEADLINE else None
    if equal is not None:
        estimates = equal.lowered(estimates, predictive)
        p_values = equal.p_values if hold_together(means) else None  # of few data sets no ranges are given
        notes.append(equal.note(in_order.unit_of(means.unit).one))
    elif headline == HEADLINE:
        notes += nearly_equal_warnings(means)
    guaranteed = None if method is None else _guaranteed(predictive, dependence, asked)
    p_values = p_values if guaranteed is None else guaranteed.p_values
    arena = arena_of(in_order, means)
    notes += [] if arena is None else arena_warnings(arena.cycles, arena.decides, arena.battles)
    found = _placed(ranked, predictive, method, dependence, arena, p_values, asked)
    ranking, stand = found.rows, found.stand
    sources, about_noise = noise(in_order, means, question, asked.rule, level, asked.seed)
    notes += about_noise
    together = ranking[0].rank_low is not None
    best = _best(in_order, means, ranking, asked) if together else None
    leader = None if found.shrunken is None else _leader(in_order, means, found.shrunken, asked)
    if leader is not None:
        notes += leader_warnings(ranked, leader, None if best is None else best.fragility)
        notes += [ADAPTIVE] if asked.tried is not None else []
    frontier = _frontier(ranked, ranking, predictive, method, dependence, p_values, asked)
    comparison = partial(_comparison, ranked, sample, asked, question, stand, guaranteed)
    baseline = _baseline(ranked, asked, comparison)
    notes += _contradictions(ranked, asked, baseline)
    history = _history(ranked, means, asked, comparison)
    for fit in fits.values():
        mirror(fit.probabilities)  # in place, as they are large for many systems
    return Assessment(
        scores=ranked,
        headline_estimator=headline,
        dependence=dependence,
        estimates=tuple(estimates),
        ranking=ranking,
        swap_probabilities={name: f.probabilities for name, f in fits.items()},
        notes=one_consequence(notes),
        baseline=baseline,
        settings=_settings(table, asked, question, dropped, draws, resamples, sample),
        means=means,
        board=board,
        learned={name: f.learned for name, f in fits.items() if f.learned},
        above=None if stand is None or not together else stand.above,
        best=best,
        machine=judge,
        leader=leader,
        arena=arena,
        noise=sources,
        covariates=() if arena is None else style_effects(in_order, means, level),
        pareto=frontier,
        over_time=history,
    )


def _guaranteed(predictive: Predictive, dependence: str, asked: _Asked) -> Guarantee | None:
    """What holds for all pairs together, where that is requested."""
    if not asked.guarantee:
        return None
    means = predictive.sample.means
    if not means.linear:
        raise InputError("the guarantee needs scores that are means over topics; leave it out")
    covariance = predictive.covariance("shrunk" if dependence == OWN else dependence)
    return guarantee_of(means, covariance, asked.levels[0], stream(asked.seed, "guarantee"))


def _leader(scores: ScoreMatrix, means: Means, shrunken: Contrasts, asked: _Asked) -> Leader:
    """What is known of the leader."""
    options = asked.seed, asked.guarantee, asked.tried, score_limits(scores, asked.rule)
    return leader_of(scores, means, shrunken, asked.levels[0], *options)


def _placed(
    ranked: ScoreMatrix,
    predictive: Predictive,
    method: PairEstimator | None,
    dependence: str,
    arena: Arena | None,
    p_values: Matrix | None,
    asked: _Asked,
) -> Ranking:
    """The ranking, with what only battles have."""
    level, battles, fought, without = asked.levels[0], ranked.battles, None, None
    if arena is not None and battles is not None:
        fought = battles.fought(ranked.m), arena.win_rates
        without = without_style(battles, ranked.systems)
    ends = mean_interval(ranked, predictive.sample, level, asked.rule)
    same = identical_systems(ranked)
    return ranking_of(
        predictive, method, dependence, level, ranked.systems, ends, same, p_values, fought, without
    )


def _estimates(
    chosen: Sequence[Estimator],
    dependence: str,
    predictive: Predictive,
    asked: _Asked,
    unit: Unit,
    notes: list[Note],
    progress: Progress | None,
) -> list[Estimate]:
    """The results of every estimator; what could not be estimated goes to the notes."""
    sample, found = predictive.sample, []
    for done, method in enumerate(chosen):
        if progress:
            progress(done, len(chosen), method.label)
        if isinstance(method, PairEstimator):
            # Draws first: the probabilities of many pairs take much memory.
            swaps = predictive.draws(method, dependence)
            model = predictive.model(method, dependence)
            found += by_pairs(model, swaps, predictive, asked.levels, asked.pairs_of_pairs)
        elif not asked.named and len(sample.values) < method.fewest_topics:
            facts = {"estimator": method.name, "fewest": method.fewest_topics, "unit": unit.one}
            notes.append(Note("not-computed", {"case": "estimator", **facts}))
        else:
            found += _by_halves(method, sample, asked.coefficients, asked.levels, notes)
    if progress:
        progress(len(chosen), len(chosen), "done")
    return found


def _settings(
    table: ScoreMatrix,
    asked: _Asked,
    question: Question,
    dropped: tuple[str, ...],
    draws: int,
    resamples: int | None,
    sample: TopicSample,
) -> Settings:
    return Settings(
        version=__version__,
        seed=asked.seed,
        draws=draws,
        resamples=resamples,
        resampling_error=sample.resampled[1] if resamples else None,
        levels=asked.levels,
        drop_bottom=asked.drop_bottom,
        dropped=dropped,
        drop_identical=asked.drop_identical,
        identical=_names_of(table, identical_systems(table)) if asked.drop_identical else (),
        baseline=asked.baseline,
        best=asked.best,
        tried=asked.tried,
        guarantee=asked.guarantee,
        generalize_to=question,
        aggregate=asked.rule.name if table.kind.by_cells else BRADLEY_TERRY,
        pairs_alike=table.kind.pairs_alike,
    )


def _defined(
    chosen: list[Estimator], means: Means, dependence: str, named: bool
) -> tuple[list[Estimator], str]:
    """The estimators that are defined for these means, and their dependence.

    Others are left out silently, unless they were requested by name.
    """
    ranks = "points by ranks on data sets can only be resampled"
    why = "it needs one complete table" if means.linear else ranks
    without = [e for e in chosen if not e.defined_for(means)]
    if without and named:
        raise InputError(f"{without[0].name} is not defined here: {why}; leave it out")
    rest = [e for e in chosen if e.defined_for(means)]
    if not means.linear and dependence != OWN:
        rest = [e for e in rest if isinstance(e, PairEstimator) and e.replicates is not None]
        dependence = OWN
    if not rest:
        raise InputError(f"no estimator is defined here: {why}")
    return rest, dependence


def _ranked(table: ScoreMatrix, asked: _Asked, question: Question) -> tuple[ScoreMatrix, tuple[str, ...]]:
    """The scores in ranking order without copies and dropped systems, and the names of the latter."""
    rule, baseline = asked.rule, asked.baseline
    check_rankable(table)
    if table.m == 2 and not table.kind.by_cells:
        raise InputError(
            f"{at(table.source)}battles of two systems only; a ranking takes three or more. Their shares of "
            "wins on each prompt are a table of scores, which truerank gate takes"
        )
    if table.m == 2:
        first, second = table.systems if baseline in (None, table.systems[0]) else reversed(table.systems)
        raise PairError(first, second)
    if not table.kind.by_cells and (asked.drop_bottom or asked.drop_identical):
        raise InputError(
            f"{at(table.source)}systems cannot be dropped from battles, for their opponents’ strengths "
            f"rest on them; leave out those with few battles with {setting('min_battles')}"
        )
    distinct = table.drop_identical() if asked.drop_identical else table
    theta = theta_of(distinct, question, rule)
    if asked.drop_bottom:
        kept = distinct.drop_bottom(asked.drop_bottom, theta)
        check_rankable(kept)
        theta = theta_of(kept, question, rule)
    else:
        kept = distinct
    ranked = kept.select(ranking_order(theta))
    if baseline is not None and baseline not in kept.systems:
        if baseline in table.systems and baseline not in distinct.systems:
            groups = _names_of(table, identical_systems(table))
            same = next(group[0] for group in groups if baseline in group)
            raise InputError(
                f"the baseline {baseline!r} was dropped as identical to {same!r}; name {same!r} instead"
            )
        if baseline in table.systems:
            raise InputError(f"the baseline {baseline!r} was dropped with the bottom {asked.drop_bottom:g}")
        raise unknown_system(ranked, baseline)
    if asked.tried is not None and asked.tried < table.m:
        raise InputError(
            f"{setting('tried', asked.tried)}: {table.m} systems are in the table. Count all variants "
            "that were tried, those in the table among them."
        )
    if asked.best is not None and asked.best > ranked.m:
        raise InputError(f"{setting('best', asked.best)}: there are {ranked.m} systems; ask for fewer")
    left = set(kept.systems)
    return ranked, tuple(s for s in distinct.systems if s not in left)


def _names_of(table: ScoreMatrix, groups: Sequence[Sequence[int]]) -> tuple[tuple[str, ...], ...]:
    """Systems by name, in groups."""
    return tuple(tuple(table.systems[s] for s in group) for group in groups)


def by_pairs(
    model: SwapModel,
    swaps: SwapDraws,
    predictive: Predictive,
    levels: Sequence[float],
    samples: int | None,
) -> list[Estimate]:
    """One estimate per coefficient, from swap probabilities and joint draws."""
    found = []
    for c in predictive.coefficients:
        expected, drawn = model.expectation(c), swaps.coefficient(c)
        if samples is None:
            variance = float(drawn.var(ddof=1))
        else:
            rng = stream(predictive.sample.seed, "pairs of pairs", model.estimator, c.name)
            variance = sampled_variance(model, c, samples, rng)
        intervals: list[Interval] = []
        for level in levels:
            by_draws, normal = quantile_interval(drawn, level), normal_interval(expected, variance, level)
            intervals += (
                # With few systems draws take few values and may miss the estimate.
                replace(by_draws, low=min(by_draws.low, expected), high=max(by_draws.high, expected)),
                replace(normal, low=max(normal.low, -1.0), high=min(normal.high, 1.0)),
            )
        found.append(
            Estimate(model.estimator, c.name, model.dependence, expected, variance, tuple(intervals))
        )
    return found


def _by_halves(
    method: SplitHalfEstimator,
    sample: TopicSample,
    coefficients: Sequence[Coefficient],
    levels: Sequence[float],
    notes: list[Note],
) -> list[Estimate]:
    """One estimate per coefficient by split-half; what could not be estimated goes to the notes."""
    rng = stream(sample.seed, "split-half", method.name)
    results = method.estimates(sample.values, coefficients, rng)
    found = []
    for c in coefficients:
        estimate, observed = results[c.name].estimate, results[c.name].observations
        some = len(observed) > 1
        variance = float(observed.var(ddof=1)) if some else math.nan
        intervals = tuple(quantile_interval(observed, level) for level in levels if some)
        found.append(Estimate(method.name, c.name, None, estimate, variance, intervals))
        if math.isnan(estimate):
            notes.append(
                Note("not-computed", {"case": "split-half", "estimator": method.name, "coefficient": c.label})
            )
    return found


def _chosen(given: str | Sequence[str | _T] | None, known: Registry[_T], kind: str) -> list[_T]:
    """The entries with those names, or all; a single name stands for a list of one."""
    if given is None:
        return list(known.values())
    if not isinstance(given, Iterable):
        raise InputError(f"{given!r} is not a {kind}; give names, e.g. {next(iter(known))!r}")
    names = [given] if isinstance(given, str) else list(given)
    if not names:
        raise InputError(f"at least one {kind} is needed; leave the list out for all")
    for one in names:
        if not isinstance(one, str) and not hasattr(one, "name"):
            raise InputError(f"{one!r} is no {kind}; give names, e.g. {next(iter(known))!r}")
    return list({thing.name: thing for thing in map(known.find, names)}.values())


def _headline(chosen: Sequence[Estimator]) -> str:
    """The headline estimator among those chosen: the default, else the first with probabilities."""
    names = [e.name for e in chosen]
    pairwise = [e.name for e in chosen if isinstance(e, PairEstimator)]
    return HEADLINE if HEADLINE in names else (pairwise or names)[0]


def _best(in_order: ScoreMatrix, means: Means, ranking: Sequence[RankedSystem], asked: _Asked) -> Best:
    """The systems that may be among the best, by their rank ranges alone."""
    k = asked.best or 1
    systems = tuple(s.system for s in ranking if s.rank_low is not None and s.rank_low <= k)
    fragile = None if asked.best is None else fragility(in_order, means, k)
    return Best(asked.levels[0], k, systems, fragile)


def criterion_of(pareto: Any, scores: Any, missing: Missing) -> Criterion | None:
    """The second criterion as it was given; a name is that of another measure of the scores."""

    def read(source: Any, measure: str | None) -> ScoreMatrix:
        return as_scores(scores if source is None else source, measure, missing, one_table="", ways=ALL_WAYS)

    if isinstance(scores, ScoreMatrix) and isinstance(pareto, str) and not os.path.exists(pareto):
        raise InputError(f"no file is called {pareto!r}; give a file, numbers or a table as pareto")
    return None if pareto is None else Criterion.of(pareto, read)


def _frontier(
    ranked: ScoreMatrix,
    ranking: Sequence[RankedSystem],
    predictive: Predictive,
    method: PairEstimator | None,
    dependence: str,
    p_values: Matrix | None,
    asked: _Asked,
) -> TradeOff | None:
    """Which systems may be on the frontier of the scores and the second criterion, if one is given."""
    if asked.pareto is None:
        return None
    if method is None or dependence == OWN or not predictive.sample.means.linear:
        raise InputError(
            f"a trade-off rests on the probabilities of scores that are means; leave {setting('pareto')} "
            "out, or the estimator, dependence or aggregate that was asked for"
        )
    level = asked.levels[0]
    return trade_off(asked.pareto, ranked, ranking, predictive, method, level, dependence, p_values)


_Compare: TypeAlias = Callable[[int, int], Difference]
"""One system, by its place in the ranking, against another."""


def _comparison(
    ranked: ScoreMatrix,
    sample: TopicSample,
    asked: _Asked,
    question: Question,
    stand: Standings | None,
    guaranteed: Guarantee | None,
) -> _Compare:
    """Compares one system with another: as a gate of the two where one can, else by the means of all."""
    level = asked.levels[0]
    if gates_decide(ranked, asked.rule.name, question, asked.guarantee):
        compare, observed = gate_of(ranked, level, question), sample.means.differences
        return lambda s, other: compare(s, other, float(observed[s, other]))
    rows = cache(lambda other: by_means(sample, other, level, guaranteed, stand))
    return lambda s, other: rows(other)[s]


def _baseline(
    ranked: ScoreMatrix, asked: _Asked, comparison: Callable[[], _Compare]
) -> tuple[BaselineDifference, ...]:
    if asked.baseline is None:
        return ()
    against, b = comparison(), ranked.systems.index(asked.baseline)
    differences = [(name, against(s, b)) for s, name in enumerate(ranked.systems) if s != b]
    return tuple(
        BaselineDifference(name, d.difference, d.low, d.high, d.p_value, d.verdict) for name, d in differences
    )


def _history(
    ranked: ScoreMatrix, means: Means, asked: _Asked, comparison: Callable[[], _Compare]
) -> OverTime | None:
    """The records over time, where dates are given."""
    if asked.date is None:
        return None
    dates = dates_for(asked.date, ranked.systems)
    return over_time(dates, ranked.systems, means.theta, asked.levels[0], comparison())


def _contradictions(
    ranked: ScoreMatrix, asked: _Asked, differences: Sequence[BaselineDifference]
) -> Iterator[Note]:
    """A note where a verdict contradicts the order: a gate may use other topics, or another λ."""
    names = [
        one.system
        for one in differences
        if one.verdict != "undecided"
        and (one.verdict == "better")
        == (ranked.systems.index(one.system) > ranked.systems.index(str(asked.baseline)))
    ]
    if names:
        yield contradiction(ranked, names, str(asked.baseline))
