"""`assess`: how close an observed ranking is to the true one, from one score matrix."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

import numpy as np

from truerank._support.registry import Named, Registry
from truerank._support.seeds import stream
from truerank._support.types import Matrix, Progress
from truerank._support.version import __version__
from truerank.coefficients import COEFFICIENTS, Coefficient
from truerank.errors import InputError, unknown_name
from truerank.numerics.intervals import check_levels, normal_interval, quantile_interval, rank_intervals
from truerank.numerics.paired_t import mean_and_half_width
from truerank.readers import as_scores
from truerank.reliability.dependence import DEPENDENCES, covariance
from truerank.reliability.diagnostics import check_rankable, data_warnings, identical_systems
from truerank.reliability.estimators import (
    ESTIMATORS,
    Estimator,
    PairEstimator,
    SplitHalfEstimator,
    TopicSample,
)
from truerank.reliability.estimators.bootstrap import monte_carlo_error
from truerank.reliability.results import Assessment, BaselineDifference, Estimate, RankedSystem, Settings
from truerank.reliability.swaps import SwapDraws, SwapModel
from truerank.reliability.variance import sampled_variance
from truerank.scores import ScoreMatrix

_T = TypeVar("_T", bound=Named)

DRAWS = 10_000
"""Joint draws behind every variance and quantile interval."""

SAMPLES = 20_000
"""Pairs of pairs behind a sampled variance: the thesis's choice."""

HEADLINE = "eb"
"""The estimator that leads: the least biased at few topics (docs/empirical-bayes.md)."""

OWN = "own"
"""The dependence of an estimator that brings its own joint draws (`res`: its replicates)."""


@dataclass
class _Run:
    """The working state of one assessment."""

    sample: TopicSample
    coefficients: list[Coefficient]
    levels: tuple[float, ...]
    dependence: str
    draws: int
    samples: int | None
    estimates: list[Estimate] = field(default_factory=list)
    probabilities: dict[str, Matrix] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    headline_draws: SwapDraws | None = None

    def pair_estimator(self, method: PairEstimator, headline: bool) -> None:
        model = swap_model(method, self.sample, self.dependence)
        rng = stream(self.sample.seed, "draws")
        draws = model.draws(self.draws, rng, self.coefficients)
        self.probabilities[method.name] = model.probabilities
        for c in self.coefficients:
            expected, drawn = model.expectation(c), draws.coefficient(c)
            variance = float(drawn.var(ddof=1)) if self.samples is None else self.sampled(model, c)
            intervals = [
                interval
                for level in self.levels
                for interval in (
                    quantile_interval(drawn, level),
                    normal_interval(expected, variance, level),
                )
            ]
            self.estimates.append(
                Estimate(method.name, c.name, self.dependence, expected, variance, tuple(intervals))
            )
        if headline:
            self.headline_draws = draws

    def sampled(self, model: SwapModel, c: Coefficient) -> float:
        rng = stream(self.sample.seed, "pairs of pairs", model.estimator, c.name)
        return sampled_variance(model, c, self.samples or SAMPLES, rng)

    def split_half(self, method: SplitHalfEstimator) -> None:
        rng = stream(self.sample.seed, "split-half", method.name)
        results = method.estimates(self.sample.values, self.coefficients, rng)
        for c in self.coefficients:
            result = results[c.name]
            some = len(result.observations) > 1
            variance = float(result.observations.var(ddof=1)) if some else math.nan
            intervals = [quantile_interval(result.observations, level) for level in self.levels if some]
            self.estimates.append(
                Estimate(method.name, c.name, None, result.estimate, variance, tuple(intervals))
            )
            if math.isnan(result.estimate):
                self.warnings.append(
                    f"{method.name}: no estimate of {c.label}; too few subset sizes gave a finite value"
                )


