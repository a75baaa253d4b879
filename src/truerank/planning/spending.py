"""Topics, runs and levels of a facet: what each adds for its price (docs/methods/noise.md)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from truerank._support.arguments import setting
from truerank._support.types import Fraction, LeftOut, Level, OrNaN, Vector
from truerank._support.units import Noun
from truerank.errors import InputError
from truerank.reliability.means.facet_means import FacetParts
from truerank.reliability.means.run_noise import RunNoise
from truerank.repeats import Facet

RUNS = (1, 2, 3, 5, 10, 20)
LEVELS = (1, 2, 3, 5, 10, 20)
"""Numbers of runs and levels that are looked at."""

TOPIC, RUN, LEVEL = "topic", "run", "level"


def named_prices(cost: Mapping[str, float] | None, known: Mapping[str, str]) -> dict[str, float]:
    """Prices by what they are of.

    Args:
        cost: as the user gave them, by name.
        known: what each name that has a price means.

    Raises:
        InputError: a name of nothing, two names of one thing, or a price that is none.

    Example:
        >>> named_prices({"question": 2}, {"topic": "topic", "question": "topic"})
        {'topic': 2.0}
    """
    found: dict[str, float] = {}
    names: dict[str, str] = {}
    for name, price in (cost or {}).items():
        if name not in known:
            raise InputError(f"nothing here is called {name!r} that has a price; name {', '.join(known)}")
        what = known[name]
        if what in found:
            raise InputError(f"{names[what]!r} and {name!r} are one thing; give one price")
        if not (math.isfinite(price) and price >= 0):
            raise InputError(f"the price of a {name} must be 0 or more, not {price:g}")
        found[what], names[what] = float(price), name
    return found


def check_budget(budget: float | None) -> None:
    """Refuse a sum that nobody can spend."""
    if budget is not None and not (budget > 0 and math.isfinite(budget)):
        raise InputError(f"a budget must be above 0, not {budget:g}")


@dataclass(frozen=True)
class Prices:
    """What things cost, in any unit.

    Attributes:
        topic: a new topic.
        run: one run of all systems on a topic, at one level.
        level: a new level of the facet.

    Example:
        >>> Prices(topic=1, run=0.05).of(100, 3)
        115.0
    """

    topic: float = 1.0
    run: float = 1.0
    level: float = 0.0

    @classmethod
    def of_names(cls, cost: Mapping[str, float] | None, noun: Noun, facet: str | None) -> Prices:
        """Prices by name: ``topic`` or what a topic is called, ``run``, and ``level`` or the facet's name.

        Raises:
            InputError: a name of nothing, a price that is none, or one that is not given.
        """
        known = {TOPIC: TOPIC, noun: TOPIC, RUN: RUN}
        known |= {LEVEL: LEVEL, facet: LEVEL} if facet is not None else {}
        given = named_prices(cost, known)
        for what, name in {TOPIC: noun, RUN: RUN, LEVEL: facet}.items():
            if name is not None and what not in given:
                of = " (all systems once on one topic)" if what == RUN else ""
                asked = f"the price of a {name}{of} is not given; add {name}=PRICE to {setting('cost')}"
                raise InputError(f"{asked}, or {name}=0 where it is free")
        made = cls(**given)
        if not made.topic + made.run > 0:
            raise InputError("topics and runs are both free, so there is nothing to choose; give one a price")
        return made

    def of(self, topics: float, runs: float, levels: float = 1) -> float:
        """The price of a design."""
        return self.topic * topics + self.level * levels + self.run * topics * levels * runs

    def topics(self, runs: float, levels: float = 1, budget: float = 0.0) -> int:
        """Topics that a budget pays at that many runs and levels."""
        each = self.topic + self.run * levels * runs
        return max(int((budget - self.level * levels) / each + 1e-9), 0)


@dataclass(frozen=True)
class NoiseDesign:
    """One way to spend.

    Attributes:
        topics: of the collection; of an extension the pilot's among them.
        levels: of the facet; 1 without one.
        runs: of each system on each topic, at each level; of an extension on each new topic.
        cost: of all that; of an extension without the pilot.
        estimate: τ expected.
        low: lower end of where one such collection will lie.
        high: upper end.
        more_runs: of an extension, runs added on each of the pilot's topics.
        new_topics: of an extension, topics added.

    Example:
        >>> NoiseDesign(100, 1, 3, 115.0, 0.8, 0.7, 0.9).runs
        3
    """

    topics: int
    levels: int
    runs: int
    cost: float
    estimate: float
    low: float
    high: float
    more_runs: int = 0
    new_topics: int = 0


@dataclass(frozen=True)
class Purchase:
    """One more of something.

    Attributes:
        what: ``topic``, ``run`` (of all systems on all topics) or ``level``.
        price: of one more.
        gain: share of the variance of a difference that it takes away.
        low: lower end of its interval.
        high: upper end; all three are the same where nothing is estimated.
        per_price: gain per unit of price; ``None`` where it is free.

    Example:
        >>> Purchase("topic", 2.0, 0.01, 0.01, 0.01).per_price
        0.005
    """

    what: str
    price: float
    gain: Fraction
    low: Fraction
    high: Fraction
    per_price: OrNaN = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "per_price", self.gain / self.price if self.price > 0 else math.nan)

    @property
    def worth(self) -> tuple[float, float, float]:
        """What comes before what: gain per price and its interval, infinite where it is free."""
        if self.price <= 0:
            return math.inf, math.inf, math.inf
        return self.gain / self.price, self.low / self.price, self.high / self.price


@dataclass(frozen=True)
class MoreRuns:
    """What a number of runs brings.

    Attributes:
        runs: of each system on each topic; ``None``: without end.
        new_topics: τ expected on as many new topics as the pilot has.
        same_topics: τ expected of the pilot's topics, where they get these runs in all; ``None`` for fewer
            than they have.

    Example:
        >>> MoreRuns(3, 0.8, 0.81).runs
        3
    """

    runs: int | None
    new_topics: float
    same_topics: OrNaN


@dataclass(frozen=True)
class Spending:
    """What to buy next, and how best to spend a budget.

    Attributes:
        budget: that is spent; ``None`` where none was given.
        prices: of one of each.
        assumed: whether these prices are assumed, as none were given.
        facet: column of the facet whose levels can be bought; ``None`` without one.
        best_runs: K*, the best number of runs of a topic, not rounded; ``None`` with a facet.
        best_low: lower end of its interval; ``None`` likewise.
        best_high: upper end; ``None`` likewise.
        level: confidence level of the intervals of K* and of gains.
        next: purchases, the best first.
        designs: ways to spend the budget; without one the pilot's topics with other numbers of runs, or of
            levels.
        runs: what other numbers of runs bring; without a facet.
        ratio: q, the variance of runs over that of topics; ``None`` with a facet.
        extend: whether designs add to the pilot; otherwise they are new collections, bought from nothing.
    """

    budget: OrNaN
    prices: Prices
    assumed: bool
    facet: str | None
    best_runs: OrNaN
    best_low: OrNaN
    best_high: OrNaN
    level: Level
    next: tuple[Purchase, ...]
    designs: tuple[NoiseDesign, ...]
    runs: LeftOut[tuple[MoreRuns, ...]] = None
    ratio: OrNaN = math.nan
    extend: bool = False

    @property
    def best(self) -> NoiseDesign:
        """The design with the greatest τ."""
        return max(self.designs, key=lambda one: one.estimate)


@dataclass(frozen=True)
class Variances:
    """The parts of the variance of a difference (eq. 17).

    Attributes:
        level: A, of systems × levels.
        topic: B, of systems × topics.
        cell: C, of systems × topics × levels without runs.
        run: D, of one run.
    """

    level: float
    topic: float
    cell: float
    run: float

    @classmethod
    def of_runs(cls, noise: RunNoise) -> Variances:
        """Without a facet."""
        return cls(0.0, noise.topic_variance, 0.0, noise.run_variance)

    @classmethod
    def of_facet(cls, facet: Facet, parts: FacetParts) -> Variances:
        """With a facet; where there is one run a cell, its noise is part of the cell's."""
        run = 0.0 if math.isnan(facet.run_variance) else min(facet.run_variance, parts.rest * facet.runs)
        return cls(parts.system_level, parts.system_topic, max(parts.rest - run / facet.runs, 0.0), run)

    def total(self, topics: float, levels: float, runs: float) -> float:
        """V of a design."""
        of_cells = self.cell / (topics * levels) + self.run / (topics * levels * runs)
        return self.level / levels + self.topic / topics + of_cells

    def effective(self, topics: float, levels: float, runs: float) -> float:
        """Topics without any other noise that would leave as much."""
        v = self.total(topics, levels, runs)
        return self.topic / v if v > 0 else float(topics)

    def gains(self, topics: float, levels: float, runs: float) -> dict[str, float]:
        """By what share one more of each lessens V (eq. 18)."""
        v = self.total(topics, levels, runs)
        if not v > 0:
            return {}
        return {
            TOPIC: (1 - self.level / levels / v) / (topics + 1),
            RUN: self.run / (topics * levels * runs) / v / (runs + 1),
            LEVEL: (1 - self.topic / topics / v) / (levels + 1),
        }

    def noisier(self, share: float, topics: float, levels: float, runs: float, by: str) -> Variances:
        """The same where that share of V comes from its runs, or from its levels, as `by` says."""
        v = self.total(topics, levels, runs)
        if by == RUN:
            return Variances(0.0, (1 - share) * v * topics, 0.0, share * v * topics * runs)
        rest = v - self.level / levels
        left = (1 - share) * v / rest if rest > 0 else 0.0
        return Variances(share * v * levels, *(left * one for one in (self.topic, self.cell, self.run)))


