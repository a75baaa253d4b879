"""Scores and rankings at the edge: what they give, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from plain_distance import AP, by_enumeration, problem

from truerank.comparison.distance import rank_distance
from truerank.errors import InputError


def noisy(n, m, seed=1):
    rng = np.random.default_rng(seed)
    return rng.normal(0.4, 0.1, (n, m)) - 0.02 * np.arange(m)


@pytest.mark.parametrize("regularize", ["differences", "scores"])
def test_of_copies_the_distance_is_the_limit_of_a_vanishing_lambda(regularize):
    """The exact solver comes as near to it as its λ is small; swapping copies alone costs nothing."""
    x = noisy(20, 5)
    x[:, 2] = x[:, 1]
    means = x.mean(axis=0)
    means[2] += 1e-9
    found = rank_distance(x, means, regularize=regularize)
    assert (found.ridge, found.distance) == (0, 0)
    assert "copies" in found.ridge_reason
    for y in ([3, 4, 1, 2, 0], [1, 3, 5, 4, 2], [1, 2, 4, 3, 5]):
        order = np.argsort(-np.array(y))
        exact = by_enumeration(*problem(order, x, 1e-13, regularize))
        for ridge in (None, 0):
            found = rank_distance(x, y, ridge=ridge, regularize=regularize)
            assert found.distance == pytest.approx(exact, 1e-6)


def test_copies_apart_cost_what_the_systems_between_them_cost():
    """Between two copies a system must equal them: the distance is that of both orders, at a tie."""
    x = noisy(30, 2)
    x = np.column_stack([x, x[:, 0]])
    difference = x[:, 0] - x[:, 1]
    t = difference.mean() / difference.std(ddof=1) * len(x) ** 0.5
    assert rank_distance(x, [3, 2, 1], ridge=0).distance == pytest.approx(abs(t), 1e-6)


def test_two_constant_systems_bring_lambda():
    x = noisy(20, 4)
    x[:, 1], x[:, 3] = 0.2, 0.3
    found = rank_distance(x, [4, 2, 3, 1])
    assert found.ridge == 1e-5
    # Swapping them alone costs √n · difference / √λ: nothing but λ lets a constant difference vary.
    assert rank_distance([[0.2, 0.3]] * 5, [2, 1]).distance == pytest.approx(0.1 * np.sqrt(5 / 1e-5))


@pytest.mark.parametrize("n", [2, 3, 5])
def test_fewer_topics_than_systems(n):
    x = noisy(n, 5)
    found = rank_distance(x, [1, 3, 2, 5, 4])
    assert found.ridge == 1e-5
    assert found.ridge_reason == f"no more topics ({n}) than systems (5)"
    expected = by_enumeration(*problem([3, 4, 1, 2, 0], x, 1e-5))
    assert found.distance == pytest.approx(expected, rel=1e-8)


def test_two_systems_give_the_t_statistic():
    from scipy.stats import ttest_rel

    x = noisy(20, 2)
    swapped = [1, 2] if x[:, 0].mean() > x[:, 1].mean() else [2, 1]
    assert rank_distance(x, swapped).distance == pytest.approx(abs(ttest_rel(x[:, 0], x[:, 1]).statistic))
    assert rank_distance(x, swapped[::-1]).distance == 0


def test_lambda_zero_is_refused_where_nothing_can_be_computed():
    with pytest.raises(InputError, match="give a ridge above 0"):
        rank_distance(noisy(2, 3), [3, 2, 1], ridge=0)
    assert rank_distance(noisy(9, 3), [1, 2, 3], ridge=0).ridge_reason == "given"


@pytest.mark.parametrize(
    ("y", "x", "options", "message"),
    [
        ([1], [[0.1], [0.2]], {}, "only one system"),
        ([1, 2], [[0.1, 0.2]], {}, "only one topic"),
        ([1, 2], AP, {}, "a value for each of the 3 systems"),
        ([1, 2, np.nan], AP, {}, "finite"),
        (["a", "b", "c"], AP, {}, "must be numbers"),
        ({"sys1": 1, "sys2": 2}, AP, {}, "no value for 'sys3'"),
        ([1, 2, 3], AP, {"ridge": -1}, "0 or more"),
        ([1, 2, 3], AP, {"ridge": float("nan")}, "finite"),
    ],
)
def test_what_is_refused(y, x, options, message):
    with pytest.raises(InputError, match=message):
        rank_distance(x, y, **options)
