"""How few topics carry a lead, which restates its size in topics (Broderick, Giordano & Meager 2020)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from truerank._support.types import Matrix, Vector
from truerank.kinds import BesideMachine, InBattles
from truerank.numerics import special
from truerank.reliability.means import Means
from truerank.scores import ScoreMatrix

SLACK = 1e-12  # Scores closer than this are tied: a system overtakes another only by more
# A lead is fragile if it rests on fewer topics than this share of the number usual for its size.
REMARKABLE = 0.5


@dataclass(frozen=True)
class Fragility:
    """The smallest number of topics whose removal moves another system into first place, or into the first K.

    Attributes:
        topics: how many topics, or other units; null where no removal does.
        total: how many there are.
        unit: what is counted: topic, cluster, data set or family of data sets.
        share: of all of them; null in the same cases.
        by: the best of the systems that would come in then: without these topics the first of all, or of
            those outside the first places before; null as `topics`.
        over: the system that would drop out: the last of those inside before; null as `topics`.
        names: the topics, those that count most first.
        usual: how many topics a lead of that size usually rests on; ``None`` where it has no size.
    """

    topics: int | None
    total: int
    unit: str = "topic"
    share: float | None = None
    by: str | None = None
    over: str | None = None
    names: tuple[str, ...] = ()
    usual: float | None = None

    @property
    def remarkable(self) -> bool:
        """Whether the lead rests on far fewer topics than a lead of its size usually does."""
        return self.topics is not None and self.usual is not None and self.topics < REMARKABLE * self.usual


def contributions(scores: ScoreMatrix, means: Means) -> tuple[Matrix, tuple[str, ...]] | None:
    """What each unit adds to the systems' scores, N × m, and the names of units; None if sums do not rank."""
    rows = means.influences
    if isinstance(scores.kind, BesideMachine | InBattles) or rows is None:
        return None
    if means.values is not None:
        return means.values, scores.data_sets if means.of_data_sets else scores.topics
    if np.isnan(scores.values).any() or (scores.k > 1 and means.unit in ("topic", "cluster")):
        return None
    if means.unit == "topic":
        return scores.values, scores.topics
    if means.unit == "cluster" and scores.clusters is not None:
        _, first, counts = np.unique(scores.clusters, return_index=True, return_counts=True)
        names, shares = tuple(f"cluster of {scores.topics[t]}" for t in first), counts / scores.n
    else:
        sets = scores.families or scores.data_sets
        names = tuple(dict.fromkeys(sets))
        shares = np.array([sum(scores.set_weights[[f == name for f in sets]]) for name in names])
    return rows[: len(names)] + shares[:, None] * means.theta, names  # a row is without the unit's share of θ


def overtaking(differences: Vector) -> NDArray[np.intp] | None:
    """The fewest topics whose removal reverses a lead: the largest differences, until the rest is below 0."""
    order = np.argsort(-differences, kind="stable")
    left = differences.sum() - np.cumsum(differences[order])
    below = np.flatnonzero(left[:-1] < -SLACK)  # one topic must stay
    return order[: below[0] + 1] if len(below) else None


def usual(statistic: float, topics: int) -> float | None:
    """Topics that a lead of that size rests on if differences are normal: n·(1 − Φ(z)), φ(z)/Φ(z) = t/√n."""
    wanted = statistic / math.sqrt(topics)
    if not wanted > 0:
        return None

    # φ/Φ falls from left to right. Halved as often as doubles can tell; scipy.optimize is slow to import.
    low, high = -max(40.0, 2 * wanted), 40.0
    for _ in range(80):
        z = (low + high) / 2
        above = math.exp(-0.5 * z * z - 0.5 * math.log(2 * math.pi) - float(special.log_ndtr(z))) > wanted
        low, high = (z, high) if above else (low, z)
    return float(topics * special.ndtr(-(low + high) / 2))


def fragility(scores: ScoreMatrix, means: Means, k: int = 1) -> Fragility | None:
    """How few units carry the places of the first k systems. O(k·m·n log n)."""
    found = contributions(scores, means)
    if found is None or not 0 < k < scores.m or len(found[0]) < 2:
        return None
    values, names = found
    n = fewest = len(values)
    pair = (0, 0)
    for inside in range(k - 1, -1, -1):
        lost = -np.sort(values[:, k:] - values[:, inside, None], axis=0)
        below = (lost.sum(axis=0) - lost.cumsum(axis=0))[:-1] < -SLACK  # one must stay
        counts = np.where(below.any(axis=0), below.argmax(axis=0) + 1, n)
        if counts.min() < fewest:
            fewest, pair = int(counts.min()), (inside, k + int(counts.argmin()))
    if fewest == n:
        return Fragility(None, n, means.unit)
    inside, outside = pair
    gone = np.argsort(values[:, outside] - values[:, inside], kind="stable")[:fewest]
    left = np.delete(values, gone, axis=0).sum(axis=0)  # a third system may lead then
    by, over = (scores.systems[place] for place in (k + int(left[k:].argmax()), int(left[:k].argmin())))
    _, deviations = next(means.deviation_blocks())  # of thousands of systems not all
    with np.errstate(invalid="ignore", divide="ignore"):
        error = (deviations if inside < len(deviations) else means.deviations)[pair]
        statistic = float((means.contrasts[inside] - means.contrasts[outside]) / error)
    gone_names = tuple(names[u] for u in gone.tolist())
    return Fragility(fewest, n, means.unit, fewest / n, by, over, gone_names, usual(statistic, n))
