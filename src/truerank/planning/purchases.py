"""Purchases that make a ranking more certain: their price, and the variance that they leave.

A purchase is a count of each source of noise, such as ``{"topic": 100, "judge": 2, "run": 3}``. Every price,
and every part of the variance of a difference, belongs to a product of sources P (docs/methods/noise.md, eq.
17)::

    price = Σ c_P · Π_{s in P} count_s        V = Σ v_P / Π_{s in P} count_s
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from truerank.errors import InputError
from truerank.planning.designs import OneMore

TOPIC, RUN, BATTLE, DOCUMENT = "topic", "run", "battle", "document"

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
