"""The leader: how good it is once it is allowed for that it was picked, and how few topics carry it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from truerank._support.seeds import stream
from truerank._support.types import Matrix
from truerank.reliability.fragility import Fragility, fragility
from truerank.reliability.means import Means, means_of, weights_of
from truerank.reliability.shrunken import Contrasts
from truerank.scores import ScoreMatrix

DRAWS = 4_000
"""Draws of the largest studentized contrast; its 97.5% quantile is known to about 0.03."""

RIVALS = 3
"""Systems closest to the leader that are tried where cells are empty and means have to be fitted again."""


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
class Leader:
    """The leader beside the average system, as observed and once its having been picked is allowed for.

    Attributes:
        system: name of the leader.
        average: mean score of all systems; the score of the leader is this plus its contrast.
        observed: its contrast, the score minus the average.
        shrunken: its posterior mean, or at least the observed one less a standard error.
        low: lower end of the interval of its true contrast.
        high: upper end, which needs no correction.
        level: confidence level of the interval.
        gap: its lead over the second system.
        tried: how many variants it was picked from, those that are not in the table among them.
        limited: whether the posterior mean was more than a standard error below the observed one.
        fragility: how few topics carry the lead; null where scores are no means over topics.
    """

    system: str
    average: float
    observed: float
    shrunken: float
    low: float
    high: float
    level: float
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
) -> Leader:
    """What is said of the leader (docs/methods/leader.md).

    The upper end needs no correction: were the leader truly above it, so would be the true best system above
    its
    own bound, which is a single fixed system's error. The lower end is the posterior's; with the guarantee,
    or of variants that are not in the table, it holds whatever the truth is.

    Args:
        scores: in ranking order.
        means: of them.
        found: the contrasts.
        level: of the interval.
        seed: of everything random.
        guarantee: whether the lower end must hold for whichever system leads.
        tried: how many variants the leader was picked from, where they are not all in the table.
    """
    from scipy.special import stdtrit

    degrees = means.common_degrees
    t = float(stdtrit(degrees, (1 + level) / 2))
    a, s = float(found.observed[0]), float(found.errors[0])
    if tried is not None:
        low = a - float(stdtrit(degrees, 1 - (1 - level) / (2 * tried))) * s
    elif guarantee:
        low = a - _largest(means, level, seed) * s
    else:
        low = float(found.shrunken[0] - t * np.sqrt(found.spread[0]) * s)
    return Leader(
        system=scores.systems[0],
        average=float(means.theta.mean()),
        observed=a,
        shrunken=float(found.limited[0]),
        low=low,
        high=float(np.max(found.observed + t * found.errors)),
        level=level,
        gap=Gap(float(means.theta[0] - means.theta[1]), found.gap),
        tried=tried or scores.m,
        limited=bool(found.limited[0] > found.shrunken[0]),
        fragility=_fragility(scores, means),
    )


def _largest(means: Means, level: float, seed: int) -> float:
    """Quantile of the largest studentized contrast over all systems, one-sided (max-T)."""
    rows = means.rows - means.rows.mean(axis=1, keepdims=True)
    deviations = np.sqrt((rows**2).sum(axis=0))
    studentized = rows / np.where(deviations > 0, deviations, np.inf)
    rng = stream(seed, "leader")
    degrees = means.common_degrees
    largest = np.empty(DRAWS)
    for start in range(0, DRAWS, 500):
        normal = rng.standard_normal((500, len(rows))) @ studentized
        scale = np.sqrt(rng.chisquare(degrees, 500) / degrees)
        largest[start : start + 500] = normal.max(axis=1) / scale
    return float(np.quantile(largest, (1 + level) / 2))


def _fragility(scores: ScoreMatrix, means: Means) -> Fragility | None:
    """How few topics carry the lead; nothing of votes and machine-corrected means."""
    if scores.machine is not None or scores.battles is not None or means.of_data_sets:
        return None
    with np.errstate(invalid="ignore", divide="ignore"):
        statistics = means.differences[0] / means.deviations[0]
    if np.isnan(scores.values).any():
        return _refitted(scores, statistics)
    several = scores.k > 1
    return fragility(
        scores.values,
        scores.topics,
        scores.systems,
        statistics,
        scores.strata if several else None,
        weights_of(scores) if several else None,
    )


def _refitted(scores: ScoreMatrix, statistics: Matrix) -> Fragility:
    """At most so many topics, with empty cells: the most influential one goes, and means are fitted again."""
    from truerank.reliability.fragility import usual

    best: tuple[int, int, list[str]] | None = None
    rivals = 1 + np.argsort(statistics[1:], kind="stable")[:RIVALS]
    for rival in map(int, rivals):
        kept = scores
        gone: list[str] = []
        while kept.n > 3 and (best is None or len(gone) + 1 < best[0]):
            fitted = means_of(kept)
            worst = int(np.argmax(fitted.rows[:, 0] - fitted.rows[:, rival]))
            gone.append(kept.topics[worst])
            kept = _without(kept, worst)
            theta = means_of(kept).theta
            if theta[rival] > theta[0] + 1e-12:
                best = (len(gone), rival, gone)
                break
    if best is None:
        return Fragility(None, None, "", (), None, exact=False)
    count, rival, names = best
    law = usual(float(statistics[rival]), scores.n)
    return Fragility(count, count / scores.n, scores.systems[rival], tuple(names), law, exact=False)


def _without(scores: ScoreMatrix, topic: int) -> ScoreMatrix:
    """The scores without one topic."""
    return replace(
        scores,
        values=np.delete(scores.values, topic, axis=0),
        topics=scores.topics[:topic] + scores.topics[topic + 1 :],
        strata=None if scores.strata is None else np.delete(scores.strata, topic),
        clusters=None,
    )
