"""`assess`: how close an observed ranking is to the true one, from one score matrix."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal, TypeVar

import numpy as np

from truerank._support.arguments import keywords_checked
from truerank._support.progress import Progress
from truerank._support.registry import Named, Registry
from truerank._support.seeds import stream
from truerank._support.types import Matrix, Vector
from truerank._support.version import __version__
from truerank.coefficients import COEFFICIENTS, Coefficient
from truerank.errors import InputError, PairError, unknown_name
from truerank.numerics.intervals import Interval, check_levels, normal_interval, quantile_interval
from truerank.numerics.pairs import mirror
from truerank.readers import as_scores, with_machine
from truerank.readers.missing import ALL_WAYS, Missing
from truerank.reliability.against_one import against
from truerank.reliability.board_warnings import board_warnings, hold_together
from truerank.reliability.boards import board_of
from truerank.reliability.dependence import OWN, find_dependence
from truerank.reliability.diagnostics import check_rankable, data_warnings
from truerank.reliability.estimators import (
    ESTIMATORS,
    Estimator,
    PairEstimator,
    SplitHalfEstimator,
    TopicSample,
)
from truerank.reliability.estimators.bootstrap import monte_carlo_error
from truerank.reliability.guarantee import Guarantee
from truerank.reliability.guarantee import guarantee as guarantee_of
from truerank.reliability.machine_judge import machine_judge, machine_warnings
from truerank.reliability.means import Aggregate, Means, Question, find_aggregate, means_of, question_of
from truerank.reliability.predictive import DRAWS, Predictive
from truerank.reliability.results import (
    Assessment,
    BaselineDifference,
    Best,
    Estimate,
    RankedSystem,
    Settings,
)
from truerank.reliability.row_order import canonical_rows
from truerank.reliability.standings import Standings, standings
from truerank.reliability.swaps import SwapDraws, SwapModel
from truerank.reliability.variance import sampled_variance
from truerank.scores import ScoreMatrix, identical_systems, ranking_order, unknown_system

_T = TypeVar("_T", bound=Named)

SAMPLES = 20_000
"""Pairs of pairs behind a sampled variance: the thesis's choice."""

HEADLINE = "eb"
"""The estimator that leads: the least biased at few topics (docs/methods/empirical-bayes.md)."""


