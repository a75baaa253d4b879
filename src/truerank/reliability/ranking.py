"""What an assessment says from means and joint draws: coefficients, and intervals of the systems' scores.

The prior of `eb` is learned from collections whose systems differ. Where it expects little agreement with the
true ranking, a test that needs no prior has to show first that they do. If it does not, intervals reach as
low as those of a ranking at random, and systems may have any rank (docs/methods/empirical-bayes.md).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from truerank._support.notes import Note
from truerank._support.seeds import stream
from truerank._support.types import Matrix, Vector
from truerank.coefficients import TAU
from truerank.numerics import special
from truerank.numerics.intervals import (
    Interval,
    in_unit_range,
    normal_interval,
    quantile_interval,
    unit_interval,
)
from truerank.numerics.pairs import doubly_centered, sphericity
from truerank.reliability.diagnostics import alike_warnings, nearly_equal_warnings
from truerank.reliability.estimators import PairEstimator, SplitHalfEstimator, TopicSample
from truerank.reliability.means import Aggregate, Means
from truerank.reliability.predictive import OWN, Predictive
from truerank.reliability.results import Estimate
from truerank.scores import ScoreMatrix

CLOSE = 0.5
"""Expected τ by `eb` below which the systems are tested."""

ALPHA = 0.05
"""Level of the test."""


def mean_interval(
    ranked: ScoreMatrix, sample: TopicSample, level: float, rule: Aggregate
) -> tuple[Vector, Vector]:
    """Ends of the intervals of the systems' scores, which keep to the range of the scores."""
    means = sample.means
    if not means.linear:
        low, high = np.quantile(sample.replicates, [(1 - level) / 2, (1 + level) / 2], axis=1)
    elif rule.points is None and ranked.kind.by_cells and in_unit_range(ranked.values):
        low, high = unit_interval(means.theta, means.half_widths(level), len(ranked.values), level)
    else:
        half = means.half_widths(level)
        low, high = means.theta - half, means.theta + half
    limits = score_limits(ranked, rule)
    return np.clip(low, *limits), np.clip(high, *limits)


def score_limits(ranked: ScoreMatrix, rule: Aggregate) -> tuple[float, float]:
    """The range that systems' scores cannot leave."""
    if rule.bounds is not None:
        return rule.bounds(ranked.k if ranked.k > 1 else ranked.n, ranked.m)
    unit = rule.points is None and ranked.kind.by_cells and in_unit_range(ranked.values)
    return (0.0, 1.0) if unit else (-math.inf, math.inf)


def by_pairs(
    method: PairEstimator, dependence: str, predictive: Predictive, levels: Sequence[float]
) -> list[Estimate]:
    """One estimate per coefficient, from swap probabilities and joint draws."""
    swaps = predictive.draws(method, dependence)  # first: the probabilities of many pairs take much memory
    model, found = predictive.model(method, dependence), []
    for c in predictive.coefficients:
        expected, drawn = model.expectation(c), swaps.coefficient(c)
        variance = float(drawn.var(ddof=1))
        intervals: list[Interval] = []
        for level in levels:
            by_draws, normal = quantile_interval(drawn, level), normal_interval(expected, variance, level)
            intervals += (
                # With few systems draws take few values and may miss the estimate.
                replace(by_draws, low=min(by_draws.low, expected), high=max(by_draws.high, expected)),
                replace(normal, low=max(normal.low, -1.0), high=min(normal.high, 1.0)),
            )
        found.append(Estimate(method.name, c.name, dependence, expected, variance, tuple(intervals)))
    return found


def by_halves(method: SplitHalfEstimator, predictive: Predictive, levels: Sequence[float]) -> list[Estimate]:
    """One estimate per coefficient by split-half."""
    sample = predictive.sample
    halves = method.estimates(
        sample.values, predictive.coefficients, stream(sample.seed, "split-half", method.name)
    )
    found = []
    for name, result in halves.items():
        observed = result.observations
        some = len(observed) > 1
        variance = float(observed.var(ddof=1)) if some else math.nan
        intervals = tuple(quantile_interval(observed, level) for level in levels if some)
        found.append(Estimate(method.name, name, None, result.estimate, variance, intervals))
    return found


def undetected(means: Means, tau: float) -> float | None:
    """The p-value of equal true means where `eb` expects so low a τ and they are not rejected.

    It is of the F test with the correction of Greenhouse and Geisser (1959, doi:10.1007/BF02289823).
    """
    if tau >= CLOSE or not means.linear:
        return None
    unit = float(means.deviations.max())
    if unit == 0:
        return None
    f = float(np.sum((means.differences / unit) ** 2) / np.sum((means.deviations / unit) ** 2))
    residuals = doubly_centered(means.rows if means.values is None else means.values)
    degrees = (len(means.theta) - 1) * sphericity(residuals / np.abs(residuals).max())
    p = float(special.fdtrc(degrees, degrees * means.common_degrees, f))
    return p if p > ALPHA else None


def undetected_note(p: float, unit: str, plan: bool = False) -> Note:
    """That a test did not show any difference between systems, and what follows, of a plan if it is one."""
    return Note("close-systems", {"p_value": p, "plan": plan, "unit": unit}, "alert")


def if_equal(
    predictive: Predictive, eb: PairEstimator, dependence: str, estimates: list[Estimate], unit: str
) -> tuple[list[Estimate], Matrix | None, list[Note]]:
    """The estimates, p-values of pairs, and notes; where no difference is detected, no order is claimed."""
    means = predictive.sample.means
    model = predictive.model(eb, "shrunk" if dependence == OWN else dependence)
    alike, p = alike_warnings(means, predictive.fit(eb)), undetected(means, model.expectation(TAU))
    if p is None:
        return estimates, None, [*alike, *nearly_equal_warnings(means)]
    at_random = replace(model, probabilities=np.triu(np.full_like(model.probabilities, 0.5), 1))
    draws = at_random.count(predictive.t_draws_of(model.dependence), predictive.coefficients)
    drawn = {c.name: draws.coefficient(c) for c in predictive.coefficients}

    def lowered(one: Estimate) -> Estimate:
        lows = [min(i.low, quantile_interval(drawn[one.coefficient], i.level).low) for i in one.intervals]
        each = zip(one.intervals, lows, strict=True)
        return replace(one, intervals=tuple(replace(interval, low=low) for interval, low in each))

    estimates = [lowered(one) if one.estimator == eb.name else one for one in estimates]
    return estimates, np.ones_like(model.probabilities), [*alike, undetected_note(p, unit)]
