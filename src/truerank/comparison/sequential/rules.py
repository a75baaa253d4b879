"""The rules of a verdict that is looked at more than once: betting, and planned looks.

Each rule finds, for differences in a fixed order, whether "the true difference is above v" was ever
established, and the largest v for which it was. The other side is found from minus the differences.
Equations are those of docs/methods/looking.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from truerank._support.arguments import either
from truerank._support.types import Matrix, Vector
from truerank.errors import InputError
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


def _odds(value: ArrayLike, largest: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The factor of a gambler's wealth after a difference d, ``kept + gained·d`` (equation 1)."""
    v = np.asarray(value, dtype=np.float64)[..., None]
    gained = STAKES / (v + largest)
    return 1 - STAKES + gained * largest, gained


def _mixed(wealth: NDArray[np.float64]) -> NDArray[np.float64]:
    """The logarithm of the mean wealth (equation 2), from logarithms; stakes on the last axis but one."""
    top = wealth.max(axis=-2)
    found: NDArray[np.float64] = top + np.log(np.exp(wealth - top[..., None, :]).mean(axis=-2))
    return found


@dataclass(frozen=True)
class Betting:
    """Betting on bounded scores: exact at any number of topics."""

    largest: float  # b, the largest possible difference
    method: Literal["betting"] = "betting"

    def looked(self, topics: int) -> int:
        """How many of the topics the last look counted."""
        return topics

    def log_evidence(self, differences: ArrayLike, value: float) -> Vector:
        """The logarithm of the evidence for "above v" after each topic, topics on the last axis."""
        kept, gained = _odds(value, self.largest)
        d = np.asarray(differences, dtype=np.float64)[..., None, :]
        return _mixed(np.cumsum(np.log(kept[:, None] + gained[:, None] * d), axis=-1))

    def reached(self, differences: ArrayLike, value: float, alpha: float) -> NDArray[np.bool_]:
        """Whether the look after each topic establishes "above v"; topics on the last axis."""
        return self.log_evidence(differences, value) >= math.log(1 / alpha)

    def bound(self, differences: Vector, alpha: float, known: tuple[int, float] = (0, -math.inf)) -> float:
        """The largest v of which "above v" was ever established (equation 3); −b where there is none."""
        b, (seen, bound) = self.largest, known
        if bound > -b and not self.reached(differences, bound, alpha)[seen:].any():
            return bound
        target = math.log(1 / alpha)

        def excess(value: float) -> float:
            return float(self.log_evidence(differences, value).max()) - target

        if len(differences) == 0:
            return -b
        from scipy.optimize import brentq

        step = STEP * b
        low, high = -b * (1 - 2.0**-20), min(float(differences.max()), b)
        if high <= low or excess(low) < 0:
            return -b
        root = high
        if excess(high) < 0:
            root = float(brentq(excess, low, high, xtol=step / 4, rtol=8 * np.finfo(float).eps))
        place = math.floor(root / step) - 1
        while excess((place + 1) * step) >= 0 and (place + 1) * step < b:
            place += 1
        while excess(place * step) < 0:
            place -= 1
        return place * step

    def path(self, differences: Vector, sizes: Sequence[int], alpha: float) -> Vector:
        """The bound after each of these numbers of topics, in ascending order."""
        known = [(0, -math.inf)]
        for n in sizes:
            known.append((n, self.bound(differences[:n], alpha, known[-1])))
        return np.array([bound for _, bound in known[1:]])


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

    def limits(self, alpha: float) -> tuple[float, ...]:
        """The z score that each look needs, one-sided."""
        return look_limits(tuple(n / self.looks[-1] for n in self.looks), alpha, self.spending)

    def looked(self, topics: int) -> int:
        """How many of the topics the last look counted; 0 before the first look."""
        return max((look for look in self.looks if look <= topics), default=0)

    def _lows(self, differences: ArrayLike, alpha: float) -> tuple[list[int], Matrix]:
        """The looks that were made, and the bound of each; topics on the last axis, then looks."""
        d = np.asarray(differences, dtype=np.float64)
        limits = zip(self.looks, self.limits(alpha), strict=True)
        made = [(look, limit) for look, limit in limits if look <= d.shape[-1]]
        lows = [self._low(d[..., :look], limit) for look, limit in made]
        return [look for look, _ in made], np.stack(lows, axis=-1) if lows else np.empty((*d.shape[:-1], 0))

    def _low(self, d: NDArray[np.float64], limit: float) -> NDArray[np.float64]:
        """The value against which the z score of Student's t is the limit; −∞ where nothing is decided."""
        from truerank.numerics.special import ndtr, stdtrit

        n = d.shape[-1]
        if n < 3:
            return np.full(d.shape[:-1], -math.inf)
        spread = np.where(np.ptp(d, axis=-1) > TIE, d.std(axis=-1, ddof=1), 0.0)
        low = d.mean(axis=-1) + float(stdtrit(n - 1, ndtr(-limit))) * spread / math.sqrt(n)
        differing = np.count_nonzero(np.abs(d) > TIE, axis=-1)
        nothing = differing == 0
        if self.in_range:
            nothing |= few_differ(differing, n) | (spread == 0)
        return np.where(nothing, -math.inf, low)

    def reached(self, differences: ArrayLike, value: float, alpha: float) -> NDArray[np.bool_]:
        """Whether the look after each topic establishes "above v"; topics on the last axis."""
        looks, lows = self._lows(differences, alpha)
        sure = np.zeros(np.shape(differences), dtype=bool)
        sure[..., np.array(looks, dtype=np.intp) - 1] = lows - value > TIE
        return sure

    def bound(self, differences: Vector, alpha: float, known: tuple[int, float] = (0, -math.inf)) -> float:
        """The largest v of which "above v" was ever established; −∞ where there is none."""
        return float(self._lows(differences, alpha)[1].max(initial=-math.inf))

    def path(self, differences: Vector, sizes: Sequence[int], alpha: float) -> Vector:
        """The bound after each of these numbers of topics."""
        return np.array([self.bound(differences[:n], alpha) for n in sizes])

    def log_evidence(self, differences: Vector, value: float) -> Vector | None:
        """``None``: planned looks have limits, but no evidence at any time."""
        return None


