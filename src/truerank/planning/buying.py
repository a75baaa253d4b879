"""Topics, runs and levels for their prices: what to buy next, and ways to spend (docs/methods/noise.md).

A purchase is a count of each source of noise, such as ``{"topic": 100, "judge": 2, "run": 3}``. Every price,
and every part of V, the variance of a difference, belongs to a product of sources P (eq. 17)::

    price = Σ c_P · Π_{s in P} count_s        V = Σ v_P / Π_{s in P} count_s
"""

from __future__ import annotations

import math
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from truerank._support.arguments import either, setting
from truerank._support.seeds import stream
from truerank._support.types import Vector
from truerank._support.wording import listed
from truerank.coefficients import TAU
from truerank.errors import InputError, at
from truerank.numerics.pairs import doubly_centered
from truerank.planning.beliefs import Beliefs
from truerank.planning.curves import curve_of, draw_collections
from truerank.planning.pilot import TOPIC, Pilot, Wanted
from truerank.planning.plan_results import MoreRuns, NoiseDesign, OneMore, Spending
from truerank.reliability.means.facets import Components
from truerank.reliability.means.run_noise import LARGEST_SHARE, RunNoise
from truerank.scores import ScoreMatrix

TRIED = (1, 2, 3, 5, 10, 20)  # numbers of runs that are tried
MOST_LEVELS = 20  # the largest number of levels that is tried; the least is 2
# Combinations of numbers of levels and runs that are tried; of more, fewer numbers of levels.
MOST_TRIED = 50_000
DRAWN = 2_000  # draws of the variances behind the intervals of gains
MOST_RUNS = 1_000  # the largest number of runs of a design
RUN = "run"
RUNS = (TOPIC, RUN)  # runs without facets, of which there are as many as topics × runs of each

# Sources whose counts are multiplied: there are as many runs as topics × levels × runs of each.
Product = tuple[str, ...]
Counts = Mapping[str, float]  # a purchase: how many of each source, each per unit of those above it


@dataclass(frozen=True)
class Market:
    """The prices of sources of noise, and their parts of the variance of a difference."""

    prices: Mapping[Product, float]  # c_P
    variances: Mapping[Product, float]  # v_P

    def price(self, counts: Counts) -> float:
        return sum(price * _units(product, counts) for product, price in self.prices.items())

    def variance(self, counts: Counts) -> float:
        """V, the variance of a difference after it."""
        return sum(part / _units(product, counts) for product, part in self.variances.items())

    def topics(self, counts: Counts, budget: float) -> int:
        """Topics that a budget pays for at those counts of all other sources."""
        fixed = sum(c * _units(p, counts) for p, c in self.prices.items() if TOPIC not in p)
        each = self.price({**counts, TOPIC: 1}) - fixed
        return max(int((budget - fixed) / each + 1e-9), 0)

    def best(self, product: Product) -> float:
        """The number per topic that leaves the least variance at any budget (eq. 19)."""
        if self.prices[product] <= 0:
            return math.inf
        topic = self.variances[TOPIC,]
        ratio = self.variances[product] / topic if topic > 0 else math.inf
        return math.sqrt(self.prices.get((TOPIC,), 0.0) / self.prices[product] * ratio)

    def gain(self, source: str, counts: Counts) -> float:
        """The share of V that one more of a source removes (eq. 18)."""
        v = self.variance(counts)
        of_source = sum(part / _units(p, counts) for p, part in self.variances.items() if source in p)
        return of_source / v / (counts[source] + 1) if v > 0 else 0.0

    def one_more(
        self, sources: Sequence[str], counts: Counts, others: Sequence[Market], level: float = 1.0
    ) -> tuple[OneMore, ...]:
        """One more of each source, the best for the price of the dearest first (eq. 18)."""
        prices = {
            source: sum(c * _units(p, counts) / counts[source] for p, c in self.prices.items() if source in p)
            for source in sources
        }
        gains = {source: self.gain(source, counts) for source in sources}
        spent = max((prices[source] for source in sources if gains[source] > 0), default=0.0)
        found = []
        for source, gain in gains.items():
            if gain <= 0:
                continue
            around = [other.gain(source, counts) for other in others] or [gain]
            low, high = np.quantile(around, [(1 - level) / 2, (1 + level) / 2])
            ends = min(float(low), gain), max(float(high), gain)
            price, per_price = prices[source], math.nan
            if price > 0:  # of as many more as the sum pays, not of one
                per_price = gain / price * (counts[source] + 1) / (counts[source] + spent / price)
            found.append(OneMore(source, price, gain, *ends, per_price))
        return tuple(sorted(found, key=lambda one: -one.worth[0]))


