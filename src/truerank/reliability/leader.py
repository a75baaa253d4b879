"""The leader: how good it is once selection is allowed for, and how few topics carry its lead.

A leader was picked for being first, so its observed lead is too large on average. The empirical-Bayes
posterior of every pair (:mod:`truerank.reliability.estimators.eb`) gives the expected true difference; a
system's mean over all others is its shrunken contrast to the average system (docs/methods/leader.md). How few
topics carry its lead restates the lead's size in topics (Broderick, Giordano & Meager 2020).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from truerank._support.notes import Note
from truerank._support.seeds import stream
from truerank._support.types import Matrix, Vector
from truerank.kinds import BesideMachine, InBattles
from truerank.numerics import special
from truerank.numerics.intervals import t_half, unit_interval
from truerank.reliability.estimators import eb
from truerank.reliability.means import Means
from truerank.scores import ScoreMatrix

DRAWS = 4_000  # draws of the largest studentized error; its 97.5% quantile is known to about 0.03
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


@dataclass(frozen=True)
class Contrasts:
    """Every system beside the average one, in ranking order: a, its standard error s and posterior mean ã.

    The spread r is the posterior variance of a system's differences in units of s². The gap is the posterior
    mean of the first system's lead over the second.
    """

    observed: Vector
    errors: Vector
    shrunken: Vector
    spread: Vector
    gap: float

    @property
    def limited(self) -> Vector:
        """The shrunken contrasts, each moved by at most its own standard error (Efron & Morris 1972).

        A system far ahead of all others would otherwise be shrunken as if it were like them.
        """
        return np.clip(self.shrunken, self.observed - self.errors, self.observed + self.errors)


def contrasts(means: Means) -> Contrasts:
    """The contrasts of all systems, observed and shrunken. O(m²)."""
    prior = eb.learned(means)
    m = len(means.theta)
    shrunken, spread, gap = np.zeros(m), np.zeros(m), 0.0
    for start, z, deviations in eb.statistic_blocks(means):
        rows = slice(start, start + len(z))
        above = np.arange(start, m) > np.arange(m)[rows, None]
        here = above & np.isfinite(z)
        expected, variance = np.zeros_like(z), np.zeros_like(z)
        degrees = eb.of_pairs(means.pair_degrees, (rows, slice(start, m)), here)
        expected[here], variance[here] = prior.moments(z[here], degrees)
        expected *= deviations
        sure = above & np.isinf(z)  # the same difference on every topic is the true one
        expected[sure] = (means.contrasts[rows, None] - means.contrasts[start:])[sure]
        for total, part, sign in ((shrunken, expected, -1), (spread, variance, 1)):
            total[rows] += part.sum(axis=1)
            total[start:] += sign * part.sum(axis=0)
        gap = gap if start else float(expected[0, 1])
    assert means.influences is not None
    centered = means.influences - means.influences.mean(axis=1, keepdims=True)
    errors, _ = replace(means, influences=centered, values=None).system_errors()
    return Contrasts(means.theta - means.theta.mean(), errors, shrunken / m, spread / (m - 1), gap)


@dataclass(frozen=True)
class Gap:
    """The lead of the first system over the second.

    Attributes:
        observed: the difference of their scores.
        shrunken: its posterior mean.
    """

    observed: float
    shrunken: float


@dataclass(frozen=True)
class Contrast:
    """The leader beside the average system: its score minus the mean score of all systems.

    Attributes:
        average: mean score of all systems.
        observed: the leader's score minus the average.
        shrunken: its posterior mean, or the observed one less its own standard error where that is more.
        low: lower end of the interval of the true contrast, at the leader's level.
        high: upper end, which needs no correction.
    """

    average: float
    observed: float
    shrunken: float
    low: float
    high: float


@dataclass(frozen=True)
class Leader:
    """The leader's score, as observed and once its having been picked is allowed for.

    Attributes:
        system: name of the leader.
        observed: its score.
        shrunken: what is expected of its true score: the average plus the shrunken contrast.
        low: lower end of the interval of its true score.
        high: upper end, which needs no correction.
        level: confidence level of both intervals, of the score and of the contrast.
        contrast: how far it is above the average system, with its interval.
        gap: its lead over the second system.
        tried: how many variants it was picked from, those that are not in the table among them.
        limited: whether the posterior mean of the contrast is more than its standard error below the observed
            contrast, so that `shrunken` is held there.
        fragility: how few topics carry the lead; ``None`` where scores are not plain means over units.
    """

    system: str
    observed: float
    shrunken: float
    low: float
    high: float
    level: float
    contrast: Contrast
    gap: Gap
    tried: int
    limited: bool
    fragility: Fragility | None


def leader_of(
    scores: ScoreMatrix,
    means: Means,
    found: Contrasts,
    level: float,
    seed: int,
    guarantee: bool = False,
    tried: int | None = None,
    limits: tuple[float, float] = (-math.inf, math.inf),
) -> Leader:
    """The leader's score, with selection allowed for (docs/methods/leader.md).

    The upper ends need no correction: were the leader truly above one, so would be the true best system above
    its own bound, which is a single fixed system's error. The lower ends are the posterior's; with the
    guarantee, or of variants that are not in the table, they hold whatever the truth is.
    """
    degrees = means.common_degrees
    t = float(t_half(degrees, level))
    score, (errors, _) = float(means.theta[0]), means.system_errors()
    a, s, limited = float(found.observed[0]), float(found.errors[0]), float(found.limited[0])
    if tried is not None:
        most = float(special.stdtrit(degrees, 1 - (1 - level) / (2 * tried)))
        low, center, half = a - most * s, score, most * float(errors[0])
    elif guarantee:
        low = a - _largest(means, means.beside_average, level, seed) * s
        center, half = score, _largest(means, means.rows, level, seed) * float(errors[0])
    else:
        pulled, spread = float(found.shrunken[0]) - a, float(np.sqrt(found.spread[0])) * s
        average = means.rows.mean(axis=1)
        contrast = means.rows[:, 0] - average
        variance = float(contrast @ contrast)
        # By how much the error of the score moves with that of the contrast.
        move = 1 + (float(contrast @ average) / variance if variance > 0 else 0.0)
        rest = max(float(errors[0]) ** 2 - (move * s) ** 2, 0.0)
        low = a + pulled - t * spread
        center, half = score + move * pulled, t * math.hypot(move * spread, math.sqrt(rest))
    score_low = center - half
    if limits == (0.0, 1.0):  # near 1 the scores carry too little information about their spread
        kept = np.array([min(max(center, 0.0), 1.0)])
        wilson, _ = unit_interval(np.array([score]), np.array([half]), scores.n, level, kept)
        score_low = min(score_low, float(wilson[0]))
    shrunken = score + limited - a
    score_high = float(np.max(means.theta + t * errors))
    high = float(np.max(found.observed + t * found.errors))
    return Leader(
        system=scores.systems[0],
        observed=score,
        shrunken=shrunken,
        low=min(max(score_low, limits[0]), shrunken),
        high=max(min(score_high, limits[1]), shrunken),
        level=level,
        contrast=Contrast(float(means.theta.mean()), a, limited, low, high),
        gap=Gap(float(means.theta[0] - means.theta[1]), found.gap),
        tried=tried or scores.m,
        limited=limited > float(found.shrunken[0]),
        fragility=fragility(scores, means),
    )


def _largest(means: Means, rows: Matrix, level: float, seed: int) -> float:
    """Quantile of the largest studentized error over all systems, one-sided (max-T)."""
    deviations = np.sqrt((rows**2).sum(axis=0))
    studentized = rows / np.where(deviations > 0, deviations, np.inf)
    rng, degrees, largest = stream(seed, "leader"), means.common_degrees, []
    for _ in range(0, DRAWS, 500):
        normal = rng.standard_normal((500, len(rows))) @ studentized
        largest.append(normal.max(axis=1) / np.sqrt(rng.chisquare(degrees, 500) / degrees))
    return float(np.quantile(np.concatenate(largest), (1 + level) / 2))


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


def leader_warnings(scores: ScoreMatrix, leader: Leader, several: Fragility | None = None) -> list[Note]:
    """A note where few topics carry the leader's lead, or that of the first places."""
    for system, one in ((leader.system, leader.fragility), (None, several)):
        if one is not None and one.remarkable and one.usual is not None:
            facts = {
                "leader": system,
                "lost_to": one.by or "",
                "without": one.topics or 0,
                "of": one.total,
                "usual": one.usual,
                "topics": list(one.names),
                "unit": scores.unit_of(one.unit).one,
            }
            return [Note("fragile-lead", facts)]
    return []
