"""The search for what to buy: topics against runs, levels, battles or documents (docs/methods/noise.md).

Each kind of collection says what its purchases cost and what variance they leave, as a `Market`. Numbers of
runs, levels, battles or documents are tried one after another, and the budget pays for topics.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.random import Generator

from truerank._support.arguments import setting
from truerank._support.notes import Note
from truerank._support.units import Noun
from truerank.coefficients import TAU
from truerank.errors import InputError
from truerank.planning.beliefs import Beliefs
from truerank.planning.curves import curve_of
from truerank.planning.designs import (
    ArenaDesign,
    ArenaPlan,
    BudgetDesign,
    Judging,
    MoreRuns,
    NoiseDesign,
    Spending,
)
from truerank.planning.draws import draw_collections
from truerank.planning.purchases import (
    BATTLE,
    DOCUMENT,
    LEVEL,
    RUN,
    TOPIC,
    Counts,
    Market,
    check_budget,
    prices_of,
)
from truerank.reliability.arena import ArenaNoise
from truerank.reliability.estimators import eb
from truerank.reliability.means import Means
from truerank.reliability.means.facet_means import FacetParts
from truerank.reliability.means.run_noise import LARGEST_SHARE, RunNoise
from truerank.reliability.reruns import NextMean, expected_tau
from truerank.repeats import Facet

TRIED = (1, 2, 3, 5, 10, 20)
"""Numbers of runs and of levels that are tried."""

MOST_RUNS = 1_000
"""The largest number of runs of a design."""

MULTIPLES = (0.25, 0.5, 1.0, 2.0, 4.0)
"""Documents of a topic, or battles of a prompt, over those of the pilot, that are tried."""

MANY = 10.0
"""The largest multiple of battles."""

CELLS, RUNS = (TOPIC, LEVEL), (TOPIC, LEVEL, RUN)
"""Of what there are as many as topics × levels, and × runs; without a facet there is one level."""

MORE = "more"
"""Of an extension, runs added on each of the pilot's topics."""

CANNOT = Note(
    "other-pools",
    "the budget compares topics with documents of a larger or smaller collection, judged as this one was. "
    "It says nothing of deeper pools: the scores do not have documents that nobody judged",
)
"""The warning that goes with designs for a budget of judgments."""


def prices_of_runs(cost: Mapping[str, float], noun: Noun, facet: str | None) -> dict[str, float]:
    """The prices of a topic (or its noun), a run, and a level (or the facet's name).

    Raises:
        InputError: an unknown name, a price below 0, one that is missing, or nothing that costs anything.
    """
    known = {TOPIC: TOPIC, noun: TOPIC, RUN: RUN} | ({} if facet is None else {LEVEL: LEVEL, facet: LEVEL})
    given = prices_of(cost, known)
    for source, name in {TOPIC: noun, RUN: RUN, LEVEL: facet}.items():
        if name is not None and source not in given:
            of = " (all systems once on one topic)" if source == RUN else ""
            missing = f"the price of a {name}{of} is not given; add {name}=PRICE to {setting('cost')}"
            raise InputError(f"{missing}, or {name}=0 where it is free")
    if not given[TOPIC] + given[RUN] > 0:
        raise InputError("topics and runs are both free, so there is nothing to choose; give one a price")
    return {LEVEL: 0.0} | given


@dataclass(frozen=True)
class Buyer:
    """A plan's beliefs, prices by source (if any were given), budget and settings."""

    beliefs: Beliefs
    prices: dict[str, float] | None
    budget: float | None
    level: float
    rng: Generator
    draws: int

    @property
    def price(self) -> dict[str, float]:
        """The prices; where none were given a topic costs as much as a run of it."""
        return self.prices or {TOPIC: 1.0, RUN: 1.0, LEVEL: 0.0}

    def market(self, variances: Mapping[tuple[str, ...], float]) -> Market:
        """These variances for these prices."""
        price = self.price
        return Market({(TOPIC,): price[TOPIC], (LEVEL,): price[LEVEL], RUNS: price[RUN]}, variances)

    def designs(self, market: Market, topics: int, tried: Iterable[Counts]) -> tuple[NoiseDesign, ...]:
        """What the budget, or else as many topics, brings at each of these counts of levels and runs.

        Raises:
            InputError: nowhere two topics.
        """
        counts = [
            {**one, TOPIC: topics if self.budget is None else market.topics(one, self.budget)}
            for one in tried
        ]
        counts = sorted((one for one in counts if one[TOPIC] >= 2), key=market.effective)
        if not counts:
            raise InputError(f"a budget of {self.budget:,.6g} does not pay two topics; give more")
        effective = np.array([market.effective(one) for one in counts])
        drawn = draw_collections(self.beliefs, effective.tolist(), [TAU], self.draws, self.rng)
        curve = curve_of(self.beliefs, TAU, drawn, effective, False, self.level)
        found = [
            NoiseDesign(
                int(one[TOPIC]),
                int(one[LEVEL]),
                int(one[RUN]),
                market.price(one),
                float(e),
                float(a),
                float(b),
            )
            for one, e, a, b in zip(counts, curve.expected, curve.low, curve.high, strict=True)
        ]
        return tuple(sorted(found, key=lambda one: (one.levels, one.runs)))


