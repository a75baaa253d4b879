"""The rank distance: published figures, independent solvers, and the properties it must have."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from plain_distance import AP, P10, by_enumeration, by_nnls, by_projection, problem, values_of
from scipy import optimize

from truerank.comparison.distance import Reference, rank_distance
from truerank.comparison.distance.reference import exchange, multipliers
from truerank.errors import InputError
from truerank.numerics.pairs import paired_t
from truerank.readers import read_scores


@pytest.mark.parametrize(
    ("ranking", "distance"),
    # The paper prints 4.88 for BAC and CAB too, and is wrong for these two.
    [("CBA", 0), ("BCA", 0.6508), ("ABC", 4.8828), ("ACB", 4.8828), ("BAC", 4.4470), ("CAB", 4.8288)],
)
def test_the_example_of_the_paper(ranking, distance):
    found = rank_distance(AP, values_of(ranking)).distance
    assert found == pytest.approx(distance, abs=5e-5)
    order = ["ABC".index(system) for system in ranking]
    assert found == pytest.approx(by_enumeration(*problem(order, AP)), abs=1e-8)


def test_the_nearest_point_of_the_paper():
    found = rank_distance(AP, P10)
    assert found.systems == ("sys2", "sys3", "sys1")
    # Figure 2: (0.322, ε), the difference of C and A first.
    assert found.nearest == pytest.approx([0, 0.322], abs=5e-4)
    assert found.differences == pytest.approx([-0.02775, 0.34875], abs=1e-12)
    assert found.blocks == (("sys2", "sys3"),)


def test_terabyte_both_ways(data):
    ap = read_scores(data / "trec" / "terabyte2006_ap.csv")
    ndcg = read_scores(data / "trec" / "terabyte2006_ndcg.csv")
    assert rank_distance(ap, ndcg).distance == pytest.approx(19.111, abs=5e-4)
    assert rank_distance(ndcg, ap).distance == pytest.approx(15.938, abs=5e-4)
    assert rank_distance(ndcg, ap).ridge == 0


@pytest.mark.parametrize("name", ["terabyte2006_ap", "robust2003_ap", "adhoc7_ap", "web2010_ap"])
def test_real_scores_agree_with_a_plain_solver(data, name):
    scores = read_scores(data / "trec" / f"{name}.csv")
    reference = Reference.of(scores)
    rng = np.random.default_rng(4)
    for noise in (0.002, 0.01, 0.05, 1.0):
        y = scores.means + noise * rng.standard_normal(scores.m)
        expected = by_quadratic_program(reference, y)
        assert rank_distance(reference, y).distance == pytest.approx(expected, rel=1e-8, abs=1e-8)


def by_quadratic_program(reference, y):
    """SciPy's answer where it is one (its NNLS sometimes stops early, with too large a distance)."""
    mean, covariance, n = problem(reference.orders(y)[0], reference.scores.values, reference.ridge)
    found = by_nnls(mean, covariance, n)
    quadprog = pytest.importorskip("quadprog")
    multiplier = quadprog.solve_qp(covariance, -mean, np.eye(len(mean)), np.zeros(len(mean)))
    squared = -2 * n * multiplier[1]
    assert found >= np.sqrt(squared) - 1e-6
    return np.sqrt(squared)


def random_scores(m, n, seed, digits=None):
    rng = np.random.default_rng(seed)
    x = rng.normal(0.4, 0.1, (n, 1)) + rng.normal(0, 0.05, m) + rng.normal(0, 0.1, (n, m))
    return x if digits is None else x.round(digits)


@given(m=st.integers(2, 6), extra=st.integers(1, 10), seed=st.integers(0, 2**32 - 1))
def test_three_independent_solvers_agree(m, extra, seed):
    x = random_scores(m, m + extra, seed)
    y = np.random.default_rng(seed + 1).standard_normal(m)
    order = np.argsort(-y)
    found = rank_distance(x, y)
    assume(found.ridge == 0)
    assert found.distance == pytest.approx(by_enumeration(*problem(order, x)), abs=1e-8)
    assert found.distance == pytest.approx(by_nnls(*problem(order, x)), abs=1e-7)
    assert found.distance == pytest.approx(by_projection(*problem(order, x)), abs=1e-7)


@pytest.mark.parametrize("regularize", ["differences", "scores"])
@given(m=st.integers(3, 5), n=st.integers(2, 5), seed=st.integers(0, 2**32 - 1))
def test_lambda_goes_where_it_is_said_to(regularize, m, n, seed):
    x = random_scores(m, n, seed)
    y = np.random.default_rng(seed + 1).standard_normal(m)
    found = rank_distance(x, y, ridge=1e-3, regularize=regularize)
    expected = by_enumeration(*problem(np.argsort(-y), x, 1e-3, regularize))
    assert found.distance == pytest.approx(expected, rel=1e-8, abs=1e-8)


