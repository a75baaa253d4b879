"""The swap probabilities of `eb`: exact calibration, and what must not change them."""

from __future__ import annotations

import numpy as np
import pytest
from eb_samples import (
    any_matrix,
    ranked,
)
from hypothesis import given
from hypothesis import strategies as st

from truerank.reliability.estimators.eb import (
    eb,
    posterior,
    standardized,
)
from truerank.reliability.means.means import plain_means


def posterior_of(values):
    return posterior(plain_means(values))


@given(any_matrix)
def test_probabilities_lie_between_nothing_and_a_half(values):
    p = eb(values)
    assert np.all(np.isfinite(p))
    assert np.all((p >= 0) & (p <= 0.5 + 1e-12))
    assert np.all(p[np.tril_indices(len(p))] == 0)
    differences = values[:, :, None] - values[:, None, :]
    equal = np.ptp(differences, axis=0) <= 1e-12
    assert np.all(p[equal] == 0)
    tied = np.triu(np.abs(differences.mean(axis=0)) <= 1e-15, 1) & ~equal
    np.testing.assert_allclose(p[tied], 0.5, atol=1e-9)


@given(any_matrix, st.floats(0.1, 10), st.floats(-5, 5), st.randoms(use_true_random=False))
def test_scale_level_and_the_order_of_topics_do_not_matter(values, factor, constant, random):
    p = eb(values)
    topics = random.sample(range(len(values)), len(values))
    for same in (values * factor, values + constant, values[topics]):
        np.testing.assert_allclose(eb(same), p, atol=1e-9)


@pytest.mark.parametrize("factor", [1e78, 1e99])
def test_scores_may_be_as_large_as_any_that_are_read(factor):
    """Products of their squares would overflow; here a warning is an error. One system is constant."""
    rng = np.random.default_rng(4)
    values = ranked(np.column_stack([rng.standard_normal((10, 8)), np.full(10, 0.1)]))
    assert np.abs(values).max() < 10
    np.testing.assert_allclose(eb(values * factor), eb(values), rtol=1e-9)


@given(any_matrix)
def test_the_weights_are_probabilities_and_the_statistic_is_students(values):
    found = posterior_of(values)
    assert found.prior.weights.sum() == pytest.approx(1)
    assert np.all(found.prior.weights >= 0)
    n, m = values.shape
    for i in range(m):
        for j in range(i + 1, m):
            d = values[:, i] - values[:, j]
            if np.ptp(d) <= 1e-12:
                assert np.isinf(found.statistics[i, j])
            else:
                expected = min(max(d.mean() / (d.std(ddof=1) / np.sqrt(n)), 0), 1000)
                assert found.statistics[i, j] == pytest.approx(expected, rel=1e-6, abs=1e-9)


def test_equal_differences_are_certain_and_tied_means_are_even():
    d = np.array([[0.0] * 6, [0.25] * 6, [-1.0, 1, -2, 2, -3, 3], [1.0, 2, 3, 4, 5, 6]])
    z = np.array([standardized(plain_means(np.column_stack([one, 0 * one])))[0, 1] for one in d])
    assert np.isinf(z[:2]).all()
    assert z[2] == 0
    assert z[3] == pytest.approx(3.5 / np.sqrt(3.5 / 6))  # mean 3.5, variance 3.5
    one = np.array([0.1, 0.5, 0.2, 0.6, 0.3, 0.7])
    p = eb(np.column_stack([one + 0.25, one[::-1], one, one]))
    assert p[2, 3] == p[0, 2] == p[0, 3] == 0
    assert p[1, 2] == pytest.approx(0.5, abs=1e-12)


def test_tau_of_close_systems_on_many_topics_is_the_closed_form():
    """True differences κ times as large as their errors: the actual τ is 1 − 2/π·arctan(1/κ).

    The mean of forty collections has a standard error of about 0.015. What is usual among collections weighs
    for 0.05. By a grid that ended at a fifth of the errors' variance it was 0.13 too high at κ = 0.35.
    """
    n, kappa, estimates = 2000, 0.35, []
    for seed in range(40):
        rng = np.random.default_rng([n, seed])
        values = ranked(rng.normal(0, kappa / np.sqrt(n), 40) + rng.normal(size=(n, 40)))
        estimates.append(1 - 2 * eb(values)[np.triu_indices(40, 1)].mean())
    assert np.mean(estimates) == pytest.approx(1 - 2 / np.pi * np.arctan(1 / kappa), abs=0.08)
