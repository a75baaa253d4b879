"""One pair of systems: how many topics until a gate decides, or a paired t test finds a difference."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from truerank._support.arguments import setting
from truerank._support.types import Vector
from truerank.errors import InputError, at
from truerank.numerics.fewest import fewest
from truerank.planning.beliefs import Beliefs
from truerank.planning.pilot import Pilot
from truerank.planning.plan_results import Needed, PairPlan
from truerank.planning.wanted import Wanted
from truerank.reliability.pair.arms import arms_of, largest_difference
from truerank.reliability.pair.contrast import Contrast, interval, verdict_in
from truerank.reliability.pair.question import Question, questions_of
from truerank.reliability.pair.topics_needed import prior_of, topics_needed
from truerank.scores import unknown_system


def plan_pair(pilot: Pilot, beliefs: Beliefs, wanted: Wanted) -> PairPlan | None:
    """Topics for the requested pair, or for the two best systems if a plan has no targets.

    Without a margin, these are the topics, the pilot's included, at which a gate decides which is better, by
    its two-sided interval.
    With a margin, they are those of a new collection at which a two-sided paired t test finds a true
    difference of that size. Then only the standard deviation of the differences is unknown.
    """
    if wanted.pair is not None:
        return _planned(pilot, beliefs, wanted, wanted.pair)
    if wanted.asked:
        return None
    try:
        return _planned(pilot, beliefs, replace(wanted, margin=None), pilot.two_best)
    except InputError:  # no gate can decide this pair
        return None


def _planned(pilot: Pilot, beliefs: Beliefs, wanted: Wanted, pair: tuple[str, str]) -> PairPlan:
    margin = wanted.margin
    first, second = _columns(pilot, pair, margin)
    means = pilot.means
    deviation = float(means.deviations[first, second]) * math.sqrt(means.effective)
    difference = float(means.differences[first, second])
    if deviation <= 0:
        unit = pilot.scores.unit
        raise InputError(
            f"{pair[0]} and {pair[1]} differ by the same amount on every {unit.one}: a single one decides"
        )
    if margin is None:
        needed, contrast = _by_gate(pilot, pair, wanted.power, 1 - wanted.alpha)
        # What decides, which a ranking's other topics, or its λ of a machine, may contradict.
        difference, deviation = -contrast.estimate, contrast.error * math.sqrt(contrast.units)
    else:
        needed = _to_find(pilot, beliefs, wanted, sorted((first, second)), margin / deviation)
    size = (margin or abs(difference)) / deviation
    classical = _topics(pilot, partial(paired_t_power, effect=size, alpha=wanted.alpha), wanted.power)
    return PairPlan(pair, difference, deviation, margin, wanted.power, wanted.alpha, needed, classical)


def _to_find(pilot: Pilot, beliefs: Beliefs, wanted: Wanted, ranks: list[int], effect: float) -> Needed:
    """Topics at which a t test finds a difference of `effect` standard deviations of the pilot.

    Its power is averaged over the posterior of the true standard deviation.
    """
    scales, chances = beliefs.scales(*ranks)
    sizes = effect * scales
    power = partial(paired_t_power, alpha=wanted.alpha)
    low, high = _quantiles(sizes, chances, wanted.level)
    found = (
        _topics(pilot, of_topics, wanted.power)
        for of_topics in (
            lambda n: float(chances @ power(n, sizes)),
            partial(power, effect=high),
            partial(power, effect=low),
        )
    )
    return Needed("pair", wanted.power, "expected", *found)


def _topics(pilot: Pilot, of_topics: Callable[[int], float], power: float) -> float:
    """The fewest topics: those that people judge beside a machine, and with the pilot's runs of each."""
    found = fewest(of_topics, power, 2)
    if math.isinf(found) or (pilot.machine is None and pilot.runs is None and pilot.scores.kind.by_cells):
        return found
    if pilot.machine is None:
        return math.ceil(found / pilot.each - 1e-9)
    return math.ceil(pilot.machine.human(found) - 1e-9)


def _by_gate(pilot: Pilot, pair: tuple[str, str], power: float, level: float) -> tuple[Needed, Contrast]:
    """The topics, the pilot’s included, at which a gate decides, and what it decides on.

    The ends of their interval are where it decides with 10 and 90% power.
    """
    scores = pilot.scores
    if pilot.facets:
        raise InputError(
            f"{at(scores.source)}a pair is decided on the levels in the table; leave "
            f"{setting('generalize_to')} out, or give {setting('margin')}"
        )
    prior = None
    asked: Sequence[Question]
    if not scores.kind.by_cells:
        from truerank.reliability.pair.of_battles import arena_questions

        asked = arena_questions(scores, pair[0], pair[1:], level, direct=False)
    else:
        asked = questions_of(arms_of(scores, *pair), scores, pilot.question, largest_difference(scores))
        prior = None if pilot.machine is not None else prior_of(pilot.means)
    contrast, count = asked[0].contrast, asked[0].count
    if verdict_in(*interval(contrast, level), 0.0) != "undecided":
        return Needed("pair", power, "expected", *[float(count)] * 3), contrast
    found = topics_needed(contrast, 0.0, level, power, prior)
    if found is None:
        return Needed("pair", power, "expected", *[math.inf] * 3), contrast
    found = found.times(count / contrast.units)
    ends = (math.inf if n is None else float(n) for n in (found.topics, found.low, found.high))
    return Needed("pair", power, "expected", *ends), contrast


def _columns(pilot: Pilot, pair: tuple[str, str], margin: float | None) -> tuple[int, int]:
    """The columns of a pair's systems among the pilot's, which are in ranking order."""
    scores = pilot.scores
    where = at(scores.source)
    if len(pair) != 2 or pair[0] == pair[1]:
        raise InputError(f"{where}a pair is two different systems")
    if margin is not None and scores.k > 1 and pilot.question == "topics":
        raise InputError(
            f"{where}a difference of a given size is planned for one data set, or for new data sets; leave "
            f"{setting('margin')} out, or use {setting('generalize_to', 'data_sets')}"
        )
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


def paired_t_power(topics: float, effect: Any, alpha: float = 0.05) -> Any:
    """Probability that a two-sided paired t test finds an effect (in standard deviations) by its sign."""
    from truerank.numerics.special import nctdtr, ndtr, stdtrit

    shift = np.sqrt(topics) * np.abs(effect)
    critical = float(stdtrit(topics - 1, 1 - alpha / 2))
    near = np.minimum(shift, 30.0)
    found = 1 - nctdtr(topics - 1, near, critical)
    # Far out the noncentral t cannot be computed, and its normal approximation is exact.
    found = np.where(shift > 30.0, ndtr(shift - critical), found)
    return float(found) if np.ndim(effect) == 0 else found
