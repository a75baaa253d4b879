"""What kernel margins share: the bandwidth's scale and the effective degrees of freedom."""

from __future__ import annotations

import numpy as np

from truerank._support.types import Matrix, Vector
from truerank.numerics.bandwidth import plug_in_bandwidth


def gaussian_bandwidth(scores: Vector) -> float:
    """Direct plug-in bandwidth (Wand & Jones 1995), or Silverman's rule where more than half are tied.

    Never below 1e-4: published scores have four decimals.
    """
    bandwidth = float(plug_in_bandwidth(scores[None, :])[0])
    if bandwidth == 0.0:
        bandwidth = 0.9 * float(scores.std(ddof=1)) * len(scores) ** -0.2
    return max(bandwidth, 1e-4)


def effective_degrees(kernels: Matrix, counts: Vector | None = None) -> float:
    """Σ_i K_i(x_i) / Σ_j K_j(x_i): how much each score's density owes to itself; between 1 and n.

    1 when all kernels are flat (every score has the same part in each density), n when no kernel
    reaches another score.
    """
    times = np.ones(len(kernels)) if counts is None else counts
    own = np.sum(times * np.diag(kernels) / (kernels @ times))
    return float(np.clip(own, 1.0, times.sum()))
