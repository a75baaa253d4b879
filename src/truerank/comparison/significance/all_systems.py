"""Tests of all systems together: Tukey’s HSD, also by permutation, Friedman’s test and Nemenyi’s."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from truerank._support.seeds import stream
from truerank._support.types import Matrix, Vector
from truerank.comparison.significance.anova import anova, differences_of_means
from truerank.comparison.significance.significance_test import ABOUT, Found, SignificanceTest, computed
from truerank.numerics.max_t import single_step_p_values
from truerank.numerics.resampling import CHUNK_VALUES, order_of_rows
from truerank.scores import TIE

KNOTS = 4001  # points at which the distribution of the range is tabulated; its spline is good to 1e-11
NODES = 251  # nodes of the trapezoid rules; half as many give 1e-6 at worst (one degree of freedom)


def tukey_p_values(values: Matrix) -> Matrix:
    """p-values of Tukey's honestly significant differences, m × m, 1 on the diagonal.

    Two-way analysis of variance without replication (topic and system effects). MSE is the residual variance,
    with (n − 1)(m − 1) degrees of freedom. ``q_ij = |x̄_i − x̄_j| / √(MSE/n)`` is compared with the
    studentized range of m means (Tukey 1953; Sakai 2018, ch. 4). The p-values are corrected for all pairs
    already. Where no residual is left a difference is significant if it is not zero. O(n·m + m²).
    """
    table, apart = anova(values), differences_of_means(values)
    if table.ss_error == 0:
        return np.where(apart <= TIE, 1.0, 0.0)
    q = apart / np.sqrt(table.ms_error / table.topics)
    return _by_pairs(q, lambda each: studentized_range_sf(each, table.systems, table.df_error))


def _by_pairs(statistics: Matrix, p_values: Callable[[Vector], Vector]) -> Matrix:
    """p-values from statistics of all pairs, both m × m, 1 on the diagonal."""
    first, second = np.triu_indices(len(statistics), 1)
    p = np.ones(statistics.shape)
    p[first, second] = p[second, first] = p_values(statistics[first, second])
    return p


def studentized_range_sf(q: ArrayLike, k: int, degrees: int) -> Matrix:
    """P(Q > q) for the studentized range of k means, for many q at once; absolute error below 1e-9.

    ``P(Q ≤ q) = ∫ f(s) R_k(q s) ds`` with f the density of √(χ²_ν/ν) and R_k that of the range of k
    normal variables, ``R_k(x) = k ∫ φ(z) [Φ(z) − Φ(z − x)]^{k−1} dz``. R_k is tabulated once and
    interpolated by a cubic spline; both integrals are by the trapezoid rule, which converges
    exponentially for smooth integrands that vanish at both ends. SciPy's `studentized_range` does
    the double integral anew for each q, milliseconds each, which is too slow for 6,000 pairs.
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


def range_sf(x: Matrix, k: int) -> Matrix:
    """P(R > x) for the range of k standard normal variables: the studentized range with infinite degrees."""
    return np.clip(1.0 - _range_cdf(np.asarray(x, dtype=np.float64), k), 0.0, 1.0)


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


def randomized_tukey_p_values(values: Matrix, permutations: int, rng: Generator) -> Matrix:
    """p-values of the randomized Tukey HSD, m × m, 1 on the diagonal; corrected for all pairs."""
    alike = np.sort(values[order_of_rows(values)], axis=1)  # the same digits in whatever order scores are
    ranges = _ranges(alike, permutations, rng)
    return _by_pairs(differences_of_means(values), lambda apart: single_step_p_values(apart, ranges))


def _ranges(values: Matrix, permutations: int, rng: Generator) -> Iterator[Matrix]:
    step = max(1, CHUNK_VALUES // values.size)
    for start in range(0, permutations, step):
        rows = min(step, permutations - start)
        dealt = rng.permuted(np.broadcast_to(values, (rows, *values.shape)), axis=2)
        yield np.ptp(dealt.mean(axis=1), axis=1)[:, None]


def _by_permutations(values: Matrix, permutations: int, seed: int) -> Found:
    rng = stream(seed, "randomized tukey")
    return Found(randomized_tukey_p_values(values, permutations, rng), permutations)


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
    return _by_pairs(q, lambda each: range_sf(each, len(q)))


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
