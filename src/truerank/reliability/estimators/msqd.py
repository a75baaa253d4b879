"""`msqd`: the t distribution with the σ̂ of minimum squared quantile deviation."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from truerank._support.types import Matrix
from truerank.reliability.estimators.estimator import PairEstimator
from truerank.reliability.estimators.parametric import t_probabilities

ROUNDING = 1e-10
"""Differences are rounded to this before they are ranked, so that rounding noise makes no ranks."""


def msqd(values: Matrix, rounding: float = ROUNDING) -> Matrix:
    """Swap probabilities with the minimum squared quantile deviation σ̂. O(m²·n log n).

    Args:
        values: n × m scores in ranking order, n ≥ 2.
        rounding: what differences are rounded to before ranking; 0 as published, where the last
            bit of a difference can break a tie.

    Returns:
        m × m, p_ij above the diagonal.
    """
    return t_probabilities(values, lambda differences: quantile_sigma(differences, rounding))


def quantile_sigma(differences: Matrix, rounding: float = ROUNDING) -> Matrix:
    """``σ̂ = √2 Σ (X_t − μ̂) e_t / (2 Σ e_t²)``, ``e_t = erf⁻¹(2 R_t/(n+1) − 1)``; k × n to k.

    Eq. 9 of urbano-marrero-2016, with average ranks for ties and X centred: with ties Σ e_t is
    not 0 and the printed equation can go below 0. Sorts `differences` in place.
    """
    from scipy.special import erfinv

    n = differences.shape[1]
    differences.sort(axis=1)
    centred = differences - differences.mean(axis=1, keepdims=True)
    half_ranks = np.arange(2, 2 * n + 1) / 2  # 1, 1.5, … n: every rank that an average can give
    quantile = erfinv(2 * half_ranks / (n + 1) - 1)

    untied = quantile[::2]
    products = centred @ untied
    squares = np.full(len(differences), untied @ untied)

    rounded = np.rint(differences / rounding) if rounding else differences
    same_as_next = rounded[:, 1:] == rounded[:, :-1]
    tied = np.flatnonzero(same_as_next.any(axis=1))
    if len(tied):
        e = quantile[_doubled_ranks(same_as_next[tied]) - 2]
        products[tied] = np.einsum("kt,kt->k", centred[tied], e)
        squares[tied] = np.einsum("kt,kt->k", e, e)
    sigma: Matrix = np.sqrt(2) * products / np.where(squares > 0, 2 * squares, 1.0)
    return sigma


def _doubled_ranks(same_as_next: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Twice the average rank of sorted values, k × n, from where neighbours are tied, k × (n−1)."""
    k, n = len(same_as_next), same_as_next.shape[1] + 1
    position = np.arange(1, n + 1)
    starts = np.hstack([np.ones((k, 1), dtype=np.bool_), ~same_as_next])
    ends = np.hstack([~same_as_next, np.ones((k, 1), dtype=np.bool_)])
    first = np.maximum.accumulate(np.where(starts, position, 0), axis=1)
    last = np.minimum.accumulate(np.where(ends, position, n)[:, ::-1], axis=1)[:, ::-1]
    doubled: NDArray[np.intp] = first + last
    return doubled


MSQD = PairEstimator(
    "msqd",
    "minimum squared quantile deviation",
    lambda sample: msqd(sample.values),
    explanation=r"""
    The mean difference follows a t distribution, $$p_{ij} =
    T_{n-1}\left(-\sqrt{n}\,\frac{\hat\mu}{\hat\sigma}\right),$$ with the standard deviation of the
    normal distribution whose quantiles lie nearest to the observed ones, $R_t$ being the rank of $X_t$
    and $$e_t = \mathrm{erf}^{-1}\left(\frac{2 R_t}{n+1} - 1\right).$$
    """,
    formula=r"\hat\sigma = \frac{\sqrt{2}\, \sum_t (X_t - \hat\mu)\, e_t}{2 \sum_t e_t^2}",
    references=("urbano-marrero-2016",),
)
