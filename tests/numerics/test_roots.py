"""Roots of covariance matrices: squared they are the matrix, whichever way they were found."""

import numpy as np
import pytest

from truerank.numerics import roots
from truerank.numerics.roots import root_of


@pytest.mark.parametrize("rank", [3, 6])
@pytest.mark.parametrize("large", [2, 1_000])
def test_a_root_squared_is_the_matrix(monkeypatch, rank, large):
    monkeypatch.setattr(roots, "LARGE", large)
    x = np.random.default_rng(1).normal(size=(rank, 6))
    root = root_of(x.T @ x)  # singular with rank 3, where there is no triangular root
    assert root.T @ root == pytest.approx(x.T @ x, abs=1e-7)
    assert np.allclose(root, root.T) == (rank == 3 or large == 1_000)
