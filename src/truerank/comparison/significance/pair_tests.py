"""Tests of each pair by its differences alone: Student’s paired t, signs, signed ranks, and random signs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from truerank._support.resources import in_threads
from truerank._support.seeds import stream
from truerank._support.types import Matrix, Vector
from truerank.comparison.significance.significance_test import (
    ABOUT,
    Found,
    SignificanceTest,
    anova,
    computed,
    of_pairs,
)
from truerank.numerics.pairs import over_pairs, paired_t, two_sided_p
from truerank.numerics.resampling import (
    blocks,
    order_of_rows,
    sign_vectors,
    signed_statistics,
    single_step_p_values,
    step_down_p_values,
)
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
    """p of each row of differences, by the exact sign test."""
    from truerank.numerics.special import bdtr

    better = np.sum(differences > TIE, axis=1)
    worse = np.sum(differences < -TIE, axis=1)
    fewer, all_signs = np.minimum(better, worse), better + worse
    p: Matrix = np.minimum(1.0, 2 * bdtr(fewer.astype(np.float64), all_signs, 0.5))
    p[all_signs == 0] = 1.0
    return p


def _by_ranks(differences: Matrix) -> Matrix:
    """p of each row of differences, by Wilcoxon's signed ranks: exact where no two are of the same size."""
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
    """How many more differences are above 0 than below, for each row."""
    more: Matrix = np.sum(differences > TIE, axis=1) - np.sum(differences < -TIE, axis=1).astype(np.float64)
    return more


def _higher_ranks(differences: Matrix) -> Matrix:
    """The sum of the signed ranks of each row of differences; those of 0 are left out."""
    from scipy.stats import rankdata

    rounded = np.where(np.abs(differences) <= TIE, 0.0, differences).round(12)
    ranks = rankdata(np.abs(rounded), axis=1) - np.sum(rounded == 0, axis=1, keepdims=True)
    total: Matrix = np.sum(np.sign(rounded) * ranks, axis=1)
    return total


def randomization_p_values(values: Matrix, permutations: int, rng: Generator) -> tuple[Matrix, bool]:
    """Two-sided p-values of the paired randomization (sign-flipping) test, m × m, 1 on the diagonal.

    With signs s the mean difference of systems i and j is ``s·x_i/n − s·x_j/n``. ``(1 + permutations at least
    as extreme) / (1 + permutations)`` (Phipson & Smyth 2010).
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


KNOTS = 4001  # points at which the distribution of the range is tabulated; its spline is good to 1e-11
NODES = 251  # nodes of the trapezoid rules; half as many give 1e-6 at worst (one degree of freedom)


def f_p_values(values: Matrix) -> Matrix:
    """p-values of Fisher's protected contrasts, m × m, 1 on the diagonal.

    Each pair's contrast is ``F = n (x̄_i − x̄_j)² / (2 MS_e)``, with 1 and (m − 1)(n − 1) degrees of freedom.
    """
    table, apart = anova(values), differences_of_means(values)
    if table.ss_error == 0:
        return np.where(apart <= TIE, 1.0, 0.0)
    t = apart / np.sqrt(2 * table.ms_error / table.topics)
    p = np.maximum(two_sided_p(t, table.df_error + 1), table.p_value)
    np.fill_diagonal(p, 1.0)
    return p


def differences_of_means(values: Matrix) -> Matrix:
    """|x̄_i − x̄_j|, m × m."""
    means = values.mean(axis=0)
    return np.abs(means[:, None] - means)


def tukey_p_values(values: Matrix) -> Matrix:
    """p-values of Tukey's honestly significant differences, m × m, 1 on the diagonal.

    ``q_ij = |x̄_i − x̄_j| / √(MSE/n)`` is compared with the studentized range of m means (Tukey 1953; Sakai
    2018, ch. 4).
    """
    table, apart = anova(values), differences_of_means(values)
    if table.ss_error == 0:
        return np.where(apart <= TIE, 1.0, 0.0)
    q = apart / np.sqrt(table.ms_error / table.topics)
    pairs = q[np.triu_indices(table.systems, 1)]
    return of_pairs(studentized_range_sf(pairs, table.systems, table.df_error), table.systems)


def studentized_range_sf(q: ArrayLike, k: int, degrees: int) -> Matrix:
    """P(Q > q) for the studentized range of k means, for many q at once; absolute error below 1e-9.

    ``P(Q ≤ q) = ∫ f(s) R_k(q s) ds`` with f the density of √(χ²_ν/ν) and R_k that of the range of k normal
    variables, ``R_k(x) = k ∫ φ(z) [Φ(z) − Φ(z − x)]^{k−1} dz``.
    """
    from scipy.interpolate import CubicSpline

    from truerank.numerics.special import gammaln

    values = np.asarray(q, dtype=np.float64)
    # f in u = log s, unimodal around 0: log f(u) = ν (u + ½ − e^{2u}/2) + constant.
    low, high = _ends(degrees)
    u = np.linspace(low, high, NODES)
    log_density = degrees * (u + 0.5 - 0.5 * np.exp(2 * u))
    constant = np.log(2) + 0.5 * degrees * np.log(0.5 * degrees) - gammaln(0.5 * degrees) - 0.5 * degrees
    weights = np.exp(log_density + constant) * (u[1] - u[0])

    top = 17.0 + np.sqrt(2 * np.log(k))  # beyond, R_k is 1 to the last digit
    x = np.linspace(0.0, top, KNOTS)
    spread = CubicSpline(x, _range_cdf(x, k))
    cdf = np.zeros(values.shape)
    for weight, s in zip(weights, np.exp(u), strict=True):
        cdf += weight * spread(np.minimum(values * s, top))
    return np.clip(1.0 - cdf, 0.0, 1.0)


def _ends(degrees: int) -> tuple[float, float]:
    """Where the density of u = log s has fallen by 10⁻¹⁷ from its mode."""
    from scipy.optimize import brentq

    def fall(u: float) -> float:
        return float(degrees * (u + 0.5 - 0.5 * np.exp(2 * u)) + 40.0)

    return float(brentq(fall, -41.0 / degrees - 1.0, 0.0)), float(brentq(fall, 0.0, 5.0))


def _range_cdf(x: Matrix, k: int) -> Matrix:
    """R_k(x), the distribution of the range of k standard normal variables."""
    from truerank.numerics.special import ndtr

    z = np.linspace(-9.0, 9.0, NODES)
    weights = k * np.exp(-0.5 * z * z) / np.sqrt(2 * np.pi) * (z[1] - z[0])
    return np.clip((ndtr(z) - ndtr(z - x[:, None])) ** (k - 1) @ weights, 0.0, 1.0)


def _by_permutations(values: Matrix, permutations: int, seed: int) -> Found:
    """The randomized Tukey HSD; corrected for all pairs."""
    rng, m = stream(seed, "randomized tukey"), values.shape[1]
    alike = np.sort(values[order_of_rows(values)], axis=1)  # the same digits in whatever order scores are
    dealt = (
        rng.permuted(np.broadcast_to(alike, (len(range(permutations)[rows]), *alike.shape)), axis=2)
        for rows in blocks(permutations, alike.size)
    )
    ranges = (np.ptp(one.mean(axis=1), axis=1)[:, None] for one in dealt)
    apart = differences_of_means(values)[np.triu_indices(m, 1)]
    return Found(of_pairs(single_step_p_values(apart, ranges), m), permutations)


@dataclass(frozen=True)
class Friedman:
    """Friedman's test of no difference between the systems."""

    ranks: Vector  # m mean ranks, the best system's lowest; equal scores share their mean rank
    statistic: float  # χ² with m − 1 degrees of freedom, corrected for equal scores
    p_value: float
    error: float  # √(m(m + 1) / 6n), the standard error of a difference of mean ranks without ties


