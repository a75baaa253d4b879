"""Roots of covariance matrices, from which correlated draws are made, and double centering of scores."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from truerank._support.types import Matrix
from truerank.scores import TIE

LARGE = 1_000  # systems from which on the root is triangular where possible, about fifteen times faster


def root_of(covariance: NDArray[np.floating], overwrite: bool = False) -> NDArray[np.floating]:
    """R with ``RᵀR = C``, m × m, of a covariance matrix that may be singular. O(m³).

    The symmetric root, which does not depend on the signs of eigenvectors, so that draws made with it are the
    same on any machine. For `LARGE` matrices that are not singular, Cholesky's. Eigenvalues up to m·ε times
    the largest are rounding and count as 0: their roots would be 1e-8, and would separate equal systems.
    With `overwrite` the result takes the memory of a large matrix, and has its precision.
    """
    if len(covariance) >= LARGE:
        from scipy.linalg.lapack import dpotrf, spotrf

        # In place, with at most one copy: for thousands of systems each matrix is hundreds of megabytes.
        variances = np.diag(covariance).copy()
        triangle = covariance.T if overwrite else np.array(covariance.T, order="F")
        factored = spotrf if triangle.dtype == np.float32 else dpotrf
        triangle, failed = factored(triangle, lower=0, clean=0, overwrite_a=1)
        for s, column in enumerate(triangle.T):  # the covariance is still below the diagonal
            if failed:
                triangle[s, s + 1 :] = column[s + 1 :]
            else:
                column[s + 1 :] = 0.0
        if not failed:
            return np.asarray(triangle)
        np.fill_diagonal(triangle, variances)
        covariance = triangle.astype(np.float64)
    eigenvalues, vectors = np.linalg.eigh(covariance)
    rounding = len(covariance) * np.finfo(np.float64).eps * eigenvalues.max(initial=0.0)
    return (vectors * np.sqrt(np.where(eigenvalues > rounding, eigenvalues, 0.0))) @ vectors.T


def times_root(normal: NDArray[np.floating], root: NDArray[np.floating]) -> NDArray[np.floating]:
    """``normal @ root`` for k × m numbers, which may be overwritten, and a root by :func:`root_of`."""
    if not root.flags.fnc:  # only triangles are in Fortran's order
        return normal @ root
    from scipy.linalg.blas import dtrmm, strmm

    multiplied = strmm if normal.dtype == np.float32 else dtrmm
    found: NDArray[np.floating] = multiplied(1.0, root, normal.T, trans_a=1, overwrite_b=1).T
    return found


def doubly_centered(values: Matrix) -> Matrix:
    """n × m values less their column means, then less their row means: e_ts = x_ts − x̄_t − x̄_s + x̄."""
    centered = values - values.mean(axis=0)
    centered -= centered.mean(axis=1, keepdims=True)
    return centered


def two_way_squares(values: Matrix) -> tuple[float, float, float]:
    """Sums of squares of an analysis of variance without replication: of columns, of rows, and of the rest.

    Each is exactly 0 where all that there is may be rounding.
    """
    n, m = values.shape
    residuals = doubly_centered(values)
    columns, rows = (
        0.0 if np.ptp(means) <= TIE else float(np.sum((means - means.mean()) ** 2))
        for means in (values.mean(axis=0), values.mean(axis=1))
    )
    return n * columns, m * rows, 0.0 if np.ptp(residuals) <= TIE else float(np.sum(residuals**2))


def sphericity(residuals: Matrix) -> float:
    """ε̂ = (Σ λ)² / ((m − 1) Σ λ²) over the eigenvalues λ of the residuals' covariance. O(n·m·min(n, m)).

    It is 1 if the differences of all pairs vary alike over rows (Greenhouse & Geisser 1959).
    """
    n, m = residuals.shape
    products = residuals.T @ residuals if m <= n else residuals @ residuals.T
    return min(1.0, float(np.trace(products) ** 2 / np.sum(products**2)) / (m - 1))
