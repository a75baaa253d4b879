"""Roots of covariance matrices: squared they are the matrix, whichever way they were found."""

import numpy as np
import pytest

from truerank.numerics import matrices
from truerank.numerics.matrices import root_of


@pytest.mark.parametrize("rank", [3, 6])
@pytest.mark.parametrize("large", [2, 1_000])
def test_a_root_squared_is_the_matrix(monkeypatch, rank, large):
    monkeypatch.setattr(matrices, "LARGE", large)
    x = np.random.default_rng(1).normal(size=(rank, 6))
    root = root_of(x.T @ x)  # singular with rank 3, where there is no triangular root
    assert root.T @ root == pytest.approx(x.T @ x, abs=1e-7)
    assert np.allclose(root, root.T) == (rank == 3 or large == 1_000)


@pytest.mark.parametrize("rank", [1, 3, 9])
def test_systems_that_are_the_same_have_the_same_draws(rank: int) -> None:
    # Rounding leaves eigenvalues of some 1e-17, whose roots would part the two by 1e-8.
    rows = np.random.default_rng(rank).normal(size=(rank, 12))
    rows[:, 5] = rows[:, 0]
    root = root_of(rows.T @ rows)
    assert np.abs(root[:, 5] - root[:, 0]).max() < 1e-13
    assert np.allclose(root.T @ root, rows.T @ rows, rtol=0, atol=1e-12)
