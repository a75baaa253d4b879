"""The chance that the mean of n draws from a Gaussian kernel density is below 0, without drawing any."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from truerank._support.types import Matrix, Vector

REACH = 8.5
"""Standard deviations of the mean within which all of its distribution is taken to lie."""

DAMPING = 7.5
"""Where the transform of the kernel's noise is below 10⁻¹², in the noise's units."""

NEVER = 12.0
"""From this many standard errors on the chance counts as 0: it is below 10⁻¹⁰ but for absurd differences."""

MOST_NODES = 1_024
"""Of the inversion. A bandwidth that would need more counts as one that needs so many: noise of a hundredth
of the mean's own standard deviation."""


def share_below_zero(differences: Matrix, bandwidths: Vector, counts: Matrix | None = None) -> Vector:
    """``P(Y < 0)`` for the mean Y of n draws from the density of each row, by its characteristic function.

    With counts, k × D, the differences are D numbers, and a row says how often each occurs.

    A draw is one of the n differences plus ``N(0, h²)``, so the transform of Y is ``φ(t) = (Σ_k exp(i t
    d_k/n)/n)ⁿ exp(−h²t²/(2n))``. The midpoint rule inverts it (Gil-Pelaez 1951, Davies 1973), exactly but for
    the probability beyond `REACH`. That is the limit of the share of resamples as their number grows.
    O(k·n·nodes), nodes about 25 where the mean is near 0.

    >>> share_below_zero(np.array([[-1.0, 1.0], [-1.0, 3.0]]), np.array([0.5, 0.5])).round(4).tolist()
    [0.5, 0.2506]
    """
    if counts is None:
        n, mean, variance = differences.shape[1], differences.mean(axis=1), differences.var(axis=1)
    else:
        n = max(1, int(counts[:1].sum()))
        mean = counts @ differences / n
        variance = np.sum(counts * (differences - mean[:, None]) ** 2, axis=1) / n
    spread = np.sqrt((variance + bandwidths**2) / n)
    share = np.where(mean < 0, 1.0, 0.0)
    near = np.flatnonzero(np.abs(mean) < NEVER * spread)
    step = 2 * np.pi / (np.abs(mean[near]) + REACH * spread[near])
    noise = bandwidths[near] / np.sqrt(n) * step
    noise = np.maximum(noise, DAMPING / MOST_NODES)
    nodes = np.ceil(DAMPING / noise).astype(np.intp)
    order = np.argsort(-nodes, kind="stable")
    near, step, noise, nodes = near[order], step[order], noise[order], nodes[order]
    angles = (differences[near] if counts is None else differences) * (step / n)[:, None]
    angles *= 0.5
    turned = np.empty(angles.shape, dtype=np.complex128)
    np.cos(angles, out=turned.real)
    np.sin(angles, out=turned.imag)
    rotation = turned * turned
    if counts is not None:
        turned *= counts[near] * (len(differences) / n)
    total = np.zeros(len(near))
    for node in range(int(nodes.max(initial=0))):
        left = int(np.searchsorted(-nodes, -node, side="left"))  # those with more nodes than that
        at = node + 0.5
        transform = _power(turned[:left].mean(axis=1), n)
        total[:left] += transform.imag * np.exp(-0.5 * (noise[:left] * at) ** 2) / at
        turned[:left] *= rotation[:left]
    share[near] = np.clip(0.5 - total / np.pi, 0.0, 1.0)
    return share


def _power(values: NDArray[np.complex128], exponent: int) -> NDArray[np.complex128]:
    """A whole power of complex numbers by repeated squaring, several times as fast as by logarithms."""
    found = np.ones_like(values)
    while exponent:
        if exponent & 1:
            found *= values
        exponent >>= 1
        if exponent:
            values = values * values
    return found
