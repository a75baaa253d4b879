"""Significance tests: p-values of all pairs of systems, with their texts; and the tests by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from truerank._support.registry import Entry, Registry, explained_from
from truerank._support.types import Matrix, Vector
from truerank.errors import InputError, at
from truerank.readers import as_scores
from truerank.readers.missing import FILLED, Filled
from truerank.scores import ScoreMatrix

ABOUT = explained_from(__file__)  # texts of the significance tests, by name
PERMUTATIONS = 10_000  # sign vectors, permutations or resamples, by default


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


TESTS: Registry[SignificanceTest] = Registry(
    "significance test",
    homes={
        "comparison.significance.pair_tests": "t wilcoxon sign",
        "comparison.significance.randomization": "randomization",
        "comparison.significance.anova": "f",
        "comparison.significance.tukey": "tukey randomized-tukey",
        "comparison.significance.friedman": "friedman nemenyi",
    },
)
"""The significance tests by name; ``register`` adds one.

Example:
    >>> import truerank
    >>> truerank.significance.TESTS["t"].label
    'paired t-test'
"""


def computed(p_values: Callable[[Matrix], Matrix]) -> Callable[[Matrix, int, int], Found]:
    """The p-values of a test that permutes nothing."""
    return lambda values, permutations, seed: Found(p_values(values))


def table_to_test(scores: Any, measure: str | None = None, missing: Filled = "error") -> ScoreMatrix:
    """The scores as one table; of one score for each system and data set, the data sets are its rows."""
    table = as_scores(scores, measure, missing, one_table="", ways=FILLED)
    if table.n == table.k > 1 and not table.weights:
        table = replace(table, topics=table.data_sets, data_sets=(), strata=None, families=())
    return table.one_table("this")


def check_testable(scores: ScoreMatrix) -> None:
    """Raise unless pairs of systems can be tested."""
    if scores.m < 2 or scores.n < 2:
        raise InputError(
            f"{at(scores.source)}{scores.unit.count(scores.n)} and {scores.m} system(s); "
            "testing pairs needs two of each at least"
        )


def check_alpha(alpha: float) -> None:
    """Raise unless α is a level of significance."""
    if not 0 < alpha < 1:
        hint = f"; write {alpha / 100:g} for {alpha:g}%" if 1 <= alpha < 100 else ""
        raise InputError(f"alpha must be between 0 and 1, not {alpha:g}{hint}")
