"""Roots of covariance matrices: squared they are the matrix, whichever way they were found."""

import numpy as np
import pytest

from truerank.numerics import pairs
from truerank.numerics.pairs import root_of, times_root


@pytest.mark.parametrize(("rank", "large"), [(3, 2), (3, 1_000), (6, 2), (6, 1_000)])
@pytest.mark.parametrize(("dtype", "digits"), [(np.float32, 1e-5), (np.float64, 1e-7)])
def test_a_root_squared_is_the_matrix(monkeypatch, rank, large, dtype, digits):
    monkeypatch.setattr(pairs, "LARGE", large)
    x = np.random.default_rng(1).normal(size=(rank, 6))
    covariance = (x.T @ x).astype(dtype)
    root = root_of(covariance)  # singular with rank 3, where there is no triangular root
    assert root.T @ root == pytest.approx(covariance, abs=digits)
    if dtype == np.float64:  # rounding to single precision may leave no singular matrix
        assert np.allclose(root, root.T) == (rank == 3 or large == 1_000)


@pytest.mark.parametrize("rank", [1, 3, 9])
def test_systems_that_are_the_same_have_the_same_draws(rank: int) -> None:
    # Rounding leaves eigenvalues of some 1e-17, whose roots would part the two by 1e-8.
    rows = np.random.default_rng(rank).normal(size=(rank, 12))
    rows[:, 5] = rows[:, 0]
    root = root_of(rows.T @ rows)
    assert np.abs(root[:, 5] - root[:, 0]).max() < 1e-13
    assert np.allclose(root.T @ root, rows.T @ rows, rtol=0, atol=1e-12)


@pytest.mark.parametrize("overwrite", [False, True])
def test_large_roots_share_the_memory_that_they_may_take_and_nothing_else(monkeypatch, overwrite):
    monkeypatch.setattr(pairs, "LARGE", 2)
    x = np.random.default_rng(1).normal(size=(9, 6))
    for rows in (x, np.repeat(x[:, :3], 2, axis=1)):  # with and without a triangular root
        covariance = rows.T @ rows
        kept = covariance.copy()
        root = root_of(covariance, overwrite)
        assert root.T @ root == pytest.approx(kept, abs=1e-7)
        assert overwrite or np.array_equal(covariance, kept)


@pytest.mark.parametrize(("dtype", "digits"), [(np.float32, 1e-5), (np.float64, 1e-13)])
def test_triangular_products_are_plain_products(monkeypatch, dtype, digits):
    rng = np.random.default_rng(1)
    x, normal = rng.normal(size=(9, 6)), rng.normal(size=(4, 6)).astype(dtype)
    for large in (2, 1_000):
        monkeypatch.setattr(pairs, "LARGE", large)
        root = root_of(x.T @ x).astype(dtype)
        assert times_root(normal.copy(), root) == pytest.approx(normal @ root, abs=digits)
