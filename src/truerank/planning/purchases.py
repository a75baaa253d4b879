"""Purchases that make a ranking more certain: their price, the variance that they leave, and ways to spend.

A purchase is a count of each source of noise, such as ``{"topic": 100, "judge": 2, "run": 3}``. Every price,
and every part of the variance of a difference, belongs to a product of sources P (docs/methods/noise.md, eq.
17)::

    price = Σ c_P · Π_{s in P} count_s        V = Σ v_P / Π_{s in P} count_s
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from truerank._support.types import Fraction, LeftOut, Level, OrNaN
from truerank.errors import InputError

TOPIC, RUN = "topic", "run"

# Sources whose counts are multiplied: there are as many runs as topics × levels × runs of each.
Product = tuple[str, ...]

Counts = Mapping[str, float]  # a purchase: how many of each source, each per unit of those above it


@dataclass(frozen=True)
class Market:
    """The prices of sources of noise, and their parts of the variance of a difference."""

    prices: Mapping[Product, float]  # c_P
    variances: Mapping[Product, float]  # v_P

    def price(self, counts: Counts) -> float:
        """The price of a purchase."""
        return sum(price * _units(product, counts) for product, price in self.prices.items())

    def variance(self, counts: Counts) -> float:
        """V, the variance of a difference after it."""
        return sum(part / _units(product, counts) for product, part in self.variances.items())

    def effective(self, counts: Counts) -> float:
        """The number of topics without other noise that would leave the same variance."""
        v = self.variance(counts)
        return self.variances[TOPIC,] / v if v > 0 else float(counts[TOPIC])

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

    def with_share(self, product: Product, share: float, counts: Counts) -> Market:
        """The market with the same V in which one part has this share of it."""
        v = self.variance(counts)
        rest = v - self.variances[product] / _units(product, counts)
        left = (1 - share) * v / rest if rest > 0 else 0.0
        parts = {one: left * part for one, part in self.variances.items()}
        return replace(self, variances=parts | {product: share * v * _units(product, counts)})

    def gain(self, source: str, counts: Counts) -> float:
        """The share of V that one more of a source removes (eq. 18)."""
        v = self.variance(counts)
        of_source = sum(part / _units(p, counts) for p, part in self.variances.items() if source in p)
        return of_source / v / (counts[source] + 1) if v > 0 else 0.0

    def one_more(
        self, sources: Sequence[str], counts: Counts, others: Sequence[Market], level: float = 1.0
    ) -> tuple[OneMore, ...]:
        """One more of each source, the best for its price first."""
        found = []
        for source in sources:
            gain = self.gain(source, counts)
            around = [other.gain(source, counts) for other in others] or [gain]
            low, high = np.quantile(around, [(1 - level) / 2, (1 + level) / 2])
            price = sum(c * _units(p, counts) / counts[source] for p, c in self.prices.items() if source in p)
            if gain > 0:
                found.append(OneMore(source, price, gain, min(float(low), gain), max(float(high), gain)))
        return tuple(sorted(found, key=lambda one: -one.worth[0]))


def _units(product: Product, counts: Counts) -> float:
    return math.prod(counts[source] for source in product)


def prices_of(
    cost: Mapping[str, float] | None, known: Mapping[str, str], remedy: str = ""
) -> dict[Product, float]:
    """Prices by source, or by several sources that a name joins with colons."""
    found: dict[Product, float] = {}
    names: dict[Product, str] = {}
    order = list(dict.fromkeys(known.values()))
    for name, price in (cost or {}).items():
        parts = [name] if name in known else name.split(":")
        for part in parts:
            if part not in known:
                use = remedy or f"name {', '.join(known)}"
                raise InputError(f"nothing here is called {part!r} that has a price; {use}")
        source = tuple(sorted({known[part] for part in parts}, key=order.index))
        if source in found:
            raise InputError(f"{names[source]!r} and {name!r} are one thing; give one price")
        if not (math.isfinite(price) and price >= 0):
            raise InputError(f"the price of a {name} must be 0 or more, not {price:g}")
        found[source], names[source] = float(price), name
    return found


def check_budget(budget: float | None) -> None:
    """Refuse a budget that is not a positive number."""
    if budget is not None and not (budget > 0 and math.isfinite(budget)):
        raise InputError(f"a budget must be above 0, not {budget:g}")


@dataclass(frozen=True)
class NoiseDesign:
    """One way to spend.

    Attributes:
        topics: of the collection; for an extension, including the pilot's.
        levels: of each facet.
        runs: of each system on each topic, at each level; for an extension, on each new topic.
        cost: of the design; for an extension, without the pilot.
        variance: of a difference of two scores, halved; null for an extension.
        estimate: τ expected.
        low: lower end of the interval in which τ of one such collection falls.
        high: upper end.
        more_runs: for an extension, runs added on each of the pilot's topics.
        new_topics: for an extension, topics added.
    """

    topics: int
    levels: dict[str, int]
    runs: int
    cost: float
    variance: OrNaN
    estimate: float
    low: float
    high: float
    more_runs: int = 0
    new_topics: int = 0


@dataclass(frozen=True)
class OneMore:
    """One more of something.

    Attributes:
        what: ``topic``, ``run`` (of all systems on all topics), or a facet, of which one more level is
            bought.
        price: of one more.
        gain: share of the variance of a difference that it removes.
        low: lower end of its interval.
        high: upper end; all three are equal where nothing is estimated.
        per_price: gain per unit of price; ``None`` where it is free.
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
        """Gain per price and its interval, infinite where it is free: the order of purchases."""
        if self.price <= 0:
            return math.inf, math.inf, math.inf
        return self.gain / self.price, self.low / self.price, self.high / self.price