def friedman(values: Matrix) -> Friedman:
    """Friedman's test of n × m scores. O(n·m log m)."""
    from scipy.stats import rankdata

    from truerank.numerics.special import chdtrc

    n, m = values.shape
    within = rankdata(-values, axis=1)
    ranks = within.mean(axis=0)
    # With equal scores the squares of the ranks add up to less.
    squares = np.sum(within**2) - n * m * (m + 1) ** 2 / 4
    statistic = 0.0
    if squares > 0:
        statistic = float(n**2 * (m - 1) * np.sum((ranks - (m + 1) / 2) ** 2) / squares)
    return Friedman(ranks, statistic, float(chdtrc(m - 1, statistic)), float(np.sqrt(m * (m + 1) / (6 * n))))


def friedman_p_values(values: Matrix) -> Matrix:
    """p-values of differences of mean ranks, m × m, 1 on the diagonal; none below that of Friedman's test."""
    from truerank.numerics.special import ndtr

    found = friedman(values)
    z = np.abs(found.ranks[:, None] - found.ranks) / found.error
    p = np.maximum(2 * ndtr(-z), found.p_value)
    np.fill_diagonal(p, 1.0)
    return p


def _of_ranks(values: Matrix) -> Matrix:
    """How much lower, which is better, the mean rank of each row's system is than each column's."""
    ranks = friedman(values).ranks
    return ranks - ranks[:, None]


def nemenyi_p_values(values: Matrix) -> Matrix:
    """p-values of Nemenyi's test of all pairs, m × m, 1 on the diagonal."""
    found = friedman(values)
    q = np.sqrt(2) * np.abs(found.ranks[:, None] - found.ranks) / found.error
    pairs = q[np.triu_indices(len(q), 1)]  # the studentized range with infinite degrees of freedom
    return of_pairs(np.clip(1.0 - _range_cdf(pairs, len(q)), 0.0, 1.0), len(q))


F = SignificanceTest("f", p_values=computed(f_p_values), **ABOUT["f"])
TUKEY = SignificanceTest("tukey", p_values=computed(tukey_p_values), simultaneous=True, **ABOUT["tukey"])
RANDOMIZED_TUKEY = SignificanceTest(
    "randomized-tukey", p_values=_by_permutations, simultaneous=True, **ABOUT["randomized-tukey"]
)
FRIEDMAN = SignificanceTest(
    "friedman", p_values=computed(friedman_p_values), statistic=_of_ranks, **ABOUT["friedman"]
)
NEMENYI = SignificanceTest(
    "nemenyi",
    p_values=computed(nemenyi_p_values),
    simultaneous=True,
    statistic=_of_ranks,
    **ABOUT["nemenyi"],
)
