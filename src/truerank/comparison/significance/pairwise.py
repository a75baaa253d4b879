"""Significance tests of all pairs of systems: t, Wilcoxon, sign, randomisation and Tukey's HSD."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truerank._support.plain import plain
from truerank._support.seeds import stream
from truerank._support.types import Matrix
from truerank.comparison.significance.corrections import correct
from truerank.comparison.significance.randomisation import PERMUTATIONS, randomisation_p_values
from truerank.comparison.significance.tukey import tukey_p_values
from truerank.errors import InputError, at, unknown_name
from truerank.numerics.paired_t import paired_t, two_sided_p
from truerank.numerics.pairs import over_pairs
from truerank.readers import as_scores
from truerank.scores import TIE, ScoreMatrix


@dataclass(frozen=True, eq=False)
class PairwiseTests:
    """The p-values of one test for all pairs of systems.

    Attributes:
        test: ``t``, ``wilcoxon``, ``sign``, ``randomisation`` or ``tukey``.
        correction: ``none``, ``holm`` or ``bh``; Tukey's HSD corrects by itself.
        systems: their names.
        p_values: m × m, symmetric, two-sided, adjusted; 1 on the diagonal.
        permutations: sign vectors behind a randomisation test, ``None`` for the others.
        exact: whether a randomisation test took all sign vectors.

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
    permutations: int | None = None
    exact: bool = False

    def significant(self, alpha: float = 0.05) -> NDArray[np.bool_]:
        """Which pairs have p < α, m × m, symmetric."""
        return self.p_values < alpha

    def share(self, alpha: float = 0.05) -> float:
        """Share of the pairs with p < α: discriminative power (Sakai 2006)."""
        m = len(self.systems)
        return float(np.triu(self.significant(alpha), 1).sum() / (m * (m - 1) / 2))

    def to_dict(self) -> dict[str, Any]:
        """The tests as JSON-ready data: the attributes by their names, `p_values` as rows of numbers."""
        document: dict[str, Any] = plain(asdict(self))
        return document


def pairwise_tests(
    scores: Any,
    test: str = "t",
    correction: str = "none",
    *,
    permutations: int = PERMUTATIONS,
    seed: int = 0,
) -> PairwiseTests:
    """Test all pairs of systems for a difference on the same topics, two-sided.

    - ``t``: paired t-test. O(n·m²).
    - ``wilcoxon``: signed ranks, by SciPy, zero differences left out; exact null distribution up to
      50 topics without ties or zeros, else normal.
    - ``sign``: binomial test of the signs, exact; differences within 1e-12 left out.
    - ``randomisation``: sign flipping, see :func:`randomisation_p_values`.
    - ``tukey``: honestly significant differences after two-way analysis of variance.

    A pair of systems with equal scores has p = 1; a constant difference that is not zero has p = 0 in
    the t-test and in Tukey's where nothing varies.

    Args:
        scores: a ScoreMatrix or anything :func:`truerank.read_scores` takes; n ≥ 2 topics, m ≥ 2.
        test: one of the names above.
        correction: ``none``, ``holm`` or ``bh``, over the m(m − 1)/2 pairs.
        permutations: sign vectors of the randomisation test, at least 1.
        seed: of the randomisation test.

    Returns:
        The p-values of all pairs, adjusted.

    Raises:
        InputError: fewer than two topics or systems, no permutations, or a correction for Tukey.
        UnknownNameError: no such test or correction.

    Example:
        >>> ap = [[.283, .481, .516], [.017, .399, .544], [.075, .300, .277], [.183, .662, .616]]
        >>> pairwise_tests(ap).p_values.round(3).tolist()
        [[1.0, 0.017, 0.021], [0.017, 1.0, 0.562], [0.021, 0.562, 1.0]]
    """
    if test not in TESTS:
        raise unknown_name("significance test", test, TESTS)
    if test == "tukey" and correction != "none":
        raise InputError("Tukey's HSD is corrected for all pairs already; leave out the correction")
    table = as_scores(scores)
    check_testable(table)
    drawn: int | None = None
    exact = False
    if test == "randomisation":
        p, exact = randomisation_p_values(table.values, permutations, stream(seed, "randomisation"))
        drawn = 2 ** (table.n - 1) if exact else permutations
    else:
        p = TESTS[test](table.values)
    first, second = np.triu_indices(table.m, 1)
    adjusted = np.ones((table.m, table.m))
    adjusted[first, second] = adjusted[second, first] = correct(p[first, second], correction)
    return PairwiseTests(test, correction, table.systems, adjusted, drawn, exact)


def check_testable(scores: ScoreMatrix) -> None:
    """Raise unless pairs of systems can be tested.

    Raises:
        InputError: fewer than two systems or topics.
    """
    if scores.m < 2 or scores.n < 2:
        raise InputError(
            f"{at(scores.source)}{scores.n} topic(s) and {scores.m} system(s); "
            "testing pairs needs two of each at least"
        )


def _t(values: Matrix) -> Matrix:
    return two_sided_p(paired_t(values), len(values))


def _wilcoxon(values: Matrix) -> Matrix:
    from scipy.stats import wilcoxon

    def statistic(differences: Matrix) -> Matrix:
        differences[np.abs(differences) <= TIE] = 0.0
        differences = differences.round(12)  # equal differences get equal ranks
        p = np.ones(len(differences))
        some = np.any(differences != 0, axis=1)
        plain = some & _distinct(differences)
        if plain.any():
            p[plain] = wilcoxon(differences[plain], axis=1, method="auto").pvalue
        tied = some & ~plain
        if tied.any():
            p[tied] = wilcoxon(differences[tied], axis=1, method="approx").pvalue
        return p

    return over_pairs(values, statistic)


def _distinct(differences: Matrix) -> NDArray[np.bool_]:
    """Pairs without zero differences and without two of the same size."""
    sizes = np.sort(np.abs(differences), axis=1)
    distinct: NDArray[np.bool_] = (sizes[:, 0] > 0) & (np.diff(sizes, axis=1) > 0).all(axis=1)
    return distinct


def _sign(values: Matrix) -> Matrix:
    from scipy.special import bdtr

    def statistic(differences: Matrix) -> Matrix:
        better = np.sum(differences > TIE, axis=1)
        worse = np.sum(differences < -TIE, axis=1)
        fewer, all_signs = np.minimum(better, worse), better + worse
        p: Matrix = np.minimum(1.0, 2 * bdtr(fewer.astype(np.float64), all_signs, 0.5))
        p[all_signs == 0] = 1.0
        return p

    return over_pairs(values, statistic)


def _randomisation(values: Matrix) -> Matrix:
    return randomisation_p_values(values, PERMUTATIONS, stream(0, "randomisation"))[0]


TESTS: dict[str, Callable[[Matrix], Matrix]] = {
    "t": _t,
    "wilcoxon": _wilcoxon,
    "sign": _sign,
    "randomisation": _randomisation,
    "tukey": tukey_p_values,
}
"""From n × m scores to p-values, m × m, read above the diagonal."""
