"""What a summary's digits are worth: the samples themselves resampled."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from truerank.numerics.resampling import bootstrap_counts

Weights = NDArray[np.float32]

REPLICATES = 400
"""Bootstrap replicates that a Monte Carlo interval is made of."""


def replicate_weights(samples: int, rng: Generator, replicates: int = REPLICATES) -> Weights:
    """How often each replicate has each sample: replicates × B, float32, rows summing to B."""
    return bootstrap_counts(samples, replicates, rng).astype(np.float32)