def _units(product: Product, counts: Counts) -> float:
    return math.prod(counts[source] for source in product)


def spending_of(
    pilot: Pilot,
    beliefs: Beliefs,
    cost: Mapping[str, float] | None,
    budget: float | None,
    wanted: Wanted,
    draws: int,
) -> Spending | None:
    """What to buy next, and ways to spend on a new collection; ``None`` without runs and levels."""
    if budget is not None and not (budget > 0 and math.isfinite(budget)):
        raise InputError(f"a budget must be above 0, not {budget:g}")
    scores, facets, parts, noise = pilot.scores, pilot.facets, pilot.parts, pilot.runs
    plain = cost is not None and pilot.plain  # one score each: only topics are bought
    without = not plain and parts is None and (noise is None or not noise.averaged or scores.k > 1)
    if without or wanted.extend:
        if cost is not None:
            raise _without_prices(scores, cost, wanted.extend)
        return None
    given = None if cost is None else _prices(cost, scores, facets, runs=not plain)
    # By default a topic costs as much as a run of it.
    listed_prices = given or {(TOPIC,): 1.0, (RUN,): 1.0, **{(name,): 0.0 for name in facets}}
    # One run is of one topic at one level of each facet.
    prices = {(TOPIC, *facets, RUN) if one == (RUN,) else one: c for one, c in listed_prices.items()}
    rng = stream(wanted.seed, "spending")
    of_runs: dict[str, Any] = {}
    if parts is not None:
        now: dict[str, float] = {TOPIC: scores.n, **pilot.levels, RUN: parts.cells.runs}
        market = Market(prices, variances_of(parts, parts.variances, now))
        drawn = parts.drawn(DRAWN, rng)
        others = [Market(prices, variances_of(parts, one, now)) for one in drawn]
        effective, tried, level = pilot.means.effective, _tried(market, now, facets, budget), wanted.level
    elif plain:
        now = {TOPIC: scores.n, RUN: 1}
        of_means = float(np.sum(doubly_centered(pilot.means.rows) ** 2)) / (scores.m - 1)
        market = Market(prices, {(TOPIC,): of_means * pilot.means.effective or 1.0})
        others, tried, level = [], [{RUN: 1}], 1.0
        effective = float(scores.n)  # new topics have all their cells
    else:
        assert noise is not None
        now = {TOPIC: scores.n, RUN: round(noise.runs, 9)}
        market = Market(prices, {(TOPIC,): noise.topic_variance, RUNS: noise.run_variance})
        shares = [min(end, LARGEST_SHARE) for end in noise.interval(wanted.level)]
        others = [Market(prices, {(TOPIC,): 1 - share, RUNS: share * now[RUN]}) for share in shares]
        v, best, ends = market.variance(now), market.best(RUNS), [one.best(RUNS) for one in others]
        numbers = set(TRIED)
        if budget is not None and math.isfinite(best):
            numbers.add(min(max(round(best), 1), MOST_RUNS))
        effective = market.variances[TOPIC,] / v if v > 0 else float(scores.n)
        tried, level = [{RUN: number} for number in sorted(numbers)], 1.0
        of_runs = {"best_runs": best, "best_low": min(ends[0], best), "best_high": max(ends[1], best)}
        of_runs |= {"runs": _more_runs(beliefs, noise), "ratio": noise.ratio}
    return Spending(
        budget=math.nan if budget is None else budget,
        prices={":".join(one): price for one, price in listed_prices.items()},
        assumed=given is None,
        level=wanted.level,
        now=market.price(now),
        facets=facets,
        one_run=plain,
        next=market.one_more((TOPIC, RUN, *facets), now, others, level),
        designs=_designs(market, beliefs, now, effective, tried, budget, wanted.level, draws, rng),
        **of_runs,
    )


