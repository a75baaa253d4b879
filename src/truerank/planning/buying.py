"""The search for what to buy: topics against runs and levels (docs/methods/noise.md).

Each kind of collection has a `Market`: what its purchases cost and what variance they leave. Numbers of runs
and levels are tried one after another, and the rest of the budget pays for topics.
"""

from __future__ import annotations

import math
import shlex
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np
from numpy.random import Generator

from truerank._support.arguments import either
from truerank._support.types import Vector
from truerank._support.units import Noun
from truerank._support.wording import listed
from truerank.coefficients import TAU
from truerank.errors import InputError
from truerank.planning.beliefs import Beliefs
from truerank.planning.curves import curve_of
from truerank.planning.draws import draw_collections
from truerank.planning.purchases import (
    RUN,
    TOPIC,
    Counts,
    Market,
    MoreRuns,
    NoiseDesign,
    Product,
    Spending,
    prices_of,
)
from truerank.reliability.means import Means
from truerank.reliability.means.components import DATA_SET, Components
from truerank.reliability.means.run_noise import LARGEST_SHARE, RunNoise

TRIED = (1, 2, 3, 5, 10, 20)  # numbers of runs that are tried
MOST_LEVELS = 20  # the largest number of levels that is tried; the least is 2
# Combinations of numbers of levels and runs that are tried; of more, fewer numbers of levels.
MOST_TRIED = 50_000
DRAWN = 2_000  # draws of the variances behind the intervals of gains
MOST_RUNS = 1_000  # the largest number of runs of a design
RUNS = (TOPIC, RUN)  # runs without facets, of which there are as many as topics × runs of each
MORE = "more"  # of an extension, runs added on each of the pilot's topics


def prices_of_runs(cost: Mapping[str, float], noun: Noun, facets: Sequence[str]) -> dict[Product, float]:
    """The prices of a topic (or its noun), a run, a level of each facet, and of several (``topic:judge``)."""
    known = {TOPIC: TOPIC, noun: TOPIC} | {name: name for name in facets} | {RUN: RUN}
    remedy = f"use {whole_cost(cost, noun, facets)} with your numbers, 0 where it is free"
    given = prices_of(cost, known, remedy)
    of_run = " (all systems once on one topic" + f" at one level of {listed(facets)}" * bool(facets) + ")"
    for source, name in {TOPIC: noun, RUN: RUN + of_run, **{name: name for name in facets}}.items():
        if (source,) not in given:
            raise InputError(f"the price of a {name} is not given; {remedy}")
    if not sum(price for product, price in given.items() if {TOPIC, RUN} & set(product)) > 0:
        raise InputError("topics and runs are both free, so there is nothing to choose; give one a price")
    return given


def whole_cost(cost: Mapping[str, float], noun: Noun, facets: Sequence[str]) -> str:
    """The option with all its prices, to paste: 1 for those that are not given, without unknown ones."""
    names = [TOPIC if TOPIC in cost else noun, *facets, RUN]
    prices = {name: cost.get(name, 1.0) for name in names}
    prices |= {name: price for name, price in cost.items() if set(name.split(":")) <= {*names, TOPIC}}
    text = ",".join(f"{name}={price:g}" for name, price in prices.items())
    return either(f"cost={prices}", f"--cost {shlex.quote(text)}")


@dataclass(frozen=True)
class Buyer:
    """A plan's beliefs, prices (if any were given), facets, budget and settings."""

    beliefs: Beliefs
    prices: dict[Product, float] | None
    facets: tuple[str, ...]
    budget: float | None
    level: float
    rng: Generator
    draws: int

    @property
    def price(self) -> dict[Product, float]:
        """The prices; by default a topic costs as much as a run of it."""
        return self.prices or {(TOPIC,): 1.0, (RUN,): 1.0, **{(name,): 0.0 for name in self.facets}}

    @property
    def settings(self) -> dict[str, Any]:
        """What a `Spending` has of these."""
        prices = {":".join(product): price for product, price in self.price.items()}
        budget = math.nan if self.budget is None else self.budget
        assumed = self.prices is None
        return {"budget": budget, "prices": prices, "assumed": assumed, "level": self.level}

    def market(self, variances: Mapping[Product, float]) -> Market:
        """The market of these variances; one run is of one topic at one level of each facet."""
        prices = {
            (TOPIC, *self.facets, RUN) if product == (RUN,) else product: price
            for product, price in self.price.items()
        }
        return Market(prices, variances)

    def designs(
        self, market: Market, pilot: Counts, effective: float, tried: Iterable[Counts]
    ) -> tuple[NoiseDesign, ...]:
        """Designs for the budget, or else for the pilot's topics, at these numbers of levels and runs."""
        counts = [
            {**one, TOPIC: pilot[TOPIC] if self.budget is None else market.topics(one, self.budget)}
            for one in tried
        ]
        counts = sorted((one for one in counts if one[TOPIC] >= 2), key=lambda one: -market.variance(one))
        if not counts:
            raise InputError(f"a budget of {self.budget:,.6g} does not pay two topics; give more")
        now = effective * market.variance(pilot)
        sizes = np.array([now / market.variance(one) for one in counts])
        drawn = draw_collections(self.beliefs, sizes.tolist(), [TAU], self.draws, self.rng)
        curve = curve_of(self.beliefs, TAU, drawn, sizes, False, self.level)
        found = [
            NoiseDesign(
                int(one[TOPIC]),
                {name: int(one[name]) for name in self.facets},
                int(one[RUN]),
                market.price(one),
                market.variance(one),
                float(e),
                float(a),
                float(b),
            )
            for one, e, a, b in zip(counts, curve.expected, curve.low, curve.high, strict=True)
        ]
        return tuple(sorted(found, key=lambda one: (*one.levels.values(), one.runs)))


