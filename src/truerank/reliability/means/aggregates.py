"""Aggregates: how scores on single data sets (or topics) become one score per system."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from truerank._support.registry import Entry, Registry
from truerank._support.types import Matrix
from truerank.scores import TIE


@dataclass(frozen=True)
class Aggregate(Entry):
    """A way from scores on K data sets to one score of each system.

    Attributes:
        points: from K × m scores (NaN: none) to K × m points whose mean ranks the systems; ``None`` where the
            scores themselves are averaged. NaN where a system has no part in a data set.
        total: whether the points are added up rather than averaged, as the rule's own figures are.
        score: what a system's score is called, in the middle of a sentence.
        bounds: the lowest and highest possible score, from K and m; ``None`` where there is no bound.

    Example:
        >>> import numpy as np
        >>> scores = np.array([[0.3, 0.5, 0.5], [0.9, 0.1, 0.2]])
        >>> AGGREGATES["borda"].points(scores).tolist()
        [[0.0, 1.5, 1.5], [2.0, 0.0, 1.0]]
    """

    points: Callable[[Matrix], Matrix] | None
    total: bool = False
    score: str = "mean"
    bounds: Callable[[int, int], tuple[float, float]] | None = None


def borda_points(scores: Matrix) -> Matrix:
    """m − rank on each row, ties sharing their ranks' average, 0 where there is no score. O(K·m log m)."""
    ranks = _ranks(scores)
    return np.where(np.isnan(ranks), 0.0, scores.shape[-1] - ranks)


def beaten_shares(scores: Matrix) -> Matrix:
    """The share of the other systems on a row that a system beats, counting ties as half."""
    ranks = _ranks(scores)
    others = np.sum(~np.isnan(ranks), axis=-1, keepdims=True) - 1.0
    others = np.where(others < 1, np.nan, others)
    return (others + 1 - ranks) / others


def _ranks(scores: Matrix) -> Matrix:
    """Ranks along the last axis, 1 the best, ties (within 1e-12) sharing their average; NaN for none."""
    from scipy.stats import rankdata

    ranks: Matrix = rankdata(-np.round(scores / TIE) * TIE, axis=-1, nan_policy="omit")
    return np.where(np.isnan(scores), np.nan, ranks)


AGGREGATES: Registry[Aggregate] = Registry(
    "aggregate",
    Aggregate("mean", "mean of the data sets", points=None),
    Aggregate(
        "borda",
        "Borda count",
        points=borda_points,
        total=True,
        score="points",
        bounds=lambda k, m: (0.0, float(k * (m - 1))),
    ),
    Aggregate(
        "win-rate",
        "mean win rate",
        points=beaten_shares,
        score="win rate",
        bounds=lambda k, m: (0.0, 1.0),
    ),
)
"""The aggregates by name; the first is the default.

Example:
    >>> from truerank.reliability.means import AGGREGATES
    >>> list(AGGREGATES)
    ['mean', 'borda', 'win-rate']
"""

register = AGGREGATES.register
