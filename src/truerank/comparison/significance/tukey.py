"""Tukey’s HSD: by the studentized range after a two-way analysis of variance, or by permutation."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from truerank._support.seeds import stream
from truerank._support.types import Matrix
from truerank.comparison.significance.significance_test import ABOUT, Found, SignificanceTest, computed
from truerank.errors import InputError
from truerank.numerics.matrices import two_way_residuals
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
    n, m = values.shape
    residuals = two_way_residuals(values)
    degrees = (n - 1) * (m - 1)
    deviation = np.sqrt(np.sum(residuals**2) / degrees / n)
    means = values.mean(axis=0)
    apart = np.abs(means[:, None] - means[None, :])
    if np.ptp(residuals) <= TIE:
        return np.where(apart <= TIE, 1.0, 0.0)
    first, second = np.triu_indices(m, 1)
    p = np.ones((m, m))
    p[first, second] = p[second, first] = studentized_range_sf(apart[first, second] / deviation, m, degrees)
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


TUKEY = SignificanceTest("tukey", p_values=computed(tukey_p_values), simultaneous=True, **ABOUT["tukey"])


def randomized_tukey_p_values(values: Matrix, permutations: int, rng: Generator) -> Matrix:
    """p-values of the randomized Tukey HSD, m × m, 1 on the diagonal; corrected for all pairs."""
    if permutations < 1:
        raise InputError(f"at least one permutation is needed, not {permutations}")
    m = values.shape[1]
    means = values.mean(axis=0)
    first, second = np.triu_indices(m, 1)
    alike = np.sort(values[order_of_rows(values)], axis=1)  # the same digits in whatever order scores are
    p = np.ones((m, m))
    apart = np.abs(means[first] - means[second])
    p[first, second] = single_step_p_values(apart, _ranges(alike, permutations, rng))
    p[second, first] = p[first, second]
    return p


def _ranges(values: Matrix, permutations: int, rng: Generator) -> Iterator[Matrix]:
    step = max(1, CHUNK_VALUES // values.size)
    for start in range(0, permutations, step):
        rows = min(step, permutations - start)
        dealt = rng.permuted(np.broadcast_to(values, (rows, *values.shape)), axis=2)
        yield np.ptp(dealt.mean(axis=1), axis=1)[:, None]


def _found(values: Matrix, permutations: int, seed: int) -> Found:
    rng = stream(seed, "randomized tukey")
    return Found(randomized_tukey_p_values(values, permutations, rng), permutations)


RANDOMIZED_TUKEY = SignificanceTest(
    "randomized-tukey", p_values=_found, simultaneous=True, **ABOUT["randomized-tukey"]
)
