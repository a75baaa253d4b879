"""Kernel densities of the differences of all pairs together: quick ways to the numbers of `kernel_density`.

Probabilities of test collections agree to 2·10⁻⁵, those of scores on a lattice to 2·10⁻⁴. With far
outliers both ways are off by some 10⁻⁴, from the bins. Where quick ways do not suffice they give NaN, for
:mod:`kernel_density` to fill in.
"""

from __future__ import annotations

from math import factorial

import numpy as np
from numpy.typing import NDArray

from truerank._support.types import Matrix, Vector
from truerank.numerics.kernel_density import (
    DAMPING,
    MOST_NODES,
    REACH,
    binned_functional,
    first_pilot,
    plugged_in,
    second_pilot,
    turns,
    whole_power,
)

FAR = 5.0  # bandwidths that a kernel and its transform reach
FINEST, WIDEST = 0.75, 1.3  # the second pilot, in units of the first
FLAT = 1e-6  # of their standard deviation: quartiles no further apart are equal but for rounding
FEW_POINTS = 8  # up to which their distances are few enough to go through
MOST_FREQUENCIES = 128
COVERED = 0.02  # share of pairs, at either end, whose scale may be beyond the common frequencies
BLOCK_ROWS, BLOCK_POWERS = (
    64,
    1 << 21,
)  # systems whose pairs are handled at a time; and transforms kept of them

NEVER = 9.0  # standard errors from which on the chance counts as 0
TAIL = 1e-9  # transforms of the mean below it count as 0
FADED, MANY_ENOUGH = 1e-6, 20  # damping by noise before which fewer points than that may be in phase again
# Noise of the mean below it, in standard deviations of one topic, may be of clusters: transforms come back.
NARROW = 1.5
NODES = 30  # of the inversion, at most
MANY_POINTS = 64  # from which on moments say the transform in less time than the points
CHUNK = 256  # pairs whose transforms are handled at a time


def scale_and_reach(differences: Matrix) -> Matrix:
    """The scale of k × n differences by the plug-in rule, 0 where it is useless; and their range. 2 × k."""
    n = differences.shape[1]
    deviation = differences.std(axis=1, ddof=1)
    some = deviation > 1e-12
    standard = (differences - differences[:, :1]) / np.where(some, deviation, 1.0)[:, None]
    ordered = np.sort(standard.astype(np.float32), axis=1)
    low, high = (_quantile(ordered, share * (n - 1)) for share in (0.25, 0.75))
    between = np.where(some & (high - low > FLAT), (high - low) / 1.349, 0.0)
    reach = deviation * (ordered[:, -1] - ordered[:, 0])
    return np.stack([deviation * np.minimum(between, 1.0), reach])


def _quantile(ordered: NDArray[np.float32], place: float) -> NDArray[np.float64]:
    low, part = divmod(place, 1)
    at = ordered[:, int(low)].astype(np.float64)
    return at + part * (ordered[:, min(int(low) + 1, ordered.shape[1] - 1)] - at)


def bandwidth_of_few(differences: Matrix, scale: Vector) -> Vector:
    """The plug-in bandwidth of k × n differences of that scale, from all distances between few points."""
    n = differences.shape[1]
    first, second = np.triu_indices(n, 1)
    usable = np.flatnonzero(scale > 0)
    some = differences[usable]
    distances = np.zeros((len(usable), len(first) + 1))
    np.abs(some[:, first] - some[:, second], out=distances[:, 1:])
    single = (distances / scale[usable, None]).astype(np.float32)
    pairs = np.full(distances.shape, 2.0, dtype=np.float32)
    pairs[:, 0] = n
    psi6 = binned_functional(single, pairs, n, np.full(len(usable), first_pilot(n)), 6)
    return plugged_in(scale, usable, binned_functional(single, pairs, n, second_pilot(psi6, n), 4), n)


