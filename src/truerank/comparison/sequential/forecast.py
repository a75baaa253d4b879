"""How many more topics until a verdict, if these topics are like those to come."""

from __future__ import annotations

import math

import numpy as np

from truerank._support.seeds import stream
from truerank._support.types import Matrix, Vector
from truerank._support.wording import MOST_TOPICS
from truerank.comparison.gate.topics_needed import TopicsNeeded
from truerank.comparison.sequential.betting import odds
from truerank.comparison.sequential.course import Course
from truerank.comparison.sequential.mixture import critical_z
from truerank.comparison.sequential.rules import Betting, Planned

WORLDS = 199
"""Populations that the topics so far may have come from, drawn as the Bayesian bootstrap does."""

GRID = 160
"""Numbers of topics that are looked at, evenly spaced on the logarithm."""


def topics_until_verdict(course: Course, seed: int) -> TopicsNeeded | None:
    """Rounds in all at which half of the populations have led to a verdict; ``None`` where nothing differs.

    In each population the evidence grows as its mean says (docs/methods/looking.md, equation 11).
    """
    d = course.differences
    if len(d) < 3 or np.ptp(d) == 0:
        return None
    rng = stream(seed, "gate", "sequential", "forecast")
    shares = rng.standard_exponential((WORLDS, len(d)))
    shares /= shares.sum(axis=1, keepdims=True)
    sides = [(1.0, -course.margin), (-1.0, course.margin)]
    each = np.min([_until(course, sign * d, shares, value) for sign, value in sides], axis=0)
    low, middle, high = (float(np.sort(each)[round(q * (WORLDS - 1))]) for q in (0.1, 0.5, 0.9))
    return TopicsNeeded(*(math.ceil(n) if n < MOST_TOPICS else None for n in (middle, low, high)))


def _until(course: Course, d: Vector, shares: Matrix, value: float) -> Vector:
    """Rounds at which each population establishes a claim; ∞ where it never does."""
    rule = course.rule
    if isinstance(rule, Betting):
        kept, gained = odds(value, rule.largest)
        logs = np.log(kept + gained * d[:, None])
        growth = shares @ logs
        missing = math.log(1 / course.alpha) + math.log(logs.shape[1]) - logs.sum(axis=0)
        with np.errstate(divide="ignore", invalid="ignore"):
            more = np.where(growth > 0, missing / growth, np.inf)
        return len(d) + np.maximum(more.min(axis=1), 1.0)
    mean = shares @ d
    deviation = np.sqrt(np.maximum(shares @ d**2 - mean**2, 1e-300))
    if isinstance(rule, Planned):
        left = [n for n in rule.looks if n > len(d)]
        sizes, needed = np.array(left, dtype=float), np.array(rule.limits(course.alpha)[-len(left) or None :])
        if not left:
            return np.full(len(mean), np.inf)
    else:
        sizes = np.geomspace(len(d) + 1, MOST_TOPICS, GRID)
        needed = critical_z(sizes, course.alpha)
    together = (d.sum() + (sizes - len(d)) * mean[:, None]) / sizes
    reached = (together - value) * np.sqrt(sizes) / deviation[:, None] >= needed
    return np.where(reached.any(axis=1), sizes[reached.argmax(axis=1)], np.inf)
