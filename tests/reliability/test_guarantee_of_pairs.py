"""The guarantee for all pairs, against closed forms and independent computations."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from truerank.reliability.means.means import plain_means
from truerank.reliability.standings import guarantee


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
