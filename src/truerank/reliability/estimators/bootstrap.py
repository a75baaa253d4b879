"""The balanced bootstrap of topics: one resample serves all pairs of systems."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.random import Generator

from truerank._support.types import Matrix
from truerank.coefficients import TAU, TAU_AP
from truerank.reliability.swaps import SwapDraws, count_swaps
from truerank.scores import TIE

BATCH = 1_000
"""Replicates drawn, and balanced, at a time."""

MOST_COMPARISONS = 1_000_000_000
"""Replicates × m² at most, unless asked for; but 30,000 replicates of up to 365 systems, and never over
2,000,000."""

FEWEST, FEWEST_COMPARISONS = 1_000, 4_000_000_000
"""Replicates of however many systems; and replicates × m² up to which there are 30,000 of them."""

MOST_DRAWN = 200_000_000
"""Replicates × topics at most, unless asked for: half a minute of work. But :data:`FEWEST` replicates."""

TARGET_ERROR = 0.00045
"""Monte Carlo standard error of E[τ] and E[τ_AP] that the default number of replicates aims for."""


def replicate_means(
    draw: Callable[[int, Generator], Matrix], resamples: int | None, rng: Generator, topics: int = 1
) -> Matrix:
    """Means of the systems over T balanced bootstrap resamples of the topics, m × T.

    By default T depends on the Monte Carlo error, and on the work with so many topics.
    """
    first = draw(min(BATCH, resamples or BATCH), rng)
    batches = [first]
    total = enough(first, topics) if resamples is None else resamples
    for done in range(first.shape[1], total, BATCH):
        batches.append(draw(min(BATCH, total - done), rng))
    return np.concatenate(batches, axis=1)


def enough(replicates: Matrix, topics: int = 1) -> int:
    """How many replicates the target error needs: (sd of the coefficient / target)², in batches."""
    pairs = len(replicates) ** 2
    floor = max(FEWEST, min(30_000, FEWEST_COMPARISONS // pairs))
    most = min(2_000_000, max(floor, MOST_COMPARISONS // pairs), max(FEWEST, MOST_DRAWN // topics))
    if most <= BATCH:
        return BATCH
    wanted = max(1, (monte_carlo_error(count_swaps(replicates, -TIE)) / TARGET_ERROR) ** 2)
    return BATCH * math.ceil(min(wanted, most) / BATCH)


def resampled(replicates: Matrix) -> tuple[Matrix, float]:
    """The share of m × T replicates in which each pair is swapped, and their Monte Carlo error. O(T·m²)."""
    swaps = count_swaps(replicates, -TIE, count_pairs=True)
    assert swaps.pairs is not None
    return swaps.pairs / len(swaps.gained), monte_carlo_error(swaps) / math.sqrt(len(swaps.gained))


def monte_carlo_error(swaps: SwapDraws) -> float:
    """Standard error of E[τ] or E[τ_AP], the larger, of one replicate."""
    return float(max(swaps.coefficient(c).std() for c in (TAU, TAU_AP)))
