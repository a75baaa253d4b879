"""The published estimators of urbano-marrero-2016: `ml`, `msqd`, `res` and `kd`."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from truerank._support.types import Matrix, Vector
from truerank.numerics.kernel_density import plug_in_bandwidth, share_below_zero
from truerank.numerics.pairs import over_pairs
from truerank.reliability.estimators.estimator import ABOUT, PairEstimator
from truerank.reliability.means import Means
from truerank.reliability.means.means import plain_means
from truerank.scores import TIE

ROUNDING = 1e-10
"""Sorted differences that are not further apart are tied, so that rounding noise makes no ranks."""


def ml(values: Matrix) -> Matrix:
    """Swap probabilities with ``σ̂ = s·C_n`` (urbano-marrero-2016, eqs. 5–7). O(n·m²)."""
    return ml_of(plain_means(values))


def ml_of(means: Means) -> Matrix:
    """``T_ν(−(θ̂_i − θ̂_j)/(s_ij C_{ν+1}))`` for any means with influence rows; m × m, above the diagonal."""
    from truerank.numerics.special import stdtr

    upper = np.triu_indices(len(means.theta), 1)
    deviation, degrees = means.deviations[upper], means.degrees[upper]
    certain = deviation <= 0
    statistic = means.differences[upper] / np.where(certain, 1.0, deviation * bias_correction(degrees + 1))
    found = np.zeros_like(means.deviations)
    found[upper] = np.where(certain, 0.0, stdtr(degrees, -statistic))
    return found


def bias_correction(n: ArrayLike) -> NDArray[np.float64]:
    """``C_n = √((n−1)/2) Γ((n−1)/2)/Γ(n/2)``, which makes s·C_n unbiased for a normal σ."""
    from truerank.numerics.special import gammaln

    n = np.asarray(n, dtype=np.float64)
    return np.sqrt((n - 1) / 2) * np.exp(gammaln((n - 1) / 2) - gammaln(n / 2))


def msqd(values: Matrix) -> Matrix:
    """``p_ij = T_{n−1}(−√n μ̂/σ̂)`` for all pairs of columns (urbano-marrero-2016, eq. 5). O(m²·n log n)."""
    from truerank.numerics.special import stdtr

    n = len(values)

    def probability(differences: Matrix) -> Vector:
        mean, deviation = mean_and_quantile_sigma(differences)
        certain = deviation <= 0
        statistic = np.sqrt(n) * mean / np.where(certain, 1.0, deviation)
        return np.where(certain, 0.0, stdtr(n - 1, -statistic))

    return over_pairs(values, probability)


def mean_and_quantile_sigma(differences: Matrix) -> tuple[Vector, Vector]:
    """``σ̂ = √2 Σ (X_t − μ̂) e_t / (2 Σ e_t²)``, ``e_t = erf⁻¹(2 R_t/(n+1) − 1)``, and μ̂; k × n to k each."""
    from truerank.numerics.special import erfinv

    n = differences.shape[1]
    mean = differences.mean(axis=1)
    differences.sort(axis=1)
    equal = differences[:, -1] - differences[:, 0] <= TIE
    tied = np.diff(differences, axis=1) <= ROUNDING
    differences -= mean[:, None]
    half_ranks = np.arange(2, 2 * n + 1) / 2  # 1, 1.5, … n: every rank that an average can give
    quantile = erfinv(2 * half_ranks / (n + 1) - 1)
    untied = quantile[::2]
    products = differences @ untied
    squares = np.full(len(differences), untied @ untied)
    if tied.any():  # each value has the quantile of the average rank of those that it is tied with
        ends = np.ones(differences.shape, dtype=np.bool_)
        ends[:, :-1] = ~tied
        last = np.flatnonzero(ends)
        lengths = np.diff(last, prepend=-1)
        averages = 2 * (last % n) - lengths + 1
        quantiles = np.repeat(quantile[averages], lengths).reshape(differences.shape)
        products, squares = (np.einsum("kn,kn->k", x, quantiles) for x in (differences, quantiles))
    sigma = np.sqrt(2) * products / np.where(equal, 1.0, 2 * squares)
    return mean, np.where(equal, 0.0, sigma)


def kd(values: Matrix) -> Matrix:
    """Swap probabilities by kernel density (urbano-marrero-2016 §3.1.4). O(m²·n·nodes), nodes some 20."""
    width = over_pairs(values, plug_in_bandwidth)
    probabilities = over_pairs(values, share_below_zero, width, where=width > 0)
    without = width <= 0
    if without.any():
        probabilities[without] = ml(values)[without]
    return probabilities


ML = PairEstimator("ml", probabilities=lambda sample: ml_of(sample.means), needs="rows", **ABOUT["ml"])
MSQD = PairEstimator("msqd", probabilities=lambda sample: msqd(sample.values), **ABOUT["msqd"])
RES = PairEstimator(
    "res",
    probabilities=lambda sample: sample.resampled[0],
    needs="replicates",  # the share of resamples in which a pair is swapped (eq. 10)
    replicates=lambda sample: sample.replicates,
    **ABOUT["res"],
)
KD = PairEstimator("kd", probabilities=lambda sample: kd(sample.values), **ABOUT["kd"])