@given(m=st.integers(2, 7), extra=st.integers(1, 9), seed=st.integers(0, 2**32 - 1), digits=st.integers(1, 3))
def test_zero_if_and_only_if_the_rankings_agree(m, extra, seed, digits):
    x = random_scores(m, m + extra, seed, digits)
    means = x.mean(axis=0)
    y = np.random.default_rng(seed + 1).choice([means, -means, np.random.default_rng(seed).random(m)])
    ours, theirs = means[:, None] - means[None, :], y[:, None] - y[None, :]
    swapped = (ours > 1e-12) & (theirs < -1e-12)
    assert (rank_distance(x, y).distance > 0) == swapped.any()


@given(m=st.integers(2, 7), extra=st.integers(1, 9), seed=st.integers(0, 2**32 - 1))
def test_no_nearer_than_its_worst_swap_and_no_further_than_all_equal(m, extra, seed):
    x = random_scores(m, m + extra, seed)
    y = np.random.default_rng(seed + 1).standard_normal(m)
    found = rank_distance(x, y)
    assume(found.ridge == 0)
    t = paired_t(x)
    swapped = np.triu(np.sign(y[:, None] - y[None, :]) != np.sign(t), 1)
    mean, covariance, n = problem(np.argsort(-y), x)
    hotelling = np.sqrt(n * mean @ np.linalg.solve(covariance, mean))
    assert found.distance >= np.max(np.abs(t), where=swapped, initial=0) - 1e-9
    assert found.distance <= hotelling * (1 + 1e-9)


@given(
    m=st.integers(2, 7), extra=st.integers(1, 9), seed=st.integers(0, 2**32 - 1), scale=st.floats(0.01, 100)
)
def test_scaling_and_relabelling_change_nothing(m, extra, seed, scale):
    x = random_scores(m, m + extra, seed)
    rng = np.random.default_rng(seed + 1)
    y, names = rng.standard_normal(m), rng.permutation(m)
    expected = rank_distance(x, y).distance
    assume(rank_distance(x, y).ridge == 0)
    assert rank_distance(scale * x, y).distance == pytest.approx(expected, rel=1e-9)
    assert rank_distance(x + 0.3, np.exp(y)).distance == pytest.approx(expected, rel=1e-9, abs=1e-9)
    assert rank_distance(x[:, names], y[names]).distance == pytest.approx(expected, rel=1e-9, abs=1e-9)


def constructed(mean, covariance, n=40):
    """Scores of three systems with exactly these means and this covariance of the scores."""
    rng = np.random.default_rng(0)
    z = rng.standard_normal((n, 3))
    z -= z.mean(axis=0)
    z = z @ np.linalg.inv(np.linalg.cholesky(np.cov(z, rowvar=False))).T
    return np.asarray(mean) + z @ np.linalg.cholesky(covariance).T


def from_differences(mean, sd, rho):
    """Scores whose first system is above the others by `mean`, with these deviations and correlation."""
    a, b = sd
    # X₁ is a constant: the covariance of X₂ and X₃ is that of the differences.
    covariance = np.diag([1e-12, a * a, b * b])
    covariance[1, 2] = covariance[2, 1] = rho * a * b
    return constructed([0.5, 0.5 - mean[0], 0.5 - mean[1]], covariance)


def test_theorem_2_a_larger_t_of_the_swapped_pair_is_a_larger_distance():
    distances = [
        rank_distance(from_differences((0.02 * k, 0.2), (0.1, 0.1), 0.3), [2, 3, 1]).distance
        for k in range(1, 6)
    ]
    assert np.all(np.diff(distances) > 0)
    # As long as nothing else gives way, it is the t statistic itself.
    assert distances[0] == pytest.approx(0.02 / (0.1 / np.sqrt(40)), rel=1e-9)


def test_theorem_3_parting_similar_systems_costs_more():
    def distance(rho):
        return rank_distance(from_differences((0.1, 0.08), (0.1, 0.1), rho), [2, 3, 1]).distance

    # y puts the first system between the second and the third. t₁₂ > t₁₃ ρ: only the swap gives way,
    # and ρ does not matter (the paper's strict inequality is too much); from there on it does.
    t12, t13 = 0.1 / (0.1 / np.sqrt(40)), 0.08 / (0.1 / np.sqrt(40))
    assert distance(0.2) == pytest.approx(t12) == pytest.approx(distance(0.7))
    rising = [distance(rho) for rho in (0.8, 0.85, 0.9, 0.95, 0.99)]
    assert np.all(np.diff(rising) > 0)
    rho = 0.95
    assert distance(rho) == pytest.approx(
        np.sqrt((t12**2 - 2 * rho * t12 * t13 + t13**2) / (1 - rho**2)), rel=1e-9
    )