def _designs(
    market: Market,
    beliefs: Beliefs,
    now: Counts,
    effective: float,
    tried: Sequence[Counts],
    budget: float | None,
    level: float,
    draws: int,
    rng: np.random.Generator,
) -> tuple[NoiseDesign, ...]:
    """Designs for the budget, or else for the pilot's topics, at these numbers of levels and runs."""
    counts = [{**one, TOPIC: now[TOPIC] if budget is None else market.topics(one, budget)} for one in tried]
    counts = sorted((one for one in counts if one[TOPIC] >= 2), key=lambda one: -market.variance(one))
    if not counts:
        raise InputError(f"a budget of {budget:,.6g} does not pay two topics; give more")
    sizes = np.array([effective * market.variance(now) / market.variance(one) for one in counts])
    drawn = draw_collections(beliefs, sizes.tolist(), [TAU], draws, rng)
    curve = curve_of(beliefs, TAU, drawn, sizes, False, level)
    found = []
    for one, *ends in zip(counts, curve.expected, curve.low, curve.high, strict=True):
        levels = {name: int(number) for name, number in one.items() if name not in RUNS}
        cost, v = market.price(one), market.variance(one)
        found.append(NoiseDesign(int(one[TOPIC]), levels, int(one[RUN]), cost, v, *map(float, ends)))
    return tuple(sorted(found, key=lambda one: (*one.levels.values(), one.runs)))


def variances_of(parts: Components, variances: Vector, pilot: Counts) -> dict[Product, float]:
    """The parts of V with facets (docs/methods/facets.md, eq. 11); run noise is part of a cell's."""
    found: dict[Product, float] = {
        one.factors: float(variance) for one, variance in zip(parts.effects, variances, strict=True)
    }
    of_runs, every = parts.cells.run_variance, parts.cells.factors
    return found | {every: max(found[every] - of_runs, 0.0), (*every, RUN): of_runs * pilot[RUN]}


def _tried(market: Market, now: Counts, facets: Sequence[str], budget: float | None) -> list[dict[str, int]]:
    """The best numbers of levels and runs for the budget, or the pilot's, and around them one at a time."""
    names = (*facets, RUN)
    by_runs = any(RUN in product and variance > 0 for product, variance in market.variances.items())
    runs = TRIED if by_runs else (1,)
    each: Sequence[int] = range(2, MOST_LEVELS + 1)
    if len(each) ** len(facets) * len(runs) > MOST_TRIED:
        each = TRIED[1:]
    tried = dict.fromkeys(facets, each) | {RUN: runs}
    center = {name: max(round(now[name]), 1) for name in names}
    if budget is not None:

        def left(counts: Counts) -> float:
            """V of what the budget buys at these numbers of levels and runs."""
            topics = market.topics(counts, budget)
            return market.variance({**counts, TOPIC: topics}) if topics >= 2 else math.inf

        center = min((dict(zip(names, one, strict=True)) for one in product(*tried.values())), key=left)
    shown = [center]
    for name in names:
        numbers = TRIED[1:] if name != RUN else runs if budget is not None else ()
        shown += [{**center, name: number} for number in numbers if number != center[name]]
    return shown


