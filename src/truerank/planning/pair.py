"""One pair of systems: how many topics until a paired t test tells them apart."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from truerank._support.types import Vector
from truerank.errors import InputError
from truerank.planning.beliefs import Beliefs
from truerank.planning.classical import check_power, fewest, paired_t_power
from truerank.planning.plan_results import Needed, PairPlan


def plan_pair(
    beliefs: Beliefs,
    systems: tuple[int, int],
    names: tuple[str, str],
    difference: float,
    deviation: float,
    *,
    margin: float | None = None,
    power: float = 0.8,
    alpha: float = 0.05,
    level: float = 0.95,
) -> PairPlan:
    """Topics of a new collection at which a two-sided paired t test tells two systems apart.

    With a margin, for a true difference of just that size: only the standard deviation of the differences is
    not known. Without, for the true difference itself, of which the pilot knows something: the power is
    averaged over the posterior of both.
    """
    check_power(power, alpha)
    if margin is not None and not (margin > 0 and math.isfinite(margin)):
        raise InputError(f"a margin must be above 0, not {margin:g}")
    if deviation <= 0:
        raise InputError(
            f"{names[0]} and {names[1]} differ by the same amount on every topic; one topic tells them apart"
        )
    first, second = sorted(systems)
    if margin is None:
        sizes, chances = beliefs.contrast_sizes(first, second)
    else:
        scales, chances = beliefs.scales(first, second)
        sizes = margin / deviation * scales

    def assurance(n: int) -> float:
        return float(chances @ paired_t_power(n, sizes, alpha))

    low, high = _quantiles(sizes, chances, level)
    ends = [fewest(partial(paired_t_power, effect=end, alpha=alpha), power, 2) for end in (high, low)]
    classical = fewest(lambda n: paired_t_power(n, (margin or abs(difference)) / deviation, alpha), power, 2)
    ahead = 1 - beliefs.pair_wrong_now(first, second)
    probability = ahead if difference >= 0 else 1 - ahead
    return PairPlan(
        names,
        difference,
        probability,
        margin,
        power,
        alpha,
        Needed("pair", power, "expected", fewest(assurance, power, 2), *ends),
        classical,
    )


def _quantiles(values: Vector, weights: Vector, level: float) -> tuple[float, float]:
    order = np.argsort(values)
    ends = np.cumsum(weights[order])
    places = np.searchsorted(ends, np.array([(1 - level) / 2, (1 + level) / 2]) * ends[-1])
    low, high = values[order[np.minimum(places, len(order) - 1)]]
    return float(low), float(high)
