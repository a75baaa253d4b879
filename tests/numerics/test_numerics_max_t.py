"""The largest of many statistics: its plain definition, one hypothesis, and the error rate it promises."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from truerank.numerics.resampling import (
    sign_vectors,
    signed_statistics,
    single_step_p_values,
    step_down_p_values,
)


def plain_step_down(observed, null, own=1):
    """Algorithm 4.1 of Westfall and Young, one loop a line."""
    order = sorted(range(len(observed)), key=lambda i: -observed[i])
    counts = [0] * len(observed)
    for row in null:
        largest = -np.inf
        for place in reversed(range(len(order))):
            largest = max(largest, row[order[place]])
            counts[place] += largest >= observed[order[place]]
    p, running = [0.0] * len(observed), 0.0
    for place, i in enumerate(order):
        running = max(running, (own + counts[place]) / (own + len(null)))
        p[i] = running
    return p


@given(st.integers(1, 5), st.integers(1, 30), st.integers(0, 10_000))
def test_step_down_is_its_algorithm_and_no_larger_than_single_step(k, rows, seed):
    rng = np.random.default_rng(seed)
    observed, null = rng.exponential(1, k), rng.exponential(1, (rows, k))
    found = step_down_p_values(observed, [null[: rows // 2], null[rows // 2 :]])
    assert found == pytest.approx(plain_step_down(observed, null), abs=1e-12)
    single = single_step_p_values(observed, [null])
    assert single == pytest.approx(
        [(1 + np.sum(null.max(axis=1) >= one)) / (1 + rows) for one in observed], abs=1e-12
    )
    assert np.all(found <= single)
    alone = [(1 + np.sum(null[:, i] >= observed[i])) / (1 + rows) for i in range(k)]
    assert np.all(found >= np.array(alone) - 1e-12)


def test_all_signs_are_all_signs():
    signs, exact = sign_vectors(5, 16, np.random.default_rng(0))
    assert exact
    assert sorted(map(tuple, signs)) == sorted((1.0, *rest) for rest in product((-1.0, 1.0), repeat=4))
    drawn, exact = sign_vectors(5, 15, np.random.default_rng(0))
    assert not exact
    assert drawn.shape == (15, 5)
    assert set(np.unique(drawn)) == {-1.0, 1.0}


def test_one_hypothesis_is_the_randomization_test():
    d = np.random.default_rng(1).normal(0.3, 1, 9)
    signs, _ = sign_vectors(9, 256, np.random.default_rng(0))
    (observed,) = signed_statistics(d[:, None], np.ones((1, 9)))
    p = step_down_p_values(observed[0], signed_statistics(d[:, None], signs), own=0)
    scipys = stats.permutation_test((d,), np.mean, permutation_type="samples", n_resamples=np.inf).pvalue
    assert p[0] == pytest.approx(scipys, abs=1e-12)


def test_signed_statistics_are_in_the_order_of_absolute_t():
    rng = np.random.default_rng(2)
    d = rng.normal(0.2, [0.1, 1, 30], (12, 3))
    signs, _ = sign_vectors(12, 50, rng)
    (found,) = signed_statistics(d, signs)
    t = np.array([[abs(stats.ttest_1samp(d[:, k] * s, 0).statistic) for k in range(3)] for s in signs])
    assert np.array_equal(np.argsort(found.ravel(), kind="stable"), np.argsort(t.ravel(), kind="stable"))


def test_equal_influences():
    d = np.array([[0.0, 0.5], [0.0, 0.5], [0.0, 0.5]])
    (found,) = signed_statistics(d, np.ones((1, 3)))
    assert found.tolist() == [[0.0, pytest.approx(np.sqrt(3))]]


@pytest.mark.parametrize("effect", [0.0, 1.5])
def test_the_family_wise_error_holds(effect):
    # Five systems on 20 topics, heavy tails; three are alike, and a false positive is one of their pairs.
    rng = np.random.default_rng(4)
    first, second = np.triu_indices(5, 1)
    alike = (second <= 2) if effect else np.ones(len(first), dtype=bool)
    false, found, trials = 0, 0, 600
    for _ in range(trials):
        x = rng.standard_t(4, (20, 1)) + rng.standard_t(4, (20, 5))
        x[:, 3:] += effect * np.array([1, 2])
        d = x[:, first] - x[:, second]
        signs, _ = sign_vectors(20, 199, rng)
        (observed,) = signed_statistics(d, np.ones((1, 20)))
        p = step_down_p_values(observed[0], signed_statistics(d, signs))
        false += bool(np.any(p[alike] <= 0.05))
        found += np.sum(p[~alike] <= 0.05)
    error = np.sqrt(0.05 * 0.95 / trials)
    assert false / trials < 0.05 + 3 * error
    if effect:
        assert found / trials > 4  # of seven pairs that differ
    else:
        assert false / trials > 0.05 - 3 * error  # with all alike it is exact
