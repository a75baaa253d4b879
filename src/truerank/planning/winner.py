"""First places: the chance that a collection puts the truly best systems first, in their order."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from truerank._support.types import Matrix, Vector
from truerank.numerics.matrices import root_of
from truerank.planning.beliefs import Beliefs
from truerank.planning.curves import first_reach, number_interval
from truerank.planning.draws import CollectionDraws
from truerank.planning.plan_results import CurvePoint, Needed, curve_points

TRUTHS = 256  # draws of the truth that are followed
NOISES = 400  # collections for each of them


def winner_chances(
    beliefs: Beliefs, draws: CollectionDraws, added: Vector, rng: np.random.Generator
) -> Matrix:
    """For K draws of the truth, the chance that the first places come out right, by S numbers of topics.

    Follows the nearest contenders of each draw. O(K·contenders·`NOISES`); S times that for an extension.
    """
    m = beliefs.systems
    noise = (rng.standard_normal((NOISES, m)) @ root_of(beliefs.covariance)).T
    deviations = beliefs.deviations
    chances = np.ones((min(TRUTHS, len(draws.above)), len(added)))
    for draw in range(len(chances)):
        a, b = draws.above[draw], draws.below[draw]
        scale = deviations[a, b]
        moving = np.flatnonzero(scale > 0)
        if not len(moving):
            continue
        y = (noise[a[moving]] - noise[b[moving]]) / scale[moving, None]
        lead, pilot = draws.leads[draw, moving, None], draws.pilot_leads[draw, moving, None]
        if lead.min() > 0 and not pilot.any():  # each collection is right from one size on
            from_size = np.sort(np.max(-y / lead, axis=0))
            chances[draw] = np.searchsorted(from_size, np.sqrt(added)) / NOISES
            continue
        for place, k in enumerate(added):
            ahead = pilot + k * lead + np.sqrt(k) * y
            chances[draw, place] = np.mean(np.min(ahead, axis=0) > 0)
    return chances


def winner_curve(
    chances: Matrix, topics: Vector, target: float, level: float
) -> tuple[tuple[CurvePoint, ...], tuple[Needed, Needed]]:
    """The curve of these chances, with its interval over draws of the truth, and the topics needed."""
    chances = np.maximum.accumulate(chances, axis=1)
    expected = chances.mean(axis=0)
    low, high = np.quantile(chances, [(1 - level) / 2, (1 + level) / 2], axis=0)
    each = np.array([first_reach(topics, one, target) for one in chances])
    interval = number_interval(each, level)
    return curve_points(topics, expected, low, high), (
        Needed("winner", target, "expected", first_reach(topics, expected, target), *interval),
        # The end of an interval has no interval.
        Needed("winner", target, "low", interval[1]),
    )


def chance_at(points: Sequence[CurvePoint], topics: float) -> float:
    """The chance at any number of topics, by interpolation."""
    sizes, chances = [p.topics for p in points], [p.estimate for p in points]
    return float(np.interp(np.log(topics), np.log(sizes), chances))
