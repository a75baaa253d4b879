"""Random rankings: uniform among those with few discordant pairs, and among those near by distance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from truerank._support.types import Matrix
from truerank.errors import InputError
from truerank.experiments.engine.experiment import option
from truerank.experiments.engine.parameters import share
from truerank.experiments.shared.agreement import Trusted, ranked_tables, trusted_by_name
from truerank.experiments.study import every
from truerank.numerics.pairs import paired_t
from truerank.scores import ScoreMatrix

if TYPE_CHECKING:
    from truerank.comparison.distance import Reference

Orders = NDArray[np.intp]

LONGEST_JUMP = 0.25
"""How far a proposed move reaches at most, as a share of the ranking."""


@lru_cache(maxsize=8)
def shares_of_inversions(m: int, most: int) -> Matrix:
    """Row i, column k: the chance that a random ranking of i items has k discordant pairs (Mahonian)."""
    shares = np.zeros((m + 1, most + 1))
    shares[0, 0] = 1.0
    for i in range(1, m + 1):
        for moved in range(min(i - 1, most) + 1):
            shares[i, moved:] += shares[i - 1, : most + 1 - moved] / i
    return shares


def within_tau(m: int, threshold: float, count: int, rng: Generator) -> Orders:
    """Rankings drawn uniformly from all with τ ≥ `threshold` to 0, 1, … m − 1; count × m, best first.

    The number of discordant pairs is drawn by its share. Then, from the last item up, it is drawn how many of
    those before it each item passes.
    """
    most = discordant_within(m, threshold)
    shares = shares_of_inversions(m, most)
    left = rng.choice(most + 1, count, p=shares[m] / shares[m].sum())
    passed = np.zeros((count, m), dtype=np.intp)
    for i in range(m, 0, -1):
        # Item i passes j of the i − 1 before it, which leaves left − j discordant pairs to those.
        j = np.arange(i)
        remaining = left[:, None] - j
        chances = np.where(remaining >= 0, shares[i - 1][np.maximum(remaining, 0)], 0.0)
        ends = np.cumsum(chances, axis=1)
        drawn = rng.random(count) * ends[:, -1]
        passed[:, i - 1] = np.minimum((ends <= drawn[:, None]).sum(axis=1), i - 1)
        left = left - passed[:, i - 1]
    orders = np.empty((count, m), dtype=np.intp)
    for row in range(count):
        order: list[int] = []
        for item in range(m):
            order.insert(item - passed[row, item], item)
        orders[row] = order
    return orders


def discordant_within(m: int, threshold: float) -> int:
    """The most discordant pairs that a ranking of m items with τ ≥ `threshold` can have."""
    if not -1 <= threshold <= 1:
        raise InputError(f"a threshold on tau must be between -1 and 1, not {threshold}")
    pairs = m * (m - 1) // 2
    return int(np.floor(pairs * (1 - threshold) / 2 + 1e-9))


@dataclass(frozen=True)
class ThresholdParameters:
    """The paper's thresholds on τ and on the rank distance."""

    trials: int = option(10, "Batches of rankings of each kind.", grows=True, least=1)
    rankings: int = option(1_000, "Rankings of each kind, a batch.", least=1)
    tau: float = option(0.9, "Threshold on τ.", check=partial(discordant_within, 2))
    alpha: float = option(0.05, "Level of the critical value of the distance.", check=share("alpha"))
    top: int = option(0, "Only so many of the best systems; 0: all.")
    resamples: int = option(10_000, "Bootstrap resamples behind the critical value.", least=1)

    def __post_init__(self) -> None:
        """Refuse a number of systems that makes no ranking."""
        if self.top < 0 or self.top == 1:
            raise InputError(f"top must be 0 (all systems) or at least 2, not {self.top}")


def load(sources: Any, parameters: ThresholdParameters) -> dict[str, ScoreMatrix]:
    """Score tables by name, the best systems of each in ranking order."""
    return ranked_tables(sources, parameters.top)