def variances_of_facet(facet: Facet, parts: FacetParts) -> dict[tuple[str, ...], float]:
    """The parts of V with a facet (eq. 17); the noise of one run a cell is part of the cell's."""
    run = 0.0 if math.isnan(facet.run_variance) else min(facet.run_variance, parts.rest * facet.runs)
    of_cells = max(parts.rest - run / facet.runs, 0.0)
    return {(LEVEL,): parts.system_level, (TOPIC,): parts.system_topic, CELLS: of_cells, RUNS: run}


def spending_on_levels(buyer: Buyer, facet: Facet, parts: FacetParts) -> Spending:
    """Topics, runs and levels of a facet, from a pilot whose levels are a sample."""
    market = buyer.market(variances_of_facet(facet, parts))
    k, budget = facet.runs, buyer.budget
    runs = (max(round(k), 1),) if budget is None else TRIED if market.variances[RUNS] > 0 else (1,)
    pilot = {TOPIC: parts.topics, LEVEL: parts.levels, RUN: k}
    return Spending(
        budget=math.nan if budget is None else budget,
        prices=buyer.price,
        assumed=buyer.prices is None,
        facet=facet.name,
        best_runs=math.nan,
        best_low=math.nan,
        best_high=math.nan,
        level=buyer.level,
        next=market.one_more((TOPIC, RUN, LEVEL), pilot, (LEVEL,), parts.interval(buyer.level)),
        designs=buyer.designs(market, parts.topics, [{LEVEL: f, RUN: r} for f in TRIED for r in runs]),
    )


def spending_on_runs(
    buyer: Buyer, means: Means, noise: RunNoise, topics: int, extend: bool = False
) -> Spending:
    """Topics against runs, from a pilot with repeats; to extend, what is bought on top of it."""
    market = buyer.market({(TOPIC,): noise.topic_variance, RUNS: noise.run_variance})
    low, high = (min(end, LARGEST_SHARE) for end in noise.interval(buyer.level))
    pilot = {TOPIC: topics, LEVEL: 1, RUN: round(noise.runs, 9)}
    best = market.best(RUNS)
    ends = [market.with_share(RUNS, share, pilot).best(RUNS) for share in (low, high)]
    tried = set(TRIED)
    if buyer.budget is not None and math.isfinite(best):
        tried.add(min(max(round(best), 1), MOST_RUNS))
    if extend:
        designs = _extended(buyer, market, means, noise, topics, sorted(tried))
    else:
        designs = buyer.designs(market, topics, [{LEVEL: 1, RUN: r} for r in tried])
    return Spending(
        budget=math.nan if buyer.budget is None else buyer.budget,
        prices=buyer.price,
        assumed=buyer.prices is None,
        facet=None,
        best_runs=best,
        best_low=min(ends[0], best),
        best_high=max(ends[1], best),
        level=buyer.level,
        next=market.one_more((TOPIC, RUN), pilot, RUNS, (low, high)),
        designs=designs,
        runs=_more_runs(buyer.beliefs, means, noise),
        ratio=noise.ratio,
        extend=extend,
    )