def variances_of(parts: Components, variances: Vector, pilot: Counts) -> dict[Product, float]:
    """The parts of V with facets (docs/methods/facets.md, eq. 11); run noise is part of a cell's.

    Fixed data sets keep their number, their weights and their shares of the topics.
    """
    found: dict[Product, float] = defaultdict(float, {(TOPIC,): 0.0})
    for one, variance, left in zip(parts.effects, variances, parts.remaining, strict=True):
        bought = tuple(name for name in min(one.names, key=len) if name != DATA_SET)
        scale = 1.0 if parts.cells.strata is None else float(left) * math.prod(pilot[s] for s in bought)
        found[bought] += float(variance) * scale
    # The last effect is the finest: all factors, within which there are runs.
    of_runs = parts.cells.run_variance * scale
    every = (TOPIC, *list(parts.cells.factors)[1:], RUN)
    return found | {bought: max(found[bought] - of_runs, 0.0), every: of_runs * pilot[RUN]}


def spending_on_levels(buyer: Buyer, means: Means, pilot: Counts) -> Spending:
    """How to spend on topics, runs and levels of facets, from a pilot whose levels are a sample."""
    parts = means.components
    assert parts is not None
    market = buyer.market(variances_of(parts, parts.variances, pilot))
    ends: list[Market] = []
    if parts.balanced:
        ends = [buyer.market(variances_of(parts, one, pilot)) for one in parts.drawn(DRAWN, buyer.rng)]
    return Spending(
        **buyer.settings,
        now=market.price(pilot),
        facets=buyer.facets,
        next=market.one_more((TOPIC, RUN, *buyer.facets), pilot, ends, buyer.level),
        designs=buyer.designs(market, pilot, means.effective, _tried(buyer, market, pilot)),
    )


def _tried(buyer: Buyer, market: Market, pilot: Counts) -> list[dict[str, int]]:
    """The best numbers of levels and runs for the budget, and around them one number at a time.

    Without a budget, the pilot’s numbers take the place of the best.
    """
    names = (*buyer.facets, RUN)
    by_runs = any(RUN in product and variance > 0 for product, variance in market.variances.items())
    runs = TRIED if by_runs else (1,)
    each: Sequence[int] = range(2, MOST_LEVELS + 1)
    if len(each) ** len(buyer.facets) * len(runs) > MOST_TRIED:
        each = TRIED[1:]
    tried = dict.fromkeys(buyer.facets, each) | {RUN: runs}
    center = {name: max(round(pilot[name]), 1) for name in names}
    budget = buyer.budget
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


def spending_on_runs(
    buyer: Buyer, means: Means, noise: RunNoise, topics: int, extend: bool = False
) -> Spending:
    """How to spend on topics and runs, from a pilot with repeats, or on top of it."""
    market = buyer.market({(TOPIC,): noise.topic_variance, RUNS: noise.run_variance})
    low, high = (min(end, LARGEST_SHARE) for end in noise.interval(buyer.level))
    pilot = {TOPIC: topics, RUN: round(noise.runs, 9)}
    best = market.best(RUNS)
    around = [market.with_share(RUNS, share, pilot) for share in (low, high)]
    ends = [one.best(RUNS) for one in around]
    tried = set(TRIED)
    if buyer.budget is not None and math.isfinite(best):
        tried.add(min(max(round(best), 1), MOST_RUNS))
    if extend:
        designs = _extended(buyer, market, noise, topics, sorted(tried))
    else:
        designs = buyer.designs(market, pilot, market.effective(pilot), [{RUN: r} for r in tried])
    return Spending(
        **buyer.settings,
        now=market.price(pilot),
        facets=(),
        best_runs=best,
        best_low=min(ends[0], best),
        best_high=max(ends[1], best),
        next=market.one_more((TOPIC, RUN), pilot, around),
        designs=designs,
        runs=_more_runs(buyer.beliefs, noise),
        ratio=noise.ratio,
        extend=extend,
    )


