"""`kd`: a Gaussian kernel density of the differences, and the mean of n draws from it."""

from __future__ import annotations

import numpy as np

from truerank._support.threads import in_threads
from truerank._support.types import Matrix
from truerank.numerics.bandwidth import GRID, plug_in_bandwidth
from truerank.numerics.pairs import over_pairs
from truerank.reliability.estimators.estimator import PairEstimator
from truerank.reliability.estimators.ml import ml

BLOCK = 1 << 17
"""Replicate differences held at a time, 1 MB of them, or those of one row of pairs."""


def kd(values: Matrix, replicates: Matrix) -> Matrix:
    """Swap probabilities by kernel density (urbano-marrero-2016 §3.1.4). O(T·m²).

    A draw from a Gaussian KDE is a resampled point plus N(0, h²), so given a bootstrap mean x* the
    mean of n draws is below 0 with probability ``Φ(−√n x*/h)``; that is averaged over the
    replicates instead of adding noise. Pairs for which no bandwidth exists (a zero
    scale) take the `ml` probability; pairs whose differences are all equal are never swapped.

    Args:
        values: n × m scores in ranking order.
        replicates: m × T bootstrap means in the same order.

    Returns:
        m × m, p_ij above the diagonal.
    """
    from scipy.special import ndtr

    n, m = values.shape
    draws = replicates.shape[1]
    bandwidths = over_pairs(values, plug_in_bandwidth, workspace=4 * GRID)
    without = np.triu(bandwidths == 0, 1)
    steepness = np.sqrt(n) / np.where(bandwidths > 0, bandwidths, 1.0)
    probabilities = np.zeros((m, m))

    def work(i: int) -> None:
        step = max(1, BLOCK // (m - i))
        for start in range(0, draws, step):
            chunk = replicates[i:, start : start + step]
            z = (chunk[1:] - chunk[0]) * steepness[i, i + 1 :, None]
            probabilities[i, i + 1 :] += ndtr(z, out=z).sum(axis=1)

    in_threads(work, range(m - 1))
    probabilities /= draws
    if without.any():
        probabilities[without] = ml(values)[without]
    return probabilities


KD = PairEstimator(
    "kd",
    "kernel density",
    lambda sample: kd(sample.values, sample.replicates),
    resampled=True,
    explanation=r"""
    The differences come from a smoothed version of those observed, with a Gaussian kernel of plug-in
    bandwidth $h$ [@wand-jones-1995]; the probability is a mean over the resampled means
    $\bar x^{*}$, which can exceed one half where the differences of a pair are skewed.
    """,
    formula=r"p_{ij} = \mathrm{mean\ of\ } \Phi\left(-\sqrt{n}\, \bar x^{*} / h\right)",
    references=("urbano-marrero-2016", "wand-jones-1995"),
)
