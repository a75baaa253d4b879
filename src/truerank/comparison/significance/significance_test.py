"""Significance tests by name: p-values of all pairs of systems, corrected for how many there are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truerank._support.plain import Written
from truerank._support.registry import Entry, Registry, explained_from
from truerank._support.types import Matrix, Vector
from truerank.comparison.significance.corrections import CORRECTIONS, correct
from truerank.errors import InputError, at
from truerank.readers import as_scores
from truerank.readers.missing import FILLED, Filled
from truerank.scores import TIE, ScoreMatrix

ABOUT = explained_from(__file__)  # texts of the significance tests, by name
PERMUTATIONS = 10_000  # sign vectors, permutations or resamples, by default


@dataclass(frozen=True, eq=False)
class Found:
    """The p-values of a test."""

    p_values: Matrix  # of all pairs, read above the diagonal of m × m; or of each of k differences
    permutations: int | None = None  # how many are behind them; ``None`` where nothing is permuted
    exact: bool = False  # whether these are all that there are


@dataclass(frozen=True)
class SignificanceTest(Entry):
    """A test of pairs of systems on the same topics, two-sided.

    Attributes:
        p_values: from n × m scores, a number of permutations and a seed to the p-values of all pairs.
        simultaneous: whether they are corrected for all pairs already.
        max_t: from n × k differences, a number of permutations and a seed to p-values adjusted by the largest
            statistic; ``None`` where there is no such correction.
        statistic: from n × m scores to the m × m statistics of all pairs. It is above 0 where the row's
            system is the better one by what is tested; ``None`` where that is the mean.

    Example:
        >>> import numpy as np
        >>> from truerank.comparison.significance import TESTS
        >>> TESTS["sign"].p_values(np.array([[0.2, 0.1], [0.4, 0.3], [0.5, 0.1]]), 1, 0).p_values[0, 1]
        np.float64(0.25)
    """

    p_values: Callable[[Matrix, int, int], Found]
    simultaneous: bool = False
    max_t: Callable[[Matrix, int, int], Found] | None = None
    statistic: Callable[[Matrix], Matrix] | None = None

    def directions(self, scores: ScoreMatrix) -> Matrix:
        """m × m: 1 where the row's system is the better one by what is tested, −1 where it is the other."""
        if self.statistic is None:
            means = scores.means
            apart = means[:, None] - means
        else:
            apart = self.statistic(scores.values)
        return np.where(np.abs(apart) > TIE, np.sign(apart), 0.0)


