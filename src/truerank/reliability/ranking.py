"""Where systems stand, from means and joint draws alone: the rows of assessments and leaderboards."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from truerank._support.types import Matrix, Vector
from truerank.numerics.intervals import in_unit_range, unit_interval
from truerank.reliability.boards import hold_together
from truerank.reliability.estimators import PairEstimator, TopicSample
from truerank.reliability.leader import Contrasts, contrasts
from truerank.reliability.means import Aggregate
from truerank.reliability.predictive import Predictive
from truerank.reliability.results import RankedSystem
from truerank.reliability.standings import Standings, standings
from truerank.scores import ScoreMatrix


@dataclass(frozen=True, eq=False)
class Ranking:
    """A row for each system, best first; statements on their ranks, if there are probabilities; contrasts."""

    rows: tuple[RankedSystem, ...]
    stand: Standings | None
    shrunken: Contrasts | None


def ranking_of(
    predictive: Predictive,
    method: PairEstimator | None,
    dependence: str,
    level: float,
    systems: Sequence[str],
    ends: tuple[Vector, Vector],
    identical: Sequence[Sequence[int]] = (),
    p_values: Matrix | None = None,
) -> Ranking:
    """The ranking of a sample whose systems are in ranking order."""
    means = predictive.sample.means
    shrunken = contrasts(means) if means.linear else None
    stand = None
    if method is not None:
        draws, probabilities = predictive.rank_draws(method, dependence), predictive.fit(method).probabilities
        stand = standings(draws, probabilities, level, identical, p_values)
    together = p_values is not None or hold_together(means)
    errors = means.system_errors()[0] if means.linear else predictive.sample.replicates.std(axis=1, ddof=1)
    pulled = None if shrunken is None else means.theta.mean() + shrunken.limited
    rows = tuple(
        RankedSystem(
            rank=s + 1,
            system=name,
            mean=float(means.theta[s]),
            mean_low=float(ends[0][s]),
            mean_high=float(ends[1][s]),
            se=float(errors[s]),
            shrunken=None if pulled is None else float(pulled[s]),
            **({} if stand is None else _stands(stand, s, together)),
        )
        for s, name in enumerate(systems)
    )
    return Ranking(rows, stand, shrunken)


def _stands(stand: Standings, s: int, together: bool) -> dict[str, Any]:
    """Where one system stands, as the fields of its row; what is said of all at once only if it holds."""
    bands = stand.bands
    return {
        "rank_low": int(bands.joint_low[s]) if together else None,
        "rank_high": int(bands.joint_high[s]) if together else None,
        "marginal_low": int(bands.low[s]),
        "marginal_high": int(bands.high[s]),
        "letters": stand.letters[s] if together else None,
    }


def mean_interval(
    ranked: ScoreMatrix, sample: TopicSample, level: float, rule: Aggregate
) -> tuple[Vector, Vector]:
    """Ends of the intervals of the systems' scores, which keep to the range of the scores."""
    means = sample.means
    if not means.linear:
        low, high = np.quantile(sample.replicates, [(1 - level) / 2, (1 + level) / 2], axis=1)
    elif rule.points is None and ranked.kind.by_cells and in_unit_range(ranked.values):
        low, high = unit_interval(means.theta, means.half_widths(level), len(ranked.values), level)
    else:
        half = means.half_widths(level)
        low, high = means.theta - half, means.theta + half
    limits = score_limits(ranked, rule)
    return np.clip(low, *limits), np.clip(high, *limits)


def score_limits(ranked: ScoreMatrix, rule: Aggregate) -> tuple[float, float]:
    """The range that systems' scores cannot leave."""
    if rule.bounds is not None:
        return rule.bounds(ranked.k if ranked.k > 1 else ranked.n, ranked.m)
    unit = rule.points is None and ranked.kind.by_cells and in_unit_range(ranked.values)
    return (0.0, 1.0) if unit else (-math.inf, math.inf)
