"""Topics, runs and levels of a facet: what each adds for its price (docs/methods/noise.md)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from truerank._support.types import LeftOut, OrNaN, Vector
from truerank.errors import InputError
from truerank.reliability.means.facet_means import FacetParts
from truerank.reliability.means.run_noise import RunNoise
from truerank.repeats import Facet

RUNS = (1, 2, 3, 5, 10, 20)
LEVELS = (1, 2, 3, 5, 10, 20)
"""Numbers of runs and levels that are looked at."""

TOPIC, RUN, LEVEL = "topic", "run", "level"


@dataclass(frozen=True)
class Prices:
    """What things cost, in any unit.

    Attributes:
        topic: a new topic.
        run: one run of all systems on a topic, at one level.
        level: a new level of the facet.
        budget: that can be spent; ``None``: what the pilot cost.

    Example:
        >>> Prices(topic=1, run=0.05).of(100, 3)
        115.0
    """

    topic: float = 1.0
    run: float = 1.0
    level: float = 0.0
    budget: float | None = None

    @classmethod
    def of_names(cls, cost: Mapping[str, float] | None, budget: float | None, facet: str | None) -> Prices:
        """Prices by name: ``topic``, ``run``, and ``level`` or the facet's own name.

        Raises:
            InputError: a name of nothing, or a price that is none.
        """
        known = {TOPIC: TOPIC, RUN: RUN} | ({LEVEL: LEVEL, facet: LEVEL} if facet is not None else {})
        found: dict[str, float] = {}
        for name, price in (cost or {}).items():
            if name not in known:
                raise InputError(f"nothing here is called {name!r} that has a price; name {', '.join(known)}")
            if not (math.isfinite(price) and price >= 0):
                raise InputError(f"the price of a {name} must be 0 or more, not {price:g}")
            found[known[name]] = float(price)
        if budget is not None and not (budget > 0 and math.isfinite(budget)):
            raise InputError(f"a budget must be above 0, not {budget:g}")
        made = cls(**found, budget=budget)
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
        topics: of the collection.
        levels: of the facet; 1 without one.
        runs: of each system on each topic, at each level.
        cost: of all that.
        estimate: τ expected.
        low: lower end of where one such collection will lie.
        high: upper end.

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


@dataclass(frozen=True)
class Purchase:
    """One more of something.

    Attributes:
        what: ``topic``, ``run`` (of all systems on all topics) or ``level``.
        price: of one more.
        gain: by what share it lessens the variance of a difference, per unit of price; ``None`` where it is
            free.

    Example:
        >>> Purchase("topic", 1.15, 0.008).what
        'topic'
    """

    what: str
    price: float
    gain: OrNaN


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
        budget: that is spent; what the pilot cost unless given.
        facet: column of the facet whose levels can be bought; ``None`` without one.
        best_runs: K*, the best number of runs of a topic, not rounded; ``None`` with a facet.
        best_low: lower end of its interval; ``None`` likewise.
        best_high: upper end; ``None`` likewise.
        next: purchases, the best first.
        designs: ways to spend the budget; the one with the greatest τ is best.
        runs: what other numbers of runs bring; without a facet.
    """

    budget: float
    facet: str | None
    best_runs: OrNaN
    best_low: OrNaN
    best_high: OrNaN
    next: tuple[Purchase, ...]
    designs: tuple[NoiseDesign, ...]
    runs: LeftOut[tuple[MoreRuns, ...]] = None

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

    def purchases(
        self, prices: Prices, topics: float, levels: float, runs: float, facet: bool
    ) -> list[Purchase]:
        """One more topic, run or level: what each lessens V by, for its price (eq. 18)."""
        v = self.total(topics, levels, runs)
        run = self.run / (topics * levels * runs)
        found = [
            (TOPIC, (v - self.level / levels) / (topics + 1), prices.topic + levels * runs * prices.run),
            (RUN, run / (runs + 1), topics * levels * prices.run),
        ]
        if facet:
            gain = (v - self.topic / topics) / (levels + 1)
            found.append((LEVEL, gain, prices.level + topics * runs * prices.run))
        made = [
            Purchase(what, price, gain / v / price if price > 0 and v > 0 else math.nan)
            for what, gain, price in found
            if gain > 0
        ]
        return sorted(made, key=lambda one: -math.inf if math.isnan(one.gain) else -one.gain)


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
