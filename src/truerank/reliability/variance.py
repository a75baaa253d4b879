"""The variance of a coefficient under a swap model, without draws: the oracle and the thesis's sample.

``Var = Σ_{pairs a, b} w_a w_b (E[D_a D_b] − p_a p_b)`` over all pairs of pairs
(docs/methods/intervals.md). The
everyday way is the variance over joint draws (:meth:`truerank.reliability.swaps.SwapModel.draws`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from truerank._support.types import Matrix
from truerank.coefficients import Coefficient
from truerank.errors import InputError
from truerank.numerics.bivariate_t import NODES, bivariate_t_cdf
from truerank.reliability.swaps import SwapModel, difference_deviations
from truerank.scores import TIE

Index = NDArray[np.intp]


NEVER = 1e-12
"""If one of two swaps is less likely than this, they are assumed never to occur together."""

SAMPLED_NODES = 24
"""Quadrature nodes for sampled pairs of pairs: 1e-4 of the variance, where sampling leaves a few percent."""


class _Pairs:
    """All N pairs of a swap model as flat arrays: indices, probabilities, thresholds."""

    def __init__(self, model: SwapModel, quadrature: int = NODES) -> None:
        from truerank.numerics.special import stdtrit

        self.quadrature = quadrature
        self.first, self.second = np.triu_indices(len(model.probabilities), 1)
        upper = (self.first, self.second)
        self.probabilities = model.probabilities[upper]
        self.covariance = model.covariance
        self.deviations = difference_deviations(model.covariance)[upper]
        quantiles = stdtrit(model.degrees, self.probabilities)
        possible = (self.probabilities > 0) & (self.deviations > 0)
        self.thresholds = np.where(possible, quantiles, -np.inf)
        self.degrees = model.degrees
        self.replicates = model.replicates

    def both_swapped(self, a: Index, b: Index) -> Matrix:
        """E[D_a D_b] for arrays of pairs a and b."""
        p = self.probabilities
        joint = np.zeros(len(a))
        possible = np.flatnonzero(np.minimum(p[a], p[b]) >= NEVER)
        way = self._both_by_t if self.replicates is None else self._both_by_replicates
        joint[possible] = way(a[possible], b[possible])
        return joint

    def _both_by_t(self, a: Index, b: Index) -> Matrix:
        """A bivariate t probability."""
        i, j, k, l = self.first[a], self.second[a], self.first[b], self.second[b]  # noqa: E741
        c = self.covariance
        covariance = c[i, k] - c[i, l] - c[j, k] + c[j, l]
        scale = self.deviations[a] * self.deviations[b]
        correlation = np.divide(covariance, scale, out=np.zeros_like(scale), where=scale > 0)
        return bivariate_t_cdf(
            self.thresholds[a],
            self.thresholds[b],
            np.clip(correlation, -1, 1),
            self.degrees,
            self.quadrature,
        )

    def _both_by_replicates(self, a: Index, b: Index) -> Matrix:
        """The share of the estimator's own replicates in which both are swapped."""
        assert self.replicates is not None
        both = np.zeros(len(a), dtype=np.int64)
        for start in range(0, self.replicates.shape[1], REPLICATES):
            part = self.replicates[:, start : start + REPLICATES]
            bits = np.packbits(part[self.first] - part[self.second] < -TIE, axis=1)
            both += np.bitwise_count(bits[a] & bits[b]).sum(axis=1, dtype=np.int64)
        return both / self.replicates.shape[1]


REPLICATES = 1_024
"""Replicates compared at a time: pairs × this many differences are held."""


def full_variance(model: SwapModel, coefficient: Coefficient) -> float:
    """The variance by summing every pair of pairs; O(m⁴), the oracle for small m."""
    m = len(model.probabilities)
    if m > 40:
        raise InputError(f"the sum over all pairs of pairs is for at most 40 systems, not {m}")
    pairs = _Pairs(model)
    weights = coefficient.weights(m)[np.triu_indices(m, 1)]
    everything = np.arange(len(weights))
    total = 0.0
    for a in everything:
        joint = pairs.both_swapped(np.full_like(everything, a), everything)
        joint[a] = pairs.probabilities[a]
        covariance = joint - pairs.probabilities[a] * pairs.probabilities
        total += float(weights[a] * (weights @ covariance))
    return total


def sampled_variance(model: SwapModel, coefficient: Coefficient, samples: int, rng: Generator) -> float:
    """The thesis's variance from sampled pairs of pairs (bavdaz-2018 §4.2.4; docs/methods/intervals.md)."""
    return sampled_terms(model, [coefficient], samples, rng)[coefficient.name].variance()


@dataclass(frozen=True)
class SampledTerms:
    """A variance as a constant, ``X₂ − X₁``, and the mean of ``N(N−1) w_a w_b E[D_a D_b]`` over samples."""

    constant: float
    terms: Matrix

    def variance(self) -> float:
        """The sampled variance; just the constant where there is only one pair."""
        return self.constant + (float(self.terms.mean()) if len(self.terms) else 0.0)


def sampled_terms(
    model: SwapModel, coefficients: Sequence[Coefficient], samples: int, rng: Generator
) -> dict[str, SampledTerms]:
    """The terms of :func:`sampled_variance`, for several coefficients from the same pairs of pairs."""
    m = len(model.probabilities)
    pairs = _Pairs(model, SAMPLED_NODES)
    count = len(pairs.probabilities)
    if count < 2:
        a = b = np.zeros(0, dtype=np.intp)
    else:
        a = rng.integers(0, count, samples)
        b = (a + rng.integers(1, count, samples)) % count
    joint = pairs.both_swapped(a, b)
    found = {}
    for c in coefficients:
        weights = c.weights(m)[np.triu_indices(m, 1)]
        weighted = weights * pairs.probabilities
        constant = float(weights @ weighted) - float(weighted.sum()) ** 2
        found[c.name] = SampledTerms(constant, count * (count - 1) * weights[a] * weights[b] * joint)
    return found
