"""Coefficients between two given rankings, against SciPy, published figures and brute force."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import truerank
from truerank.coefficients import between_rankings as rankings
from truerank.coefficients import tied_ranks
from truerank.coefficients.between_rankings import rbo, tau, tau_a, tau_ap, tau_ap_a, tau_ap_b, tau_b
from truerank.errors import InputError

X = [0.897, 0.372, 0.908, 0.898, 0.661, 0.062, 0.177, 0.384, 0.498, 0.992]
Y = [0.82, 0.406, 0.817, 0.953, 0.673, 0.073, 0.364, 0.547, 0.589, 0.988]

untied = st.integers(2, 12).flatmap(lambda m: st.tuples(st.permutations(range(m)), st.permutations(range(m))))
tied = st.integers(2, 6).flatmap(
    lambda m: st.tuples(
        st.lists(st.integers(0, 3), min_size=m, max_size=m),
        st.lists(st.integers(0, 3), min_size=m, max_size=m),
    )
)


def orders_of_ties(scores):
    """All rankings without ties (as scores) that keep the strict order of `scores`."""
    groups = [[i for i, s in enumerate(scores) if s == v] for v in sorted(set(scores), reverse=True)]
    for choice in itertools.product(*(itertools.permutations(g) for g in groups)):
        order = [i for group in choice for i in group]
        broken = np.empty(len(scores))
        broken[order] = np.arange(len(scores), 0, -1)
        yield broken


def plain_tau_ap(x, y):
    order = sorted(range(len(y)), key=lambda i: -y[i])
    total = 0.0
    for i in range(1, len(order)):
        total += sum(x[order[j]] > x[order[i]] for j in range(i)) / i
    return 2 * total / (len(order) - 1) - 1


@given(untied)
def test_without_ties_all_taus_are_scipys(pair):
    from scipy.stats import kendalltau

    x, y = pair
    expected = kendalltau(x, y).statistic
    for function in (truerank.tau, truerank.tau_a, truerank.tau_b):
        assert function(x, y) == pytest.approx(expected, abs=1e-12)


@given(tied)
def test_tau_b_with_ties_is_scipys(pair):
    from scipy.stats import kendalltau

    x, y = pair
    expected = kendalltau(x, y).statistic
    found = truerank.tau_b(x, y)
    assert (math.isnan(expected) and math.isnan(found)) or found == pytest.approx(expected, abs=1e-12)


@given(tied)
def test_tau_a_counts_a_tie_for_neither(pair):
    x, y = pair
    pairs = list(itertools.combinations(range(len(x)), 2))
    balance = sum(np.sign(x[i] - x[j]) * np.sign(y[i] - y[j]) for i, j in pairs)
    assert truerank.tau_a(x, y) == pytest.approx(balance / len(pairs))


@given(tied)
def test_tau_and_tau_ap_break_ties_by_input_order(pair):
    x, y = pair
    broken_x, broken_y = ([s - 0.01 * i for i, s in enumerate(v)] for v in (x, y))
    assert truerank.tau(x, y) == pytest.approx(truerank.tau_a(broken_x, broken_y))
    assert truerank.tau_ap(x, y) == pytest.approx(plain_tau_ap(broken_x, broken_y))


@given(untied)
def test_tau_ap_is_the_double_loop_and_its_tie_versions_agree(pair):
    x, y = pair
    expected = plain_tau_ap(x, y)
    assert truerank.tau_ap(x, y) == pytest.approx(expected, abs=1e-12)
    assert truerank.tau_ap_a(x, y) == pytest.approx(expected, abs=1e-12)
    assert truerank.tau_ap_b(x, y) == pytest.approx((expected + plain_tau_ap(y, x)) / 2, abs=1e-12)


@given(tied.map(lambda pair: (list(range(len(pair[1]))), pair[1])), st.randoms(use_true_random=False))
def test_tau_ap_a_is_the_mean_over_all_orders_of_ties(pair, random):
    x, y = pair
    random.shuffle(x)
    over_orders = [plain_tau_ap(x, broken) for broken in orders_of_ties(y)]
    assert truerank.tau_ap_a(x, y) == pytest.approx(np.mean(over_orders), abs=1e-12)


@given(tied)
def test_tau_ap_b_is_the_loop_over_pivots(pair):
    x, y = pair

    def one_way(x, y):
        means = []
        for pivot in range(len(y)):
            above = [i for i in range(len(y)) if y[i] > y[pivot]]
            if above:
                means.append(sum(x[i] > x[pivot] for i in above) / len(above))
        return 2 * np.mean(means) - 1 if means else math.nan

    expected = (one_way(x, y) + one_way(y, x)) / 2
    found = truerank.tau_ap_b(x, y)
    assert (math.isnan(expected) and math.isnan(found)) or found == pytest.approx(expected, abs=1e-12)


def test_published_figures_of_the_tie_versions():
    # Urbano & Marrero 2017
    assert truerank.tau_ap(X, Y) == pytest.approx(0.8519, abs=5e-5)
    assert truerank.tau_ap_b(X, Y) == pytest.approx(0.8333, abs=5e-5)
    assert truerank.tau_ap_a(X, np.round(Y, 1)) == pytest.approx(0.7454, abs=5e-5)
    assert truerank.tau_ap_b(np.round(X, 1), np.round(Y, 1)) == pytest.approx(0.7321, abs=5e-5)


def test_tau_ap_a_refuses_ties_in_the_truth():
    with pytest.raises(InputError, match="tau_ap_b"):
        truerank.tau_ap_a([1, 1, 2], [1, 2, 3])


def plain_rbo(x, y, p):
    """RBO_ext by sets, and its infinite sum cut off far out (agreement constant below depth m)."""
    top = [sorted(range(len(v)), key=lambda i, v=v: -v[i]) for v in (x, y)]
    total, m = 0.0, len(x)
    for depth in range(1, 4000):
        d = min(depth, m)
        agreement = len(set(top[0][:d]) & set(top[1][:d])) / d
        total += (1 - p) * p ** (depth - 1) * agreement
    return total


@given(untied, st.floats(0.1, 0.99))
def test_rbo_extrapolates_the_agreement_at_the_last_depth(pair, p):
    x, y = pair
    assert truerank.rbo(x, y, p) == pytest.approx(plain_rbo(x, y, p), abs=1e-9)


@given(tied)
def test_rbo_with_ties_is_the_mean_over_all_orders(pair):
    x, y = pair
    values = [truerank.rbo(a, b) for a in orders_of_ties(x) for b in orders_of_ties(y)]
    assert truerank.rbo(x, y) == pytest.approx(np.mean(values), abs=1e-12)


def test_kendalls_interval_as_published():
    low, high = truerank.kendall_interval(0.9, 25)  # carterette-2009 §2
    assert (round(low, 3), round(high, 3)) == (0.389, 0.987)


@given(st.floats(-1, 1), st.integers(2, 200), st.floats(0.5, 0.999))
def test_kendalls_interval_solves_its_quadratic(tau, m, level):
    from scipy.stats import norm

    # Both ends are the θ with (τ − θ)² = z² · 2 (1 − θ²)/m: a score interval.
    z2 = norm.ppf((1 + level) / 2) ** 2
    for theta in truerank.kendall_interval(tau, m, level):
        assert (tau - theta) ** 2 == pytest.approx(z2 * 2 * (1 - theta**2) / m, abs=1e-9)


def test_ties_are_values_within_a_trillionth():
    assert tied_ranks([1.0, 1.0 + 1e-13, 0.5]).tolist() == [0, 0, 1]
    assert tied_ranks([1.0, 1.0 + 1e-9, 0.5]).tolist() == [1, 0, 2]


@pytest.mark.parametrize(
    ("x", "y", "message"),
    [
        ([1.0], [1.0], "at least two"),
        ([1, 2], [1, 2, 3], "not of 2 and 3"),
        ([1, math.nan], [1, 2], "finite"),
        ([[1, 2]], [[1, 2]], "one vector"),
    ],
)
@pytest.mark.parametrize("name", ["tau", "tau_b", "tau_ap", "tau_ap_b", "rbo"])
def test_what_is_no_ranking_is_refused(name, x, y, message):
    with pytest.raises(InputError, match=message):
        getattr(rankings, name)(x, y)


def test_series_and_mappings_are_matched_by_name():
    x = pd.Series({"a": 3.0, "b": 2.0, "c": 1.0, "d": 0.5})
    y = pd.Series({"a": 3.0, "b": 1.0, "c": 2.0, "d": 0.1})
    for measure in (tau, tau_a, tau_b, tau_ap, tau_ap_a, tau_ap_b, rbo):
        expected = measure(x.to_list(), y.to_list())
        assert measure(x, y.sort_values()) == measure(x.to_dict(), y.sort_values().to_dict()) == expected
        assert measure(x, y.to_list()) == expected  # without names on both sides: by position
    with pytest.raises(InputError, match="only one of the two rankings has 'd'"):
        tau(x, y.drop("d"))
    with pytest.raises(InputError, match="two values for 'a'"):
        tau(x, pd.Series([1.0, 2.0, 3.0], index=["a", "a", "b"]))
    with pytest.raises(InputError, match="one ranking has names and the other has none"):
        tau(x.to_dict(), [1, 2, 3, 4])
