"""A budget for topics, runs and levels, by a pilot's posterior (docs/methods/noise.md)."""

from __future__ import annotations

import math

import numpy as np
from numpy.random import Generator

from truerank._support.types import Vector
from truerank.coefficients import TAU
from truerank.errors import InputError
from truerank.planning.beliefs import Beliefs
from truerank.planning.curves import curve_of
from truerank.planning.draws import draw_collections
from truerank.planning.spending import (
    LEVELS,
    RUNS,
    MoreRuns,
    NoiseDesign,
    Prices,
    Spending,
    Variances,
    best_runs,
)
from truerank.reliability.estimators import eb
from truerank.reliability.means import Means
from truerank.reliability.means.facet_means import FacetParts
from truerank.reliability.means.run_noise import RunNoise
from truerank.reliability.reruns import NextMean, expected_tau
from truerank.repeats import Facet


def spending_on_runs(
    beliefs: Beliefs,
    means: Means,
    noise: RunNoise,
    topics: int,
    prices: Prices,
    level: float,
    rng: Generator,
    draws: int,
) -> Spending:
    """Topics against runs, from a pilot with repeats."""
    variances = Variances.of_runs(noise)
    low, high = noise.interval(level)
    k = noise.runs
    budget = prices.of(topics, k) if prices.budget is None else prices.budget
    designs = [(prices.topics(runs, 1, budget), 1, runs) for runs in RUNS]
    ratios = [_ratio(min(end, 0.95), k) for end in (low, high)]
    return Spending(
        budget=budget,
        facet=None,
        best_runs=best_runs(prices, noise.ratio),
        best_low=best_runs(prices, min(ratios[0], noise.ratio)),
        best_high=best_runs(prices, max(ratios[1], noise.ratio)),
        next=tuple(variances.purchases(prices, topics, 1, k, facet=False)),
        designs=_designs(beliefs, variances, designs, prices, budget, level, rng, draws),
        runs=_more_runs(beliefs, means, noise, topics),
    )


def _ratio(share: float, runs: float) -> float:
    """q of a share φ of K runs: φ = (q/K)/(1 + q/K)."""
    return runs * share / (1 - share)


def _more_runs(beliefs: Beliefs, means: Means, noise: RunNoise, topics: int) -> tuple[MoreRuns, ...]:
    found = eb.posterior(means)
    k, share, made = noise.runs, noise.capped, []
    each = beliefs.topics / (1 - share)  # effective topics of this many without run noise
    for runs in (*RUNS, None):
        per_topic = 1.0 if runs is None else 1 + noise.ratio / runs
        new = float(1 - 2 * beliefs.wrong([each / per_topic])[0])
        added = math.inf if runs is None else runs - k
        same = math.nan
        if abs(added) < 1e-6:
            same = float(1 - 2 * beliefs.wrong_by_extension([0.0])[0])
        elif added > 0:
            same = expected_tau(found, means.common_degrees, NextMean.more(share, k, added))
        made.append(MoreRuns(runs, new, same))
    return tuple(made)


def spending_on_levels(
    beliefs: Beliefs,
    facet: Facet,
    parts: FacetParts,
    prices: Prices,
    level: float,
    rng: Generator,
    draws: int,
) -> Spending:
    """Topics, runs and levels of a facet, from a pilot whose levels are a sample."""
    variances = Variances.of_facet(facet, parts)
    n, f, k = parts.topics, parts.levels, facet.runs
    budget = prices.of(n, k, f) if prices.budget is None else prices.budget
    runs = RUNS if variances.run > 0 else (1,)
    designs = [(prices.topics(r, levels, budget), levels, r) for levels in LEVELS for r in runs]
    return Spending(
        budget=budget,
        facet=facet.name,
        best_runs=math.nan,
        best_low=math.nan,
        best_high=math.nan,
        next=tuple(variances.purchases(prices, n, f, k, facet=True)),
        designs=_designs(beliefs, variances, designs, prices, budget, level, rng, draws),
    )


def _designs(
    beliefs: Beliefs,
    variances: Variances,
    designs: list[tuple[int, int, int]],
    prices: Prices,
    budget: float,
    level: float,
    rng: Generator,
    draws: int,
) -> tuple[NoiseDesign, ...]:
    """What each design brings, where it has two topics at least.

    Raises:
        InputError: none has.
    """
    usable = [one for one in designs if one[0] >= 2]
    if not usable:
        raise InputError(f"a budget of {budget:,.6g} does not pay two topics; give more")
    effective: Vector = np.array([variances.effective(*one) for one in usable])
    order = np.argsort(effective, kind="stable")
    drawn = draw_collections(beliefs, effective[order].tolist(), [TAU], draws, rng)
    curve = curve_of(beliefs, TAU, drawn, effective[order], False, level)
    found = [
        NoiseDesign(
            usable[i][0], usable[i][1], usable[i][2], _cost(prices, *usable[i]), float(e), float(a), float(b)
        )
        for i, e, a, b in zip(order, curve.expected, curve.low, curve.high, strict=True)
    ]
    return tuple(sorted(found, key=lambda one: (one.levels, one.runs)))


def _cost(prices: Prices, topics: int, levels: int, runs: int) -> float:
    return prices.of(topics, runs, levels)