def swap_model(method: str | PairEstimator, sample: TopicSample, dependence: str = "shrunk") -> SwapModel:
    """Join an estimator's probabilities for a sample to a dependence.

    Args:
        method: the estimator, or its name.
        sample: scores in ranking order.
        dependence: ``shrunk``, ``sample``, or ``own`` for an estimator with its own joint draws.

    Raises:
        UnknownNameError: an unknown estimator or dependence.
        InputError: a split-half estimator, or ``own`` for an estimator without joint draws.
    """
    found = ESTIMATORS.find(method)
    if not isinstance(found, PairEstimator):
        raise InputError(f"{found.name} has no swap probabilities")
    if dependence not in (*DEPENDENCES, OWN):
        raise unknown_name("dependence", dependence, (*DEPENDENCES, OWN))
    replicates = None
    if dependence == OWN:
        if found.replicates is None:
            raise InputError(f"{found.name} has no joint draws of its own; choose shrunk or sample")
        replicates = found.replicates(sample)
    shape = covariance(sample.values, "shrunk" if dependence == OWN else dependence)
    return SwapModel(
        found.name, dependence, found.probabilities(sample), shape, len(sample.values) - 1, replicates
    )


def assess(
    scores: Any,
    estimators: str | Sequence[str | Estimator] | None = None,
    coefficients: str | Sequence[str | Coefficient] | None = None,
    *,
    levels: float | Sequence[float] = (0.95,),
    dependence: str = "shrunk",
    drop_bottom: float = 0.0,
    baseline: str | None = None,
    draws: int = DRAWS,
    resamples: int | None = None,
    variance: Literal["draws", "sampled"] = "draws",
    samples: int = SAMPLES,
    seed: int = 0,
    progress: Progress | None = None,
) -> Assessment:
    """How close is the observed ranking to the true one?

    Args:
        scores: a ScoreMatrix, a pandas data frame, an n × m array, or a path to a score table.
        estimators: which to compute; all by default.
        coefficients: which to compute; τ and τ_AP by default.
        levels: of the intervals, each in (0, 1); the first is also that of means, ranks, tiers
            and baseline differences.
        dependence: how swaps go together: ``shrunk``, ``sample`` (bavdaz-2018, too wide) or
            ``own`` (only with estimators that bring joint draws).
        drop_bottom: keep the systems whose mean is at least this quantile of the means.
        baseline: compare every other system with this one.
        draws: joint draws behind variances and quantile intervals, at least 2.
        resamples: T of the bootstrap for `res` and `kd`; by default as many as bring the Monte
            Carlo error of their estimates under 0.0005.
        variance: from the joint draws, or ``sampled`` pairs of pairs as in bavdaz-2018 §4.2.4 (mended;
            can be negative, which counts as 0 in a normal interval). Quantile intervals come from
            the draws either way.
        samples: pairs of pairs behind a sampled variance.
        seed: the same seed gives the same digits.
        progress: called with (done, total, label) as the work goes on.

    Returns:
        The assessment. Cost O(n·m² log n + (draws + T)·m²) a estimator.

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
    level = levels[0]
    if draws < 2 or (resamples is not None and resamples < 2):
        raise InputError("at least two draws and two resamples are needed")
    if variance not in ("draws", "sampled"):
        raise unknown_name("variance", variance, ("draws", "sampled"))
    if samples < 1:
        raise InputError("at least one pair of pairs must be sampled")
    if dependence == OWN and estimators is None:
        chosen = [e for e in chosen if isinstance(e, PairEstimator) and e.replicates is not None]
    table = as_scores(scores)
    check_rankable(table)
    kept = table.drop_bottom(drop_bottom)
    check_rankable(kept)
    ranked = kept.ranked()
    if baseline is not None and baseline not in ranked.systems:
        if baseline in table.systems:
            raise InputError(f"the baseline {baseline!r} was dropped with the bottom {drop_bottom:g}")
        raise unknown_name("system", baseline, ranked.systems)

    sample = TopicSample(ranked.values, resamples, seed)
    run = _Run(sample, wanted, levels, dependence, draws, samples if variance == "sampled" else None)
    run.warnings += data_warnings(ranked)
    headline = _headline(chosen)
    for done, method in enumerate(chosen):
        if progress:
            progress(done, len(chosen), method.label)
        if isinstance(method, PairEstimator):
            run.pair_estimator(method, method.name == headline)
        elif estimators is None and ranked.n < method.fewest_topics:
            run.warnings.append(f"{method.name}: left out, it needs at least {method.fewest_topics} topics")
        else:
            run.split_half(method)
    if progress:
        progress(len(chosen), len(chosen), "done")

    resampled = any(isinstance(e, PairEstimator) and e.resampled for e in chosen)
    count = sample.replicates.shape[1] if resampled else None
    error = monte_carlo_error(sample.replicates, count) if count else None
    same = identical_systems(ranked)
    probabilities = run.probabilities.get(headline)
    return Assessment(
        scores=ranked,
        headline_estimator=headline,
        dependence=dependence,
        estimates=tuple(run.estimates),
        ranking=_ranking(ranked, run.headline_draws, probabilities, same, level),
        swap_probabilities={name: p + p.T for name, p in run.probabilities.items()},
        warnings=tuple(run.warnings),
        baseline=_baseline(ranked, baseline, probabilities, same, level),
        settings=Settings(
            version=__version__,
            seed=seed,
            draws=draws,
            resamples=count,
            resampling_error=error,
            levels=run.levels,
            drop_bottom=drop_bottom,
            dropped=tuple(s for s in table.systems if s not in set(kept.systems)),
            baseline=baseline,
        ),
    )


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


def _ranking(
    ranked: ScoreMatrix,
    draws: SwapDraws | None,
    probabilities: Matrix | None,
    same: list[list[int]],
    level: float,
) -> tuple[RankedSystem, ...]:
    means, half = mean_and_half_width(ranked.values, level)
    none = np.full(ranked.m, np.nan)
    low, high = none, none
    tiers: list[int | None] = [None] * ranked.m
    if draws is not None and probabilities is not None:
        low, high = rank_intervals(draws.ranks(), level, same)
        tiers = _tiers(probabilities, same, level)
    return tuple(
        RankedSystem(
            system=name,
            mean=float(means[s]),
            mean_low=float(means[s] - half[s]),
            mean_high=float(means[s] + half[s]),
            rank=s + 1,
            rank_low=float(low[s]),
            rank_high=float(high[s]),
            tier=tiers[s],
        )
        for s, name in enumerate(ranked.systems)
    )


def _tiers(probabilities: Matrix, same: list[list[int]], level: float) -> list[int | None]:
    """A new tier starts at the first system that is below the tier's leader with that probability."""
    below = 1.0 - probabilities
    for group in same:
        below[np.ix_(group, group)] = 0.0  # identical systems: neither is below the other
    tiers: list[int | None] = []
    leader, tier = 0, 1
    for s in range(len(probabilities)):
        if s > leader and below[leader, s] >= level:
            leader, tier = s, tier + 1
        tiers.append(tier)
    return tiers


def _baseline(
    ranked: ScoreMatrix,
    baseline: str | None,
    probabilities: Matrix | None,
    same: list[list[int]],
    level: float,
) -> tuple[BaselineDifference, ...]:
    if baseline is None:
        return ()
    b = ranked.systems.index(baseline)
    twins = next((group for group in same if b in group), [])
    difference, half = mean_and_half_width(ranked.values - ranked.values[:, [b]], level)

    def better(s: int) -> float:
        if probabilities is None or s in twins:
            return math.nan
        return float(1 - probabilities[s, b] if s < b else probabilities[b, s])

    return tuple(
        BaselineDifference(
            name,
            float(difference[s]),
            float(difference[s] - half[s]),
            float(difference[s] + half[s]),
            better(s),
        )
        for s, name in enumerate(ranked.systems)
        if s != b
    )