Rule: TypeAlias = Betting | Planned  # how claims are judged at many looks


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
        self._judged: tuple[int, list[int]] = (0, [0, 0, 0])
        self._low: tuple[int, float] = (0, -math.inf)
        self._high: tuple[int, float] = (0, math.inf)

    def add(self, difference: float) -> None:
        """Take in one more difference, candidate minus baseline."""
        self._differences.append(difference)

    @property
    def _since(self) -> list[int]:
        """The number of differences at which each claim was established; 0 before."""
        if self._judged[0] < len(self):
            d = self.differences
            reached = [self.rule.reached(sign * d, value, self.alpha) for sign, value in self._claims]
            self._judged = len(self), [int(one.argmax()) + 1 if one.any() else 0 for one in reached]
        return self._judged[1]

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
        if not any(self._since) or self.contradictory:
            return "undecided"
        return verdict_of(*map(bool, self._since))

    @property
    def decided(self) -> int | None:
        """The number of differences after which the verdict was established; ``None`` while there is none."""
        place = {"better": 0, "pass": 1, "fail": 2}.get(self.verdict)
        return None if place is None else self._since[place]

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
        """Both, as they were found, and as what is established implies."""
        n, d = len(self), self.differences
        if self._low[0] < n:
            self._low = (n, self.rule.bound(d, self.alpha, self._low))
        if self._high[0] < n:
            self._high = (n, -self.rule.bound(-d, self.alpha, (self._high[0], -self._high[1])))
        # They imply what is established, from which they may differ by rounding.
        low, high, (better, within, beyond) = self._low[1], self._high[1], self._since
        low = max(low, 0.0) if better else min(low, 0.0)
        low = max(low, -self.margin) if within else min(low, -self.margin)
        return low, min(high, -self.margin) if beyond else max(high, -self.margin)

    def log_evidence(self) -> tuple[Vector, ...] | None:
        """Logarithms of the evidence after each topic: above 0, within the margin, beyond it, below 0."""
        d = self.differences
        found = [self.rule.log_evidence(sign * d, value) for sign, value in (*self._claims, (-1, 0.0))]
        return None if found[0] is None else tuple(one for one in found if one is not None)

    def path(self, most: int) -> tuple[list[int], Vector, Vector]:
        """Numbers of topics, about so many at most or the looks of a plan, and the bounds after each."""
        d, n = self.differences, self.counted
        if isinstance(self.rule, Planned):
            sizes = [look for look in self.rule.looks if look <= n]
        else:
            even = np.linspace(1, n, min(n, most)).round().astype(int)
            sizes = np.unique([*even, *([self.decided] if self.decided else [])]).astype(int).tolist()
        if not sizes:
            return [], np.empty(0), np.empty(0)
        return sizes, self.rule.path(d, sizes, self.alpha), -self.rule.path(-d, sizes, self.alpha)