def _additions(market: Market, budget: float | None, runs: float, tried: list[int]) -> list[dict[str, int]]:
    """New topics, their runs, and runs added on each of the pilot's topics, so that all have the same number.

    If the budget cannot pay that many for the pilot, it pays as many as it can. Without a budget, only runs
    are added.
    """
    if budget is None:
        more_than_now = [r for r in tried if r > runs + 1e-6] or [2 * math.ceil(runs), 4 * math.ceil(runs)]
        return [{TOPIC: 0, RUN: r, MORE: math.ceil(r - runs - 1e-6)} for r in more_than_now]
    each = market.prices[MORE,]
    paid = math.inf if each == 0 else int(budget / each + 1e-9)
    found: list[dict[str, int]] = []
    for wanted in tried:
        more = max(math.ceil(wanted - runs - 1e-6), 0)
        used = int(min(more, paid))
        one = {RUN: wanted if used == more else max(math.floor(runs + used + 1e-6), 1), MORE: used}
        one[TOPIC] = market.topics(one, budget)
        if (used or one[TOPIC]) and one not in found:
            found.append(one)
    if not found:
        raise InputError(f"a budget of {budget:,.6g} does not pay one more topic; give more")
    return found


def _extended(
    buyer: Buyer, market: Market, noise: RunNoise, topics: int, tried: list[int]
) -> tuple[NoiseDesign, ...]:
    """Designs of the pilot together with each purchase (eq. 24)."""
    tails = [(1 - buyer.level) / 2, (1 + buyer.level) / 2]
    market = replace(market, prices={**market.prices, (MORE,): topics * market.prices[RUNS]})
    bought = [
        (buyer.beliefs.topics * _added(noise, one[TOPIC] / topics, one[RUN], one[MORE]), one)
        for one in _additions(market, buyer.budget, round(noise.runs, 9), tried)
    ]
    # New topics with so few runs that they add more noise than evidence are not offered.
    useful = [(added, one) for added, one in bought if added > 0] or [max(bought, key=lambda pair: pair[0])]
    found = []
    for added, one in useful:
        new, added = one[TOPIC], max(added, 0.0)
        estimate = buyer.beliefs.tau(added, extend=True)
        drawn = draw_collections(buyer.beliefs, [added], [TAU], buyer.draws, buyer.rng, True)
        tau = drawn.values["tau"][0]
        low, high = map(float, np.quantile(np.clip(tau + estimate - tau.mean(), -1.0, 1.0), tails))
        ends, price = (min(low, estimate), max(high, estimate)), market.price(one)
        found.append(
            NoiseDesign(topics + new, {}, one[RUN], price, math.nan, estimate, *ends, one[MORE], new)
        )
    return tuple(sorted(found, key=lambda one: (one.runs, one.more_runs)))


def _added(noise: RunNoise, times: float, runs: float, more: float) -> float:
    """Effective topics that an extension adds, over those of the pilot (eq. 10 and 24).

    The pilot's topics have `more` runs each, and there are `times` as many new ones with `runs` each.
    """
    share = noise.capped
    today = 1 - share * (1.0 if math.isinf(more) else more / (noise.runs + more))
    new = 1 - share + share * noise.runs / runs
    return (1 + times) ** 2 / (today + times * new) - 1


def _more_runs(beliefs: Beliefs, noise: RunNoise) -> tuple[MoreRuns, ...]:
    made = []
    each = beliefs.topics / (1 - noise.capped)  # effective topics of this many without run noise
    for runs in (*TRIED, None):
        per_topic = 1.0 if runs is None else 1 + noise.ratio / runs
        new = beliefs.tau(each / per_topic)
        more = math.inf if runs is None else runs - noise.runs
        same = math.nan
        if more > -1e-6:
            same = beliefs.tau(beliefs.topics * _added(noise, 0.0, 1, max(more, 0.0)), extend=True)
        made.append(MoreRuns(runs, new, same))
    return tuple(made)
