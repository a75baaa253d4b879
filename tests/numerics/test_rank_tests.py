"""Rank tests by approximation, against SciPy's."""

import numpy as np
import pytest
from scipy import stats

from truerank.numerics.rank_tests import average_ranks, rank_correlation_p_value, rank_sum_p_value


def samples(seed: int, digits: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    first, second = (rng.normal(shift, 1, int(rng.integers(2, 40))).round(digits) for shift in (0, 0.4))
    return first, second


@pytest.mark.parametrize("digits", [0, 1, 15])
def test_p_values_are_scipy_s(digits: int) -> None:
    for seed in range(40):
        first, second = samples(seed, digits)
        expected = stats.mannwhitneyu(first, second).pvalue
        assert rank_sum_p_value(first, second) == pytest.approx(expected, rel=1e-12)
        k = min(len(first), len(second))
        if k > 3 and np.ptp(first[:k]) and np.ptp(second[:k]):
            expected = stats.spearmanr(first[:k], second[:k]).pvalue
            assert rank_correlation_p_value(first[:k], second[:k]) == pytest.approx(expected, rel=1e-9)


def test_ranks_are_scipy_s() -> None:
    values = np.random.default_rng(1).integers(0, 9, 50).astype(float)
    assert average_ranks(values)[0].tolist() == stats.rankdata(values).tolist()


def test_constants_show_nothing() -> None:
    assert rank_sum_p_value(np.ones(10), np.ones(12)) == 1.0
    assert np.isnan(rank_correlation_p_value(np.ones(5), np.arange(5.0)))


def test_a_perfect_order_has_no_chance() -> None:
    assert rank_correlation_p_value(np.arange(9.0), np.arange(9.0)) == pytest.approx(0.0, abs=1e-12)
