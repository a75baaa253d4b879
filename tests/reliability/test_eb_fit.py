"""What `eb` learns from all pairs: the weights of its prior, and the effective number of directions."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from eb_samples import Curves, any_matrix, by_integral, density_tolerance, probability_tolerance, ranked
from hypothesis import given

from truerank.reliability.estimators.eb import FAR, effective_directions, grid, posterior
from truerank.reliability.means.means import plain_means


def posterior_of(values):
    return posterior(plain_means(values))


def directions_of(values):
    return effective_directions(plain_means(values))


def without_groups(found):
    """The posterior with the grid of c and β alone."""
    kept = np.where(np.arange(len(found.prior.weights)) < len(grid(found.prior.topics)[0]), 1.0, 0.0)
    weights = found.prior.weights * kept
    prior = dataclasses.replace(found.prior, weights=weights / weights.sum())
    return dataclasses.replace(found, prior=prior)


def posterior_again(values):
    """Weights and probabilities, pair by pair, each density by its own integral at the very z."""
    n, m = values.shape
    table = Curves(n)  # for the hyperparameters and their prior, which another test looks at
    total, count, swapped = 0.0, 0, {}
    for i in range(m):
        for j in range(i + 1, m):
            d = values[:, i] - values[:, j]
            z = d.mean() / (np.sqrt(np.sum((d - d.mean()) ** 2) / (n - 1)) / np.sqrt(n))
            density, swapped[i, j] = by_integral(np.array([z]), n, table.effects, table.shapes)
            total += np.log(density[:, 0])
            count += 1
    log_weights = table.log_prior + plain_directions(values) * total / count
    weights = np.exp(log_weights - log_weights.max())
    weights /= weights.sum()
    return weights, {pair: float(weights @ p[:, 0]) for pair, p in swapped.items()}


def without_topic_effect(covariance):
    """The covariance with topics brought to mean 0; then again, systems weighted by
    their precision; then systems to unit variance and topics to 0, twice."""
    m = len(covariance)
    centring = np.eye(m) - np.ones((m, m)) / m
    covariance = centring @ covariance @ centring
    precision = 1 / np.diag(covariance)
    weighted = np.eye(m) - np.outer(np.ones(m), precision / precision.sum())
    covariance = weighted @ covariance @ weighted.T
    for _ in range(2):
        unit = np.diag(1 / np.sqrt(np.diag(covariance)))
        covariance = centring @ unit @ covariance @ unit @ centring
    return covariance


def plain_directions(values):
    """tr(Σ)²/tr(Σ²) from the m × m matrix, with E tr S² = (1 + 1/v) tr Σ² + (tr Σ)²/v and the like."""
    n, m = values.shape
    v = n - 1
    S = without_topic_effect(
        np.cov(values - np.median(values - values.mean(axis=0), axis=1)[:, None], rowvar=False)
    )
    a, b = np.trace(S) ** 2, np.trace(S @ S)
    # Two linear equations in (tr Σ)² and tr Σ²: E a = (tr Σ)² + 2/v·tr Σ², E b as above.
    of_trace, of_square = np.linalg.solve([[1, 2 / v], [1 / v, 1 + 1 / v]], [a, b])
    return float(np.clip(of_trace / of_square, 1, m - 1)) if of_square > 0 else m - 1.0


@pytest.mark.validation
@pytest.mark.parametrize("with_a_broken_system", [False, True])
def test_the_fit_is_what_loops_over_pairs_give(with_a_broken_system):
    rng = np.random.default_rng(5)
    values = ranked(0.1 * rng.standard_normal((8, 5)) + [0.1, 0.15, 0.18, 0.22, 0.3])
    if with_a_broken_system:
        values = np.column_stack([values, -2 + 0.05 * rng.standard_normal(8)])
    found = without_groups(posterior_of(values))
    weights, swapped = posterior_again(values)
    seen = found.statistics[np.triu_indices(values.shape[1], 1)]
    assert np.any(seen > FAR) == with_a_broken_system
    assert found.prior.directions == pytest.approx(plain_directions(values), rel=1e-10)
    # Errors of log density: the tables', and a chord of a curve of curvature ≤ 1 over steps of
    # 0.03·√(1 + z²), (step)²/8. Errors of far pairs are the same for all hyperparameters and cancel.
    each = density_tolerance(seen, 8) + 0.03**2 / 8 * (1 + seen**2)
    off = found.prior.directions * np.mean(np.where(seen > FAR, 0, each))
    np.testing.assert_allclose(found.prior.weights[: len(weights)], weights, rtol=2 * off)
    # A probability may be off by its own table's error, the chord's, and that of the weights.
    slack = weights @ probability_tolerance(8, *grid(8)) + 1e-3 + off / 2
    for (i, j), p in swapped.items():
        assert found.probabilities()[i, j] == pytest.approx(p, abs=slack)


@pytest.mark.parametrize(("n", "m"), [(30, 4), (12, 11), (11, 12), (12, 12), (5, 40), (3, 9)])
def test_effective_directions_are_the_unbiased_formulas_on_either_side_of_n_equals_m(n, m):
    rng = np.random.default_rng(n)
    values = rng.standard_normal((n, 3)) @ rng.standard_normal((3, m)) + 0.3 * rng.standard_normal((n, m))
    assert directions_of(values) == pytest.approx(plain_directions(values), rel=1e-9)


def six_directions(n, loadings, rng):
    """Scores of systems that differ by six factors and some noise."""
    return rng.standard_normal((n, 6)) @ loadings + 0.5 * rng.standard_normal((n, loadings.shape[1]))


def test_topic_effects_do_not_matter_to_the_directions():
    n, size = 10, 3
    rng = np.random.default_rng(1)
    values = six_directions(n, rng.standard_normal((6, 30)), rng)
    shifted = values + size * values.std() * rng.standard_normal((n, 1))
    assert directions_of(shifted) == pytest.approx(directions_of(values), rel=1e-9)


@given(any_matrix)
def test_effective_directions_lie_between_one_and_all(values):
    assert 1 <= directions_of(values) <= values.shape[1] - 1
