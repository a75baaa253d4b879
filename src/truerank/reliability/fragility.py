"""How few topics carry a lead: the least number whose removal changes who is ahead.

It restates the size of the effect in topics and is no new evidence (Broderick, Giordano & Meager 2020):
beside it stands the number that is normal for a lead of that size.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from truerank._support.types import Matrix, Vector

SLACK = 1e-12
"""A tie is no overtaking: the other must be ahead by more than this."""

REMARKABLE = 0.5
"""A lead is called fragile where it rests on fewer topics than this share of what is normal for its size."""


@dataclass(frozen=True)
class Fragility:
    """The least number of topics whose removal puts another system first.

    Attributes:
        topics: how many; null where no removal does.
        share: of all topics, in (0, 1).
        by: the system that would be first then.
        names: the topics, those that count most first.
        usual: what is normal for a lead of that size; null where it has no size.
        exact: whether fewer can't do it; otherwise it is "at most".
    """

    topics: int | None
    share: float | None
    by: str
    names: tuple[str, ...]
    usual: float | None
    exact: bool = True

    @property
    def remarkable(self) -> bool:
        """Whether the lead rests on far fewer topics than one of its size does."""
        return self.topics is not None and self.usual is not None and self.topics < REMARKABLE * self.usual


def overtaking(differences: Vector) -> NDArray[np.intp] | None:
    """The fewest topics without which a lead turns: the largest differences, until what is left is below 0.

    Exact for a mean over topics that count alike: of all sets of k topics the k largest leave the least.

    Args:
        differences: n, the leader's score minus the other's on each topic.

    Returns:
        Their places, the largest difference first; ``None`` where the other is ahead on no topic.

    Example:
        >>> overtaking(np.array([3.0, -1.0, -1.0, 0.5])).tolist()
        [0]
    """
    order = np.argsort(-differences, kind="stable")
    left = differences.sum() - np.cumsum(differences[order])
    below = np.flatnonzero(left[:-1] < -SLACK)  # one topic must stay
    return order[: below[0] + 1] if len(below) else None


def overtaking_in_sets(
    differences: Vector, strata: NDArray[np.intp], weights: Vector
) -> NDArray[np.intp] | None:
    """The same of a weighted mean over data sets, data set by data set; exact, in O(n²).

    ``best[R] = min_r best′[R − r] + w_k·mean(d_k without its r largest)``. Every data set keeps a topic.

    Args:
        differences: n.
        strata: n, the data set of each topic, from 0.
        weights: of the data sets.
    """
    best: Vector = np.zeros(1)
    chosen: list[NDArray[np.intp]] = []
    orders = []
    for k, weight in enumerate(weights):
        places = np.flatnonzero(strata == k)
        order = places[np.argsort(-differences[places], kind="stable")]
        values = differences[order]
        orders.append(order)
        taken = np.arange(len(order))
        means = (
            weight * (values.sum() - np.concatenate([[0.0], np.cumsum(values)[:-1]])) / (len(order) - taken)
        )
        total = np.full(len(best) + len(order) - 1, np.inf)
        picked = np.zeros(len(total), dtype=np.intp)
        for r, mean in enumerate(means):
            here = slice(r, r + len(best))
            better = best + mean < total[here]
            total[here] = np.where(better, best + mean, total[here])
            picked[here][better] = r
        best = total
        chosen.append(picked)
    below = np.flatnonzero(best < -SLACK)
    if not len(below):
        return None
    removed, found = int(below[0]), []
    for order, picked in zip(reversed(orders), reversed(chosen), strict=True):
        r = int(picked[removed])
        found.append(order[:r])
        removed -= r
    places = np.concatenate(found)
    return places[np.argsort(-differences[places], kind="stable")]


def usual(statistic: float, topics: int) -> float | None:
    """The topics that a lead of that size rests on where differences are normal: n·(1 − Φ(z)), φ(z)/Φ(z) =
    t/√n.

    Args:
        statistic: t, the mean difference over its standard error.
        topics: n.

    Example:
        >>> round(usual(2.0, 20), 1), round(usual(2.0, 1000))
        (5.3, 27)
    """
    from scipy.special import log_ndtr, ndtr

    wanted = statistic / math.sqrt(topics)
    if not wanted > 0:
        return None

    # φ/Φ falls from left to right. Halved as often as doubles can tell; scipy.optimize is slow to import.
    low, high = -40.0, 40.0
    for _ in range(60):
        z = (low + high) / 2
        above = math.exp(-0.5 * z * z - 0.5 * math.log(2 * math.pi) - float(log_ndtr(z))) > wanted
        low, high = (z, high) if above else (low, z)
    return float(topics * ndtr(-(low + high) / 2))


def fragility(
    values: Matrix,
    names: tuple[str, ...],
    systems: tuple[str, ...],
    statistics: Vector,
    strata: NDArray[np.intp] | None = None,
    weights: Vector | None = None,
) -> Fragility:
    """How few topics carry the lead of the first system over all others. O(m·n log n).

    Args:
        values: n × m in ranking order, without empty cells; one row for each unit that may be left out.
        names: of the rows.
        systems: of the columns.
        statistics: m, t of the leader's difference to each system.
        strata: the data set of each row, where scores are means over data sets.
        weights: of the data sets.
    """
    best: tuple[int, int, NDArray[np.intp]] | None = None
    for other in range(1, values.shape[1]):
        differences = values[:, 0] - values[:, other]
        places = (
            overtaking(differences)
            if strata is None or weights is None
            else overtaking_in_sets(differences, strata, weights)
        )
        if places is not None and (best is None or len(places) < best[0]):
            best = (len(places), other, places)
    n = len(values)
    if best is None:
        return Fragility(None, None, "", (), None)
    count, other, places = best
    law = usual(float(statistics[other]), n)
    return Fragility(count, count / n, systems[other], tuple(names[t] for t in places), law)
