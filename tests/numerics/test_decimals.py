"""Scores as whole numbers: only where they are, and with the same estimates."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from truerank.numerics.pairs import over_pairs, whole_numbers
from truerank.reliability.estimators.msqd import mean_and_quantile_sigma, msqd


@given(st.integers(0, 6), st.lists(st.integers(-(10**6), 10**6), min_size=1, max_size=12))
def test_decimals_are_found(decimals, numbers):
    values = np.array([numbers]) / 10.0**decimals
    found = whole_numbers(values)
    small = np.abs(found).max() < 2**14
    assert found.dtype == (np.int16 if small else np.int32)
    shift = numbers[0] / found[0, 0] if found[0, 0] else 1
    np.testing.assert_allclose(found[0] * shift, numbers, rtol=1e-12)


@pytest.mark.parametrize("values", [[[0.1, 1 / 7]], [[0.1], [1e-9]], [[0.5, 2e9]], [[0.12345678]], [[1e300]]])
def test_what_is_no_decimal_or_too_large_is_left_alone(values):
    assert whole_numbers(np.array(values)) is None


def test_noise_of_the_last_bit_is_none():
    values = np.array([[0.1 + 0.2, 0.3, 1 - 0.7]])  # 0.30000000000000004 and so on
    assert whole_numbers(values).tolist() == [[3, 3, 3]]


@pytest.mark.parametrize("decimals", [1, 4, 6])
def test_msqd_of_whole_numbers_is_that_of_the_scores(decimals, monkeypatch):
    rng = np.random.default_rng(decimals)
    values = rng.uniform(size=(40, 15)).round(decimals)
    values[:, 3] = values[:, 4] + 0.5  # constantly better
    fast = msqd(values)
    monkeypatch.setattr("truerank.reliability.estimators.msqd.whole_numbers", lambda _: None)
    np.testing.assert_allclose(fast, msqd(values), rtol=0, atol=1e-12)
    assert fast[3, 4] == 0.0


def test_differences_keep_their_type():
    kinds = set()

    def statistic(differences):
        kinds.add(differences.dtype)
        return mean_and_quantile_sigma(differences)[0]

    over_pairs(np.arange(12, dtype=np.int32).reshape(4, 3), statistic)
    over_pairs(np.arange(12.0).reshape(4, 3), statistic)
    assert kinds == {np.dtype(np.int32), np.dtype(float)}
