"""Roots of covariance matrices, from which correlated draws are made."""

from __future__ import annotations

import numpy as np

from truerank._support.types import Matrix


def symmetric_root(covariance: Matrix) -> Matrix:
    """The symmetric root of a covariance matrix, m × m; it may be singular. O(m³).

    Eigenvalues are clipped at 0, and the root does not depend on the signs of eigenvectors, so draws made
    with it are the same on any machine.

    >>> symmetric_root(np.array([[2.0, 2.0], [2.0, 2.0]]))
    array([[1., 1.],
           [1., 1.]])
    """
    eigenvalues, vectors = np.linalg.eigh(covariance)
    root: Matrix = (vectors * np.sqrt(np.clip(eigenvalues, 0.0, None))) @ vectors.T
    return root