def _additions(market: Market, budget: float | None, runs: float, tried: list[int]) -> list[dict[str, int]]:
    """New topics, their runs, and runs added on each of the pilot's topics, so that all have as many.

    Where a budget does not pay as many for the pilot, it pays as many as it can. Without a budget, runs alone
    are added.

    Raises:
        InputError: the budget pays nothing.
    """
    if budget is None:
        more_than_now = [r for r in tried if r > runs + 1e-6] or [2 * math.ceil(runs), 4 * math.ceil(runs)]
        return [{TOPIC: 0, LEVEL: 1, RUN: r, MORE: math.ceil(r - runs - 1e-6)} for r in more_than_now]
    each = market.prices[MORE,]
    paid = math.inf if each == 0 else int(budget / each + 1e-9)
    found: list[dict[str, int]] = []
    for wanted in tried:
        more = max(math.ceil(wanted - runs - 1e-6), 0)
        used = int(min(more, paid))
        one = {LEVEL: 1, RUN: wanted if used == more else max(math.floor(runs + used + 1e-6), 1), MORE: used}
        one[TOPIC] = market.topics(one, budget)
        if (used or one[TOPIC]) and one not in found:
            found.append(one)
    if not found:
        raise InputError(f"a budget of {budget:,.6g} does not pay one more topic; give more")
    return found


def _extended(
    buyer: Buyer, market: Market, means: Means, noise: RunNoise, topics: int, tried: list[int]
) -> tuple[NoiseDesign, ...]:
    """What the pilot and each purchase bring together (eq. 24)."""
    posterior, of_pairs = eb.posterior(means), noise.pair_shares(means)
    tails = [(1 - buyer.level) / 2, (1 + buyer.level) / 2]
    market = replace(market, prices={**market.prices, (MORE,): topics * market.prices[RUNS]})
    found = []
    for bought in _additions(market, buyer.budget, round(noise.runs, 9), tried):
        new, runs, more = bought[TOPIC], bought[RUN], bought[MORE]
        next_mean = partial(_next_mean, runs=noise.runs, times=new / topics, again=runs, more=more)
        estimate = expected_tau(posterior, means.common_degrees, next_mean, of_pairs)
        # Some more effective topics have the same a : b; what is left of the noise's scale is luck.
        asked = next_mean(noise.capped)
        ratio = asked.truth / asked.seen
        luck = math.sqrt(asked.variance / (asked.truth * asked.seen))
        added = [ratio * buyer.beliefs.topics]
        drawn = draw_collections(buyer.beliefs, added, [TAU], buyer.draws, buyer.rng, True, luck)
        tau = drawn.values["tau"][0]
        low, high = map(float, np.quantile(np.clip(tau + estimate - tau.mean(), -1.0, 1.0), tails))
        ends = min(low, estimate), max(high, estimate)
        found.append(NoiseDesign(topics + new, 1, runs, market.price(bought), estimate, *ends, more, new))
    return tuple(sorted(found, key=lambda one: (one.runs, one.more_runs)))


def _next_mean(share: float, runs: float, times: float, again: float, more: float) -> NextMean:
    """The mean of today's topics with more runs and of new ones; the share is that of today's runs."""
    today = NextMean.more(share, runs, more) if more else NextMean(0.0, 1.0, 0.0, "truth")
    return today.with_new_topics(share, runs, times, again)


def _more_runs(beliefs: Beliefs, means: Means, noise: RunNoise) -> tuple[MoreRuns, ...]:
    found, of_pairs = eb.posterior(means), noise.pair_shares(means)
    k, made = noise.runs, []
    each = beliefs.topics / (1 - noise.capped)  # effective topics of this many without run noise
    for runs in (*TRIED, None):
        per_topic = 1.0 if runs is None else 1 + noise.ratio / runs
        new = _tau(beliefs, each / per_topic)
        added = math.inf if runs is None else runs - k
        same = math.nan
        if abs(added) < 1e-6:
            same = _tau(beliefs, 0.0, extend=True)
        elif added > 0:
            more = partial(NextMean.more, runs=k, added=added)
            same = expected_tau(found, means.common_degrees, more, of_pairs)
        made.append(MoreRuns(runs, new, same))
    return tuple(made)


