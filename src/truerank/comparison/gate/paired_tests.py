"""The two paired tests that papers report, for a pair of systems: two-sided, of no difference at all."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from truerank._support.types import Vector
from truerank.comparison.gate.contrast import Contrast
from truerank.numerics.resampling import sign_vectors
from truerank.scores import TIE

PERMUTATIONS = 10_000
"""Sign vectors of the randomisation test."""

CHUNK_SIGNS = 1 << 22
"""Signs drawn at a time (32 MB)."""


def t_p_value(contrast: Contrast) -> float:
    """The paired t-test's; 0 where all units differ by the same amount, 1 where none does."""
    from scipy.special import stdtr

    if contrast.error == 0:
        return 1.0 if abs(contrast.estimate) <= TIE else 0.0
    return float(2 * stdtr(contrast.degrees, -abs(contrast.estimate) / contrast.error))


def randomisation_p_value(differences: Vector, rng: Generator, permutations: int = PERMUTATIONS) -> float:
    """The paired randomisation test's, ``(1 + as extreme)/(1 + permutations)``; exact for few differences.

    Ties change no sum, so only the units that differ get signs: all sign vectors where they are no more than
    `permutations`, else random ones. O(permutations·n).

    Args:
        differences: n paired differences (of a plain mean), or what each unit adds to a weighted one.
        rng: random generator.
        permutations: how many to draw.

    Example:
        >>> randomisation_p_value(np.array([0.1, 0.2, 0.0, 0.3]), np.random.default_rng(1))
        0.25
    """
    d = differences[np.abs(differences) > TIE]
    n = len(d)
    if n == 0:
        return 1.0
    least = abs(float(d.sum())) - TIE * n
    if 2 ** (min(n, 62) - 1) <= permutations:
        signs, _ = sign_vectors(n, permutations, rng)
        return float(np.mean(np.abs(signs @ d) >= least))
    reached = 0
    step = max(1, CHUNK_SIGNS // n)
    for start in range(0, permutations, step):
        rows = min(step, permutations - start)
        bytes_each = -(-n // 8)
        drawn = np.frombuffer(rng.bytes(rows * bytes_each), dtype=np.uint8).reshape(rows, bytes_each)
        minus = np.unpackbits(drawn, axis=1, count=n).astype(np.float64)
        reached += int(np.count_nonzero(np.abs(d.sum() - 2 * (minus @ d)) >= least))
    return (1 + reached) / (1 + permutations)
