"""What a pilot says of two collections beside each other, of which neither shows the true order."""

from __future__ import annotations

import numpy as np

from truerank._support.types import Vector
from truerank.planning.beliefs import STATISTICS, Beliefs, _likelihoods, _mean_error


def pair_apart(beliefs: Beliefs, topics: float) -> Vector:
    """The probability that the means over n′ other topics order each pair unlike the pilot.

    ``E[Φ(−√n′ δ) | z]``, with δ > 0 where the pilot is right (docs/methods/held-out.md).
    """
    above, below = _likelihoods(beliefs.degrees)
    wrong = _mean_error(beliefs._edges * np.sqrt(topics))
    curve = np.minimum.accumulate(np.sum(beliefs._mixture * (above * wrong + below * (1 - wrong)), axis=1))
    known = np.isfinite(beliefs.pairs)
    return np.where(known, np.interp(np.where(known, beliefs.pairs, 0.0), STATISTICS, curve), 0.0)


def apart(beliefs: Beliefs, first: float, second: float) -> float:
    """The expected share of pairs that two new collections, of these sizes, order differently."""
    one, other = (_mean_error(beliefs._edges * np.sqrt(topics)) for topics in (first, second))
    curve: Vector = beliefs._masses @ (one * (1 - other) + other * (1 - one))
    return beliefs._mean(np.minimum.accumulate(curve))