def bandwidths(values: Matrix, scale: Matrix, reach: Matrix) -> Matrix:
    """Plug-in bandwidths of the differences of all pairs of n × m values, m × m; NaN where it is unsure.

    As by :func:`kernel_density._by_transforms`, at frequencies that all pairs share: there the transforms of
    differences are matrix products of those of scores. Pairs of unusual scale or range are left out.
    O(m²·n·frequencies), nearly all in products of single precision.
    """
    n, m = values.shape
    found = np.where(scale > 0, np.nan, 0.0)
    if not (scale > 0).any():
        return found
    pilot = first_pilot(n)
    periods = reach + FAR * WIDEST * pilot * scale
    step = 2 * np.pi / float(np.quantile(periods[scale > 0], 1 - COVERED))
    finest = FAR / (FINEST * pilot * step * float(np.quantile(scale[scale > 0], COVERED)))
    frequencies = min(int(np.ceil(finest)), MOST_FREQUENCIES)
    covered = (scale > 0) & (periods * step <= 2 * np.pi) & (scale * frequencies * step * pilot >= FAR)
    rotation = turns((values - values.mean(axis=1, keepdims=True)) * step).astype(np.complex64)
    rows = max(1, min(BLOCK_ROWS, BLOCK_POWERS // (frequencies * m)))
    for start in range(0, m - 1, rows):
        here = slice(start, min(start + rows, m)), slice(start, m)
        usable = np.flatnonzero(covered[here])
        usable = usable[np.argsort(scale[here].ravel()[usable], kind="stable")]
        scales = scale[here].ravel()[usable]
        needed = FAR / (FINEST * pilot * step * scales)  # frequencies, the most first
        counts = np.searchsorted(-needed, -np.arange(frequencies), side="left")
        of_all = _powers(rotation[:, start:], here[0].stop - start, frequencies)
        powers = [power[usable[:count]] for power, count in zip(of_all, counts, strict=True)]
        psi6 = _functional(powers, scales * step, np.full(len(usable), pilot), 6, n)
        second = second_pilot(-psi6, n)
        unsure = (second > WIDEST * pilot) | (second * scales * step * frequencies < FAR)
        psi4 = _functional(powers, scales * step, second, 4, n)
        each = np.where(unsure, np.nan, plugged_in(scales, np.arange(len(usable)), psi4, n))
        found[start + usable // (m - start), start + usable % (m - start)] = each
    return found


def _powers(rotation: NDArray[np.complex64], rows: int, frequencies: int) -> NDArray[np.float32]:
    """n²|φ|² of the differences of the first systems from all, at each frequency; frequencies × pairs."""
    turned = rotation.copy()
    powers = np.empty((frequencies, rows * rotation.shape[1]), dtype=np.float32)
    for power in powers:
        transform = (turned[:, :rows].conj().T @ turned).ravel()
        np.multiply(transform.real, transform.real, out=power)
        power += transform.imag * transform.imag
        turned *= rotation
    return powers


def _functional(
    powers: list[NDArray[np.float32]], steps: Vector, pilot: Vector, derivative: int, n: int
) -> Vector:
    """ψ_r up to its sign, of points in units of their scale, from n²|φ|² at multiples of a step.

    Powers are those of the first pairs, as many as reach that far.
    """
    total = np.zeros(len(steps), dtype=np.float32)
    squared = ((steps * pilot) ** 2).astype(np.float32)
    for node, power in enumerate(powers, start=1):
        v2 = squared[: len(power)] * np.float32(node**2)
        weight = np.exp(-0.5 * v2)
        for _ in range(derivative // 2):
            weight *= v2
        weight *= power
        total[: len(power)] += weight
    return total * steps / (np.pi * n**2 * pilot**derivative)


def share_by_few_nodes(differences: Matrix, bandwidth: Vector) -> Vector:
    """As :func:`kernel_density.share_below_zero`, by few nodes; NaN where these are not enough."""
    n = differences.shape[1]
    mean = differences.mean(axis=1)
    differences -= mean[:, None]
    variance = np.einsum("kt,kt->k", differences, differences) / n
    spread = np.sqrt((variance + bandwidth**2) / n)
    share = np.where(mean < 0, 1.0, 0.0)
    narrow = (bandwidth * np.sqrt(n) < NARROW * np.sqrt(variance)) & (n >= MANY_ENOUGH)
    share[narrow] = np.nan
    near = np.flatnonzero((np.abs(mean) < NEVER * spread) & ~narrow)
    step = 2 * np.pi / (np.abs(mean[near]) + REACH * spread[near])
    noise = np.maximum(bandwidth[near] / np.sqrt(n) * step, DAMPING / MOST_NODES)
    angles = differences[near] * (step / n)[:, None]
    inverted = _from_moments if n >= MANY_POINTS else _from_points
    share[near] = inverted(angles, mean[near] * step / n, noise)
    return share


def _from_points(angles: Matrix, shift: Vector, noise: Vector) -> Vector:
    n = angles.shape[1]
    turned = turns(0.5 * (angles.T + shift))
    rotation = turned * turned
    total, peak = np.zeros((2, len(noise)))
    open_ = np.arange(len(noise))
    found = np.full(len(noise), np.nan)
    for node in range(NODES):
        if not len(open_):
            break
        at = node + 0.5
        power = whole_power(turned.sum(axis=0) / n, n)
        damping = np.exp(-0.5 * (noise * at) ** 2)
        total += power.imag * damping / at
        np.maximum(peak, np.abs(power) * damping, out=peak)
        turned *= rotation
        if node % 3 == 2:
            quiet = (peak < TAIL) & ((damping < FADED) | (n >= MANY_ENOUGH))
            if np.count_nonzero(quiet) > 0.3 * len(quiet) or node > NODES - 3:
                found[open_[quiet]] = np.clip(0.5 - total[quiet] / np.pi, 0.0, 1.0)
                left = ~quiet
                open_, total, noise, peak = open_[left], total[left], noise[left], peak[left]
                turned, rotation = turned[:, left], rotation[:, left]
            peak[:] = 0.0
    return found


def _from_moments(angles: Matrix, shift: Vector, noise: Vector) -> Vector:
    """By the Taylor series of the transform, whose rest is at most its first term left out."""
    k, n = angles.shape
    terms = 24 if n < 120 else 18 if n < 400 else 14
    at = np.arange(NODES)[:, None] + 0.5
    even, odd = np.arange(0, terms, 2), np.arange(1, terms, 2)
    of_even, of_odd = ((-1.0) ** (j // 2) * at**j for j in (even, odd))
    found = np.empty(k)
    for start in range(0, k, CHUNK):
        here = slice(start, start + CHUNK)
        moments = _moments(angles[here], terms)
        transform = np.empty((NODES, moments.shape[1]), dtype=np.complex128)
        transform.real, transform.imag = of_even @ moments[even], of_odd @ moments[odd]
        sure = np.logical_and.accumulate(n * at ** (terms - 1) * moments[terms] < TAIL, axis=0)
        transform *= sure
        turn = turns(0.5 * shift[here])
        rotation = turn * turn
        for row in transform:
            row *= turn
            turn *= rotation
        damping = np.exp(-0.5 * (noise[here] * at) ** 2)
        power = whole_power(transform, n)
        ended = np.logical_or.accumulate((np.abs(power) * damping < TAIL) & sure, axis=0)
        total = np.where(ended, 0.0, power.imag * damping / at).sum(axis=0)
        found[here] = np.where(ended[-1], np.clip(0.5 - total / np.pi, 0.0, 1.0), np.nan)
    return found


def _moments(angles: Matrix, terms: int) -> Matrix:
    """E X^j/j! of each row of k × n angles around 0, for j = 0 … terms (an even number)."""
    found = np.zeros((terms + 1, len(angles)))
    found[0] = 1.0
    power = angles.copy()
    for j in range(2, terms + 1, 2):
        found[j] = np.einsum("kt,kt->k", power, power) / (angles.shape[1] * factorial(j))
        if j < terms:
            above = power * angles
            found[j + 1] = np.einsum("kt,kt->k", power, above) / (angles.shape[1] * factorial(j + 1))
            power = above
    return found
