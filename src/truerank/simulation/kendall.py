"""Kendall's τ_b between all pairs of columns at once."""

from __future__ import annotations

import numpy as np

from truerank._support.resources import one_blas_thread
from truerank._support.types import Matrix

EXACT = 256
"""Up to this many rows all pairs of them are compared."""

BLOCK = 64
"""Of more rows, only those in the same block of this size."""


def kendall_matrix(values: Matrix) -> Matrix:
    """τ_b between the columns of n × m values; NaN where one is constant. O(n · min(n, 64) · m²)."""
    n, m = values.shape
    balance = np.zeros((m, m))
    step = n if n <= EXACT else BLOCK
    with one_blas_thread():
        for start in range(0, n, step):
            rows = values[start : start + step]
            first, second = np.triu_indices(len(rows), 1)
            signs = np.sign(rows[first] - rows[second]).astype(np.float32)
            # Counts up to 2²⁴ are exact in single precision.
            balance += signs.T @ signs
    untied = np.diag(balance)
    scale = np.sqrt(np.outer(untied, untied))
    return np.divide(balance, scale, out=np.full((m, m), np.nan), where=scale > 0)
