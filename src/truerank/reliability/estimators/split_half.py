"""Split-half: the coefficient between two samples of the topics at hand (`sh-w`, `sh-wo`, `sh`).

Baselines, kept because the field uses them: they compare two noisy rankings where the question is
about one noisy ranking and the truth. They give no swap probabilities.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from truerank._support.types import Matrix
from truerank.coefficients import Coefficient
from truerank.errors import InputError
from truerank.numerics.resampling import bootstrap_blocks, disjoint_blocks, means_of
from truerank.reliability.estimators.estimator import ABOUT, SplitHalfEstimate, SplitHalfEstimator
from truerank.reliability.swaps import count_swaps
from truerank.scores import TIE

OBSERVATIONS_PER_SIZE = 100
FULL_SIZE_OBSERVATIONS = 1_000


def full_size(
    values: Matrix, coefficients: Sequence[Coefficient], rng: Generator
) -> dict[str, SplitHalfEstimate]:
    """`sh`: the mean of 1,000 pairs of samples of n topics with replacement (bavdaz-2018 §5.1)."""
    n = len(values)
    first, second = (means_of(bootstrap_blocks(n, FULL_SIZE_OBSERVATIONS, rng), values, n) for _ in range(2))
    observed = _between(first, second, coefficients)
    return {name: SplitHalfEstimate(float(o.mean()), o) for name, o in observed.items()}


def extrapolated(
    replacement: bool, values: Matrix, coefficients: Sequence[Coefficient], rng: Generator
) -> dict[str, SplitHalfEstimate]:
    """`sh-w` and `sh-wo`: coefficients between small samples, carried to n topics."""
    n = len(values)
    sizes = subset_sizes(n)
    pairs = [_two_samples(values, int(k), replacement, rng) for k in sizes]
    first, second = (np.concatenate(side) for side in zip(*pairs, strict=True))
    observed = _between(first, second, coefficients)
    size_of = np.repeat(sizes, OBSERVATIONS_PER_SIZE)
    return {name: _extrapolate(size_of, o, n) for name, o in observed.items()}


def subset_sizes(n: int) -> NDArray[np.intp]:
    """Distinct values of round-half-even(linspace(1, ⌊n/2⌋, 21)) without the first; at least two."""
    if n < 4:
        raise InputError(f"split-half needs at least four topics, not {n}")
    sizes = np.unique(np.round(np.linspace(1, n // 2, 21))).astype(np.intp)[1:]
    return np.array([1, *sizes]) if len(sizes) == 1 else sizes


def _two_samples(values: Matrix, k: int, replacement: bool, rng: Generator) -> tuple[Matrix, Matrix]:
    """Means over pairs of samples of k topics, two arrays of observations × m."""
    n = len(values)
    if replacement:
        blocks = (bootstrap_blocks(n, OBSERVATIONS_PER_SIZE, rng, k) for _ in range(2))
        first, second = (means_of(some, values, k) for some in blocks)
    else:
        pairs = [
            (means_of([one], values, k), means_of([other], values, k))
            for one, other in disjoint_blocks(n, k, OBSERVATIONS_PER_SIZE, rng)
        ]
        first, second = (np.concatenate(side) for side in zip(*pairs, strict=True))
    return first, second


def _between(observed: Matrix, truth: Matrix, coefficients: Sequence[Coefficient]) -> dict[str, Matrix]:
    """Each coefficient between the rankings by paired means, the second taken as the truth."""
    # Equal means come out of the product with different rounding; 1e-12 keeps them in input order.
    order = np.argsort(-np.round(observed, 12), axis=1, kind="stable")
    in_order = np.ascontiguousarray(np.take_along_axis(truth, order, axis=1).T)
    swaps = count_swaps(in_order, -TIE, coefficients)
    return {c.name: swaps.coefficient(c) for c in coefficients}


def _extrapolate(sizes: NDArray[np.intp], observed: Matrix, n: int) -> SplitHalfEstimate:
    if (observed >= 1).all():
        return SplitHalfEstimate(1.0, observed)
    finite = observed < 1
    if len(np.unique(sizes[finite])) < 2:
        return SplitHalfEstimate(np.nan, np.empty(0))
    logs = np.log((1 - observed[finite]) / 2)
    design = np.column_stack([np.ones(finite.sum()), sizes[finite]])
    line = np.linalg.lstsq(design, logs, rcond=None)[0]
    at_n = float(line @ [1, n])
    carried = np.ones_like(observed)
    carried[finite] = 1 - 2 * np.exp(at_n + logs - design @ line)
    estimate = float(np.clip(1 - 2 * np.exp(at_n), -1, 1))
    return SplitHalfEstimate(estimate, np.clip(carried, -1, 1))


SH_W, SH_WO = (
    SplitHalfEstimator(name, estimates=partial(extrapolated, how == "with"), fewest_topics=4, **ABOUT[name])
    for name, how in (("sh-w", "with"), ("sh-wo", "without"))
)

SH = SplitHalfEstimator("sh", estimates=full_size, **ABOUT["sh"])