@dataclass(frozen=True)
class MoreRuns:
    """The τ that a number of runs brings.

    Attributes:
        runs: of each system on each topic; ``None``: infinitely many.
        new_topics: τ expected on as many new topics as the pilot has.
        same_topics: τ expected of the pilot's topics with this number of runs in all; ``None`` for fewer than
            they have.
    """

    runs: int | None
    new_topics: float
    same_topics: OrNaN


@dataclass(frozen=True, kw_only=True)
class Spending:
    """What to buy next, and how best to spend a budget.

    Attributes:
        budget: to spend; ``None`` if none was given.
        prices: of one ``topic``, of one ``run`` of all systems on a topic at one level of each facet, and of
            one level of each facet, by its name. ``topic:judge``: of each topic at each level.
        assumed: whether these prices are assumed because none were given.
        now: what the pilot’s topics, runs and levels cost at these prices.
        facets: columns of the facets whose levels can be bought.
        best_runs: K*, the best number of runs of a topic, not rounded; ``None`` with facets.
        best_low: lower end of its interval; ``None`` in the same cases.
        best_high: upper end; ``None`` in the same cases.
        level: confidence level of the intervals of K* and of gains.
        next: purchases, the best first.
        designs: ways to spend the budget; without one, the pilot's topics with other numbers of runs or
            levels.
        runs: the τ that other numbers of runs bring; only without facets.
        ratio: q, the variance of runs over that of topics; ``None`` with facets.
        extend: whether designs add to the pilot; otherwise they are new collections, bought from nothing.
    """

    budget: OrNaN
    prices: dict[str, float]
    assumed: bool
    now: float
    facets: tuple[str, ...]
    best_runs: OrNaN = math.nan
    best_low: OrNaN = math.nan
    best_high: OrNaN = math.nan
    level: Level
    next: tuple[OneMore, ...]
    designs: tuple[NoiseDesign, ...]
    runs: LeftOut[tuple[MoreRuns, ...]] = None
    ratio: OrNaN = math.nan
    extend: bool = False

    @property
    def best(self) -> NoiseDesign:
        """The design with the greatest τ."""
        return max(self.designs, key=lambda one: one.estimate)

    @property
    def center(self) -> NoiseDesign:
        """The design from which the others differ by one number: without a budget, that of the pilot."""
        if not self.facets or not math.isnan(self.budget):
            return self.best

        def alike(one: NoiseDesign) -> int:
            return sum(
                one.runs == other.runs and sum(one.levels[k] != other.levels[k] for k in one.levels) <= 1
                for other in self.designs
            )

        return max(self.designs, key=alike)
