"""Which systems may be on the true frontier of quality and cost (docs/methods/trade-offs.md).

A system is dominated by another that is at least as good and costs no more, one of the two strictly. In joint
draws of which pairs are truly in which order, the systems that nothing dominates are the frontier of a draw.
The set of those that may be on the true one leaves out as many as it can. In at most 1 − level of the draws
is any of those left out on the frontier.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from truerank._support.tables import Bounded, Column, Name, Share, Word
from truerank._support.types import Fraction, Level, Vector

Bits = NDArray[np.bool_]
Order = Callable[[int], tuple[Bits, Bits]]
"""Of a system i, by one criterion: which systems are truly better, m × k or m × 1, and equal, m × 1."""

YES_NO = {"True": "yes", "False": "no"}

LOG_SPAN = 20
"""Values that span more than this factor are drawn on a log axis."""


@dataclass(frozen=True, eq=False)
class Frontier:
    """What draws say of the frontier of m systems.

    Attributes:
        optimal: whether a system is on the frontier of a draw, m × k.
        dominated_by: the system that dominates each in the most draws, itself if none ever does; length m.
        share: the share of the draws in which that one does, length m.
    """

    optimal: Bits
    dominated_by: NDArray[np.intp]
    share: Vector

    @property
    def probability(self) -> Vector:
        """The chance of each system to be on the true frontier."""
        return self.optimal.mean(axis=1)

    def may_be_optimal(self, level: float, kept: Sequence[int] = ()) -> list[int]:
        """The systems that may be on the true frontier, jointly at the level; those in `kept` always are.

        Left out, one after the other, is the system that adds least to the share of draws in which any of
        those left out is on the frontier. O(m²·k) at most.
        """
        k = self.optimal.shape[1]
        room = int((1 - level) * k + 1e-9)
        covered, inside = np.zeros(k, dtype=bool), [i for i in range(len(self.optimal)) if i not in set(kept)]
        while inside:
            added = (self.optimal[inside] & ~covered).sum(axis=1)
            none = added == 0
            if none.any():
                inside = [i for i, empty in zip(inside, none, strict=True) if not empty]
                continue
            least = int(added.argmin())
            if covered.sum() + added[least] > room:
                break
            covered |= self.optimal[inside.pop(least)]
        return sorted({*inside, *kept})


def frontier(m: int, quality: Order, cost: Order) -> Frontier:
    """The frontier of m systems in each draw, by the order of both criteria. O(m²·k)."""
    rows, best, share = [], np.arange(m), np.zeros(m)
    for i in range(m):
        (better, as_good), (cheaper, as_cheap) = quality(i), cost(i)
        dominates = (better & (cheaper | as_cheap)) | (as_good & cheaper)
        rows.append(~dominates.any(axis=0))
        shares = dominates.mean(axis=1)
        if shares.max(initial=0.0) > 0:
            best[i] = shares.argmax()
            share[i] = shares[best[i]]
    return Frontier(np.array(rows), best, share)


def observed_frontier(quality: Vector, cost: Vector) -> list[int]:
    """The systems that none dominates by the numbers themselves, best first. O(m²).

    Example:
        >>> observed_frontier(np.array([0.9, 0.8, 0.7]), np.array([3.0, 5.0, 1.0]))
        [0, 2]
    """
    good = quality[None, :] >= quality[:, None]
    cheap = cost[None, :] <= cost[:, None]
    strict = (quality[None, :] > quality[:, None]) | (cost[None, :] < cost[:, None])
    found = np.flatnonzero(~(good & cheap & strict).any(axis=1))
    return [int(i) for i in found[np.argsort(-quality[found], kind="stable")]]


def order_of(better: Callable[[int], Bits], groups: Sequence[Sequence[int]], m: int) -> Order:
    """The order by draws or tests, in which systems of one group are equal."""
    group = np.arange(m)
    for equal in groups:
        group[list(equal)] = equal[0]

    def order(i: int) -> tuple[Bits, Bits]:
        equal = (group == group[i])[:, None]
        return better(i) & ~equal, equal

    return order


def order_of_numbers(values: Vector) -> Order:
    """The order by known numbers, higher is better."""
    return lambda i: ((values > values[i])[:, None], (values == values[i])[:, None])


@dataclass(frozen=True)
class TradeOffRow:
    """One system and its place in the trade-off.

    Attributes:
        system: name of the system.
        mean: mean score, the quality.
        mean_low: lower end of the interval of the mean.
        mean_high: upper end of it.
        value: the second criterion, as it was given; its mean where it is scored on topics.
        low: lower end of the interval of `value`; null where it is a known number.
        high: upper end; null in the same case.
        probability: the chance that no other system is at least as good and costs no more.
        in_set: whether it may be on the true frontier, jointly for all systems.
        observed: whether it is on the frontier of the numbers in the table.
        dominated_by: the system that is at least as good and costs no more in the most draws; null where no
            draw has one, and of systems in the set.
        dominated_probability: the share of the draws in which that one is; null in the same cases.
    """

    system: Annotated[str, Column("System", Name())]
    mean: Annotated[float, Column("Mean", Bounded(low="mean_low", high="mean_high"))]
    mean_low: float
    mean_high: float
    value: Annotated[float, Column("{measure}", Bounded(low="low", high="high"))]
    low: float | None
    high: float | None
    probability: Annotated[Fraction, Column("On the frontier", Share())]
    in_set: Annotated[bool, Column("In the set", Word(shown=YES_NO), details=True)]
    observed: Annotated[bool, Column("Observed frontier", Word(shown=YES_NO), details=True)]
    dominated_by: Annotated[str | None, Column("Dominated by", Name())]
    dominated_probability: Annotated[Fraction | None, Column("In", Share())]

    @property
    def ends(self) -> tuple[float, float]:
        """The interval of the second criterion; a known number is its own."""
        return (self.value, self.value) if self.low is None or self.high is None else (self.low, self.high)


@dataclass(frozen=True)
class TradeOff:
    """Which systems may be on the true frontier of quality and a second criterion.

    Attributes:
        measure: name of the second criterion.
        lower_is_better: whether less of it is better.
        level: the probability with which the set has every system on the true frontier.
        by_topic: whether the second criterion is scored on topics; else its numbers are known.
        observed: the systems on the frontier of the numbers in the table, best first.
        systems: those that may be on the true one, best first.
        rows: one per system, best first.
    """

    measure: str
    lower_is_better: bool
    level: Level
    by_topic: bool
    observed: tuple[str, ...]
    systems: tuple[str, ...]
    rows: tuple[TradeOffRow, ...]

    @property
    def logged(self) -> bool:
        """Whether the second criterion is drawn on a log axis."""
        ends = [end for row in self.rows for end in row.ends]
        return min(ends) > 0 and max(ends) > LOG_SPAN * min(ends)
