"""One pair of systems: how many topics until a paired t test separates them."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np

from truerank._support.types import Vector
from truerank.errors import InputError, at
from truerank.planning.beliefs import Beliefs
from truerank.planning.classical import fewest, paired_t_power
from truerank.planning.pilot import Pilot
from truerank.planning.plan_results import Needed, PairPlan
from truerank.planning.wanted import Wanted
from truerank.scores import unknown_system


def plan_pair(pilot: Pilot, beliefs: Beliefs, wanted: Wanted) -> PairPlan | None:
    """Topics of a new collection at which a two-sided paired t test separates two systems.

    With a margin, for a true difference of just that size: only the standard deviation of the differences is
    not known. Without, for the true difference itself, of which the pilot knows something: the power is
    averaged over the posterior of both.
    """
    test, pair = wanted.test, wanted.test.pair
    if pair is None:
        return None
    first, second = _columns(pilot, pair)
    means, margin = pilot.means, test.margin
    deviation = float(means.deviations[first, second]) * math.sqrt(means.effective)
    difference = float(means.differences[first, second])
    if deviation <= 0:
        raise InputError(
            f"{pair[0]} and {pair[1]} differ by the same amount on every topic: one topic separates them"
        )
    upper, lower = sorted((first, second))
    if margin is None:
        sizes, chances = beliefs.contrast_sizes(upper, lower)
    else:
        scales, chances = beliefs.scales(upper, lower)
        sizes = margin / deviation * scales
    power = partial(paired_t_power, alpha=test.alpha)

    def topics(of_topics: Callable[[int], float]) -> float:
        """The fewest, by people where a machine judges beside them, and with the pilot's runs of each."""
        found = fewest(of_topics, test.power, 2)
        if math.isinf(found) or (
            pilot.machine is None and pilot.runs is None and pilot.scores.battles is None
        ):
            return found
        if pilot.machine is None:
            return math.ceil(found / pilot.each - 1e-9)
        return math.ceil(pilot.machine.human(found) - 1e-9)

    low, high = _quantiles(sizes, chances, wanted.level)
    needed = Needed(
        "pair",
        test.power,
        "expected",
        topics(lambda n: float(chances @ power(n, sizes))),
        topics(partial(power, effect=high)),
        topics(partial(power, effect=low)),
    )
    classical = topics(partial(power, effect=(margin or abs(difference)) / deviation))
    ahead = 1 - beliefs.pair_wrong_now(upper, lower)
    probability = ahead if difference >= 0 else 1 - ahead
    return PairPlan(pair, difference, probability, margin, test.power, test.alpha, needed, classical)


def _columns(pilot: Pilot, pair: tuple[str, str]) -> tuple[int, int]:
    """The columns of a pair's systems among the pilot's, which are in ranking order."""
    scores = pilot.scores
    where = at(scores.source)
    if len(pair) != 2 or pair[0] == pair[1]:
        raise InputError(f"{where}a pair is two different systems")
    if scores.k > 1 and pilot.question == "topics":
        raise InputError(f"{where}a pair is planned for one data set, or for new data sets (generalize_to)")
    for name in pair:
        if name not in scores.systems:
            raise unknown_system(scores, name)
    return scores.systems.index(pair[0]), scores.systems.index(pair[1])


def _quantiles(values: Vector, weights: Vector, level: float) -> tuple[float, float]:
    order = np.argsort(values)
    ends = np.cumsum(weights[order])
    places = np.searchsorted(ends, np.array([(1 - level) / 2, (1 + level) / 2]) * ends[-1])
    low, high = values[order[np.minimum(places, len(order) - 1)]]
    return float(low), float(high)
