"""Gaussian kernel densities: plug-in bandwidths, and the mean of draws from one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truerank._support.types import Matrix, Vector

GRID = 401  # bins for the bandwidth's kernel functionals (as in the reference implementations)
# With more points than the first number, the bandwidth of a distribution function comes from a grid.
MOST_POINTS, FINE_GRID = 2_000, 1 << 14
# How many bandwidths a kernel and its transform reach; the widest second pilot, in units of the first.
FAR, WIDEST = 7.0, 1.3
MOST_TERMS = 4_000  # points times frequencies up to which transforms are faster than bins
BLOCK_VALUES = 1 << 14  # numbers in memory at a time, beside the points
# Squared distance, in bandwidths, beyond which a normal density counts as e⁻⁸⁰, so that no power overflows.
FARTHEST = 160.0
# By r, coefficients of the Hermite polynomials in u², after the leading 1: φ⁽ʳ⁾(u) = He_r(u) φ(u).
_HERMITE = {2: (-1,), 4: (-6, 3), 6: (-15, 45, -15)}


def plug_in_bandwidth(differences: Matrix) -> Matrix:
    """Two-stage direct plug-in bandwidth for a Gaussian kernel (Wand & Jones 1995); k × n to k."""
    n = differences.shape[1]
    quartiles = np.quantile(differences, [0.25, 0.75], axis=1)
    scale = np.minimum(differences.std(axis=1, ddof=1), (quartiles[1] - quartiles[0]) / 1.349)
    usable = np.flatnonzero(scale > 1e-12)
    pilot = float((2 * np.sqrt(2) ** 9 / (7 * n)) ** (1 / 9))  # for ψ₆, of points in units of their scale
    period = np.ptp(differences[usable], axis=1) / scale[usable] + FAR * WIDEST * pilot
    nodes = np.ceil(FAR * period / (2 * np.pi * pilot))
    psi4 = np.full(len(usable), np.nan)
    quick = np.flatnonzero(nodes * n <= MOST_TERMS)
    quick = quick[np.argsort(nodes[quick], kind="stable")]
    for some in _blocks(quick, n):
        standard = differences[usable[some]] / scale[usable[some], None]
        psi4[some] = _by_transforms(standard, period[some], pilot)
    for some in _blocks(np.flatnonzero(np.isnan(psi4)), 4 * GRID):
        psi4[some] = _by_bins(differences[usable[some]] / scale[usable[some], None], pilot)
    bandwidth = np.zeros(len(scale))  # 0 where ψ₄ is unknown
    with np.errstate(divide="ignore", invalid="ignore"):
        bandwidth[usable] = scale[usable] * (4 * np.pi) ** (-1 / 10) * (1 / (psi4 * n)) ** (1 / 5)
    return np.nan_to_num(bandwidth, nan=0.0, posinf=0.0)


def _blocks(rows: NDArray[np.intp], size: int) -> Iterator[NDArray[np.intp]]:
    """Rows that need `size` numbers each, as many at a time as a core's own cache holds."""
    step = max(1, BLOCK_VALUES // size)
    for start in range(0, len(rows), step):
        yield rows[start : start + step]


def _second_pilot(psi6: Vector, n: int) -> Vector:
    return (-3 * np.sqrt(2 / np.pi) / (np.minimum(psi6, -np.finfo(float).tiny) * n)) ** (1 / 7)


def _by_transforms(standard: Matrix, period: Vector, pilot: float) -> Vector:
    """ψ₄ of k × n points in units of their scale.

    With φ(ω) the mean of ``exp(iωx)``, the sum over all pairs of points is an integral over frequencies,
    ``ψ_r = (−1)^{r/2}/π ∫₀^∞ ω^r exp(−ω²g²/2) |φ(ω)|² dω``.
    """
    n = standard.shape[1]
    step = 2 * np.pi / period
    rotation = _turns(standard.T * step)
    turned = rotation.copy()
    powers: list[Vector] = []

    def functional(bandwidth: Vector, derivative: int) -> Vector:
        total = np.zeros(len(standard))
        for node in range(1, int(np.ceil((FAR / (step * bandwidth)).max(initial=0.0))) + 1):
            if node > len(powers):
                mean = turned.sum(axis=0)
                powers.append(mean.real**2 + mean.imag**2)
                np.multiply(turned, rotation, out=turned)
            v2 = (node * step * bandwidth) ** 2
            total += v2 ** (derivative // 2) * np.exp(-0.5 * v2) * powers[node - 1]
        return total * step / (np.pi * n**2 * bandwidth**derivative)

    second = _second_pilot(-functional(np.full(len(standard), pilot), 6), n)
    wide = second > WIDEST * pilot
    return np.where(wide, np.nan, functional(np.where(wide, pilot, second), 4))


def _by_bins(standard: Matrix, pilot: float) -> Vector:
    """ψ₄ of k × n points in units of their scale, from their binned distances."""
    n = standard.shape[1]
    distances, pairs = _binned_distances(standard)
    psi6 = _binned_functional(distances, pairs, n, np.full(len(standard), pilot), 6)
    return _binned_functional(distances, pairs, n, _second_pilot(psi6, n), 4)


def cdf_bandwidth(x: Vector) -> float:
    """Two-stage plug-in bandwidth for a distribution function (Polansky & Baker 2000); 0 if all are equal."""
    n, scale = len(x), float(np.std(x, ddof=1)) if len(x) > 1 else 0.0
    if scale <= 1e-12 * max(1.0, float(np.abs(x).max())):
        return 0.0
    z = (x - x.mean()) / scale
    psi6 = -15 / (16 * np.sqrt(np.pi))
    pilot4 = (-2 * 3 / (np.sqrt(2 * np.pi) * psi6 * n)) ** (1 / 7)
    if n <= MOST_POINTS:
        distances, pairs = (z[:, None] - z).reshape(1, -1), np.ones((1, n * n))
    else:
        distances, pairs = _binned_distances(z[None], FINE_GRID, np.float64)
    psi4 = float(_binned_functional(distances, pairs, n, np.array([pilot4]), 4)[0])
    pilot2 = (2 / (np.sqrt(2 * np.pi) * psi4 * n)) ** (1 / 5)
    roughness = -float(_binned_functional(distances, pairs, n, np.array([pilot2]), 2)[0])
    return float(scale * (1 / (np.sqrt(np.pi) * n * roughness)) ** (1 / 3))


def _binned_distances(
    standard: Matrix, grid: int = GRID, kind: type[np.floating[Any]] = np.float32
) -> tuple[NDArray[Any], NDArray[Any]]:
    """The distances between bins, k × grid, and how many ordered pairs of points lie at each."""
    from scipy.fft import irfft, next_fast_len, rfft

    k = len(standard)
    low = standard.min(axis=1, keepdims=True)
    width = (standard.max(axis=1, keepdims=True) - low) / (grid - 1)
    position = (standard - low) / width
    left = np.minimum(position.astype(np.intp), grid - 2)
    share = position - left
    cells = (left + grid * np.arange(k)[:, None]).ravel()
    counts = np.bincount(cells, (1 - share).ravel(), k * grid)
    counts += np.bincount(cells + 1, share.ravel(), k * grid)
    size = next_fast_len(2 * grid - 1, real=True)
    spectrum = rfft(counts.reshape(k, grid).astype(kind), size, axis=1)
    power = spectrum.real**2
    power += spectrum.imag**2
    pairs = irfft(power, size, axis=1, overwrite_x=True)[:, :grid]
    pairs[:, 1:] *= 2
    return np.arange(grid, dtype=kind) * width.astype(kind), np.asarray(pairs, dtype=kind)


def _binned_functional(
    distances: NDArray[Any], pairs: NDArray[Any], n: int, bandwidth: Vector, derivative: int
) -> Vector:
    """ψ_r = n⁻² Σ φ⁽ʳ⁾_g(X_a − X_b) over all ordered pairs of points, from binned distances; k numbers."""
    # In place where possible: these arrays are the whole cost of the estimator kd.
    u2 = distances / bandwidth.astype(distances.dtype)[:, None]
    u2 *= u2
    np.minimum(u2, FARTHEST, out=u2)
    first, *others = _HERMITE[derivative]
    values = u2 + first
    for coefficient in others:
        values *= u2
        values += coefficient
    u2 *= -0.5
    values *= np.exp(u2, out=u2)
    total = np.einsum("kg,kg->k", pairs, values).astype(np.float64) / np.sqrt(2 * np.pi)
    return total / (n**2 * bandwidth ** (derivative + 1))


REACH = 8.5  # standard deviations within which the whole distribution of the mean is taken to lie
DAMPING = 7.5  # where the transform of the kernel's noise is below 10⁻¹², in the noise's units
# Standard errors from which on the chance counts as 0: it is below 10⁻¹⁰ for all but absurd differences.
NEVER = 12.0
# Transforms of the mean below it are skipped as far as they cannot rise above it: that of one draw changes by
# its standard deviation times the change of frequency at most.
NEGLIGIBLE = 1e-14
# Most nodes of the inversion. A smaller bandwidth counts as the one that needs this many, whose noise is a
# hundredth of the mean's own standard deviation.
MOST_NODES = 1_024


def share_below_zero(differences: Matrix, bandwidths: Vector) -> Vector:
    """``P(Y < 0)`` for the mean Y of n draws from the density of each row, by its characteristic function."""
    n, mean, variance = differences.shape[1], differences.mean(axis=1), differences.var(axis=1)
    spread = np.sqrt((variance + bandwidths**2) / n)
    share = np.where(mean < 0, 1.0, 0.0)
    near = np.flatnonzero(np.abs(mean) < NEVER * spread)
    step = 2 * np.pi / (np.abs(mean[near]) + REACH * spread[near])
    noise = bandwidths[near] / np.sqrt(n) * step
    noise = np.maximum(noise, DAMPING / MOST_NODES)
    nodes = np.ceil(DAMPING / noise).astype(np.intp)
    order = np.argsort(-nodes, kind="stable")
    near, step, noise, nodes = near[order], step[order], noise[order], nodes[order]
    turned = _turns(differences[near] * (step / (2 * n))[:, None])
    rotation = turned * turned
    per_node = np.maximum(step / n * np.sqrt(variance[near]), np.finfo(float).tiny)
    node, total = 0, np.zeros(len(near))
    while left := int(np.searchsorted(-nodes, -node, side="left")):  # rows that need more nodes than that
        at, transform = node + 0.5, turned[:left].mean(axis=1)
        total[:left] += _whole_power(transform, n).imag * np.exp(-0.5 * (noise[:left] * at) ** 2) / at
        quiet = (NEGLIGIBLE ** (1 / n) - np.abs(transform)) / per_node[:left]
        quiet = quiet[quiet < nodes[:left] - node - 1]
        if not len(quiet):
            break
        skipped = 1 + max(0, int(quiet.min()))
        node += skipped
        turned[:left] *= rotation[:left] if skipped == 1 else _whole_power(rotation[:left], skipped)
    share[near] = np.clip(0.5 - total / np.pi, 0.0, 1.0)
    return share


def _turns(angles: Matrix) -> NDArray[np.complex128]:
    """``exp(iα)`` from the tangents of half the angles, in a fifth of the time of cosines and sines."""
    half = np.tan(0.5 * angles)
    found = np.empty(angles.shape, dtype=np.complex128)
    squared = 2 / (1 + half * half)
    np.multiply(half, squared, out=found.imag)
    np.subtract(squared, 1, out=found.real)
    return found


def _whole_power(values: NDArray[np.complex128], exponent: int) -> NDArray[np.complex128]:
    """A whole power of complex numbers by repeated squaring, several times faster than by logarithms."""
    if exponent <= 1:
        return values.copy() if exponent else np.ones_like(values)
    result = _whole_power(values * values, exponent >> 1)
    if exponent & 1:
        result *= values
    return result
