"""The one rule: which of two systems is above the other, as every output says it.

A is above B when that has at least the level's probability under the headline's model. Sentences, letters,
the table against a baseline, verdicts, the heat map and the JSON all ask here, and nowhere else.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from truerank._support.types import Matrix


def above(probabilities: Matrix, level: float, identical: Sequence[Sequence[int]] = ()) -> NDArray[np.bool_]:
    """Where the row's system is above the column's, m × m; from swap probabilities above the diagonal."""
    found = np.zeros(probabilities.shape, dtype=np.bool_)
    for s, row in enumerate(probabilities):  # of thousands of systems a table of numbers would be large
        swapped, kept = row[s + 1 :], 1 - row[s + 1 :]
        found[s, s + 1 :] = (kept >= level) & (kept > 0.5)
        found[s + 1 :, s] = (swapped >= level) & (swapped > 0.5)
    for group in identical:
        found[np.ix_(group, group)] = False
    return found
