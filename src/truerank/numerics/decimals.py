"""Scores with few decimals as whole numbers, whose sorting and ties cost a quarter and are exact."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from truerank._support.types import Matrix

MOST_DECIMALS = 6

NOISE = 1e-12
"""How far a score may be from the decimal number that it stands for."""


def whole_numbers(values: Matrix) -> NDArray[np.signedinteger] | None:
    """The values times the power of ten that makes all of them whole; none where there is none. O(n·m)."""
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
