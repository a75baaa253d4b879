"""How many more topics until a verdict, if those to come are like these."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from truerank._support.seeds import stream
from truerank._support.types import Matrix
from truerank.comparison.sequential.course import Course
from truerank.comparison.sequential.rules import Planned
from truerank.reliability.pair.topics_needed import TopicsNeeded

WORLDS = 99
"""Populations that these topics may come from, drawn as the Bayesian bootstrap does; a future of each."""

TOGETHER = 11
"""Futures that are looked at at once."""

HORIZONS = (300, 3_000)
"""More topics that are drawn: a few of every future, many of those that have led to no verdict by then."""


def topics_until_verdict(course: Course, seed: int) -> TopicsNeeded | None:
    """Rounds in all at which half of the futures have led to a verdict, and a tenth and nine tenths of them.

    ``None`` where nothing is known, as no topic differs from the others; a number that is ``None`` is beyond
    the horizon, or beyond the planned looks.
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
