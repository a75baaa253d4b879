"""Aggregates: how the scores on single data sets (or topics) become one score of a system."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from truerank._support.registry import Registry
from truerank._support.types import Matrix
from truerank.errors import unknown_name
from truerank.scores import TIE


@dataclass(frozen=True)
class Aggregate:
    """A way from scores on K data sets to one score of each system.

    Attributes:
        name: what users type.
        label: what users read.
        points: from K × m scores (NaN: none) to K × m points whose mean ranks the systems; ``None`` where the
            scores themselves are averaged. NaN where a system has no part in a data set.
        total: whether the points are added up rather than averaged, as the rule's own figures are.
        score: what a system's score is called, in the middle of a sentence.
        bounds: the lowest and highest score there is, from K and m; ``None`` where there is no bound.
        explanation: as :class:`truerank._support.registry.Explained` says.
        formula: LaTeX.
        references: keys of the publications it comes from.

    Example:
        >>> import numpy as np
        >>> scores = np.array([[0.3, 0.5, 0.5], [0.9, 0.1, 0.2]])
        >>> AGGREGATES["borda"].points(scores).tolist()
        [[0.0, 1.5, 1.5], [2.0, 0.0, 1.0]]
    """

    name: str
    label: str
    points: Callable[[Matrix], Matrix] | None
    total: bool = False
    score: str = "mean"
    bounds: Callable[[int, int], tuple[float, float]] | None = None
    explanation: str = ""
    formula: str = ""
    references: tuple[str, ...] = ()


def borda_points(scores: Matrix) -> Matrix:
    """m − rank on each row, ties sharing their ranks' average, 0 where a system has no score. O(K·m log m)."""
    ranks = _ranks(scores)
    found: Matrix = np.where(np.isnan(ranks), 0.0, scores.shape[-1] - ranks)
    return found


def win_rates(scores: Matrix) -> Matrix:
    """The share of the other systems on a row that a system beats, half of those it ties with."""
    ranks = _ranks(scores)
    others = np.sum(~np.isnan(ranks), axis=-1, keepdims=True) - 1.0
    others = np.where(others < 1, np.nan, others)
    found: Matrix = (others + 1 - ranks) / others
    return found


def _ranks(scores: Matrix) -> Matrix:
    """Ranks along the last axis, 1 the best, ties (within 1e-12) sharing their average; NaN for none."""
    from scipy.stats import rankdata

    ranks: Matrix = rankdata(-np.round(scores / TIE) * TIE, axis=-1, nan_policy="omit")
    return np.where(np.isnan(scores), np.nan, ranks)


MEAN = Aggregate(
    "mean",
    "mean of the data sets",
    None,
    explanation=r"""
    A system's score is the mean of its means on the data sets, each of which counts alike, or by its weight
    $w_k$, however many topics it has.
    """,
    formula=r"\hat\theta_i = \sum_k w_k\, \bar x_{ki}",
)

BORDA = Aggregate(
    "borda",
    "Borda count",
    borda_points,
    total=True,
    score="points",
    bounds=lambda k, m: (0.0, float(k * (m - 1))),
    explanation=r"""
    On each data set a system gets a point for every system below it and half a point for each that it ties
    with; without a score on a data set it gets none there. The points are added up, as the leaderboard of
    MTEB does.
    """,
    formula=r"\hat\theta_i = \sum_k \left(m - r_{ki}\right)",
)

WIN_RATE = Aggregate(
    "win-rate",
    "mean win rate",
    win_rates,
    score="win rate",
    bounds=lambda k, m: (0.0, 1.0),
    explanation=r"""
    On each data set the share of the other systems that a system beats, half of those that it ties with;
    their mean over the data sets that it has a score on, as HELM's leaderboards do.
    """,
    formula=r"\hat\theta_i = \frac{1}{K_i} \sum_k \frac{m_k - r_{ki}}{m_k - 1}",
)

AGGREGATES: Registry[Aggregate] = Registry("aggregate")
"""The aggregates by name; the first is the default.

Example:
    >>> from truerank.reliability.means import AGGREGATES
    >>> list(AGGREGATES)
    ['mean', 'borda', 'win-rate']
"""

register = AGGREGATES.register

for _aggregate in (MEAN, BORDA, WIN_RATE):
    register(_aggregate)


def find_aggregate(name: str | Aggregate) -> Aggregate:
    """The aggregate of that name.

    Args:
        name: its name, or an aggregate, which is given back.

    Returns:
        The aggregate.

    Raises:
        UnknownNameError: there is none.

    Example:
        >>> find_aggregate("borda").label
        'Borda count'
    """
    if isinstance(name, str) and name not in AGGREGATES:
        raise unknown_name("aggregate", name, AGGREGATES)
    return AGGREGATES.find(name)
