"""Correlation matrices, τ_b of all pairs, and the copulas, each against something that is not itself."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import kendalltau, kstest, multivariate_normal

from truerank.errors import InputError, UnknownNameError
from truerank.simulation.copulas import (
    BLOCK,
    COPULAS,
    EXACT,
    FLOOR,
    GaussianCopula,
    VineCopula,
    cholesky,
    correlated_normals,
    kendall_matrix,
    nearest_correlation,
    pseudo_observations,
)


def random_correlations(m, rng, common=0.5):
    root = rng.normal(size=(m, m)) + common * np.sqrt(m) * rng.normal(size=(1, m))
    covariance = root.T @ root
    scale = np.sqrt(np.diag(covariance))
    return np.clip(covariance / np.outer(scale, scale), -1, 1)


def test_kendall_matrix_is_scipys_tau_b():
    rng = np.random.default_rng(1)
    values = np.round(rng.random((40, 6)), 1)
    values[:, 5] = 0.3
    ours = kendall_matrix(values)
    for i in range(5):
        for j in range(5):
            assert ours[i, j] == pytest.approx(kendalltau(values[:, i], values[:, j]).statistic)
    assert np.isnan(ours[5]).all()


def test_kendall_matrix_of_many_rows_is_an_unbiased_sample():
    rng = np.random.default_rng(2)
    values = rng.multivariate_normal([0, 0], [[1, 0.6], [0.6, 1]], 160 * BLOCK)
    assert len(values) > EXACT
    # τ = 2/π·arcsin ρ; a τ from 64 topics has standard error at most √(2(1 − τ²)/64), over 160 blocks.
    tau = 2 / np.pi * np.arcsin(0.6)
    assert abs(kendall_matrix(values)[0, 1] - tau) < 4 * np.sqrt(2 * (1 - tau**2) / 64 / 160)


def test_nearest_correlation_is_the_published_one():
    # Higham (2002), the 3 × 3 example of §4: 1, 1, 0 off the diagonal.
    nearest = nearest_correlation(np.array([[1.0, 1, 0], [1, 1, 1], [0, 1, 1]]))
    # Lifting the eigenvalue that is 0 to the floor moves entries by about as much.
    assert nearest[0, 1] == pytest.approx(0.7607, abs=1e-4)
    assert nearest[0, 2] == pytest.approx(0.1573, abs=1e-4)


def test_nearest_correlation_is_nearer_than_clipping():
    rng = np.random.default_rng(4)
    for _ in range(5):
        matrix = np.clip(random_correlations(12, rng) + 0.3 * rng.normal(size=(12, 12)), -1, 1)
        matrix = (matrix + matrix.T) / 2
        np.fill_diagonal(matrix, 1)
        nearest = nearest_correlation(matrix)
        assert np.linalg.eigvalsh(nearest)[0] > FLOOR / 2
        assert (np.diag(nearest) == 1).all()
        values, vectors = np.linalg.eigh(matrix)
        clipped = (vectors * np.clip(values, 1e-6, None)) @ vectors.T
        clipped /= np.sqrt(np.outer(np.diag(clipped), np.diag(clipped)))
        assert np.linalg.norm(nearest - matrix) <= np.linalg.norm(clipped - matrix) + 1e-6


def test_normals_have_the_correlations():
    matrix = random_correlations(5, np.random.default_rng(6))
    draws = correlated_normals(cholesky(matrix), 50_000, np.random.default_rng(7))
    # The standard error of a correlation is (1 − ρ²)/√N ≤ 0.0045; ten of them, four standard errors.
    assert np.abs(np.corrcoef(draws.T) - matrix).max() < 4 * 0.0045


def test_gaussian_copula_recovers_correlations_through_ties():
    # Continuous columns and the same rounded to few values: inverting τ_b is hardly weakened by ties,
    # breaking them at random is.
    rng = np.random.default_rng(8)
    truth = random_correlations(6, rng, common=1.0)
    normal = rng.multivariate_normal(np.zeros(6), truth, 2_000)
    tied = np.floor(np.clip(normal + 2, 0, 4))
    off = np.triu_indices(6, 1)
    plain = GaussianCopula.fit(normal).correlations
    # Standard error of sin(πτ/2) from 2,000 topics: at most 1.1·(1/√2000) ≈ 0.025.
    assert np.abs(plain - truth)[off].max() < 4 * 0.025
    by_tau_b = GaussianCopula.fit(tied).correlations
    at_random = GaussianCopula.fit(pseudo_observations(tied, rng)).correlations
    bias_tau_b = np.mean(np.abs(by_tau_b) - np.abs(truth))
    bias_random = np.mean((np.abs(at_random) - np.abs(truth))[off])
    assert abs(bias_tau_b) < abs(bias_random) / 2


def test_gaussian_copula_has_uniform_margins_and_the_normals_joint_probability():
    correlations = np.array([[1, 0.7], [0.7, 1]])
    u = GaussianCopula(correlations).uniforms(20_000, np.random.default_rng(9))
    assert kstest(u[:, 0], "uniform").pvalue > 1e-3
    assert kstest(u[:, 1], "uniform").pvalue > 1e-3
    both = np.mean((u[:, 0] < 0.3) & (u[:, 1] < 0.6))
    expected = multivariate_normal.cdf([-0.5244005, 0.2533471], cov=correlations)
    assert abs(both - expected) < 4 * np.sqrt(expected * (1 - expected) / 20_000)


def test_pseudo_observations_are_ranks_with_random_ties():
    values = np.array([[0.5], [0.1], [0.5], [0.9]])
    found = {
        tuple((pseudo_observations(values, np.random.default_rng(s)) * 5).ravel().round()) for s in range(30)
    }
    assert found == {(2, 1, 3, 4), (3, 1, 2, 4)}


@pytest.mark.validation
def test_gaussian_vine_recovers_correlations():
    rng = np.random.default_rng(11)
    truth = random_correlations(4, rng, common=1.0)
    values = rng.multivariate_normal(np.zeros(4), truth, 2_000)
    vine = VineCopula.fit(values, np.random.default_rng(1), families=["gaussian"])
    u = vine.uniforms(8_000, np.random.default_rng(2))
    tau = 2 / np.pi * np.arcsin(truth)
    # τ̂ of 2,000 topics and of 8,000 draws: standard errors at most 0.015 and 0.0075.
    assert np.abs(kendall_matrix(u) - tau).max() < 4 * np.hypot(0.015, 0.0075)
    np.testing.assert_allclose(vine.uniforms(300, np.random.default_rng(2)), u[:300], atol=1e-9)


def test_vine_fit_does_not_depend_on_threads():
    values = np.random.default_rng(12).random((40, 3)) + np.random.default_rng(13).random((40, 1))
    fits = [VineCopula.fit(values, np.random.default_rng(1), truncation=2, threads=k).vine for k in (1, 2)]
    assert fits[0] == fits[1]


def test_vine_errors():
    values = np.random.default_rng(14).random((20, 3))
    rng = np.random.default_rng(1)
    with pytest.raises(InputError, match="two different systems"):
        VineCopula.fit(values[:, :1], rng)
    with pytest.raises(InputError, match="1 or more"):
        VineCopula.fit(values, rng, truncation=0)
    with pytest.raises(UnknownNameError, match="did you mean 'gaussian'"):
        VineCopula.fit(values, rng, families=["gausian"])
    with pytest.raises(UnknownNameError, match="copula"):
        COPULAS.find("student")
