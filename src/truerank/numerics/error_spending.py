"""Planned looks: how the error is spent over them, and what they cost (Lan & DeMets 1983).

Looks at shares τ of a fixed largest number of topics. The score z√τ then moves like a Brownian motion, and
each look's limit follows from the chance that it is the first to be crossed. Equations are those of
docs/methods/looking.md. A level is that of a two-sided interval, so a claim in one direction has half of the
error.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal, TypeAlias

import numpy as np

from truerank._support.types import Vector
from truerank.errors import InputError, unknown_name

Spending: TypeAlias = Literal["pocock", "obrien-fleming"]  # how the error is spent: nearly evenly, or late
POINTS = 2_001  # points of Simpson's rule for the density of the score between two looks
FURTHEST = 8.0  # standard deviations below the mean at which the density is cut off
MOST_LOOKS = 100  # with more planned looks, a gate that may look after every topic is the better choice


def _pocock(share: float, alpha: float) -> float:
    return alpha * math.log1p((math.e - 1) * share)


def _obrien_fleming(share: float, alpha: float) -> float:
    from truerank.numerics.special import ndtr, ndtri

    return float(2 * ndtr(ndtri(alpha / 2) / math.sqrt(share)))


# The error spent up to a share of the topics, by name (equation 4).
SPENDING: Mapping[str, Callable[[float, float], float]] = {
    "pocock": _pocock,
    "obrien-fleming": _obrien_fleming,
}


def check_looks(looks: Sequence[int]) -> tuple[int, ...]:
    result = tuple(int(item) for item in looks)
    if not result or result[0] < 2 or any(a >= b for a, b in itertools.pairwise(result)):
        raise InputError(
            "looks are increasing numbers of topics from 2 on, the last the largest, such as 50,100,200; not "
            f"{','.join(map(str, looks)) or 'none'}"
        )
    if len(result) > MOST_LOOKS:
        raise InputError(f"{len(result)} looks; plan at most {MOST_LOOKS}, or look after every topic instead")
    return result


@lru_cache(maxsize=64)
def look_limits(shares: tuple[float, ...], alpha: float, spending: Spending = "pocock") -> tuple[float, ...]:
    """The z score that each look needs: one-sided, α in all (equation 5)."""
    if spending not in SPENDING:
        raise unknown_name("way to spend the error", spending, SPENDING)
    from scipy.optimize import brentq

    spent = [0.0, *(SPENDING[spending](share, alpha) for share in shares)]
    limits: list[float] = []
    path = _Path(0.0)
    for share, (before, after) in zip(shares, itertools.pairwise(spent), strict=True):

        def excess(z: float, path: _Path = path, share: float = share, due: float = after - before) -> float:
            return path.crossing(share, z) - due

        limits.append(float(brentq(excess, -5.0, 30.0, xtol=1e-11)))
        path = path.below(share, limits[-1])
    return tuple(limits)


@dataclass(frozen=True, eq=False)
class _Path:
    """The density of the score z√τ on paths that have crossed no limit yet."""

    drift: float  # mean at τ = 1
    share: float = 0.0  # τ; at 0 every score is 0
    places: Vector = field(default_factory=lambda: np.zeros(1))  # points of Simpson's rule
    masses: Vector = field(default_factory=lambda: np.ones(1))  # density times weight at each

    def crossing(self, share: float, limit: float) -> float:
        """The chance of being at or above a z score at a later share, and below all limits before."""
        from truerank.numerics.special import ndtr

        step, added = share - self.share, self.drift * (share - self.share)
        top = limit * math.sqrt(share)
        return float(self.masses @ ndtr((self.places + added - top) / math.sqrt(step)))

    def below(self, share: float, limit: float) -> _Path:
        """The density at a later share, of the paths below a z score there too."""
        step, added = share - self.share, self.drift * (share - self.share)
        low = self.drift * share - FURTHEST * math.sqrt(share)
        top = max(limit * math.sqrt(share), low + 1e-9)
        at = np.linspace(low, top, POINTS)
        weights = np.full(POINTS, 2.0)
        weights[1::2], weights[0], weights[-1] = 4.0, 1.0, 1.0
        weights *= (at[1] - at[0]) / 3
        scale = 1 / math.sqrt(2 * math.pi * step)
        density = scale * np.exp(-((at[:, None] - self.places - added) ** 2) / (2 * step)) @ self.masses
        return _Path(self.drift, share, at, weights * density)


def crossings(shares: Sequence[float], limits: Sequence[float], drift: float) -> Vector:
    """The chance that each look is the first at or above its limit, for scores with a mean of drift·√τ."""
    path = _Path(drift)
    result = []
    for place, (share, limit) in enumerate(zip(shares, limits, strict=True)):
        result.append(path.crossing(share, limit))
        if place < len(shares) - 1:
            path = path.below(share, limit)
    return np.array(result)


@dataclass(frozen=True)
class LooksCost:
    """What looks cost, beside a single look of the same level and power.

    Attributes:
        looks: numbers of topics that are looked at; the last is the largest.
        spending: how the error is spent: ``pocock`` or ``obrien-fleming``.
        level: of the two-sided interval over all looks.
        power: chance of a verdict at the true difference that one look would find with it.
        limits: z score that each look needs.
        one_look: topics with which one look has the same power.
        largest: looks' largest number over that of one look.
        expected: mean number of topics until a verdict, where the true difference is the one to be found.
        expected_equal: the same where the claim is just false, so that hardly anything stops early.
    """

    looks: tuple[int, ...]
    spending: Spending
    level: float
    power: float
    limits: tuple[float, ...]
    one_look: float
    largest: float
    expected: float
    expected_equal: float


def looks_cost(
    looks: Sequence[int], level: float = 0.95, power: float = 0.8, spending: Spending = "pocock"
) -> LooksCost:
    """What planned looks cost: the drift that gives them the power, beside that of one look (equation 6)."""
    from scipy.optimize import brentq

    from truerank.numerics.special import ndtri

    numbers = check_looks(looks)
    shares = tuple(n / numbers[-1] for n in numbers)
    error = (1 - level) / 2  # of each end of the interval
    limits = look_limits(shares, error, spending)
    alone = float(ndtri(1 - error) + ndtri(power))

    def excess(by: float) -> float:
        return float(crossings(shares, limits, by).sum()) - power

    # Of a single look it is 0 here but for rounding.
    drift = alone if excess(alone) >= 0 else float(brentq(excess, alone, 3 * alone, xtol=1e-9))
    largest = (drift / alone) ** 2

    def expected(by: float) -> float:
        stopped = crossings(shares, limits, by)[:-1]
        return float(stopped @ np.array(numbers[:-1]) + (1 - stopped.sum()) * numbers[-1])

    return LooksCost(
        looks=numbers,
        spending=spending,
        level=level,
        power=power,
        limits=limits,
        one_look=numbers[-1] / largest,
        largest=largest,
        expected=expected(drift),
        expected_equal=expected(0.0),
    )