def test_nearly_equal_systems_keep_their_digits():
    # Two systems that differ by 2e-6 on one topic: rounding in a covariance of scores would show.
    rng = np.random.default_rng(5)
    x = rng.normal(0.4, 0.1, (30, 4)).round(3)
    x[:, 1] = x[:, 0]
    x[7, 1] += 2.0**-14
    y = np.argsort(np.argsort([x[:, 0].mean(), x[:, 3].mean() + 1, x[:, 2].mean(), x[:, 1].mean()]))
    found = rank_distance(x, y, ridge=0)
    order = np.argsort(-y)
    expected = by_enumeration(*problem(order, x))
    assert found.distance == pytest.approx(expected, rel=1e-7)


@given(k=st.integers(1, 12), problems=st.integers(1, 5), seed=st.integers(0, 2**32 - 1))
def test_multipliers_are_those_of_least_squares(k, problems, seed):
    rng = np.random.default_rng(seed)
    a = rng.standard_normal((problems, k, k + 2))
    gram = a @ a.transpose(0, 2, 1)
    t = rng.standard_normal((problems, k))
    z = multipliers(gram, t)
    theta = t + (gram @ z[..., None])[..., 0]
    scale = np.abs(t).max()
    assert z.min() >= -1e-8 * np.abs(z).max(initial=1)
    assert theta.min() >= -1e-9 * scale
    assert np.abs(z * theta).max() <= 1e-8 * scale * np.abs(z).max(initial=1)
    for each, factor, right in zip(z, np.linalg.cholesky(gram), t, strict=True):
        expected = optimize.nnls(factor.T, -np.linalg.solve(factor, right))[0]
        assert each == pytest.approx(expected, rel=1e-6, abs=1e-9)
    before = gram.copy()
    assert multipliers(gram, t, singular=True) == pytest.approx(z, rel=1e-6, abs=1e-9)
    assert np.array_equal(gram, before)


def test_least_squares_end_where_exchanging_goes_round():
    # Many more systems than topics, in families: there exchanging fails on most.
    rng = np.random.default_rng(0)
    families = rng.normal(0, 0.12, (20, 8))[:, rng.integers(0, 8, 60)]
    x = rng.normal(0.3, 0.06, 60) + rng.normal(0, 0.2, (20, 1)) + families + rng.normal(0, 0.07, (20, 60))
    reference = Reference.of(x)
    y = rng.multinomial(20, np.full(20, 0.05), 40) @ x / 20
    orders = reference.orders(y)
    rows = reference.factor[orders]
    differences = rows[:, :-1] - rows[:, 1:]
    gram = differences @ differences.transpose(0, 2, 1) + reference.added
    assert len(exchange(gram, reference.mean_differences(orders))[2]) > 20
    found = reference.distances(y)
    quadprog = pytest.importorskip("quadprog")
    for order, distance in zip(orders, found, strict=True):
        mean, covariance, n = problem(order, x, reference.ridge)
        value = quadprog.solve_qp(covariance, -mean, np.eye(59), np.zeros(59))[1]
        assert distance == pytest.approx(np.sqrt(-2 * n * value), rel=1e-8)


@given(seed=st.integers(0, 2**32 - 1), m=st.integers(2, 8))
def test_ties_go_by_the_mean_then_by_input_order(seed, m):
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 3, (6, m)) / 4
    y = rng.integers(0, 3, m) + rng.choice([0, 1e-14], m)
    means = x.mean(axis=0)
    expected = sorted(range(m), key=lambda s: (-round(y[s]), -round(means[s] * 24), s))
    assert Reference.of(x).orders(y)[0].tolist() == expected


def test_values_are_matched_by_name(data):
    import pandas as pd

    from truerank.scores import ScoreMatrix

    x = ScoreMatrix.build(AP, systems="ABC")
    expected = rank_distance(x, P10).distance
    assert rank_distance(x, {"C": 0.7, "A": 0.5, "B": 0.75, "Z": 9}).distance == expected
    assert rank_distance(x, pd.Series([0.75, 0.7, 0.5], index=["B", "C", "A"])).distance == expected
    other = ScoreMatrix.build([[0.7, 0.75, 0.5]], systems="CBA")
    assert rank_distance(x, other).distance == expected


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
