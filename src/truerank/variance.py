"""The variance of a coefficient under a swap model, without draws: the oracle and the thesis's sample.

``Var = Σ_{pairs a, b} w_a w_b (E[D_a D_b] − p_a p_b)`` over all pairs of pairs (METHODS §3). The
everyday way is the variance over joint draws (:meth:`truerank.swaps.SwapModel.draws`).
"""

from __future__ import annotations

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from truerank.bivariate import bivariate_t_cdf
from truerank.coefficients import Coefficient
from truerank.errors import InputError
from truerank.swaps import SwapModel

Matrix = NDArray[np.float64]
Index = NDArray[np.intp]


class _Pairs:
    """All N pairs of a swap model as flat arrays: indices, probabilities, weights, thresholds."""

    def __init__(self, model: SwapModel, coefficient: Coefficient) -> None:
        m = len(model.probabilities)
        self.first, self.second = np.triu_indices(m, 1)
        upper = (self.first, self.second)
        quantiles, deviations = model.thresholds()
        self.weights = coefficient.weights(m)[upper]
        self.probabilities = model.probabilities[upper]
        self.thresholds = quantiles[upper]
        self.deviations = deviations[upper]
        self.covariance = model.covariance
        self.degrees = model.degrees

    def both_swapped(self, a: Index, b: Index) -> Matrix:
        """E[D_a D_b] for arrays of pairs a and b: a bivariate t probability."""
        i, j, k, l = self.first[a], self.second[a], self.first[b], self.second[b]  # noqa: E741
        c = self.covariance
        covariance = c[i, k] - c[i, l] - c[j, k] + c[j, l]
        scale = self.deviations[a] * self.deviations[b]
        correlation = np.divide(covariance, scale, out=np.zeros_like(scale), where=scale > 0)
        return bivariate_t_cdf(
            self.thresholds[a], self.thresholds[b], np.clip(correlation, -1, 1), self.degrees
        )


def full_variance(model: SwapModel, coefficient: Coefficient) -> float:
    """The variance by summing every pair of pairs; O(m⁴), the oracle for small m.

    Raises:
        InputError: more than 40 systems, where the sum has over 600,000 terms a row of pairs.
    """
    m = len(model.probabilities)
    if m > 40:
        raise InputError(f"the sum over all pairs of pairs is for at most 40 systems, not {m}")
    pairs = _Pairs(model, coefficient)
    everything = np.arange(len(pairs.weights))
    total = 0.0
    for a in everything:
        joint = pairs.both_swapped(np.full_like(everything, a), everything)
        joint[a] = pairs.probabilities[a]
        covariance = joint - pairs.probabilities[a] * pairs.probabilities
        total += float(pairs.weights[a] * (pairs.weights @ covariance))
    return total


def sampled_variance(model: SwapModel, coefficient: Coefficient, samples: int, rng: Generator) -> float:
    """The thesis's variance from sampled pairs of pairs, mended (bavdaz-2018 §4.2.4; METHODS §3).

    ``X₂ + X₃′ − X₁``, X₃′ being N(N−1) times the mean of ``w_a w_b E[D_a D_b]`` over ordered,
    different pairs drawn uniformly with replacement. Can be negative: sampling noise, to be
    reported as it is and to count as 0 in an interval. O(samples).

    Args:
        model: the swap model.
        coefficient: whose variance.
        samples: number of pairs of pairs (the thesis takes 20,000).
        rng: random generator.
    """
    pairs = _Pairs(model, coefficient)
    count = len(pairs.weights)
    weighted = pairs.weights * pairs.probabilities
    same = float(pairs.weights @ weighted)
    product = float(weighted.sum()) ** 2
    if count < 2:
        return same - product
    a = rng.integers(0, count, samples)
    b = (a + rng.integers(1, count, samples)) % count
    different = pairs.weights[a] * pairs.weights[b] * pairs.both_swapped(a, b)
    return same + count * (count - 1) * float(different.mean()) - product
