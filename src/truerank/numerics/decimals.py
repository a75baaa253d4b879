"""Scores with few decimals as whole numbers, whose sorting and ties cost a quarter and are exact."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from truerank._support.types import Matrix

MOST_DECIMALS = 6

NOISE = 1e-12
"""How far a score may be from the decimal number that it stands for."""


def whole_numbers(values: Matrix) -> NDArray[np.signedinteger] | None:
    """The values times the power of ten that makes all of them whole; none where there is none. O(n·m).

    Measures are printed with four decimals, and precision in the top ten has one.

    Args:
        values: n × m scores.

    Returns:
        n × m, of 16 bits where the differences of all have no more, else of 32; ``None`` where some value has
        more than six decimals, or a difference could have more than 32 bits.

    >>> whole_numbers(np.array([[0.25, 0.5], [1.0, 0.125]]))
    array([[ 250,  500],
           [1000,  125]], dtype=int16)
    >>> whole_numbers(np.array([[1 / 3, 0.5]])) is None
    True
    """
    largest = float(np.abs(values).max(initial=0.0))
    for decimals in range(MOST_DECIMALS + 1):
        scale = 10.0**decimals
        if not largest * scale < 2**30:
            return None
        # Most tables are told by their first row, before all of it is looked at.
        for rows in (values[:1], values):
            if np.abs(rows - np.rint(rows * scale) / scale).max(initial=0.0) > NOISE:
                break
        else:
            return np.rint(values * scale).astype(np.int16 if largest * scale < 2**14 else np.int32)
    return None
