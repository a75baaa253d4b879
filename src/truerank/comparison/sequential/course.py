"""One candidate against the baseline, topic by topic: what is established so far, and when more will be."""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from truerank._support.seeds import stream
from truerank._support.types import Matrix, Vector
from truerank.comparison.sequential.rules import Follower, Planned, Rule
from truerank.reliability.pair.contrast import Verdict, agreeing, verdict_of
from truerank.reliability.pair.topics_needed import TopicsNeeded


class Course:
    """The differences of one candidate from the baseline, in the order in which they came.

    Args:
        rule: how claims are judged.
        margin: how much worse still passes.
        alpha: the error of each claim over all looks.

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
        """What the true difference is above, at the level over all looks; −∞ where nothing bounds it."""
        return -math.inf if self.contradictory else self._bounds()[0]

    @property
    def high(self) -> float:
        """What the true difference is below; ∞ where nothing bounds it."""
        return math.inf if self.contradictory else self._bounds()[1]

    def _bounds(self) -> tuple[float, float]:
        """Both, as they were found."""
        n, d = len(self), self.differences
        if self._low[0] < n:
            self._low = (n, self.rule.bound(d, self.alpha, self._low))
        if self._high[0] < n:
            self._high = (n, -self.rule.bound(-d, self.alpha, (self._high[0], -self._high[1])))
        return agreeing(self._low[1], self._high[1], self.margin, *map(bool, self._since))

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


WORLDS = 99  # populations that the topics may come from, by the Bayesian bootstrap; one future of each
TOGETHER = 11  # futures that are computed at a time
# Numbers of further topics: few for every future, then many for those that are still inconclusive.
HORIZONS = (300, 3_000)


def topics_until_verdict(course: Course, seed: int) -> TopicsNeeded | None:
    """Rounds in all at which half of the futures have a verdict, and a tenth and nine tenths of them.

    ``None`` where the topics so far do not differ; a number is ``None`` beyond the horizon or the planned
    looks.
    """
    d = course.differences
    n = len(d)
    if n < 3 or np.ptp(d) == 0:
        return None
    rng = stream(seed, "gate", "sequential", "forecast")
    shares = rng.standard_exponential((WORLDS, n))
    shares /= shares.sum(axis=1, keepdims=True)
    found = np.full(WORLDS, np.inf)
    for horizon in HORIZONS:
        if isinstance(course.rule, Planned):
            horizon = max(course.rule.looks[-1] - n, 0)
        for start in range(0, WORLDS, TOGETHER):
            block = slice(start, start + TOGETHER)
            if horizon and np.isinf(found[block]).any():
                found[block] = _until(course, shares[block], horizon, rng)
        if np.isfinite(found).mean() > 0.9:
            break
    low, middle, high = (float(np.sort(found)[round(q * (WORLDS - 1))]) for q in (0.1, 0.5, 0.9))
    return TopicsNeeded(*(math.ceil(n) if math.isfinite(n) else None for n in (middle, low, high)))


def _until(course: Course, shares: Matrix, horizon: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Rounds at which each future establishes a claim; ∞ where it does not within the horizon."""
    d = course.differences
    n = len(d)
    places = [rng.choice(n, horizon, p=one) for one in shares]
    whole = np.hstack([np.broadcast_to(d, (len(shares), n)), d[np.array(places)]])
    first = np.full(len(shares), np.inf)
    for sign, value in ((1.0, -course.margin), (-1.0, course.margin)):
        sure = course.rule.reached(sign * whole, value, course.alpha)[:, n:]
        first = np.where(sure.any(axis=1), np.minimum(first, n + 1 + sure.argmax(axis=1)), first)
    return first