def purchases(
    variances: Variances,
    prices: Prices,
    size: tuple[float, float, float],
    share: tuple[float, float],
    facet: bool,
) -> tuple[Purchase, ...]:
    """One more topic, run or level, the best for its price first.

    Args:
        variances: of the pilot.
        prices: of one of each.
        size: topics, levels and runs of the pilot.
        share: interval of the share of V that comes from runs, or from levels where there is a facet. Each
            gain rises or falls with it, so its ends are those of the gains.
        facet: whether levels can be bought.
    """
    topics, levels, runs = size
    price = {
        TOPIC: prices.topic + levels * runs * prices.run,
        RUN: topics * levels * prices.run,
        LEVEL: prices.level + topics * runs * prices.run,
    }
    if not facet:
        del price[LEVEL]
    gains = variances.gains(*size)
    by = LEVEL if facet else RUN
    ends = [variances.noisier(end, *size, by=by).gains(*size) for end in share]
    found = [
        Purchase(what, price[what], gain, *_around(gain, [end[what] for end in ends]))
        for what, gain in gains.items()
        if what in price and gain > 0
    ]
    return tuple(sorted(found, key=lambda one: -one.worth[0]))


def _around(value: float, ends: Sequence[float]) -> tuple[float, float]:
    """The ends in order, with the value between them."""
    return min(value, *ends), max(value, *ends)


def best_runs(prices: Prices, ratio: float) -> float:
    """``K* = √((c_t/c_r)·σ²_run/σ²_topic)``, the same for every τ (eq. 19).

    >>> round(best_runs(Prices(topic=10, run=1), 1.0), 1)
    3.2
    """
    if prices.run <= 0:
        return math.inf
    return math.sqrt(prices.topic / prices.run * ratio)


@dataclass(frozen=True)
class FacetWorth:
    """Effective topics of collections with as many levels and runs as the pilot."""

    variances: Variances
    levels: int
    runs: float

    def worth(self, sizes: Vector) -> Vector:
        """Effective topics of those sizes."""
        return np.array([self.variances.effective(size, self.levels, self.runs) for size in sizes])
