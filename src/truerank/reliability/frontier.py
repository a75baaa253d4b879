"""Which systems may be on the true frontier of quality and cost (docs/methods/trade-offs.md).

A system is dominated by another that is at least as good and costs no more, one of the two strictly. The set
of those that may be on the true frontier leaves out as many as it can. In at most 1 − level of the joint
draws is any of these on it.
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
Places = NDArray[np.intp]


BLOCK = 32  # systems that are compared with one at a time

YES_NO = {"True": "yes", "False": "no"}

LOG_SPAN = 20  # values that span more than this factor are drawn on a log axis


@dataclass(frozen=True, eq=False)
class Order:
    """The order of m systems by one criterion, in k draws or in all alike; systems of one group are equal."""

    # Which of some systems are better than system i, rows × k or rows × 1
    better: Callable[[int, Places], Bits]
    ever_better: Callable[[int], Bits]  # whether each is in any draw, length m
    group: Places  # a number of each system, the same for equal ones; length m

    @classmethod
    def known(cls, values: Vector) -> Order:
        equal = np.unique(values, return_inverse=True)[1]
        return cls(lambda i, rows: values[rows, None] > values[i], lambda i: values > values[i], equal)

    def ever(self, i: int) -> Bits:
        """Whether each system is better than system i, or equal to it, in any draw; length m."""
        return self.ever_better(i) | (self.group == self.group[i])

    def at(self, i: int, rows: Places) -> tuple[Bits, Bits]:
        """Which of these systems are better than system i, rows × k or rows × 1, and equal, rows × 1."""
        equal = (self.group[rows] == self.group[i])[:, None]
        return self.better(i, rows) & ~equal, equal


@dataclass(frozen=True, eq=False)
class Frontier:
    """What draws say of the frontier of m systems."""

    optimal: Bits  # whether a system is on the frontier of a draw, m × k
    # The system that dominates each in the most draws, itself if none ever does; length m
    dominated_by: NDArray[np.intp]
    share: Vector  # the share of the draws in which that one does, length m

    @property
    def probability(self) -> Vector:
        return self.optimal.mean(axis=1)

    def may_be_optimal(self, level: float, kept: Sequence[int] = ()) -> list[int]:
        """The systems that may be on the true frontier, jointly at the level; those in `kept` always are."""
        k = self.optimal.shape[1]
        room = int((1 - level) * k + 1e-9)
        covered, inside = np.zeros(k, dtype=bool), np.ones(len(self.optimal), dtype=bool)
        inside[list(kept)] = False
        added = self.optimal.sum(axis=1)
        while inside.any():
            inside &= added > 0
            left = np.flatnonzero(inside)
            if not len(left):
                break
            least = left[added[left].argmin()]
            if covered.sum() + added[least] > room:
                break
            fresh = np.flatnonzero(self.optimal[least] & ~covered)
            covered[fresh] = True
            added -= self.optimal[:, fresh].sum(axis=1)
            inside[least] = False
        return sorted({*np.flatnonzero(inside).tolist(), *kept})


def frontier(m: int, quality: Order, cost: Order) -> Frontier:
    """The frontier of m systems in each draw, by the order of both criteria. O(m²·k), a block in memory."""
    optimal, best, share = [], np.arange(m), np.zeros(m)
    for i in range(m):
        may = quality.ever(i) & cost.ever(i)
        may[i] = False
        rows, on = np.flatnonzero(may), np.ones(1, dtype=bool)
        for start in range(0, len(rows), BLOCK):
            here = rows[start : start + BLOCK]
            (better, as_good), (cheaper, as_cheap) = quality.at(i, here), cost.at(i, here)
            dominates = (better & (cheaper | as_cheap)) | (as_good & cheaper)
            on = on & ~dominates.any(axis=0)
            shares = dominates.mean(axis=1)
            if shares.max() > share[i]:
                best[i], share[i] = here[shares.argmax()], shares.max()
            if share[i] == 1:
                break
        optimal.append(on)
    return Frontier(np.array(np.broadcast_arrays(*optimal)), best, share)


def observed_frontier(quality: Vector, cost: Vector) -> list[int]:
    """The systems that none dominates by the numbers themselves, best first. O(m²)."""
    good = quality[None, :] >= quality[:, None]
    cheap = cost[None, :] <= cost[:, None]
    strict = (quality[None, :] > quality[:, None]) | (cost[None, :] < cost[:, None])
    found = np.flatnonzero(~(good & cheap & strict).any(axis=1))
    return [int(i) for i in found[np.argsort(-quality[found], kind="stable")]]


def grouped(groups: Sequence[Sequence[int]], m: int) -> Places:
    """A number of each of m systems, the same for those of one group."""
    group = np.arange(m)
    for equal in groups:
        group[list(equal)] = equal[0]
    return group


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
            draw has one.
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
    in_set: Annotated[bool, Column("In the set", Word(shown=YES_NO))]
    observed: Annotated[bool, Column("Observed", Word(shown=YES_NO))]
    dominated_by: Annotated[str | None, Column("Dominated by", Name(), details=True)]
    dominated_probability: Annotated[Fraction | None, Column("In draws", Share(), details=True)]

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
