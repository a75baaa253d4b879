"""What a significance test is: p-values of all pairs of systems, and what it says of itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from truerank._support.registry import Entry, explained_from
from truerank._support.types import Matrix, Vector

ABOUT = explained_from(__file__)
"""What the significance tests of the package say of themselves, by name."""

PERMUTATIONS = 10_000
"""Sign vectors, permutations or resamples drawn unless asked otherwise."""


@dataclass(frozen=True, eq=False)
class Found:
    """The p-values of a test for all pairs.

    Attributes:
        p_values: m × m, two-sided; what is above the diagonal is read.
        permutations: how many are behind them, ``None`` where nothing is permuted.
        exact: whether these are all that there are.
    """

    p_values: Matrix
    permutations: int | None = None
    exact: bool = False


@dataclass(frozen=True, eq=False)
class Family:
    """Adjusted p-values of a family of hypotheses, by the largest statistic.

    Attributes:
        p_values: k of them.
        permutations: how many are behind them.
        exact: whether these are all that there are.
    """

    p_values: Vector
    permutations: int
    exact: bool = False


@dataclass(frozen=True)
class SignificanceTest(Entry):
    """A test of pairs of systems on the same topics, two-sided.

    Attributes:
        p_values: from n × m scores, a number of permutations and a seed to the p-values of all pairs.
        simultaneous: whether they are corrected for all pairs already.
        max_t: from n × k differences, a number of permutations and a seed to p-values adjusted by the largest
            statistic; ``None`` where there is no such correction.

    Example:
        >>> import numpy as np
        >>> from truerank.comparison.significance import TESTS
        >>> TESTS["sign"].p_values(np.array([[0.2, 0.1], [0.4, 0.3], [0.5, 0.1]]), 1, 0).p_values[0, 1]
        np.float64(0.25)
    """

    p_values: Callable[[Matrix, int, int], Found]
    simultaneous: bool = False
    max_t: Callable[[Matrix, int, int], Family] | None = None


def computed(p_values: Callable[[Matrix], Matrix]) -> Callable[[Matrix, int, int], Found]:
    """The p-values of a test that permutes nothing."""
    return lambda values, permutations, seed: Found(p_values(values))