TESTS: Registry[SignificanceTest] = Registry(
    "significance test",
    homes={
        "comparison.significance.pair_tests": "t wilcoxon sign randomization f tukey randomized-tukey "
        "friedman nemenyi",
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
    """One table of at least two topics and systems; data sets of one score per system are its rows."""
    table = as_scores(scores, measure, missing, one_table="", ways=FILLED)
    if table.n == table.k > 1 and not table.weights:
        table = replace(table, topics=table.data_sets, data_sets=(), strata=None, families=())
    table = table.one_table("this")
    if table.m < 2 or table.n < 2:
        raise InputError(
            f"{at(table.source)}{table.unit.count(table.n)} and {table.m} system{'s' * (table.m != 1)}; "
            "testing pairs needs two of each at least"
        )
    return table


def check_alpha(alpha: float) -> None:
    """Raise unless α is a level of significance."""
    if not 0 < alpha < 1:
        hint = f"; write {alpha / 100:g} for {alpha:g}%" if 1 <= alpha < 100 else ""
        raise InputError(f"alpha must be between 0 and 1, not {alpha:g}{hint}")


@dataclass(frozen=True, eq=False)
class PairwiseTests(Written):
    """The p-values of one test for all pairs of systems.

    Attributes:
        test: its name in :data:`TESTS`.
        correction: its name in :data:`CORRECTIONS`; Tukey's HSD and its randomized kin correct by themselves.
        systems: their names.
        p_values: m × m, symmetric, two-sided, adjusted; 1 on the diagonal.
        unadjusted: the same without the correction: each pair's achieved significance level.
        permutations: sign vectors, permutations or resamples behind them; ``None`` where there are none.
        exact: whether a randomization test took all sign vectors.

    Example:
        >>> ap = [[.283, .481, .516], [.017, .399, .544], [.075, .300, .277], [.183, .662, .616]]
        >>> tests = pairwise_tests(ap, "tukey")
        >>> tests.significant(0.05)[0].tolist(), round(tests.share(0.05), 2)
        ([False, True, True], 0.67)
    """

    test: str
    correction: str
    systems: tuple[str, ...]
    p_values: Matrix
    unadjusted: Matrix
    permutations: int | None = None
    exact: bool = False

    def significant(self, alpha: float = 0.05) -> NDArray[np.bool_]:
        """Which pairs have p < α, m × m, symmetric."""
        return self.p_values < alpha

    def share(self, alpha: float = 0.05) -> float:
        """Share of the pairs with p < α: discriminative power (Sakai 2006)."""
        m = len(self.systems)
        return float(np.triu(self.significant(alpha), 1).sum() / (m * (m - 1) / 2))


def pairwise_tests(
    scores: Any, test: str = "t", correction: str = "none", *, permutations: int = PERMUTATIONS, seed: int = 0
) -> PairwiseTests:
    """Test all pairs of systems for a difference on the same topics, two-sided.

    - ``t``: paired t-test. O(n·m²).
    - ``wilcoxon``: signed ranks, by SciPy, zero differences left out; exact null distribution up to
      50 topics without ties or zeros, else normal.
    - ``sign``: binomial test of the signs, exact; differences within 1e-12 left out.
    - ``randomization``: sign flipping, one sign matrix for all pairs.
    - ``f``: F test of two-way analysis of variance, pairs by its protected contrasts.
    - ``tukey``: honestly significant differences after two-way analysis of variance.
    - ``randomized-tukey``: the same by permutations within topics.

    A pair of systems with equal scores has p = 1. A constant non-zero difference has p = 0 in the t-test, and
    in F and Tukey's where nothing else varies.

    Args:
        scores: a ScoreMatrix or anything :func:`truerank.read_scores` takes; n ≥ 2 topics, m ≥ 2.
        test: one of the names above.
        correction: ``none``, ``bonferroni``, ``holm``, ``bh`` or, for the t-test and the randomization test,
            ``max-t``; over the m(m − 1)/2 pairs.
        permutations: sign vectors, permutations within topics, or resamples of max-t; at least 1.
        seed: of these.

    Returns:
        The p-values of all pairs, adjusted.

    Raises:
        InputError: fewer than two topics or systems, no permutations, or a correction that the test does
            not have.
        UnknownNameError: no such test or correction.

    Example:
        >>> ap = [[.283, .481, .516], [.017, .399, .544], [.075, .300, .277], [.183, .662, .616]]
        >>> pairwise_tests(ap).p_values.round(3).tolist()
        [[1.0, 0.017, 0.021], [0.017, 1.0, 0.562], [0.021, 0.562, 1.0]]
    """
    chosen = TESTS.find(test)
    corrected = CORRECTIONS.find(correction)
    if chosen.simultaneous and correction != "none":
        raise InputError(f"{chosen.label} is corrected for all pairs already; leave out the correction")
    if corrected.adjust is None and chosen.max_t is None:
        able = " or ".join(name for name, one in TESTS.items() if one.max_t is not None)
        raise InputError(f"the correction {correction!r} goes with the test {able}, not {chosen.name}")
    if permutations < 1:
        raise InputError(f"at least one permutation is needed, not {permutations}")
    table = table_to_test(scores)
    found = chosen.p_values(table.values, permutations, seed)
    first, second = np.triu_indices(table.m, 1)
    p = found.p_values[first, second]
    adjusted, drawn, exact = p, found.permutations, found.exact
    if corrected.adjust is not None:
        adjusted = correct(p, correction)
    elif chosen.max_t is not None:
        family = chosen.max_t(table.values[:, first] - table.values[:, second], permutations, seed)
        adjusted, drawn, exact = family.p_values, family.permutations, family.exact
    return PairwiseTests(
        chosen.name, correction, table.systems, _square(adjusted, table.m), _square(p, table.m), drawn, exact
    )


def _square(p: Vector, m: int) -> Matrix:
    """p-values of the pairs i < j as a symmetric matrix with 1 on the diagonal."""
    square = np.ones((m, m))
    first, second = np.triu_indices(m, 1)
    square[first, second] = square[second, first] = p
    return square
