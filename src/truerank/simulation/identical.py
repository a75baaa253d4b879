"""Systems with the same score on every topic: simulated once, and so identical again."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from truerank._support.types import Matrix

Index = NDArray[np.intp]


def distinct_columns(values: Matrix) -> tuple[Index, Index]:
    """The first column of each group of equal ones, and for every column the number of its group."""
    seen: dict[bytes, int] = {}
    first: list[int] = []
    group: list[int] = []
    for s, column in enumerate(np.ascontiguousarray(values.T) + 0.0):
        key = column.tobytes()
        if key not in seen:
            seen[key] = len(first)
            first.append(s)
        group.append(seen[key])
    return np.array(first, dtype=np.intp), np.array(group, dtype=np.intp)
