"""The three rules of a verdict that is looked at more than once: betting, normal mixture, planned looks.

Each rule finds, for differences in a fixed order, whether "the true difference is above v" was ever
established, and the largest v for which it was. The other side is found from minus the differences.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from truerank._support.types import Vector
from truerank.comparison.sequential.mixture import (
    FIRST,
    Moments,
    bounds_at,
    critical_z,
    log_mixture,
    moments_of_sums,
    running_moments,
    t_scores,
    z_scores,
)
from truerank.numerics import hall
from truerank.numerics.error_spending import Spending, look_limits
from truerank.reliability.pair.contrast import few_differ
from truerank.scores import TIE

Method: TypeAlias = Literal["betting", "mixture", "planned"]  # the rule's name

# Up to this t score no t is below its corrected z score, so a t below both needs no further computation.
SURELY_BELOW = 2.0


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
        """The largest v of which "above v" was ever established (equation 3); −b where there is none.

        Rounded down to a multiple of :data:`STEP`. Where `known`, a number of topics and their bound, is
        given, only a look since may raise it. O(n) for each of some ten values.
        """
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

    def follower(self, signs: Vector, values: Vector, alpha: float) -> _Wealth:
        """Follows the claims that sign·d is above v."""
        return _Wealth(signs, values, alpha, self.largest)


class _Wealth:
    """Seven gamblers against each claim; one more topic takes the same time however many there were."""

    def __init__(self, signs: Vector, values: Vector, alpha: float, largest: float) -> None:
        kept, gained = _odds(values, largest)
        self._kept, self._gained = kept, gained * signs[:, None]
        self._wealth = np.zeros_like(kept)
        self._target = math.log(1 / alpha)
        self._held = np.zeros(len(signs), dtype=bool)

    def add(self, difference: float) -> NDArray[np.bool_]:
        self._wealth += np.log(self._kept + self._gained * difference)
        self._held |= _mixed(self._wealth[..., None])[:, 0] >= self._target
        return self._held


class _OfScores:
    """A rule that compares a score, as that of a normal variable, with what a look needs."""

    def scores(self, found: Moments, value: float) -> Vector:
        """The score of each look against v."""
        return z_scores(found, value)

    def bounds(self, found: Moments, z: Vector) -> Vector:
        """The values against which the scores are z."""
        return bounds_at(found, z)

    def needed(self, topics: Vector, alpha: float) -> Vector:
        """The z score that a look at each number of topics needs; ∞ where there is no look."""
        raise NotImplementedError

    def looked(self, topics: int) -> int:
        """How many of the topics the last look counted."""
        return topics

    def reached(self, differences: Any, value: float, alpha: float) -> NDArray[np.bool_]:
        """Whether the look after each topic establishes "above v"; topics on the last axis."""
        found = running_moments(differences)
        return self.above(found, value, self.needed(found.n, alpha))

    def bound(self, differences: Vector, alpha: float, known: tuple[int, float] = (0, -math.inf)) -> float:
        """The largest v of which "above v" was ever established; −∞ where there is none."""
        return float(self.path(differences, [len(differences)], alpha)[0])

    def path(self, differences: Vector, sizes: Sequence[int], alpha: float) -> Vector:
        """The bound after each of these numbers of topics."""
        found = running_moments(differences)
        z = self.needed(found.n, alpha)
        looks = np.isfinite(z)
        ever = np.full(len(z) + 1, -math.inf)
        ever[1:][looks] = self.bounds(found[looks], z[looks])
        best: Vector = np.maximum.accumulate(ever)[np.array(sizes, dtype=np.intp)]
        return best

    def follower(self, signs: Vector, values: Vector, alpha: float) -> _Sums:
        """Follows the claims that sign·d is above v."""
        return _Sums(signs, values, alpha, self)

    def above(self, found: Moments, value: float, needed: Vector) -> NDArray[np.bool_]:
        """Where scores reach what is needed."""
        least = np.minimum(needed, SURELY_BELOW)
        promising = (found.mean - value >= least * found.error) & np.isfinite(needed) & (found.differing > 0)
        sure = np.zeros(found.mean.shape, dtype=bool)
        wanted = np.broadcast_to(needed, found.mean.shape)[promising]
        sure[promising] = self.scores(found[promising], value) >= wanted
        return sure


class _Sums:
    """Sums of powers of the differences, and the score of each claim that is still open."""

    def __init__(self, signs: Vector, values: Vector, alpha: float, rule: _OfScores) -> None:
        self._claims = list(zip(signs.tolist(), values.tolist(), strict=True))
        self._held = np.zeros(len(self._claims), dtype=bool)
        self._alpha, self._rule = alpha, rule
        self._needed: list[float] = [math.inf]  # of no topics
        self._shift = 0.0
        self._sums = [0.0, 0.0, 0.0]
        self._n = self._differing = 0

    def add(self, difference: float) -> NDArray[np.bool_]:
        self._shift = self._shift if self._n else difference
        moved = difference - self._shift
        self._n += 1
        self._differing += abs(difference) > TIE
        self._sums = [total + moved**power for power, total in enumerate(self._sums, 1)]
        n, (first, second, third) = self._n, self._sums
        if n >= len(self._needed):
            more = np.arange(len(self._needed), 2 * n + 1, dtype=np.float64)
            self._needed += self._rule.needed(more, self._alpha).tolist()
        needed = self._needed[n]
        if not math.isfinite(needed):
            return self._held
        mean = self._shift + first / n
        error = math.sqrt(max(second - first**2 / n, 0.0) / (n * max(n - 1, 1)))
        least = 0.999 * min(needed, SURELY_BELOW) * error  # the sums may differ in the last digit
        for place, (sign, value) in enumerate(self._claims):
            if not self._held[place] and sign * mean - value >= least:
                found = moments_of_sums([n], self._shift, first, second, third, self._differing)
                one = found if sign > 0 else found.mirrored()
                self._held[place] = self._rule.above(one, value, np.array([needed]))[0]
        return self._held


@dataclass(frozen=True)
class Mixture(_OfScores):
    """The normal mixture on a cautious score, from ten topics on (equations 4 to 7)."""

    method: Literal["mixture"] = "mixture"

    def needed(self, topics: Vector, alpha: float) -> Vector:
        """The z score at which the evidence reaches 1/α."""
        return np.where(topics >= FIRST, critical_z(np.maximum(topics, FIRST), alpha), np.inf)

    def log_evidence(self, differences: Vector, value: float) -> Vector | None:
        """The logarithm of the evidence for "above v" after each topic; 0 before the first look."""
        found = running_moments(differences)
        evidence = np.zeros(found.mean.shape)
        evidence[..., FIRST - 1 :] = log_mixture(z_scores(found, value), found.n)[..., FIRST - 1 :]
        return evidence


def _undecidable(found: Moments) -> NDArray[np.bool_]:
    """Where too few topics differ, or none by more than others, for the gate's score."""
    return few_differ(found.differing, found.n) | (found.error == 0)


