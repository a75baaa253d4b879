"""Differences of all pairs of systems, in blocks of bounded memory, their squares; roots of covariances."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from numpy.typing import NDArray

from truerank._support.resources import in_threads
from truerank._support.types import Matrix, Vector
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


# Differences in memory at a time for each thread (1 MB), or those of one pair where n is larger.
BLOCK_VALUES = 1 << 17
FEWEST_BLOCKS = 8  # blocks from which on threads save more than the millisecond that they take to start
MIRRORED = 256  # rows that are mirrored at a time


def over_pairs(
    values: Matrix,
    statistic: Callable[..., Matrix],
    *of_pairs: Matrix,
    where: NDArray[np.bool_] | None = None,
) -> Matrix:
    """A statistic of the n differences of all pairs of columns i < j of n × m values, or of those `where`."""
    n, m = values.shape
    rows = np.ascontiguousarray(values.T)
    first, second = np.triu_indices(m, 1) if where is None else np.nonzero(where)
    step = max(1, BLOCK_VALUES // n)
    starts = range(0, len(first), step)
    table = np.zeros((m, m))

    def work(start: int) -> None:
        i, j = first[start : start + step], second[start : start + step]
        differences = rows[i]
        differences -= rows[j]
        table[i, j] = statistic(differences, *(known[i, j] for known in of_pairs))

    if len(starts) < FEWEST_BLOCKS:
        for start in starts:
            work(start)
    else:
        in_threads(work, starts)
    return table


def mirror(table: Matrix) -> None:
    """Put what is above the diagonal of an m × m table below it too, where there are zeros."""
    m = len(table)
    for start in range(0, m, MIRRORED):
        rows = slice(start, min(start + MIRRORED, m))
        here = table[rows, rows]
        here += np.triu(here, 1).T
        table[rows.stop :, rows] = table[rows, rows.stop :].T


def all_equal(differences: Matrix) -> NDArray[np.bool_]:
    """For k × n differences: which pairs differ by the same amount on every topic (within 1e-12)."""
    return np.ptp(differences, axis=1) <= TIE


MANY = 1_000  # columns from which on distances come from matrix products, about twenty times faster
# Distances below this share of the columns' own squares are computed pair by pair: products lose digits.
CANCELLING = 1e-3
BLOCK_ROWS = 256  # columns whose products with all others are made at a time


def squared_distances(values: Matrix, equal: float = 0.0) -> Matrix:
    """``Σ_t (x_ti − x_tj)²`` for all pairs i < j of columns of n × m values. O(n·m²)."""
    if values.shape[1] < MANY:
        return over_pairs(values, partial(_sums_of_squares, equal=equal))
    result = np.zeros((values.shape[1],) * 2)
    for start, part in distance_blocks(values, equal):
        result[start : start + len(part), start:] = part
    return result


def distance_blocks(values: Matrix, equal: float = 0.0) -> Iterator[tuple[int, Matrix]]:
    """Squared distances in blocks of rows, from the column of their first row on, each with that row."""
    m = values.shape[1]
    centered = values - values.mean(axis=1, keepdims=True)  # what all columns share cancels in differences
    squares = np.einsum("tj,tj->j", centered, centered)
    least = 2 * len(values) * min(equal, 1e150) ** 2
    for start in range(0, m, BLOCK_ROWS):
        block = slice(start, min(start + BLOCK_ROWS, m))
        part = centered[:, block].T @ centered[:, start:]
        part *= -2.0
        total = squares[block, None] + squares[start:]
        part += total
        total *= CANCELLING
        near = part <= np.maximum(total, least, out=total)
        part[np.tri(*part.shape, dtype=np.bool_)] = 0.0
        first, second = np.nonzero(np.triu(near, 1))
        part[first, second] = _exact(values, first + start, second + start, equal)
        yield start, part


def _exact(values: Matrix, first: NDArray[np.intp], second: NDArray[np.intp], equal: float) -> Vector:
    result = np.empty(len(first))
    step = max(1, BLOCK_VALUES // len(values))
    for start in range(0, len(first), step):
        here = slice(start, start + step)
        differences = values[:, first[here]] - values[:, second[here]]
        result[here] = _sums_of_squares(np.ascontiguousarray(differences.T), equal)
    return result


def _sums_of_squares(differences: Matrix, equal: float) -> Vector:
    """Sums of squares of k × n differences; 0 where none is larger than `equal`."""
    result: Vector = np.einsum("kt,kt->k", differences, differences)
    small = np.flatnonzero(np.sqrt(result / max(differences.shape[1], 1)) <= equal * (1 + 1e-9))
    result[small[np.abs(differences[small]).max(axis=1, initial=0.0) <= equal]] = 0.0
    return result


SAMPLE_VALUES = 1 << 21  # scores or covariances of samples in memory at a time (16 MB an array)


def mean_and_deviation(differences: Matrix) -> tuple[Vector, Vector]:
    """Mean and standard deviation (n − 1) of each row of k × n differences, n ≥ 2."""
    deviation = differences.std(axis=1, ddof=1)
    deviation[all_equal(differences)] = 0.0
    return differences.mean(axis=1), deviation


def t_statistics(differences: Matrix) -> Vector:
    """``t = mean/(s/√n)`` of each row of k × n differences."""
    mean, deviation = mean_and_deviation(differences)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = mean / (deviation / np.sqrt(differences.shape[1]))
    t[(deviation == 0) & (np.abs(mean) <= TIE)] = 0.0
    return t


def paired_t(values: Matrix) -> Matrix:
    """Paired t statistics of all pairs i < j of the columns of n × m scores. O(n·m²)."""
    return over_pairs(values, t_statistics)


def absolute_t_of_samples(scores: Matrix) -> Matrix:
    """|t| of every pair of systems in every sample: ``|z̄|/(s_z/√n)`` over n topics (yang-2018, eq. 1)."""
    k, n, m = scores.shape
    upper = np.triu_indices(m, 1)
    statistics = np.empty((k, len(upper[0])))
    step = max(1, SAMPLE_VALUES // (m * max(n, m)))
    for start in range(0, k, step):
        block = scores[start : start + step]
        means = block.mean(axis=1)
        centered = block - means[:, None, :]
        covariance = centered.transpose(0, 2, 1) @ centered / (n - 1)
        variances = np.diagonal(covariance, axis1=1, axis2=2)
        total = variances[:, upper[0]] + variances[:, upper[1]]
        squared = total - 2 * covariance[:, *upper]
        squared[squared <= 1e-14 * total] = 0.0  # only rounding
        gaps = np.abs(means[:, upper[0]] - means[:, upper[1]])
        with np.errstate(divide="ignore", invalid="ignore"):
            t = gaps / np.sqrt(squared / n)
        statistics[start : start + step] = np.where(gaps <= TIE, 0.0, t)
    return statistics


def two_sided_p(t: Matrix, topics: int) -> Matrix:
    """Two-sided p-values of t statistics over n topics, n − 1 degrees of freedom; 0 where t is infinite."""
    from truerank.numerics.special import stdtr

    return 2 * stdtr(topics - 1, -np.abs(t))


def critical_t(alpha: float, topics: int) -> float:
    from truerank.numerics.special import stdtrit

    return float(stdtrit(topics - 1, 1 - alpha / 2))
