"""One candidate against the baseline, topic by topic: what is established so far."""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np

from truerank._support.types import Vector
from truerank.comparison.sequential.rules import Follower, Planned, Rule
from truerank.reliability.pair.contrast import Verdict, verdict_of


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
        self._since = np.zeros(3, dtype=np.intp)  # topics at which each claim was established; 0 before
        self._low: tuple[int, float] = (0, -math.inf)
        self._high: tuple[int, float] = (0, math.inf)

    @cached_property
    def _follower(self) -> Follower:
        signs = np.array([1.0, 1.0, -1.0])
        values = np.array([0.0, -self.margin, self.margin])
        return self.rule.follower(signs, values, self.alpha)

    def add(self, difference: float) -> None:
        """Take in one more difference, candidate minus baseline. O(1)."""
        self._differences.append(difference)
        self._since[self._follower.add(difference) & (self._since == 0)] = len(self)

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
        if not self._since.any() or self.contradictory:
            return "undecided"
        return verdict_of(*map(bool, self._since))

    @property
    def decided(self) -> int | None:
        """The number of differences after which the verdict was established; ``None`` while there is none."""
        place = {"better": 0, "pass": 1, "fail": 2}.get(self.verdict)
        return None if place is None else int(self._since[place])

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
        """Both, as they were found."""
        n, d = len(self), self.differences
        if self._low[0] < n:
            self._low = (n, self.rule.bound(d, self.alpha, self._low))
        if self._high[0] < n:
            self._high = (n, -self.rule.bound(-d, self.alpha, (self._high[0], -self._high[1])))
        return _agreeing(self._low[1], self._high[1], self.margin, *map(bool, self._since))

    def log_evidence(self) -> tuple[Vector, ...] | None:
        """Logarithms of the evidence after each topic: above 0, within the margin, beyond it, below 0."""
        d = self.differences
        claims = ((1, 0.0), (1, -self.margin), (-1, self.margin), (-1, 0.0))
        found = [self.rule.log_evidence(sign * d, value) for sign, value in claims]
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


def _agreeing(
    low: float, high: float, margin: float, better: bool, within: bool, beyond: bool
) -> tuple[float, float]:
    """Bounds that imply what is established, from which they may differ by rounding."""
    low = max(low, 0.0) if better else min(low, 0.0)
    low = max(low, -margin) if within else min(low, -margin)
    return low, min(high, -margin) if beyond else max(high, -margin)
