"""Intervals of differences and the guarantee, against closed forms and independent computations."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import cumulative_trapezoid

from truerank.reliability.differences import quantiles, sizes_by_t
from truerank.reliability.estimators import eb
from truerank.reliability.guarantee import guarantee
from truerank.reliability.means.means import plain_means


@pytest.mark.parametrize("share", [0.01, 0.05, 0.5, 0.9, 0.999])
def test_quantiles_by_t_are_those_of_t(share):
    centres, degrees = np.array([0.0, 0.3, 2.0, 40.0, -1.5]), np.array([4.0, 9.0, 49.0, 9.0, 20.0])
    swapped = stats.t.cdf(-centres, degrees)
    found = quantiles(swapped, sizes_by_t(centres, degrees), share)
    np.testing.assert_allclose(found, stats.t.ppf(share, degrees) + centres, atol=0.01, rtol=1e-3)


def test_quantiles_have_the_sign_that_the_probability_says():
    swapped = np.array([0.0, 0.01, 0.05, 0.0501, 0.4, 1.0])
    sizes = sizes_by_t(np.full(6, 1.0), np.full(6, 9.0))  # of another centre: the sign is not theirs
    low = quantiles(swapped, sizes, 0.05)
    assert (low >= 0).tolist() == [True, True, True, False, False, False]


def test_sizes_of_eb_are_its_posterior():
    """The posterior of ζ/u by two-dimensional quadrature, for one setting of the hyperparameters."""
    values = np.random.default_rng(3).normal([0.5, 0.45, 0.38, 0.2], 0.15, (12, 4))
    found = eb.posterior(plain_means(values))
    c, beta = 0.13, 2.0  # β = 2 is the normal prior, for which there is a closed form given u
    point = int(np.argmin(abs(np.log(found.effects / c)) + 10 * abs(found.shapes - beta)))
    weights = np.zeros_like(found.weights)
    weights[point] = 1.0
    alone = eb.Posterior(
        found.statistics, found.degrees, found.effects, found.shapes, weights, found.directions, found.topics
    )
    first, second = np.array([0, 0]), np.array([1, 3])
    sizes = eb.sizes(alone, first, second)
    kappa2, nu = found.effects[point] * 12, 11

    def far(zeta):
        return 2 / np.pi / eb.FAR / (1 + (zeta / eb.FAR) ** 2) / 2

    def prior(zeta):
        return (1 - eb.FAR_SHARE) * stats.norm.pdf(zeta, 0, np.sqrt(kappa2)) + eb.FAR_SHARE * far(zeta)

    scale = np.exp(np.linspace(np.log(0.2), np.log(2.5), 200))
    # Of log u; one factor u is of z's density, the other of ζ = u·size.
    density = stats.chi2.pdf(nu * scale**2, nu) * scale**4
    size = np.linspace(0, 60, 3001)
    for k, z in enumerate(found.statistics[first, second]):
        for (points, reached), side in ((sizes.above, 1), (sizes.below, -1)):
            zeta = side * size[:, None] * scale
            joint = prior(zeta) * stats.norm.pdf(z * scale - zeta) * density
            mass = cumulative_trapezoid(np.trapezoid(joint, np.log(scale)), size, initial=0)
            asked = np.array([0.4, 1.0, 2.5])
            expected = np.interp(asked, size, mass / mass[-1])
            assert np.interp(asked, points[k], reached[k]) == pytest.approx(expected, abs=0.01)


def test_the_guarantee_holds_where_all_systems_are_equal_and_finds_what_is_far_apart():
    rng = np.random.default_rng(7)
    wrong, collections = 0, 200
    for _ in range(collections):
        values = rng.normal(0, 1, (12, 1)) + rng.normal(0, [1.0, 0.5, 2.0, 1.0, 1.0, 0.3], (12, 6))
        covariance = np.diag([1.0, 0.25, 4.0, 1.0, 1.0, 0.09])
        found = guarantee(plain_means(values), covariance, 0.95, rng, 199)
        wrong += (found.p_values <= 0.05).any()
        assert ((found.low <= 0) & (found.high >= 0)).all() or (found.p_values <= 0.05).any()
    assert wrong / collections <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / collections)
    apart = values + np.array([0, 0, 0, 50, 50, 50])
    p = guarantee(plain_means(apart), covariance, 0.95, rng, 199).p_values
    assert p[:3, 3:].max() <= 0.05 < p[:3, :3].min()


def test_one_pair_under_the_guarantee_is_its_t_test():
    values = np.random.default_rng(1).normal([0.1, 0.0], 0.2, (15, 2))
    found = guarantee(plain_means(values), np.cov(values.T), 0.9, np.random.default_rng(1), 40_000)
    result = stats.ttest_rel(values[:, 0], values[:, 1])
    assert found.p_values[0, 1] == pytest.approx(result.pvalue, abs=4 * np.sqrt(0.25 / 40_000))
    low, high = result.confidence_interval(0.9)
    assert (found.low[0, 1], found.high[0, 1]) == pytest.approx((low, high), abs=0.004)


def test_identical_systems_are_never_apart_and_constant_differences_always():
    values = np.random.default_rng(2).normal(0, 1, (10, 3))
    values[:, 1] = values[:, 0]
    values[:, 2] = values[:, 0] + 1.0
    covariance = np.ones((3, 3))
    found = guarantee(plain_means(values), covariance, 0.95, np.random.default_rng(3), 99)
    assert found.p_values[0, 1] == 1
    assert found.p_values[0, 2] == pytest.approx(0.01)
    assert (found.low[2, 0], found.high[2, 0]) == pytest.approx((1.0, 1.0))