def _more_runs(beliefs: Beliefs, noise: RunNoise) -> tuple[MoreRuns, ...]:
    """The τ that numbers of runs bring, on new topics and on the pilot's (eq. 10)."""
    result = []
    each = beliefs.topics / (1 - noise.capped)  # effective topics of this many without run noise
    for runs in (*TRIED, None):
        new = beliefs.tau(each / (1.0 if runs is None else 1 + noise.ratio / runs))
        more = math.inf if runs is None else runs - noise.runs
        same = math.nan
        if more > -1e-6:
            share = noise.capped * (1.0 if runs is None else max(more, 0.0) / (noise.runs + max(more, 0.0)))
            same = beliefs.tau(beliefs.topics * (1 / (1 - share) - 1), extend=True)
        result.append(MoreRuns(runs, new, same))
    return tuple(result)


def _prices(
    cost: Mapping[str, float], scores: ScoreMatrix, facets: Sequence[str], runs: bool
) -> dict[Product, float]:
    """The prices of a topic (or its noun), a run, a level of each facet, and of several (``topic:judge``)."""
    sources = (*facets, RUN) if runs else ()
    known = {TOPIC: TOPIC, scores.noun: TOPIC} | {name: name for name in sources}
    fixed = () if scores.facets is None else set(scores.facets.names) - set(facets)
    remedy = f"use {_whole_cost(cost, scores.noun, sources)} with your numbers, 0 where it is free"
    found: dict[Product, float] = {}
    for name, price in cost.items():
        parts = [name] if name in known else name.split(":")
        for part in parts:
            if part in fixed:
                raise _fixed(scores, cost, [*facets, part])
            if part not in known:
                raise InputError(f"nothing here is called {part!r} that has a price; {remedy}")
        source = tuple(sorted({known[part] for part in parts}, key=[*known.values()].index))
        if source in found:
            raise InputError(f"{name!r} and another price are of one thing; give one price")
        if not (math.isfinite(price) and price >= 0):
            raise InputError(f"the price of a {name} must be 0 or more, not {price:g}")
        found[source] = float(price)
    of_run = " (all systems once on one topic" + f" at one level of {listed(facets)}" * bool(facets) + ")"
    for part, name in {TOPIC: scores.noun, RUN: RUN + of_run, **{name: name for name in facets}}.items():
        if part in known.values() and (part,) not in found:
            raise InputError(f"the price of a {name} is not given; {remedy}")
    if not sum(price for source, price in found.items() if {TOPIC, RUN} & set(source)) > 0:
        what = "topics and runs are both" if runs else f"{scores.unit.many} are"
        raise InputError(f"{what} free, so there is nothing to choose; give one a price")
    return found


def _whole_cost(cost: Mapping[str, float], noun: str, sources: Sequence[str]) -> str:
    """The option with all its prices, to paste: 1 for those that are not given, without unknown ones."""
    names = [TOPIC if TOPIC in cost else noun, *sources]
    prices = {name: cost.get(name, 1.0) for name in names}
    prices |= {name: price for name, price in cost.items() if set(name.split(":")) <= {*names, TOPIC}}
    text = ",".join(f"{name}={price:g}" for name, price in prices.items())
    return either(f"cost={prices}", f"--cost {shlex.quote(text)}")


def _fixed(scores: ScoreMatrix, cost: Mapping[str, float], names: Sequence[str]) -> InputError:
    return InputError(
        f"{at(scores.source)}the levels of {listed([repr(name) for name in names])} are fixed, so no more of "
        f"them can be bought; use {setting('generalize_to', ','.join(['topics', *names]))} "
        f"{_whole_cost(cost, scores.noun, [*names, RUN])} with your numbers, or leave {setting('cost')} out"
    )


def _without_prices(scores: ScoreMatrix, cost: Mapping[str, float], extend: bool) -> InputError:
    if scores.facets is not None and not extend:
        return _fixed(scores, cost, scores.facets.several or scores.facets.names)
    what = "a new collection" if extend else f"plain means over {scores.unit.many} of one data set"
    leave = f"{setting('extend')} or {setting('cost')}" if extend else setting("cost")
    return InputError(f"{at(scores.source)}prices are for {what}; leave {leave} out")
