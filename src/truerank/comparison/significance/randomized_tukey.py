"""The randomized Tukey HSD: the range of the systems' means when each topic's scores change owners."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.random import Generator

from truerank._support.seeds import stream
from truerank._support.types import Matrix
from truerank.comparison.significance.significance_test import ABOUT, Found, SignificanceTest
from truerank.errors import InputError
from truerank.numerics.max_t import single_step_p_values
from truerank.numerics.resampling import CHUNK_VALUES, order_of_rows


def randomized_tukey_p_values(values: Matrix, permutations: int, rng: Generator) -> Matrix:
    """p-values of the randomized Tukey HSD, m × m, 1 on the diagonal; corrected for all pairs."""
    if permutations < 1:
        raise InputError(f"at least one permutation is needed, not {permutations}")
    m = values.shape[1]
    means = values.mean(axis=0)
    first, second = np.triu_indices(m, 1)
    alike = np.sort(values[order_of_rows(values)], axis=1)  # the same digits in whatever order scores are
    p = np.ones((m, m))
    apart = np.abs(means[first] - means[second])
    p[first, second] = single_step_p_values(apart, _ranges(alike, permutations, rng))
    p[second, first] = p[first, second]
    return p


def _ranges(values: Matrix, permutations: int, rng: Generator) -> Iterator[Matrix]:
    step = max(1, CHUNK_VALUES // values.size)
    for start in range(0, permutations, step):
        rows = min(step, permutations - start)
        dealt = rng.permuted(np.broadcast_to(values, (rows, *values.shape)), axis=2)
        yield np.ptp(dealt.mean(axis=1), axis=1)[:, None]


def _found(values: Matrix, permutations: int, seed: int) -> Found:
    rng = stream(seed, "randomized tukey")
    return Found(randomized_tukey_p_values(values, permutations, rng), permutations)


RANDOMISED_TUKEY = SignificanceTest(
    "randomized-tukey", p_values=_found, simultaneous=True, **ABOUT["randomized-tukey"]
)
"""For all pairs together, by permutation."""