@keywords_checked
def assess(
    scores: Any,
    estimators: str | Sequence[str | Estimator] | None = None,
    coefficients: str | Sequence[str | Coefficient] | None = None,
    *,
    levels: float | Sequence[float] = (0.95,),
    dependence: str = "shrunk",
    drop_bottom: float = 0.0,
    drop_identical: bool = False,
    baseline: str | None = None,
    best: int | None = None,
    guarantee: bool = False,
    generalize_to: Question | None = None,
    aggregate: str | Aggregate = "mean",
    measure: str | None = None,
    missing: Missing = "error",
    draws: int = DRAWS,
    resamples: int | None = None,
    variance: Literal["draws", "sampled"] = "draws",
    samples: int | None = None,
    machine: Any = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> Assessment:
    """How close is the observed ranking to the true one?

    Args:
        scores: a ScoreMatrix, or anything :func:`truerank.read_scores` takes (a path, a data frame, an array
            of n × m, dictionaries, results of other libraries); of one or several data sets.
        estimators: which to compute; all by default.
        coefficients: which to compute; τ and τ_AP by default.
        levels: of the intervals, each in (0, 1); the first is also that of means, ranks, tiers
            and baseline differences.
        dependence: how swaps go together: ``shrunk``, ``sample`` (bavdaz-2018, too wide) or
            ``own`` (only with estimators that bring joint draws).
        drop_bottom: keep the systems whose mean is at least this quantile of the means.
        drop_identical: first keep of the systems with the same scores on every topic only one, the first.
        baseline: compare every other system with this one.
        best: look for the systems that hold the best so many.
        guarantee: tell systems apart only where the chance of any wrong order among all pairs is below
            1 − level, whatever the truth is, also when all are equal; wider, and seconds more for 100
            systems.
        generalize_to: whether the ranking is to hold on new ``topics`` of these data sets (the default), or on
            new ``data_sets`` like these (the only question that one score per system and data set can
            answer).
        aggregate: how the data sets, or without them the topics, become one score: ``mean``, ``borda``,
            ``win-rate``, or an :class:`truerank.reliability.means.Aggregate`.
        measure: which measure, where `scores` holds several.
        missing: what to do about missing scores, as :func:`truerank.read_scores`; without effect on a
            ScoreMatrix.
        draws: joint draws behind variances and quantile intervals, at least 2.
        resamples: T of the bootstrap for `res`; by default as many as bring the Monte
            Carlo error of their estimates under 0.0005.
        variance: from the joint draws, or ``sampled`` pairs of pairs as in bavdaz-2018 §4.2.4 (mended;
            can be negative, which counts as 0 in a normal interval). Quantile intervals come from
            the draws either way.
        samples: pairs of pairs behind a sampled variance, 20,000 unless said otherwise.
        machine: a machine judge's scores of the same systems on the topics of `scores`, which people judged,
            and on more, in any form that `scores` may have: the human means are corrected by them
            (:func:`truerank.readers.with_machine`).
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
    chosen = _chosen(estimators, ESTIMATORS, "estimator")
    wanted = _chosen(coefficients, COEFFICIENTS, "coefficient")
    levels = check_levels(levels)
    if draws < 2 or (resamples is not None and resamples < 2):
        raise InputError("at least two draws and two resamples are needed")
    if variance not in ("draws", "sampled"):
        raise unknown_name("variance", variance, ("draws", "sampled"))
    if samples is not None and variance != "sampled":
        raise InputError("samples goes with variance='sampled'; resamples and draws are the other two counts")
    if samples is not None and samples < 1:
        raise InputError("at least one pair of pairs must be sampled")
    if find_dependence(dependence).name == OWN and estimators is None:
        chosen = [e for e in chosen if isinstance(e, PairEstimator) and e.replicates is not None]
    if machine is None:
        table = as_scores(scores, measure, missing, one_table="", ways=ALL_WAYS)
    else:
        table = with_machine(scores, machine, measure, missing)
    question, rule = question_of(table, generalize_to), find_aggregate(aggregate)
    ranked, dropped = _ranked(table, drop_bottom, drop_identical, baseline, question, rule)
    if best is not None and not 1 <= best <= ranked.m:
        raise InputError(f"best must lie between 1 and the number of systems, {ranked.m}, not at {best}")

    # The same digits for the same topics, in whatever order the table has them.
    in_order = canonical_rows(ranked)
    means = means_of(in_order, question, rule)
    sample = TopicSample.of(means, resamples, seed)
    predictive = Predictive(sample, wanted, draws)
    board = board_of(ranked, rule) if ranked.k > 1 else None
    warnings = data_warnings(ranked, means)
    unasked = generalize_to is None and question == "data_sets"
    warnings += board_warnings(ranked, means, board, rule, unasked)
    judge = machine_judge(in_order, levels[0], seed) if ranked.machine is not None else None
    if judge is not None:
        warnings += machine_warnings(in_order, judge, seed)
    chosen, dependence, left_out = _defined(chosen, means, dependence, estimators is not None)
    warnings += left_out
    headline = _headline(chosen)
    estimates: list[Estimate] = []
    for done, method in enumerate(chosen):
        if progress:
            progress(done, len(chosen), method.label)
        if isinstance(method, PairEstimator):
            swaps = predictive.draws(method, dependence)
            pairs = (samples or SAMPLES) if variance == "sampled" else None
            estimates += _by_pairs(predictive.model(method, dependence), swaps, predictive, levels, pairs)
        elif estimators is None and ranked.n < method.fewest_topics:
            warnings.append(f"{method.name}: left out, it needs at least {method.fewest_topics} topics")
        else:
            estimates += _by_halves(method, sample, wanted, levels, warnings)
    if progress:
        progress(len(chosen), len(chosen), "done")

    by_name = {e.name: e for e in chosen if isinstance(e, PairEstimator)}
    fits = {name: predictive.fit(e) for name, e in by_name.items()}
    guaranteed, stand = None, None
    if headline in fits:
        guaranteed = _guarantee(predictive, dependence, levels[0]) if guarantee else None
        stand = standings(
            predictive.rank_draws(by_name[headline], dependence),
            fits[headline].probabilities,
            levels[0],
            best or 1,
            identical_systems(ranked),
            None if guaranteed is None else guaranteed.p_values,
        )
    count = _resamples(sample, chosen)
    return Assessment(
        scores=ranked,
        headline_estimator=headline,
        dependence=dependence,
        estimates=tuple(estimates),
        ranking=_ranking(ranked, sample, rule, stand, levels[0], guarantee),
        swap_probabilities={name: _both_ways(f.probabilities) for name, f in fits.items()},
        warnings=tuple(warnings),
        baseline=_baseline(ranked, sample, baseline, by_name.get(headline), stand, guaranteed, levels[0]),
        settings=Settings(
            version=__version__,
            seed=seed,
            draws=draws,
            resamples=count,
            resampling_error=monte_carlo_error(sample.replicates, count) if count else None,
            levels=levels,
            drop_bottom=drop_bottom,
            dropped=dropped,
            drop_identical=drop_identical,
            identical=_names_of(table, identical_systems(table)) if drop_identical else (),
            baseline=baseline,
            best=best,
            guarantee=guarantee,
            generalize_to=question,
            aggregate=rule.name,
        ),
        means=means,
        board=board,
        learnt={name: f.learnt for name, f in fits.items() if f.learnt},
        above=None if stand is None else stand.above,
        best=None if stand is None else _best(ranked, stand, best or 1, levels[0]),
        machine=judge,
    )


def _both_ways(probabilities: Matrix) -> Matrix:
    """A copy of probabilities above the diagonal, the same below it."""
    found = probabilities.copy()
    mirror(found)
    return found


def _defined(
    chosen: list[Estimator], means: Means, dependence: str, asked: bool
) -> tuple[list[Estimator], str, list[str]]:
    """The estimators that are defined for these means, their dependence, and what was left out.

    Raises:
        InputError: one that was asked for is not defined, or none is.
    """
    without = [e for e in chosen if not e.defined_for(means)]
    if without and asked:
        raise InputError(f"{without[0].name} is not defined here: {_why_not(means)}; leave it out")
    rest = [e for e in chosen if e.defined_for(means)]
    notes = []
    if without:
        names = ", ".join(e.name for e in without)
        notes.append(f"left out, for {_why_not(means)}: {names}")
    if not means.linear and dependence != OWN:
        rest = [e for e in rest if isinstance(e, PairEstimator) and e.replicates is not None]
        dependence = OWN
    if not rest:
        raise InputError(f"no estimator is defined here: {_why_not(means)}")
    return rest, dependence, notes


def _why_not(means: Means) -> str:
    """Why an estimator may not be defined for means of that kind."""
    if means.linear:
        return "there is no plain mean over topics that count alike"
    return "points of data sets leap with the topics, so they can only be resampled (roughly, near ties)"


def _ranked(
    table: ScoreMatrix,
    drop_bottom: float,
    drop_identical: bool,
    baseline: str | None,
    question: Question,
    rule: Aggregate,
) -> tuple[ScoreMatrix, tuple[str, ...]]:
    """The scores in ranking order without copies and the worst, and the names of the worst.

    Raises:
        InputError: scores that cannot be ranked, or a baseline that was dropped.
        UnknownNameError: an unknown baseline.
    """
    check_rankable(table)
    if table.m == 2:
        first, second = table.systems if baseline in (None, table.systems[0]) else reversed(table.systems)
        raise PairError(first, second)
    distinct = table.drop_identical() if drop_identical else table
    theta = means_of(distinct, question, rule).theta
    if drop_bottom:
        kept = distinct.drop_bottom(drop_bottom, theta)
        check_rankable(kept)
        theta = means_of(kept, question, rule).theta
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
            raise InputError(f"the baseline {baseline!r} was dropped with the bottom {drop_bottom:g}")
        raise unknown_system(ranked, baseline)
    return ranked, tuple(s for s in distinct.systems if s not in set(kept.systems))


def _names_of(table: ScoreMatrix, groups: Sequence[Sequence[int]]) -> tuple[tuple[str, ...], ...]:
    """Systems by name, in groups."""
    return tuple(tuple(table.systems[s] for s in group) for group in groups)


def _resamples(sample: TopicSample, chosen: Sequence[Estimator]) -> int | None:
    """T of the bootstrap, where an estimator used it."""
    resampled = any(isinstance(e, PairEstimator) and e.resampled for e in chosen)
    return sample.replicates.shape[1] if resampled else None


def _by_pairs(
    model: SwapModel,
    swaps: SwapDraws,
    predictive: Predictive,
    levels: Sequence[float],
    samples: int | None,
) -> list[Estimate]:
    """One estimate a coefficient, from swap probabilities and joint draws.

    Args:
        model: the estimator's probabilities joined to a dependence.
        swaps: joint draws from it.
        predictive: with the coefficients and the seed.
        levels: of the intervals.
        samples: pairs of pairs behind the variance; ``None`` for that of the draws.
    """
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
            intervals += (
                _holding(quantile_interval(drawn, level), expected),
                _inside(normal_interval(expected, variance, level)),
            )
        found.append(
            Estimate(model.estimator, c.name, model.dependence, expected, variance, tuple(intervals))
        )
    return found


def _holding(interval: Interval, estimate: float) -> Interval:
    """The interval with the estimate in it: of few systems the draws take few values, and may miss it."""
    return replace(interval, low=min(interval.low, estimate), high=max(interval.high, estimate))


def _inside(interval: Interval) -> Interval:
    """The part of an interval that a coefficient can reach."""
    return replace(interval, low=max(interval.low, -1.0), high=min(interval.high, 1.0))


def _by_halves(
    method: SplitHalfEstimator,
    sample: TopicSample,
    coefficients: Sequence[Coefficient],
    levels: Sequence[float],
    warnings: list[str],
) -> list[Estimate]:
    """One estimate a coefficient by split-half; what could not be estimated goes to the warnings."""
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
            warnings.append(
                f"{method.name}: no estimate of {c.label}; too few subset sizes gave a finite value"
            )
    return found


def _chosen(given: str | Sequence[str | _T] | None, known: Registry[_T], kind: str) -> list[_T]:
    """The things of those names, or all that are known; one name alone stands for a list of one.

    Raises:
        InputError: an empty list.
        UnknownNameError: there is none of that name.
    """
    if given is None:
        return list(known.values())
    if len(given) == 0:
        raise InputError(f"at least one {kind} is needed; leave the list out for all")
    return [known.find(one) for one in ([given] if isinstance(given, str) else given)]


def _headline(chosen: Sequence[Estimator]) -> str:
    """The headline estimator among those chosen: the default, else the first with probabilities."""
    names = [e.name for e in chosen]
    pairwise = [e.name for e in chosen if isinstance(e, PairEstimator)]
    return HEADLINE if HEADLINE in names else (pairwise or names)[0]


def _guarantee(predictive: Predictive, dependence: str, level: float) -> Guarantee:
    """All pairs at once, whatever the truth is.

    Raises:
        InputError: scores without influence rows.
    """
    means = predictive.sample.means
    if not means.linear:
        raise InputError("the guarantee needs scores that are means over topics; leave it out")
    covariance = predictive.covariance("shrunk" if dependence == OWN else dependence)
    return guarantee_of(means, covariance, level, stream(predictive.sample.seed, "guarantee"))


def _mean_interval(sample: TopicSample, level: float) -> tuple[Vector, Vector]:
    """Ends of the systems' t intervals, or where there are no influence rows of their bootstrap intervals."""
    if sample.means.linear:
        half = sample.means.half_widths(level)
        return sample.means.theta - half, sample.means.theta + half
    low, high = np.quantile(sample.replicates, [(1 - level) / 2, (1 + level) / 2], axis=1)
    return low, high


def _ranking(
    ranked: ScoreMatrix,
    sample: TopicSample,
    rule: Aggregate,
    stand: Standings | None,
    level: float,
    guarantee: bool,
) -> tuple[RankedSystem, ...]:
    together = guarantee or hold_together(sample.means)
    means = sample.means.theta
    mean_low, mean_high = _mean_interval(sample, level)
    if rule.bounds is not None:
        bounds = rule.bounds(ranked.k if ranked.k > 1 else ranked.n, ranked.m)
        mean_low, mean_high = np.clip(mean_low, *bounds), np.clip(mean_high, *bounds)
    return tuple(
        RankedSystem(
            rank=s + 1,
            system=name,
            mean=float(means[s]),
            mean_low=float(mean_low[s]),
            mean_high=float(mean_high[s]),
            **({} if stand is None else _stands(stand, s, together)),
        )
        for s, name in enumerate(ranked.systems)
    )


def _stands(stand: Standings, s: int, together: bool) -> dict[str, Any]:
    """Where one system stands, as the fields of its row; what is said of all at once only if it holds."""
    bands, several = stand.bands, together and stand.tiers.tiers[-1] > 1
    return {
        "rank_low": int(bands.joint_low[s]) if together else None,
        "rank_high": int(bands.joint_high[s]) if together else None,
        "marginal_low": int(bands.low[s]),
        "marginal_high": int(bands.high[s]),
        "tier": stand.tiers.tiers[s] if several else None,
        "probability_best": float(stand.first[s]),
        "letters": stand.letters[s],
    }


def _best(ranked: ScoreMatrix, stand: Standings, k: int, level: float) -> Best:
    return Best(level, k, tuple(ranked.systems[s] for s in stand.best.systems))


def _baseline(
    ranked: ScoreMatrix,
    sample: TopicSample,
    baseline: str | None,
    method: PairEstimator | None,
    stand: Standings | None,
    guaranteed: Guarantee | None,
    level: float,
) -> tuple[BaselineDifference, ...]:
    if baseline is None:
        return ()
    b = ranked.systems.index(baseline)
    differences = against(sample, method, stand, b, level, guaranteed)
    return tuple(
        BaselineDifference(name, d.difference, d.low, d.high, d.probability, d.verdict)
        for s, (name, d) in enumerate(zip(ranked.systems, differences, strict=True))
        if s != b
    )
