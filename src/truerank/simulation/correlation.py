"""Correlations of columns: Kendall's τ_b, the nearest valid matrix, and normals drawn with one."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from truerank._support.resources import one_blas_thread
from truerank._support.types import Matrix
from truerank.errors import InputError

FLOOR = 1e-6  # least eigenvalue of a nearest correlation matrix
# Decimals of correlations: far below their error, and the same digits on any number of BLAS threads.
DECIMALS = 9
CHUNK = 1 << 12  # topics drawn at a time


def nearest_correlation(matrix: Matrix, tolerance: float = 1e-7, rounds: int = 500) -> Matrix:
    """The nearest correlation matrix by alternating projections (Higham 2002), positive definite."""
    with one_blas_thread():
        return _nearest(matrix, tolerance, rounds)


def _nearest(matrix: Matrix, tolerance: float, rounds: int) -> Matrix:
    m = len(matrix)
    current = (matrix + matrix.T) / 2
    np.fill_diagonal(current, 1.0)
    if np.linalg.eigvalsh(current)[0] >= FLOOR:
        return np.round(current, DECIMALS)
    correction = np.zeros((m, m))
    for _ in range(rounds):
        shifted = current - correction
        projected = _clipped(shifted, 0.0)
        correction = projected - shifted
        moved = projected.copy()
        np.fill_diagonal(moved, 1.0)
        change = np.linalg.norm(moved - current) / m
        current = moved
        if change < tolerance:
            break
    lifted = _clipped(current, 2 * FLOOR)
    scale = np.sqrt(np.diag(lifted))
    lifted /= np.outer(scale, scale)
    rounded = np.round((lifted + lifted.T) / 2, DECIMALS)
    np.fill_diagonal(rounded, 1.0)
    return rounded


def _clipped(matrix: Matrix, floor: float) -> Matrix:
    eigenvalues, vectors = np.linalg.eigh(matrix)
    return (vectors * np.maximum(eigenvalues, floor)) @ vectors.T


def cholesky(matrix: Matrix) -> Matrix:
    """The lower triangular L with L Lᵀ = matrix, with the same digits on any number of BLAS threads."""
    m = len(matrix)
    lower = np.zeros((m, m))
    for j in range(m):
        column = matrix[j:, j] - (lower[j:, :j] * lower[j, :j]).sum(axis=1)
        if column[0] > 1e-12:
            lower[j:, j] = column / np.sqrt(column[0])
    return lower


def correlated_normals(lower: Matrix, k: int, rng: Generator) -> Matrix:
    """k draws of the multivariate normal with covariance L Lᵀ, k × m; the same digits everywhere. O(k·m²)."""
    m = len(lower)
    draws = np.empty((k, m))
    for start in range(0, k, CHUNK):
        normal = rng.standard_normal((min(CHUNK, k - start), m))
        draws[start : start + CHUNK] = np.einsum("td,sd->ts", normal, lower, optimize=False)
    return draws


def lower_triangle(matrix: Matrix) -> list[float]:
    """The part below the diagonal, row by row."""
    return np.round(matrix[np.tril_indices(len(matrix), -1)], DECIMALS).tolist()


def from_lower_triangle(values: list[float]) -> Matrix:
    """The symmetric matrix with a unit diagonal that :func:`lower_triangle` came from."""
    d = round((1 + np.sqrt(1 + 8 * len(values))) / 2) if values else 1
    if d * (d - 1) // 2 != len(values):
        raise InputError(f"{len(values)} correlations are not a triangle of a matrix")
    matrix = np.eye(d)
    matrix[np.tril_indices(d, -1)] = values
    if not (np.abs(matrix) <= 1).all():
        raise InputError("a correlation must lie between -1 and 1")
    return matrix + np.tril(matrix, -1).T


EXACT = 256  # up to this many rows all pairs of them are compared
BLOCK = 64  # with more rows, only pairs in the same block of this size are compared


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
            # Single precision holds counts up to 2²⁴ exactly.
            balance += signs.T @ signs
    untied = np.diag(balance)
    scale = np.sqrt(np.outer(untied, untied))
    return np.divide(balance, scale, out=np.full((m, m), np.nan), where=scale > 0)


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
