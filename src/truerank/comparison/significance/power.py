"""Discriminative power of a measure (Sakai 2006) or a ranking (Carterette 2009), and its sensitivity."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truerank._support.plain import Written
from truerank._support.seeds import stream
from truerank._support.types import Matrix, OrNaN, Vector
from truerank.coefficients import tied_ranks
from truerank.comparison.distance.rank_distance import refuse_swapped
from truerank.comparison.distance.reference import aligned
from truerank.comparison.significance.significance_test import (
    check_alpha,
    pairwise_tests,
    table_to_test,
)
from truerank.errors import InputError, at
from truerank.numerics.resampling import disjoint_counts
from truerank.readers import as_scores
from truerank.scores import TIE


def significant_agreement(scores: Any, y: Any, alpha: float = 0.05) -> float:
    """Of the pairs that differ significantly in the baseline, the share that y orders the same way.

    This is what Carterette (2009, §3.1) calls the discriminative power of a ranking, by paired t-test
    at p < 0.05. A pair that y ties is not in the same order.

    Args:
        scores: the baseline, as in :func:`pairwise_tests`.
        y: the ranking, as in :func:`truerank.rank_distance`.
        alpha: p below it is significant.

    Returns:
        The share, in [0, 1]; NaN where no pair is significant.

    Raises:
        InputError: as :func:`pairwise_tests` and :func:`truerank.rank_distance`, or y before the scores.
        UnknownNameError: as :func:`truerank.read_scores`.

    Example:
        >>> ap = [[.283, .481, .516], [.017, .399, .544], [.075, .300, .277], [.183, .662, .616]]
        >>> significant_agreement(ap, [2, 3, 1])
        0.5
    """
    refuse_swapped("significant_agreement", scores, y)
    table = as_scores(scores)
    found = pairwise_tests(table).significant(alpha)
    base, other = tied_ranks(table.means), tied_ranks(aligned(table, y))
    same = np.sign(base[:, None] - base[None, :]) == np.sign(other[:, None] - other[None, :])
    pairs = np.triu(found, 1)
    return float(np.sum(same & pairs) / pairs.sum()) if pairs.any() else math.nan


SPLITS = 500  # pairs of halves, by default


@dataclass(frozen=True)
class Sensitivity(Written):
    """The least differences that hold.

    Attributes:
        absolute: the least difference of means; NaN where not even the largest holds.
        relative: the least difference over the pair's larger mean; NaN in the same cases.
        rate: share of swaps allowed.
        half: topics in each half, which is what these differences are of.
        splits: pairs of halves.
        seed: of the splits.
    """

    absolute: OrNaN
    relative: OrNaN
    rate: float
    half: int
    splits: int
    seed: int


def sensitivity(scores: Any, rate: float = 0.05, splits: int = SPLITS, seed: int = 0) -> Sensitivity:
    """The smallest difference seen in one half of the topics that holds in the other.

    The topics are split at random into two disjoint halves (of an odd number one topic is left out), many
    times, and each half is the observed one in turn. The swap rate at δ is the share of pairs with an
    observed difference δ whose order is reversed in the other half. A tie there is half a swap (Voorhees &
    Buckley 2002; Sanderson & Zobel 2005; Urbano, Marrero & Martín 2013). Where these put differences into
    bins, here the rate is fitted as a decreasing function of δ, by isotonic regression. The sensitivity is
    the smallest observed δ from which on it is within `rate`. It belongs to collections of ⌊n/2⌋ topics: on
    all n topics smaller differences hold.

    Args:
        scores: a ScoreMatrix or anything :func:`truerank.read_scores` takes; n ≥ 2 topics, m ≥ 2 systems.
        rate: the share of swaps allowed, in (0, 1).
        splits: pairs of halves, at least 1.
        seed: the same seed gives the same digits.

    Returns:
        The sensitivity. O(splits·(n·m + m² log(splits·m))) time; memory: some 50 bytes for each of
        splits·m(m − 1) differences.

    Raises:
        InputError: the scores cannot be read, fewer than two topics or systems, or an argument out of
            range.
        UnknownNameError: as :func:`truerank.read_scores`.

    Example:
        >>> ap = [[.283, .481, .516], [.017, .399, .544], [.075, .300, .277], [.183, .662, .616]]
        >>> round(sensitivity(ap).absolute, 3)
        0.211
    """
    table = table_to_test(scores)
    check_alpha(rate)
    if splits < 1:
        raise InputError(f"{at(table.source)}at least one split is needed, not {splits}")
    half = table.n // 2
    halves = disjoint_counts(table.n, half, splits, stream(seed, "sensitivity"))
    means = [counts @ table.values / half for counts in halves]
    first, second = np.triu_indices(table.m, 1)
    one, other = (mean[:, first] - mean[:, second] for mean in means)
    larger = [np.maximum(mean[:, first], mean[:, second]) for mean in means]
    swaps = swap_shares(one, other)
    sizes = np.abs(np.concatenate([one.ravel(), other.ravel()]))
    whole = np.concatenate([larger[0].ravel(), larger[1].ravel()])
    both = np.concatenate([swaps.ravel(), swaps.ravel()])
    observed = sizes > TIE
    positive = observed & (whole > TIE)
    return Sensitivity(
        least_that_holds(sizes[observed], both[observed], rate),
        least_that_holds(sizes[positive] / whole[positive], both[positive], rate),
        rate,
        half,
        splits,
        seed,
    )


def swap_shares(one: Matrix, other: Matrix) -> Matrix:
    """1 where two differences have opposite signs, ½ where one of them is zero, else 0."""
    signs = np.sign(np.where(np.abs(one) <= TIE, 0, one)) * np.sign(np.where(np.abs(other) <= TIE, 0, other))
    return (1 - signs) / 2


def least_that_holds(sizes: Vector, swaps: Vector, rate: float) -> float:
    """The smallest size from which on the swap rate, fitted as a decreasing function, is at most `rate`."""
    from scipy.optimize import isotonic_regression

    if not len(sizes):
        return math.nan
    order: NDArray[np.intp] = np.argsort(sizes, kind="stable")
    size = sizes[order]
    starts = np.flatnonzero(np.diff(size, prepend=-np.inf) > TIE)  # equal sizes have one rate
    counts = np.diff(np.append(starts, len(size)))
    rates = np.add.reduceat(swaps[order], starts) / counts
    fitted = isotonic_regression(rates, weights=counts, increasing=False).x
    holds = np.flatnonzero(fitted <= rate + TIE)
    return float(size[starts[holds[0]]]) if len(holds) else math.nan
