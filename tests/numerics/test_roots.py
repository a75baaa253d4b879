"""Roots of covariance matrices, and means of draws from a kernel density, against plain versions."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtr

from truerank.numerics import kernel_density, pairs
from truerank.numerics.kernel_density import share_below_zero
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


def by_enumeration(d: np.ndarray, h: float) -> float:
    """Each of the nⁿ bootstrap samples has a normal mean with variance h²/n."""
    n = len(d)
    means = np.array([np.mean(sample) for sample in itertools.product(d, repeat=n)])
    return float(np.mean(ndtr(-np.sqrt(n) * means / h)))


@given(st.integers(0, 10_000), st.floats(0.05, 2))
def test_against_every_bootstrap_sample(seed, relative):
    d = np.random.default_rng(seed).normal(0.5, 1, 5)
    h = relative * d.std()
    assert share_below_zero(d[None], np.array([h]))[0] == pytest.approx(by_enumeration(d, h), abs=1e-8)


def test_a_narrow_kernel_leaves_the_bootstrap_share():
    d = np.array([-0.3, 0.1, 0.25, 0.4])
    assert share_below_zero(d[None], np.array([1e-9]))[0] == pytest.approx(by_enumeration(d, 1e-9), abs=1e-8)
    # A mean of exactly 0, which two of the four samples have, counts half.
    assert share_below_zero(np.array([[-1.0, 1.0]]), np.array([1e-9]))[0] == pytest.approx(0.5, abs=1e-10)


def test_rows_do_not_depend_on_each_other():
    rng = np.random.default_rng(1)
    d = rng.normal(rng.uniform(-0.5, 0.5, (40, 1)), rng.uniform(0.1, 2, (40, 1)), (40, 12))
    h = rng.uniform(0.01, 1, 40)
    alone = [share_below_zero(d[k : k + 1], h[k : k + 1])[0] for k in range(40)]
    assert share_below_zero(d, h) == pytest.approx(alone, abs=1e-14)
    assert share_below_zero(-d, h) == pytest.approx(1 - np.array(alone), abs=1e-12)
    scaled = share_below_zero(d * 1e80, h * 1e80)
    assert scaled == pytest.approx(alone, abs=1e-12)


@pytest.mark.parametrize("step", [0.0, 0.5])
def test_nodes_are_skipped_only_where_there_is_nothing(monkeypatch, step):
    # On a grid, the transform comes back to 1 far from where it first vanishes.
    rng = np.random.default_rng(3)
    d = rng.normal(rng.uniform(-0.2, 0.2, (20, 1)), rng.uniform(0.3, 1, (20, 1)), (20, 300))
    d = np.rint(d / step) * step if step else d
    h = np.full(20, 0.02)
    found = share_below_zero(d, h)
    monkeypatch.setattr(kernel_density, "NEGLIGIBLE", 0.0)  # every node
    assert share_below_zero(d, h) == pytest.approx(found, abs=1e-13)
