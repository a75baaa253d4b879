"""Betting against a claim on bounded scores: evidence that may be looked at after every topic.

Against "the true difference is v or less" a gambler stakes a share κ of his wealth on every topic, at odds
that are fair at v. So if the claim is true, his wealth ever reaches 1/α with a chance of at most α (Ville
1939). The evidence is the mean wealth of seven gamblers. Equations are those of docs/methods/looking.md.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from truerank._support.types import Vector

# Shares κ that are staked: larger ones find larger differences fast.
STAKES: Vector = np.array([0.99, 2**-0.5, 2**-1, 2**-1.5, 2**-2, 2**-2.5, 2**-3])
# Bounds are multiples of this fraction of the range, rounded outward, so that every look gives the same
# bytes.
STEP = 2.0**-40


def odds(value: ArrayLike, largest: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The factor of a gambler's wealth after a difference d, ``kept + gained·d`` (equation 1)."""
    v = np.asarray(value, dtype=np.float64)[..., None]
    gained = STAKES / (v + largest)
    return 1 - STAKES + gained * largest, gained


def mixed(wealth: NDArray[np.float64]) -> NDArray[np.float64]:
    """The logarithm of the mean wealth (equation 2), from logarithms; stakes on the last axis but one."""
    top = wealth.max(axis=-2)
    found: NDArray[np.float64] = top + np.log(np.exp(wealth - top[..., None, :]).mean(axis=-2))
    return found


def log_evidence(differences: ArrayLike, value: float, largest: float) -> NDArray[np.float64]:
    """The logarithm of the evidence that the true difference is above v, after each topic (equation 2)."""
    kept, gained = odds(value, largest)
    d = np.asarray(differences, dtype=np.float64)[..., None, :]
    return mixed(np.cumsum(np.log(kept[:, None] + gained[:, None] * d), axis=-1))


def betting_bound(differences: Vector, alpha: float, largest: float) -> float:
    """The value that the true difference is above with confidence 1 − α, whenever one looks (equation 3).

    The largest v for which the evidence has ever reached 1/α, rounded down to a multiple of :data:`STEP`; the
    upper bound is minus that of −d. O(n) for each of some ten values.
    """
    d = np.asarray(differences, dtype=np.float64)
    target = math.log(1 / alpha)

    def excess(value: float) -> float:
        return float(log_evidence(d, value, largest).max()) - target

    if len(d) == 0:
        return -largest
    from scipy.optimize import brentq

    step = STEP * largest
    low, high = -largest * (1 - 2.0**-20), min(float(d.max()), largest)
    if high <= low or excess(low) < 0:
        return -largest
    if excess(high) >= 0:
        root = high
    else:
        root = float(brentq(excess, low, high, xtol=step / 4, rtol=8 * np.finfo(float).eps))
    place = math.floor(root / step) - 1
    while excess((place + 1) * step) >= 0 and (place + 1) * step < largest:
        place += 1
    while excess(place * step) < 0:
        place -= 1
    return place * step
