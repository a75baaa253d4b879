"""The one rule: which of two systems is above the other, as every output says it.

A is above B when that has at least the level's probability under the headline's model. Sentences, letters,
the table against a baseline, verdicts, the heat map and the JSON all ask here, and nowhere else.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from truerank._support.types import Matrix
from truerank.numerics.pairs import mirror


def probabilities_above(probabilities: Matrix, identical: Sequence[Sequence[int]] = ()) -> Matrix:
    """P(row above column) of every two systems, m × m; NaN for a system and itself, or an identical one."""
    found: Matrix = np.triu(probabilities, 1)
    mirror(found)
    for s, row in enumerate(found):
        np.subtract(1, row[s + 1 :], out=row[s + 1 :])
    np.fill_diagonal(found, np.nan)
    for group in identical:
        found[np.ix_(group, group)] = np.nan
    return found


def above(probability: Matrix, level: float) -> NDArray[np.bool_]:
    """Where the row's system is above the column's, from :func:`probabilities_above`."""
    with np.errstate(invalid="ignore"):
        return (probability >= level) & (probability > 0.5)


def interval_level(level: float) -> float:
    """The level of the central interval of a difference that leaves 0 out where the rule says above."""
    # Rounded, as 2 · 0.95 − 1 is 0.8999999999999999 in binary, and files state the level.
    return max(round(2 * level - 1, 12), 0.0)
