"""`ml`: the t distribution with the unbiased maximum-likelihood σ̂."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from truerank._support.types import Matrix
from truerank.reliability.estimators.estimator import ABOUT, PairEstimator
from truerank.reliability.means import Means
from truerank.reliability.means.means import plain_means


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


ML = PairEstimator("ml", probabilities=lambda sample: ml_of(sample.means), needs="rows", **ABOUT["ml"])
