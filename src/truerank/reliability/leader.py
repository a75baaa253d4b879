"""The leader: how good it is once selection is allowed for, and how few topics carry its lead."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from truerank._support.notes import Note
from truerank._support.seeds import stream
from truerank._support.wording import listed, or_fewer, rough
from truerank.reliability.fragility import Fragility, fragility
from truerank.reliability.means import Means
from truerank.reliability.shrunken import Contrasts
from truerank.scores import ScoreMatrix

DRAWS = 4_000
"""Draws of the largest studentized contrast; its 97.5% quantile is known to about 0.03."""


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
        fragility: how few topics carry the lead; ``None`` where scores are no means over topics.
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
    its own bound, which is a single fixed system's error. The lower end is the posterior's; with the
    guarantee, or of variants that are not in the table, it holds whatever the truth is.
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
        fragility=fragility(scores, means),
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


def leader_warnings(
    scores: ScoreMatrix, leader: Leader, several: Fragility | None = None, alone: bool = False
) -> list[Note]:
    """What to know of the leader: that it is in a class of its own, or that few topics carry its lead.

    Args:
        scores: what was ranked.
        leader: what is said of it.
        several: how few topics carry the first places, where they were asked for.
        alone: whether its rank range is 1 to 1; one whose strength is hardly known can be far above all
            others in the estimate, too.
    """
    found = []
    if leader.limited and alone:
        found.append(
            Note(
                "leader-apart",
                f"the leader {listed([leader.system])} is in a class of its own, but the method "
                "takes systems to be alike. Its corrected score was held at one standard error below the "
                "observed one. It is probably still too low (docs/methods/leader.md)",
                systems=(leader.system,),
            )
        )
    for what, one in (
        (f"the lead of {listed([leader.system])}", leader.fragility),
        ("one of the first places", several),
    ):
        if one is not None and one.remarkable and one.usual is not None:
            units = scores.unit_of(one.unit).many
            found.append(
                Note(
                    "fragile-lead",
                    f"{what} would be lost to {listed([one.by or ''])} without "
                    f"{or_fewer(one.topics or 0, one.exact)} of {one.total:,} {units}, where "
                    f"{rough(one.usual)} are usual for its size: look at {listed(one.names, 3)}",
                )
            )
            break
    return found
