"""One pair of systems: how many topics until a gate decides, or a paired t test finds a difference."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from truerank._support.arguments import setting
from truerank._support.types import Vector
from truerank.errors import InputError, at
from truerank.numerics.intervals import fewest
from truerank.planning.beliefs import Beliefs
from truerank.planning.pilot import Pilot, Wanted
from truerank.planning.plan_results import Needed, PairPlan
from truerank.reliability.pair.comparing import Pair, largest_difference, pair_scores, pairs_of
from truerank.reliability.pair.contrast import Contrast, interval, prior_of, topics_needed, verdict_in
from truerank.scores import unknown_system


def plan_pair(pilot: Pilot, beliefs: Beliefs, wanted: Wanted) -> PairPlan | None:
    """Topics for the requested pair, or for the two best systems if a plan has no targets."""
    if wanted.pair is None and wanted.asked:
        return None
    pair, margin = wanted.pair or pilot.two_best, wanted.margin if wanted.pair else None
    reason = _reason(pilot, pair, margin)
    if reason is not None:
        if wanted.pair is None:
            return None
        raise InputError(reason)
    first, second = (pilot.scores.systems.index(name) for name in pair)
    means = pilot.means
    deviation = float(means.deviations[first, second]) * math.sqrt(means.effective)
    difference = float(means.differences[first, second])
    if margin is None:
        needed, contrast = _by_gate(pilot, pair, wanted.power, 1 - wanted.alpha)
        # What decides, which a ranking's other topics, or its λ of a machine, may contradict.
        difference, deviation = -contrast.estimate, contrast.error * math.sqrt(contrast.units)
    else:
        needed = _to_find(pilot, beliefs, wanted, sorted((first, second)), margin / deviation)
    size = (margin or abs(difference)) / deviation
    classical = _topics(pilot, partial(paired_t_power, effect=size, alpha=wanted.alpha), wanted.power)
    return PairPlan(pair, difference, deviation, margin, wanted.power, wanted.alpha, needed, classical)


def _reason(pilot: Pilot, pair: tuple[str, str], margin: float | None) -> str | None:
    """Why no gate decides the pair, and no test finds the margin; ``None`` where one can."""
    scores, where = pilot.scores, at(pilot.scores.source)
    if len(pair) != 2 or pair[0] == pair[1]:
        return f"{where}a pair is two different systems"
    for name in pair:
        if name not in scores.systems:
            raise unknown_system(scores, name)
    if margin is not None and scores.k > 1 and pilot.question == "topics":
        return (
            f"{where}a difference of a given size is planned for one data set, or for new data sets; leave "
            f"{setting('margin')} out, or use {setting('generalize_to', 'data_sets')}"
        )
    if pilot.means.deviations[*map(scores.systems.index, pair)] <= 0:
        return (
            f"{pair[0]} and {pair[1]} differ by the same amount on every {scores.unit.one}: a single one "
            "decides"
        )
    if margin is not None:
        return None
    if pilot.facets:
        return (
            f"{where}a pair is decided on the levels in the table; leave {setting('generalize_to')} out, or "
            f"give {setting('margin')}"
        )
    of_both = pair_scores(scores, *pair) if scores.kind.by_cells else None
    return of_both if isinstance(of_both, str) else None


def _to_find(pilot: Pilot, beliefs: Beliefs, wanted: Wanted, ranks: list[int], effect: float) -> Needed:
    """Topics at which a t test finds a difference of `effect` standard deviations of the pilot."""
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
    """The topics at which a gate decides, with where it does with 10 and 90% power; what it decides on."""
    scores = pilot.scores
    prior = None
    compared: Sequence[Pair]
    if not scores.kind.by_cells:
        from truerank.reliability.pair.of_battles import arena_pairs

        compared = arena_pairs(scores, pair[0], pair[1:], level, direct=False)
    else:
        of_both = pair_scores(scores, *pair)
        assert not isinstance(of_both, str)  # _reason refuses the pair otherwise
        compared = pairs_of(of_both, scores, pilot.question, largest_difference(scores))
        prior = None if pilot.machine is not None else prior_of(pilot.means)
    contrast, count = compared[0].contrast, compared[0].count
    if verdict_in(*interval(contrast, level), 0.0) != "undecided":
        return Needed("pair", power, "expected", *[float(count)] * 3), contrast
    found = topics_needed(contrast, 0.0, level, power, prior)
    if found is None:
        return Needed("pair", power, "expected", *[math.inf] * 3), contrast
    found = found.times(count / contrast.units)
    ends = (math.inf if n is None else float(n) for n in (found.topics, found.low, found.high))
    return Needed("pair", power, "expected", *ends), contrast


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
