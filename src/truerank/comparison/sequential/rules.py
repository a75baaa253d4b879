"""The rules of a verdict that is looked at more than once: betting, planned looks (docs/methods/looking.md).

Each finds whether "the true difference is above v" was ever established, and the largest such v.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from truerank._support.arguments import either
from truerank._support.types import Vector
from truerank.errors import InputError
from truerank.numerics import special
from truerank.numerics.error_spending import Spending, look_limits
from truerank.reliability.pair.contrast import Verdict, few_differ, verdict_of
from truerank.scores import TIE

Method: TypeAlias = Literal["betting", "planned"]  # the rule's name


# Against "the true difference is v or less" a gambler stakes a share κ of his wealth on every topic, at odds
# that are fair at v. So if the claim is true, his wealth ever reaches 1/α with a chance of at most α (Ville
# 1939). The evidence is the mean wealth of seven gamblers (docs/methods/looking.md, eq. 1 to 3).

# Shares κ that are staked: larger ones find larger differences fast.
STAKES: Vector = np.array([0.99, 2**-0.5, 2**-1, 2**-1.5, 2**-2, 2**-2.5, 2**-3])
# Bounds are multiples of this fraction of the range, rounded outward, so that every look gives the same
# bytes.
STEP = 2.0**-40


@dataclass(frozen=True)
class Betting:
    """Betting on bounded scores: exact at any number of topics."""

    largest: float  # b, the largest possible difference
    method: Literal["betting"] = "betting"

    def looked(self, topics: int) -> int:
        return topics

    def log_evidence(self, differences: Vector, value: float) -> Vector:
        """The logarithm of the evidence for "above v" after each topic: of the mean wealth (equation 2)."""
        gained = (STAKES / (value + self.largest))[:, None]  # a difference d makes it kept + gained·d (1)
        kept = 1 - STAKES[:, None] + gained * self.largest
        wealth = np.cumsum(np.log(kept + gained * differences), axis=1)
        top = wealth.max(axis=0)
        return np.asarray(top + np.log(np.exp(wealth - top).mean(axis=0)))

    def reached(self, differences: Vector, value: float, alpha: float) -> NDArray[np.bool_]:
        """Whether the look after each topic establishes "above v"."""
        return self.log_evidence(differences, value) >= math.log(1 / alpha)

    def bound(self, differences: Vector, alpha: float, seen: int = 0, known: float = -math.inf) -> float:
        """The largest v of which "above v" was ever established (3); −b without one, `known` after `seen`."""
        b, step, target = self.largest, STEP * self.largest, math.log(1 / alpha)
        if known > -b and not self.reached(differences, known, alpha)[seen:].any():
            return known

        def excess(value: float) -> float:
            return float(self.log_evidence(differences, value).max()) - target

        low, high = -b * (1 - 2.0**-20), min(float(differences.max(initial=-b)), b)
        if high <= low or excess(low) < 0:
            return -b
        root = high
        if excess(high) < 0:
            from scipy.optimize import brentq

            root = float(brentq(excess, low, high, xtol=step / 4, rtol=8 * np.finfo(float).eps))
        place = math.floor(root / step) - 1
        while excess((place + 1) * step) >= 0 and (place + 1) * step < b:
            place += 1
        while excess(place * step) < 0:
            place -= 1
        return place * step


@dataclass(frozen=True)
class Planned:
    """Looks at fixed numbers of topics, the last the largest (equations 4 to 6), by Student's t.

    Where scores have a range and so few topics differ that a gate uses its exact bound, a look decides
    nothing.
    """

    looks: tuple[int, ...]
    spending: Spending = "pocock"
    in_range: bool = True  # whether scores have a range
    method: Literal["planned"] = "planned"

    def looked(self, topics: int) -> int:
        return max((look for look in self.looks if look <= topics), default=0)

    def _lows(self, differences: Vector, alpha: float) -> dict[int, float]:
        """The bound of each look that was made: where Student's t is the look's limit."""
        limits = look_limits(tuple(n / self.looks[-1] for n in self.looks), alpha, self.spending)
        each = zip(self.looks, limits, strict=True)
        return {n: self._low(differences[:n], z) for n, z in each if n <= len(differences)}

    def _low(self, d: Vector, limit: float) -> float:
        n, differing = len(d), np.count_nonzero(np.abs(d) > TIE)
        spread = float(d.std(ddof=1)) if np.ptp(d) > TIE else 0.0
        unsure = self.in_range and (few_differ(differing, n) or spread == 0)
        if n < 3 or differing == 0 or unsure:
            return -math.inf
        return float(d.mean() + special.stdtrit(n - 1, special.ndtr(-limit)) * spread / math.sqrt(n))

    def reached(self, differences: Vector, value: float, alpha: float) -> NDArray[np.bool_]:
        """Whether the look after each topic establishes "above v"."""
        sure = np.zeros(len(differences), dtype=np.bool_)
        for look, low in self._lows(differences, alpha).items():
            sure[look - 1] = low - value > TIE
        return sure

    def bound(self, differences: Vector, alpha: float, seen: int = 0, known: float = -math.inf) -> float:
        """The largest v of which "above v" was ever established; −∞ where there is none."""
        return max(self._lows(differences, alpha).values(), default=-math.inf)


# How claims are judged at many looks; `looked`: how many topics the last look counted, 0 before the first.
Rule: TypeAlias = Betting | Planned


def rule_of(bounds: Sequence[float] | None, looks: tuple[int, ...] | None, spending: Spending) -> Rule:
    """Planned looks where there are some; else betting, which needs the range of scores."""
    if looks is not None:
        return Planned(looks, spending, bounds is not None)
    if bounds is None:
        raise without_range((50, 100, 200))
    return Betting(float(bounds[1]) - float(bounds[0]))


def without_range(looks: Sequence[int]) -> InputError:
    """The error for scores of unknown range at any time, with looks that can be planned."""
    numbers = ",".join(map(str, looks))
    return InputError(
        "a verdict at any time needs the lowest and the highest score that there can be. "
        + either(
            f"Give them with range=(LOW, HIGH), or plan looks with looks=({numbers.replace(',', ', ')})",
            f"Give them with --range LOW,HIGH, or write --looks {numbers} in place of --sequential",
        )
    )


class Course:
    """The differences of one candidate from the baseline, in the order in which they came.

    Args:
        rule: how claims are judged.
        margin: how much worse still passes.
        alpha: the error of each claim over all looks: half of that of the interval.

    Example:
        >>> import truerank
        >>> monitor = truerank.Monitor(candidates=["B", "C"])
        >>> course = monitor.update("q1", 0.5, [0.6, 0.4]).course("B")
        >>> round(course.difference, 3), course.verdict
        (0.1, 'undecided')
    """

    def __init__(self, rule: Rule, margin: float, alpha: float) -> None:
        self.rule, self.margin, self.alpha = rule, margin, alpha
        self._differences: list[float] = []
        self._claims = ((1, 0.0), (1, -margin), (-1, margin))  # better, within the margin, beyond it
        # How many differences are looked at, after how many each claim held (0: never), and both bounds.
        self._seen, self._since, self._ends = 0, (0, 0, 0), (-math.inf, math.inf)

    def add(self, difference: float) -> None:
        """Take in one more difference, candidate minus baseline."""
        self._differences.append(difference)

    def _look(self) -> tuple[int, int, int]:
        """After how many differences *better*, *within* and *beyond* were established; 0 for never."""
        n, d = len(self), self.differences
        if self._seen < n:
            reached = [self.rule.reached(sign * d, value, self.alpha) for sign, value in self._claims]
            better, within, beyond = (int(one.argmax()) + 1 if one.any() else 0 for one in reached)
            low = self.rule.bound(d, self.alpha, self._seen, self._ends[0])
            high = -self.rule.bound(-d, self.alpha, self._seen, -self._ends[1])
            self._seen, self._since, self._ends = n, (better, within, beyond), (low, high)
        return self._since

    def __len__(self) -> int:
        return len(self._differences)

    @property
    def differences(self) -> Vector:
        """n, as they came."""
        return np.array(self._differences)

    @property
    def counted(self) -> int:
        """How many of them the last look counted, as the bounds do; all of them before the first look."""
        return self.rule.looked(len(self)) or len(self)

    @property
    def difference(self) -> float:
        """The mean of those that are counted; NaN without any."""
        return float(np.mean(self._differences[: self.counted])) if self._differences else math.nan

    @property
    def verdict(self) -> Verdict:
        """The first claim that was established at any look: *better*, *pass*, *fail*; else *undecided*.

        Undecided too where the bounds contradict each other.
        """
        return "undecided" if self.contradictory else verdict_of(*map(bool, self._look()))

    @property
    def decided(self) -> int | None:
        """The number of differences after which the verdict was established; ``None`` while there is none."""
        return None if self.contradictory else next(filter(None, self._look()), None)

    @property
    def contradictory(self) -> bool:
        """Whether the lower bound is above the upper one, as of topics that are not in random order."""
        low, high = self._bounds()
        return low > high

    @property
    def low(self) -> float:
        """The lower end of the interval over all looks; −∞ where nothing bounds it."""
        return -math.inf if self.contradictory else self._bounds()[0]

    @property
    def high(self) -> float:
        """The upper end; ∞ where nothing bounds it."""
        return math.inf if self.contradictory else self._bounds()[1]

    def _bounds(self) -> tuple[float, float]:
        """Both, as what is established implies, from which they may differ by rounding."""
        (better, within, beyond), (low, high) = self._look(), self._ends
        low = max(low, 0.0) if better else min(low, 0.0)
        low = max(low, -self.margin) if within else min(low, -self.margin)
        return low, min(high, -self.margin) if beyond else max(high, -self.margin)

    def log_evidence(self) -> tuple[Vector, ...] | None:
        """Logarithms of the evidence after each topic: above 0, within the margin, beyond it, below 0.

        ``None`` of planned looks, which have limits, but no evidence at any time.
        """
        if isinstance(self.rule, Planned):
            return None
        claims = (*self._claims, (-1, 0.0))
        return tuple(self.rule.log_evidence(sign * self.differences, value) for sign, value in claims)

    def path(self, most: int) -> tuple[list[int], Vector, Vector]:
        """Numbers of topics, about so many at most or the looks of a plan, and the bounds after each."""
        d, n = self.differences, self.counted
        if isinstance(self.rule, Planned):
            sizes = [look for look in self.rule.looks if look <= n]
        else:
            even = np.linspace(1, n, min(n, most)).round()
            sizes = np.unique([*even, *([self.decided] if self.decided else [])]).astype(int).tolist()
        bounds = np.full((2, len(sizes) + 1), -math.inf)  # the lower one, and minus the upper one
        for ends, signed in zip(bounds, (d, -d), strict=True):
            for k, (seen, size) in enumerate(pairwise([0, *sizes])):
                ends[k + 1] = self.rule.bound(signed[:size], self.alpha, seen, ends[k])
        return sizes, bounds[0, 1:], -bounds[1, 1:]