@dataclass(frozen=True, eq=False)
class Context:
    """The trusted rankings, with the systems in order, and their critical distances."""

    parameters: Any
    trusted: Mapping[str, Trusted]
    critical: Mapping[str, float]


def prepare(parameters: ThresholdParameters, data: Mapping[str, ScoreMatrix], seed: int) -> Context:
    """Bootstrap every table for its critical value."""
    trusted = trusted_by_name(data, parameters.resamples, seed)
    critical = {name: item.distribution.critical_value(parameters.alpha) for name, item in trusted.items()}
    return Context(parameters, trusted, critical)


PARTS: dict[str, Any] = {"load": load, "prepare": prepare, "grid": every()}
"""What an experiment on random rankings is made of, but for what it declares itself."""


def discordant(orders: Orders) -> NDArray[np.int64]:
    """How many pairs each of B orders of 0, 1, … m − 1 has the other way round. O(B·m²)."""
    return np.array([np.count_nonzero(np.triu(o[:, None] > o[None, :], 1)) for o in orders], dtype=np.int64)


class Walk:
    r"""Chains that wander through all rankings whose distance is at most a limit, uniformly in the end.

    A step takes a system out and puts it back some places away, if the ranking stays within the limit. Moves
    are symmetric, so all rankings that can be reached have the same chance (Metropolis and others 1953). No
    ranking is nearer than the largest \|t\| among the pairs that it swaps where λ is 0: most moves beyond the
    limit are refused by that alone.
    """

    def __init__(self, reference: Reference, limit: float, starts: Orders, rng: Generator) -> None:
        self.reference = reference
        self.limit = limit
        self.orders = starts.copy()
        self._rng = rng
        upper = paired_t(reference.scores.values)
        # t[i, j]: evidence that i is above j; a ranking with j above i is no nearer than that.
        self._evidence = upper - upper.T if reference.ridge == 0 else np.zeros_like(upper)
        self._made = self._moved = 0

    @property
    def accepted(self) -> float:
        """Share of the steps that moved."""
        return self._moved / max(self._made, 1)

    def step(self) -> None:
        """One proposal in every chain."""
        chains, m = self.orders.shape
        start = np.asarray(self._rng.integers(0, m, chains))
        reach = max(1, int(LONGEST_JUMP * m))
        # Short moves most often: a length L with a chance falling as 1/L.
        lengths = np.arange(1, reach + 1)
        jump = self._rng.choice(lengths, size=chains, p=(1 / lengths) / (1 / lengths).sum())
        end = np.asarray(start + np.where(self._rng.random(chains) < 0.5, jump, -jump))
        self._made += chains
        rows, proposals = [], []
        for c in np.flatnonzero((end >= 0) & (end < m)).tolist():
            order = self.orders[c]
            a, b = int(start[c]), int(end[c])
            system = order[a]
            crossed = order[a + 1 : b + 1] if b > a else order[b:a]
            against = self._evidence[system, crossed] if b > a else self._evidence[crossed, system]
            if against.max() > self.limit:
                continue
            moved = np.delete(order, a)
            rows.append(c)
            proposals.append(np.insert(moved, b, system))
        if not rows:
            return
        tried = np.array(proposals)
        inside = self.distances(tried) <= self.limit
        self.orders[np.array(rows)[inside]] = tried[inside]
        self._moved += int(inside.sum())

    def distances(self, orders: Orders) -> Matrix:
        """The rank distance of each order."""
        return distances_of(self.reference, orders)


def distances_of(reference: Reference, orders: Orders) -> Matrix:
    """The rank distances of B orders of the reference's systems."""
    values = np.empty(orders.shape)
    np.put_along_axis(values, orders, -np.arange(orders.shape[1], dtype=np.float64)[None, :], axis=1)
    return reference.distances(values)
