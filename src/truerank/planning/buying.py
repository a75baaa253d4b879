"""A budget for topics, runs and levels, by a pilot's posterior (docs/methods/noise.md)."""

from __future__ import annotations

import math
from functools import partial

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
    purchases,
)
from truerank.reliability.estimators import eb
from truerank.reliability.means import Means
from truerank.reliability.means.facet_means import FacetParts
from truerank.reliability.means.run_noise import LARGEST_SHARE, RunNoise
from truerank.reliability.reruns import NextMean, expected_tau
from truerank.repeats import Facet

MOST_RUNS = 1_000
"""The largest number of runs of a design."""


def spending_on_runs(
    beliefs: Beliefs,
    means: Means,
    noise: RunNoise,
    topics: int,
    prices: Prices | None,
    budget: float | None,
    level: float,
    rng: Generator,
    draws: int,
    extend: bool = False,
) -> Spending:
    """Topics against runs, from a pilot with repeats; to extend, what is bought on top of it."""
    variances = Variances.of_runs(noise)
    low, high = (min(end, LARGEST_SHARE) for end in noise.interval(level))
    k, asked = round(noise.runs, 9), prices or Prices()
    ratios = [_ratio(end, k) for end in (low, high)]
    best = best_runs(asked, noise.ratio)
    tried = set(RUNS)
    if budget is not None and math.isfinite(best):
        tried.add(min(max(round(best), 1), MOST_RUNS))
    if extend:
        bought = _additions(topics, k, sorted(tried), asked, budget)
        designs = _extended(beliefs, means, noise, topics, bought, asked, level, rng, draws)
    else:
        sizes = [(topics if budget is None else asked.topics(r, 1, budget), 1, r) for r in tried]
        designs = _designs(beliefs, variances, sizes, asked, budget, level, rng, draws)
    return Spending(
        budget=math.nan if budget is None else budget,
        prices=asked,
        assumed=prices is None,
        facet=None,
        best_runs=best,
        best_low=best_runs(asked, min(ratios[0], noise.ratio)),
        best_high=best_runs(asked, max(ratios[1], noise.ratio)),
        level=level,
        next=purchases(variances, asked, (topics, 1, k), (low, high), facet=False),
        designs=designs,
        runs=_more_runs(beliefs, means, noise, topics),
        ratio=noise.ratio,
        extend=extend,
    )


def _additions(
    topics: int, runs: float, tried: list[int], prices: Prices, budget: float | None
) -> list[tuple[int, int, int]]:
    """New topics, their runs, and runs added on each of the pilot's topics, so that all have as many.

    Where a budget does not pay as many for the pilot, it pays as many as it can. Without a budget, runs alone
    are added.

    Raises:
        InputError: the budget pays nothing.
    """
    each = topics * prices.run
    if budget is None:
        return [(0, r, math.ceil(r - runs - 1e-6)) for r in tried if r > runs + 1e-6] or [
            (0, times * math.ceil(runs), math.ceil(times * math.ceil(runs) - runs)) for times in (2, 4)
        ]
    paid = math.inf if each == 0 else int(budget / each + 1e-9)
    found: dict[tuple[int, int, int], None] = {}
    for wanted in tried:
        more = max(math.ceil(wanted - runs - 1e-6), 0)
        used = int(min(more, paid))
        r = wanted if used == more else max(math.floor(runs + used + 1e-6), 1)
        new = prices.topics(r, 1, budget - used * each)
        if used or new:
            found[new, r, used] = None
    if not found:
        raise InputError(f"a budget of {budget:,.6g} does not pay one more topic; give more")
    return list(found)


def _extended(
    beliefs: Beliefs,
    means: Means,
    noise: RunNoise,
    topics: int,
    bought: list[tuple[int, int, int]],
    prices: Prices,
    level: float,
    rng: Generator,
    draws: int,
) -> tuple[NoiseDesign, ...]:
    """What the pilot and each purchase bring together (eq. 24)."""
    posterior, of_pairs = eb.posterior(means), noise.pair_shares(means)
    found = []
    for new, runs, more in bought:

        def next_mean(share: float, new: int = new, runs: int = runs, more: int = more) -> NextMean:
            k = noise.runs
            today = NextMean.more(share, k, more) if more else NextMean(0.0, 1.0, 0.0, "truth")
            return today.with_new_topics(share, k, new / topics, runs)

        estimate = expected_tau(posterior, means.common_degrees, next_mean, of_pairs)
        asked = next_mean(noise.capped)
        # Some more effective topics have the same a : b; what is left of the noise's scale is luck.
        ratio = asked.truth / asked.seen
        luck = math.sqrt(asked.variance / (asked.truth * asked.seen))
        added = [ratio * beliefs.topics]
        drawn = draw_collections(beliefs, added, [TAU], draws, rng, True, luck).values["tau"][0]
        moved = np.clip(drawn + estimate - drawn.mean(), -1.0, 1.0)
        low, high = np.quantile(moved, [(1 - level) / 2, (1 + level) / 2])
        cost = prices.of(new, runs) + topics * more * prices.run
        ends = min(float(low), estimate), max(float(high), estimate)
        found.append(NoiseDesign(topics + new, 1, runs, cost, estimate, *ends, more, new))
    return tuple(sorted(found, key=lambda one: (one.runs, one.more_runs)))


def _ratio(share: float, runs: float) -> float:
    """q of a share φ of K runs: φ = (q/K)/(1 + q/K)."""
    return runs * share / (1 - share)


def _more_runs(beliefs: Beliefs, means: Means, noise: RunNoise, topics: int) -> tuple[MoreRuns, ...]:
    found, of_pairs = eb.posterior(means), noise.pair_shares(means)
    k, made = noise.runs, []
    each = beliefs.topics / (1 - noise.capped)  # effective topics of this many without run noise
    for runs in (*RUNS, None):
        per_topic = 1.0 if runs is None else 1 + noise.ratio / runs
        new = float(1 - 2 * beliefs.wrong([each / per_topic])[0])
        added = math.inf if runs is None else runs - k
        same = math.nan
        if abs(added) < 1e-6:
            same = float(1 - 2 * beliefs.wrong_by_extension([0.0])[0])
        elif added > 0:
            same = expected_tau(
                found, means.common_degrees, partial(NextMean.more, runs=k, added=added), of_pairs
            )
        made.append(MoreRuns(runs, new, same))
    return tuple(made)


def spending_on_levels(
    beliefs: Beliefs,
    facet: Facet,
    parts: FacetParts,
    prices: Prices | None,
    budget: float | None,
    level: float,
    rng: Generator,
    draws: int,
) -> Spending:
    """Topics, runs and levels of a facet, from a pilot whose levels are a sample."""
    variances = Variances.of_facet(facet, parts)
    n, f, k = parts.topics, parts.levels, facet.runs
    asked = prices or Prices()
    runs = (max(round(k), 1),) if budget is None else RUNS if variances.run > 0 else (1,)
    designs = [
        (n if budget is None else asked.topics(r, levels, budget), levels, r)
        for levels in LEVELS
        for r in runs
    ]
    return Spending(
        budget=math.nan if budget is None else budget,
        prices=asked,
        assumed=prices is None,
        facet=facet.name,
        best_runs=math.nan,
        best_low=math.nan,
        best_high=math.nan,
        level=level,
        next=purchases(variances, asked, (n, f, k), parts.interval(level), facet=True),
        designs=_designs(beliefs, variances, designs, asked, budget, level, rng, draws),
    )


def _designs(
    beliefs: Beliefs,
    variances: Variances,
    designs: list[tuple[int, int, int]],
    prices: Prices,
    budget: float | None,
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