def arena_plan(
    beliefs: Beliefs,
    noise: ArenaNoise,
    each: float,
    needed: float,
    cost: Mapping[str, float] | None,
    unit: str,
    budget: float | None = None,
    extend: bool = False,
) -> ArenaPlan:
    """Prompts against battles on each.

    Args:
        beliefs: after the pilot.
        noise: of the pilot.
        each: effective prompts a prompt of the pilot's kind.
        needed: prompts of the pilot's kind for the first target; infinite where none are enough, or asked.
        cost: prices by name: ``prompt`` (or ``topic``, or `unit`) and ``battle``; 0 and 1 unless given.
        unit: what a prompt is called.
        budget: to spend at these prices.
        extend: whether the pilot's prompts are kept, so that only those that are added cost something.

    Raises:
        InputError: an unknown price, a battle that costs nothing, or a budget that pays for no prompt.
    """
    check_budget(budget)
    known = dict.fromkeys(("prompt", unit, "topic"), TOPIC) | {BATTLE: BATTLE}
    price = {TOPIC: 0.0, BATTLE: 1.0} | prices_of(cost, known)
    if not price[BATTLE] > 0:
        raise InputError(
            f"costs must be 0 or more for a prompt and above 0 for a battle, not {price[TOPIC]:g} and "
            f"{price[BATTLE]:g}"
        )
    battles = (TOPIC, BATTLE)
    market = Market(
        {(TOPIC,): price[TOPIC], battles: price[BATTLE]},
        {(TOPIC,): noise.by_prompt, battles: noise.by_battle},
    )
    least = market.price({TOPIC: 1, BATTLE: 1})
    if budget is not None and cost is not None and budget < least:
        raise InputError(
            f"a budget of {budget:g} does not pay for one prompt with one battle, which cost "
            f"{least:g}; give more"
        )
    cheapest = math.nan
    if cost is not None and noise.by_prompt > 0:
        cheapest = max(market.best(battles), 1.0)  # docs/methods/preferences.md (11)
    sizes = {max(1, round(noise.battles_each * multiple)) for multiple in (*MULTIPLES, MANY)}
    if not math.isnan(cheapest):
        sizes.add(round(cheapest))
    now = market.variance({TOPIC: 1, BATTLE: noise.battles_each})
    kept = noise.prompts if extend else 0
    designs = []
    for k in sorted(sizes):
        one = {TOPIC: 1, BATTLE: k}
        worth = now / market.variance(one)
        prompts = in_all = voters = bought = reached = None
        paid = math.nan
        if math.isfinite(needed):
            added = max(math.ceil((needed - kept) / worth - 1e-9), 0 if extend else 1)
            prompts, in_all = kept + added, round(kept * noise.battles_each) + added * k
            voters = None if noise.votes is None else max(1, math.ceil(in_all / noise.votes))
            paid = math.nan if cost is None else market.price({TOPIC: added, BATTLE: k})
        if cost is not None and budget is not None:
            bought = market.topics(one, budget)
            if bought >= 1 or extend:
                reached = _tau(beliefs, bought * each * worth, extend)
        estimate = _tau(beliefs, noise.prompts * each * worth)
        designs.append(ArenaDesign(k, prompts, in_all, voters, paid, estimate, bought, reached))
    return ArenaPlan(
        noise.battles_each, min(noise.share_prompts, 1.0), noise.enough, cheapest, tuple(designs), budget
    )


def _tau(beliefs: Beliefs, topics: float, extend: bool = False) -> float:
    """τ expected of so many effective topics, new ones or beside the pilot's."""
    wrong = beliefs.wrong_by_extension if extend else beliefs.wrong
    return float(1 - 2 * wrong([topics])[0])


def budget_designs(beliefs: Beliefs, judging: Judging) -> tuple[BudgetDesign, ...]:
    """What the budget gives for few and for many documents per topic, where it pays for two topics.

    Raises:
        InputError: no topic has a judgment, or the budget nowhere pays for two.
    """
    if judging.per_topic <= 0:
        raise InputError("no topic has a judgment, so there is nothing to budget for")
    documents = (TOPIC, DOCUMENT)
    market = Market(
        {documents: judging.per_topic}, {(TOPIC,): judging.by_topics, documents: judging.by_documents}
    )
    tried = [{TOPIC: 1, DOCUMENT: multiple} for multiple in MULTIPLES]
    if not (math.isfinite(judging.budget) and market.topics(tried[0], judging.budget) >= 2):
        raise InputError(
            f"a budget of {judging.budget:,.0f} judgments does not pay two topics of {judging.per_topic:,.0f}"
        )
    now = market.variance({TOPIC: 1, DOCUMENT: 1})
    found = []
    for one in tried:
        topics, then = market.topics(one, judging.budget), market.variance(one)
        if topics >= 2:
            paid = round(market.price({**one, TOPIC: topics}))
            tau = _tau(beliefs, topics * (now / then if then > 0 else 1.0))
            found.append(BudgetDesign(one[DOCUMENT], topics, paid, tau))
    return tuple(found)
