"""One pair of systems: how many topics until a gate decides, or a paired t test finds a difference."""

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
from truerank.reliability.pair.arms import arms_of
from truerank.reliability.pair.others import prior_of
from truerank.reliability.pair.question import questions_of
from truerank.reliability.pair.score_range import score_range
from truerank.reliability.pair.topics_needed import topics_needed
from truerank.reliability.pair.verdict import p_values
from truerank.scores import unknown_system


def plan_pair(pilot: Pilot, beliefs: Beliefs, wanted: Wanted) -> PairPlan | None:
    """Topics for two systems.

    Without a margin, those of the pilot included, at which a gate decides which is better: the number that
    the gate itself names. With one, those of a new collection at which a two-sided paired t test finds a true
    difference of just that size. Then only the standard deviation of the differences is not known. Beside a
    machine, of runs and of battles the power of that test is averaged over the posterior.
    """
    test, pair = wanted.test, wanted.test.pair
    if pair is None:
        return None
    first, second = _columns(pilot, pair)
    means, margin = pilot.means, test.margin
    deviation = float(means.deviations[first, second]) * math.sqrt(means.effective)
    difference = float(means.differences[first, second])
    if deviation <= 0:
        unit = pilot.scores.unit
        raise InputError(
            f"{pair[0]} and {pair[1]} differ by the same amount on every {unit.one}: a single one separates "
            "them"
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
    by_gate = None if margin is not None else _by_gate(pilot, pair, test.power, 1 - test.alpha)
    needed = by_gate or Needed(
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
    return PairPlan(
        pair, difference, probability, margin, test.power, test.alpha, needed, classical, by_gate is not None
    )


def _by_gate(pilot: Pilot, pair: tuple[str, str], power: float, level: float) -> Needed | None:
    """The topics, the pilot's included, at which a gate of the pair decides; ``None`` where it cannot say.

    Its low and high are where the chance of a verdict is 10 and 90%.
    """
    if pilot.machine is not None or pilot.runs is not None or pilot.facets:
        return None
    if pilot.scores.battles is not None:
        return None
    arms = arms_of(pilot.scores, *pair)
    bounds = score_range(pilot.scores, None)
    largest = None if bounds is None else bounds[1] - bounds[0]
    asked = questions_of(arms, pilot.scores, pilot.question, largest)[0]
    if min(p_values(asked.contrast, 0.0)) <= 1 - level:
        return Needed("pair", power, "expected", *[float(asked.count)] * 3)
    found = topics_needed(asked.contrast, 0.0, level, power, prior_of(pilot.means))
    if found is None:
        return None
    found = found.times(asked.count / asked.contrast.units)
    ends = (math.inf if n is None else float(n) for n in (found.topics, found.low, found.high))
    return Needed("pair", power, "expected", *ends)


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