@dataclass(frozen=True)
class Planned(_OfScores):
    """Looks at fixed numbers of topics, the last the largest (equations 8 and 9), at the gate's score.

    Where so few topics differ that a gate would use the exact bound, a look decides nothing.
    """

    looks: tuple[int, ...]
    spending: Spending = "pocock"
    method: Literal["planned"] = "planned"

    def scores(self, found: Moments, value: float) -> Vector:
        """The gate's score against v."""
        g = hall.transformed(t_scores(found, value), hall.against(found.skewness))
        z = hall.normal_scores(g, np.maximum(found.n - 1, 1.0))
        return np.where(_undecidable(found), -np.inf, z)

    def bounds(self, found: Moments, z: Vector) -> Vector:
        """The gate's lower bounds at the levels of z scores."""
        from truerank.numerics.special import ndtr, stdtrit

        quantile = -stdtrit(np.maximum(found.n - 1, 1.0), ndtr(-z))
        t = hall.critical(quantile, hall.against(found.skewness))
        return np.where(_undecidable(found), -np.inf, found.mean - t * found.error)

    def limits(self, alpha: float) -> tuple[float, ...]:
        """The z score that each look needs."""
        return look_limits(tuple(n / self.looks[-1] for n in self.looks), alpha, self.spending)

    def looked(self, topics: int) -> int:
        """How many of the topics the last look counted; 0 before the first look."""
        return max((look for look in self.looks if look <= topics), default=0)

    def needed(self, topics: Vector, alpha: float) -> Vector:
        """The limit of each look; between looks nothing is enough."""
        found = np.full(len(topics), np.inf)
        for look, limit in zip(self.looks, self.limits(alpha), strict=True):
            found[topics == look] = limit
        return found

    def log_evidence(self, differences: Vector, value: float) -> Vector | None:
        """``None``: planned looks have limits, but no evidence at any time."""
        return None


Rule: TypeAlias = Betting | Mixture | Planned  # how claims are judged at many looks
Follower: TypeAlias = _Wealth | _Sums


def rule_of(bounds: Sequence[float] | None, looks: tuple[int, ...] | None, spending: Spending) -> Rule:
    """Planned looks where there are some; betting where scores have a range; else the normal mixture."""
    if looks is not None:
        return Planned(looks, spending)
    if bounds is None:
        return Mixture()
    return Betting(float(bounds[1]) - float(bounds[0]))
