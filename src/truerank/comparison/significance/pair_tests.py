"""Tests of each pair by its differences alone: Student’s paired t, signs, signed ranks, and random signs."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.random import Generator

from truerank._support.resources import in_threads
from truerank._support.seeds import stream
from truerank._support.types import Matrix
from truerank.comparison.significance.significance_test import ABOUT, Found, SignificanceTest, computed
from truerank.numerics.max_t import signed_statistics, step_down_p_values
from truerank.numerics.paired_t import paired_t, two_sided_p
from truerank.numerics.pairs import over_pairs
from truerank.numerics.resampling import order_of_rows, sign_vectors
from truerank.scores import TIE

CHUNK = 1024  # permutations compared at a time: each thread keeps m × this many doubles


def sign_flipped_family(differences: Matrix, permutations: int, seed: int) -> Found:
    """Step-down max-T over sign vectors, the same for all differences, which keeps their dependence."""
    n = len(differences)
    signs, exact = sign_vectors(n, permutations, stream(seed, "randomization"))
    differences = differences[order_of_rows(np.abs(differences))]
    (observed,) = signed_statistics(differences, np.ones((1, n)))
    p = step_down_p_values(observed[0], signed_statistics(differences, signs), own=0 if exact else 1)
    return Found(p, len(signs), exact)


def _by_t(values: Matrix) -> Matrix:
    return two_sided_p(paired_t(values), len(values))


def _by_signs(differences: Matrix) -> Matrix:
    """Of each row of differences, by the exact sign test."""
    from truerank.numerics.special import bdtr

    better = np.sum(differences > TIE, axis=1)
    worse = np.sum(differences < -TIE, axis=1)
    fewer, all_signs = np.minimum(better, worse), better + worse
    p: Matrix = np.minimum(1.0, 2 * bdtr(fewer.astype(np.float64), all_signs, 0.5))
    p[all_signs == 0] = 1.0
    return p


def _by_ranks(differences: Matrix) -> Matrix:
    """Of each row of differences, by Wilcoxon's signed ranks: exact where no two are of the same size."""
    from scipy.stats import wilcoxon

    differences[np.abs(differences) <= TIE] = 0.0
    differences = differences.round(12)  # equal differences get equal ranks
    p = np.ones(len(differences))
    some = np.any(differences != 0, axis=1)
    sizes = np.sort(np.abs(differences), axis=1)
    distinct = (sizes[:, 0] > 0) & (np.diff(sizes, axis=1) > 0).all(axis=1)
    for plain, rows in ((True, some & distinct), (False, some & ~distinct)):
        if rows.any():
            p[rows] = wilcoxon(differences[rows], axis=1, method="auto" if plain else "approx").pvalue
    return p


def _both_ways(values: Matrix, statistic: Callable[[Matrix], Matrix]) -> Matrix:
    """A statistic of the differences of every pair i < j, and minus that of j and i."""
    above = np.triu(over_pairs(values, statistic), 1)
    return above - above.T


def _more_signs(differences: Matrix) -> Matrix:
    """Of each row of differences, how many more are above 0 than below."""
    more: Matrix = np.sum(differences > TIE, axis=1) - np.sum(differences < -TIE, axis=1).astype(np.float64)
    return more


def _higher_ranks(differences: Matrix) -> Matrix:
    """Of each row of differences, the signed ranks of their sizes, added up; those of 0 are left out."""
    from scipy.stats import rankdata

    rounded = np.where(np.abs(differences) <= TIE, 0.0, differences).round(12)
    ranks = rankdata(np.abs(rounded), axis=1) - np.sum(rounded == 0, axis=1, keepdims=True)
    total: Matrix = np.sum(np.sign(rounded) * ranks, axis=1)
    return total


def randomization_p_values(values: Matrix, permutations: int, rng: Generator) -> tuple[Matrix, bool]:
    """Two-sided p-values of the paired randomization (sign-flipping) test, m × m, 1 on the diagonal.

    With signs s the mean difference of systems i and j is ``s·x_i/n − s·x_j/n``. So one matrix product gives
    signed means of the systems, whose differences are the permuted ones of all pairs.
    ``(1 + permutations at least as extreme) / (1 + permutations)`` (Phipson & Smyth 2010). There are 2ⁿ⁻¹
    different sign vectors, as a vector and its negative are the same to a two-sided test. Where that is at
    most `permutations`, all are taken and p is exact. O(permutations·(n·m + m²)) time; memory: permutations ×
    (n + m).
    """
    n, m = values.shape
    signs, exact = sign_vectors(n, permutations, rng)
    means = values.mean(axis=0)
    # Centering a system's scores would change its signed means; the topics' own means cancel in pairs.
    flipped = np.ascontiguousarray(((values - values.mean(axis=1, keepdims=True)).T @ signs.T) / n)
    extreme = np.zeros((m, m), dtype=np.int64)
    total = flipped.shape[1]

    def count(system: int) -> None:
        observed = np.abs(means[system] - means[system + 1 :]) - TIE
        for start in range(0, total, CHUNK):
            chunk = flipped[:, start : start + CHUNK]
            reached = np.abs(chunk[system + 1 :] - chunk[system]) >= observed[:, None]
            extreme[system, system + 1 :] += np.count_nonzero(reached, axis=1)

    in_threads(count, range(m - 1))
    extreme += extreme.T
    own = 0 if exact else 1  # a random sample counts the observed signs as one of the permutations
    p = np.asarray((extreme + own) / (total + own), dtype=np.float64)
    np.fill_diagonal(p, 1.0)
    return p, exact


def _found(values: Matrix, permutations: int, seed: int) -> Found:
    rows = values[order_of_rows(values)]
    p, exact = randomization_p_values(rows, permutations, stream(seed, "randomization"))
    return Found(p, 2 ** (len(values) - 1) if exact else permutations, exact)


T = SignificanceTest("t", p_values=computed(_by_t), max_t=sign_flipped_family, **ABOUT["t"])
SIGN = SignificanceTest(
    "sign",
    p_values=computed(partial(over_pairs, statistic=_by_signs)),
    statistic=partial(_both_ways, statistic=_more_signs),
    **ABOUT["sign"],
)
WILCOXON = SignificanceTest(
    "wilcoxon",
    p_values=computed(partial(over_pairs, statistic=_by_ranks)),
    statistic=partial(_both_ways, statistic=_higher_ranks),
    **ABOUT["wilcoxon"],
)
RANDOMIZATION = SignificanceTest(
    "randomization", p_values=_found, max_t=sign_flipped_family, **ABOUT["randomization"]
)
