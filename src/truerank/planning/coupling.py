"""How systems go together over topics, for the spread of what a collection will show."""

from __future__ import annotations

from functools import partial

import numpy as np

from truerank._support.types import Matrix
from truerank.reliability.dependence import shrunk_covariance


def coupling(rows: Matrix, degrees: float) -> Matrix:
    """The m × m covariance that joint draws rest on, from N × m influence rows. O(N·m²).

    The spread of a coefficient is that of a sum over all pairs, and so rests on the second moment of the
    correlations, tr C². Shrinking them for the least error of each, as an assessment does, leaves that too
    small. Here they are shrunk just so far that it is unbiased (docs/methods/planning.md).
    """
    return shrunk_covariance(rows, partial(unbiased_spread, degrees=degrees))


def unbiased_spread(centered: Matrix, degrees: float) -> Matrix:
    """The covariance of N × m centered data, pulled towards a multiple of the identity until tr C² is
    unbiased.

    Of normal data with ν degrees of freedom ``ν²/((ν − 1)(ν + 2)) (tr S² − (tr S)²/ν)`` is an unbiased
    estimate of tr Σ² (Srivastava 2005).
    """
    m, v = centered.shape[1], degrees
    sample = centered.T @ centered / v
    mean = float(np.trace(sample)) / m
    squared = float(np.sum(sample**2))
    round_part = m * mean**2
    if v <= 1 or squared <= round_part:
        return mean * np.eye(m)
    unbiased = v * v / ((v - 1) * (v + 2)) * (squared - (m * mean) ** 2 / v)
    kept = np.sqrt(np.clip((unbiased - round_part) / (squared - round_part), 0.0, 1.0))
    return (1 - kept) * mean * np.eye(m) + kept * sample
