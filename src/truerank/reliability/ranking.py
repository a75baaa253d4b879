"""What assessments and leaderboards say from means and joint draws alone: coefficients, and a row per system.

The prior of `eb` is learned from collections whose systems differ. Where it expects little agreement with the
true ranking, a test that needs no prior has to show first that they do. If it does not, intervals reach as
low as those of a ranking at random, and systems may have any rank (docs/methods/empirical-bayes.md).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

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
from truerank.reliability.boards import hold_together
from truerank.reliability.diagnostics import alike_warnings, nearly_equal_warnings
from truerank.reliability.estimators import PairEstimator, SplitHalfEstimator, TopicSample
from truerank.reliability.leader import Contrasts, contrasts
from truerank.reliability.means import Aggregate, Means
from truerank.reliability.predictive import OWN, Predictive
from truerank.reliability.results import Estimate, RankedSystem
from truerank.reliability.standings import Standings, standings
from truerank.scores import ScoreMatrix

CLOSE = 0.5
"""Expected τ by `eb` below which the systems are tested."""

ALPHA = 0.05
"""Level of the test."""


@dataclass(frozen=True, eq=False)
class Ranking:
    """A row for each system, best first; statements on their ranks, if there are probabilities; contrasts."""

    rows: tuple[RankedSystem, ...]
    stand: Standings | None
    shrunken: Contrasts | None


def ranking_of(
    predictive: Predictive,
    method: PairEstimator | None,
    dependence: str,
    level: float,
    systems: Sequence[str],
    ends: tuple[Vector, Vector],
    identical: Sequence[Sequence[int]] = (),
    p_values: Matrix | None = None,
) -> Ranking:
    """The ranking of a sample whose systems are in ranking order."""
    means = predictive.sample.means
    shrunken = contrasts(means) if means.linear else None
    stand = None
    if method is not None:
        draws, probabilities = predictive.rank_draws(method, dependence), predictive.fit(method).probabilities
        stand = standings(draws, probabilities, level, identical, p_values)
    together = p_values is not None or hold_together(means)
    errors = means.system_errors()[0] if means.linear else predictive.sample.replicates.std(axis=1, ddof=1)
    pulled = None if shrunken is None else means.theta.mean() + shrunken.limited
    rows = tuple(
        RankedSystem(
            rank=s + 1,
            system=name,
            mean=float(means.theta[s]),
            mean_low=float(ends[0][s]),
            mean_high=float(ends[1][s]),
            se=float(errors[s]),
            shrunken=None if pulled is None else float(pulled[s]),
            **({} if stand is None else _stands(stand, s, together)),
        )
        for s, name in enumerate(systems)
    )
    return Ranking(rows, stand, shrunken)


def _stands(stand: Standings, s: int, together: bool) -> dict[str, Any]:
    """Where one system stands, as the fields of its row; what is said of all at once only if it holds."""
    bands = stand.bands
    return {
        "rank_low": int(bands.joint_low[s]) if together else None,
        "rank_high": int(bands.joint_high[s]) if together else None,
        "marginal_low": int(bands.low[s]),
        "marginal_high": int(bands.high[s]),
        "letters": stand.letters[s] if together else None,
    }


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
    method: PairEstimator,
    dependence: str,
    predictive: Predictive,
    levels: Sequence[float],
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
    rng = stream(sample.seed, "split-half", method.name)
    found = []
    for name, result in method.estimates(sample.values, predictive.coefficients, rng).items():
        observed, some = result.observations, len(result.observations) > 1
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
    means, fit = predictive.sample.means, predictive.fit(eb)
    model = predictive.model(eb, "shrunk" if dependence == OWN else dependence)
    alike, p = alike_warnings(means, fit), undetected(means, model.expectation(TAU))
    if p is None:
        return estimates, None, [*alike, *nearly_equal_warnings(means)]
    at_random = replace(model, probabilities=np.triu(np.full_like(model.probabilities, 0.5), 1))
    draws = at_random.count(predictive.t_draws_of(model.dependence), predictive.coefficients)
    of_name = {c.name: draws.coefficient(c) for c in predictive.coefficients}

    def wider(interval: Interval, drawn: Vector) -> Interval:
        return replace(interval, low=min(interval.low, quantile_interval(drawn, interval.level).low))

    lowered = [
        replace(one, intervals=tuple(wider(i, of_name[one.coefficient]) for i in one.intervals))
        if one.estimator == eb.name
        else one
        for one in estimates
    ]
    return lowered, np.ones_like(model.probabilities), [*alike, undetected_note(p, unit)]
