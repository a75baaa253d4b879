"""`kd`: a Gaussian kernel density of the differences, and the mean of n draws from it."""

from __future__ import annotations

import numpy as np

from truerank._support.threads import in_threads
from truerank._support.types import Matrix
from truerank.numerics.pairs import over_pairs
from truerank.reliability.estimators.ml import ml

GRID = 401
"""Bins for the bandwidth's kernel functionals (as in the reference implementations)."""

BLOCK = 1 << 17
"""Replicate differences held at a time, 1 MB of them, or those of one row of pairs."""


def kd(values: Matrix, replicates: Matrix) -> Matrix:
    """Swap probabilities by kernel density (urbano-marrero-2016 §3.1.4). O(T·m²).

    A draw from a Gaussian KDE is a resampled point plus N(0, h²), so given a bootstrap mean x* the
    mean of n draws is below 0 with probability ``Φ(−√n x*/h)``; that is averaged over the
    replicates instead of adding noise (METHODS §2). Pairs for which no bandwidth exists (a zero
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


def plug_in_bandwidth(differences: Matrix) -> Matrix:
    """Two-stage direct plug-in bandwidth for a Gaussian kernel (Wand & Jones 1994); k × n to k.

    The pilot scale is the smaller of s and IQR/1.349; 0 where that is 0. The functionals ψ₆ and ψ₄
    are computed from linearly binned data, whose pairwise distances come from one FFT a pair, so
    the cost does not grow with n²: O(GRID log GRID) a pair.
    """
    n = differences.shape[1]
    quartiles = np.quantile(differences, [0.25, 0.75], axis=1)
    scale = np.minimum(differences.std(axis=1, ddof=1), (quartiles[1] - quartiles[0]) / 1.349)
    bandwidth = np.zeros(len(differences))
    usable = np.flatnonzero(scale > 1e-12)
    if len(usable) == 0:
        return bandwidth
    standard = differences[usable] / scale[usable, None]
    distances, pairs = _binned_distances(standard)
    pilot = (2 * np.sqrt(2) ** 9 / (7 * n)) ** (1 / 9)
    psi6 = _functional(distances, pairs, n, np.full(len(usable), pilot), 6)
    psi6 = np.minimum(psi6, -np.finfo(float).tiny)
    psi4 = _functional(distances, pairs, n, (-3 * np.sqrt(2 / np.pi) / (psi6 * n)) ** (1 / 7), 4)
    bandwidth[usable] = scale[usable] * (4 * np.pi) ** (-1 / 10) * (1 / (psi4 * n)) ** (1 / 5)
    return np.nan_to_num(bandwidth, nan=0.0, posinf=0.0)


def _binned_distances(standard: Matrix) -> tuple[Matrix, Matrix]:
    """Distances that binned data can have, k × GRID, and how many ordered pairs of points lie there."""
    from scipy.fft import irfft, next_fast_len, rfft

    k = len(standard)
    low = standard.min(axis=1, keepdims=True)
    width = (standard.max(axis=1, keepdims=True) - low) / (GRID - 1)
    position = (standard - low) / width
    left = np.minimum(position.astype(np.intp), GRID - 2)
    share = position - left
    cells = (left + GRID * np.arange(k)[:, None]).ravel()
    counts = np.bincount(cells, (1 - share).ravel(), k * GRID)
    counts += np.bincount(cells + 1, share.ravel(), k * GRID)
    size = next_fast_len(2 * GRID - 1, real=True)
    spectrum = rfft(counts.reshape(k, GRID), size, axis=1)
    power = spectrum.real**2
    power += spectrum.imag**2
    autocorrelation = irfft(power, size, axis=1, overwrite_x=True)[:, :GRID]
    autocorrelation[:, 1:] *= 2
    return np.arange(GRID) * width, autocorrelation


def _functional(distances: Matrix, pairs: Matrix, n: int, bandwidth: Matrix, derivative: int) -> Matrix:
    """ψ_r = n⁻² Σ φ⁽ʳ⁾_g(X_a − X_b) over all ordered pairs of points, for r = 4 or 6; k numbers."""
    # In place where it can be: these arrays are the kernel's whole cost.
    u2 = distances / bandwidth[:, None]
    u2 *= u2
    hermite = u2 - (6 if derivative == 4 else 15)
    hermite *= u2
    hermite += 3 if derivative == 4 else 45
    if derivative == 6:
        hermite *= u2
        hermite -= 15
    u2 *= -0.5
    hermite *= np.exp(u2, out=u2)
    total = np.einsum("kg,kg->k", pairs, hermite) / np.sqrt(2 * np.pi)
    functional: Matrix = total / (n**2 * bandwidth ** (derivative + 1))
    return functional
