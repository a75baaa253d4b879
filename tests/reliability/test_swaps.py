"""Swap models: dependence, joint draws, variance; against loops, enumeration and the bivariate t sum."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import multivariate_normal
from scipy.stats import t as student

import truerank
import truerank.reliability.swaps as swaps_module
from truerank._support.seeds import stream
from truerank.coefficients import TAU, TAU_AP, Coefficient
from truerank.numerics.bivariate_t import bivariate_t_cdf
from truerank.reliability.estimators import TopicSample
from truerank.reliability.predictive import ledoit_wolf, shrunk_covariance, swap_model
from truerank.reliability.swaps import (
    SwapModel,
    count_swaps,
    full_variance,
    sampled_terms,
    t_draws,
    unit_of,
    unit_root,
)
from truerank.scores import ScoreMatrix

# A coefficient whose weights differ within a column, so that the general path is taken.
TOP = Coefficient("top", "top", lambda m: np.outer(1 / np.arange(1, m + 1), np.ones(m)) / m)


def toy_scores(n=12, m=6, seed=0):
    rng = np.random.default_rng(seed)
    values = rng.random((n, 1)) + rng.random((n, m)) + np.linspace(0.25, 0, m)
    return ScoreMatrix.build(values).ranked()


@given(st.integers(2, 7), st.integers(1, 60), st.integers(0, 5))
def test_counting_swaps_is_the_triple_loop(m, k, seed):
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 4, (m, k)).astype(float)
    limits = rng.integers(-2, 2, (m, m)).astype(float)
    found = count_swaps(values, limits, (TAU, TAU_AP, TOP), count_pairs=True)
    swapped = np.zeros((k, m, m))
    for draw, i in itertools.product(range(k), range(m)):
        for j in range(i + 1, m):
            swapped[draw, i, j] = values[i, draw] - values[j, draw] < limits[i, j]
    np.testing.assert_array_equal(found.gained, swapped.sum(axis=1))
    np.testing.assert_array_equal(found.lost, swapped.sum(axis=2))
    np.testing.assert_array_equal(found.pairs, swapped.sum(axis=0))
    for c in (TAU, TAU_AP, TOP):
        np.testing.assert_allclose(found.coefficient(c), [c.of_swaps(d) for d in swapped], atol=1e-12)


@pytest.mark.parametrize(("m", "k"), [(300, 21), (12, 2_100)])
def test_bytes_and_tiles_never_overflow(monkeypatch, m, k):
    monkeypatch.setattr(swaps_module, "TILE_BYTES", 4 * 50 * k)
    values = np.random.default_rng(1).standard_normal((m, k)).astype(np.float32)
    values[-1] = 9.0  # beats all others, more than a byte counts
    found = count_swaps(values, 0.0, count_pairs=True)
    swapped = np.triu((values[:, None] < values).transpose(2, 0, 1), 1)
    np.testing.assert_array_equal(found.gained, swapped.sum(axis=1))
    np.testing.assert_array_equal(found.lost, swapped.sum(axis=2))
    np.testing.assert_array_equal(found.pairs, swapped.sum(axis=0))


def test_systems_far_apart_count_what_their_differences_do():
    # Draws share a large part; of most pairs no draw reaches the limit.
    rng = np.random.default_rng(5)
    scores = rng.normal(0, 2, (40, 1)) + rng.normal(np.linspace(3, 0, 30), 0.3, (40, 30))
    for name in ("eb", "ml"):
        model = swap_model(name, TopicSample(scores, seed=1))
        values = t_draws(unit_root(model.covariance), model.degrees, 3_000, stream(1))
        found = count_swaps(values, model.limits(), [TOP], count_pairs=True)
        below = [values[i] - values[j] < model.limits()[i, j] for i in range(30) for j in range(i + 1, 30)]
        np.testing.assert_array_equal(found.pairs[np.triu_indices(30, 1)], np.sum(below, axis=1))
        assert 0 < np.mean(np.any(below, axis=1)) < 0.8


def test_ranks_of_draws_are_the_ranks_of_the_drawn_means():
    rng = np.random.default_rng(3)
    values = rng.standard_normal((8, 200))
    ranks = count_swaps(values, 0.0).ranks()
    expected = (-values).argsort(axis=0).argsort(axis=0).T + 1
    np.testing.assert_array_equal(ranks, expected)


def test_coefficients_of_draws_are_those_between_rankings():
    rng = np.random.default_rng(4)
    observed, drawn = np.arange(9, 0, -1), rng.standard_normal((9, 50))
    swaps = count_swaps(drawn, 0.0)
    np.testing.assert_allclose(swaps.coefficient(TAU), [truerank.tau(d, observed) for d in drawn.T])
    np.testing.assert_allclose(swaps.coefficient(TAU_AP), [truerank.tau_ap(d, observed) for d in drawn.T])


def test_draws_have_the_t_margins_and_the_covariance():
    degrees = 5
    shape = np.array([[1.0, 0.6, 0.2], [0.6, 2.0, 0.5], [0.2, 0.5, 0.5]])
    k = 100_000
    values = t_draws(unit_root(shape), degrees, k, stream(1)) * unit_of(shape)
    for row, variance in zip(values, np.diag(shape), strict=True):
        for q in (-1.0, 0.3):
            p = student.cdf(q, degrees)
            share = np.mean(row / math.sqrt(variance) < q)
            assert share == pytest.approx(p, abs=4 * math.sqrt(p * (1 - p) / k))
    difference = (values[0] - values[1]) / math.sqrt(1.0 + 2.0 - 1.2)
    p = student.cdf(0.7, degrees)
    assert np.mean(difference < 0.7) == pytest.approx(p, abs=4 * math.sqrt(p * (1 - p) / k))


@pytest.mark.parametrize(
    ("name", "dependence"), [("ml", "sample"), ("msqd", "shrunk"), ("res", "sample"), ("kd", "shrunk")]
)
def test_draws_keep_the_probabilities_of_every_estimator(name, dependence):
    scores = toy_scores()
    model = swap_model(name, TopicSample(scores.values, 2000, 1), dependence)
    k = 40_000
    values = t_draws(unit_root(model.covariance), model.degrees, k, stream(1, "draws"))
    pairs = count_swaps(values, model.limits(), count_pairs=True).pairs / k
    p = model.probabilities
    np.testing.assert_allclose(pairs, p, atol=5 * math.sqrt(0.25 / k))
    swaps = model.draws(k, stream(1, "draws"))
    for c in (TAU, TAU_AP):
        drawn = swaps.coefficient(c)
        assert drawn.mean() == pytest.approx(model.expectation(c), abs=4 * drawn.std() / math.sqrt(k))


@pytest.mark.parametrize(("name", "dependence"), [("ml", "sample"), ("msqd", "shrunk")])
def test_variance_of_draws_is_the_bivariate_t_sum(name, dependence):
    scores = toy_scores(n=15, m=6, seed=2)
    model = swap_model(name, TopicSample(scores.values), dependence)
    swaps = model.draws(100_000, stream(1, "draws"), (TAU, TAU_AP, TOP))
    for c in (TAU, TAU_AP, TOP):
        drawn = swaps.coefficient(c)
        centred = (drawn - drawn.mean()) ** 2
        standard_error = centred.std() / math.sqrt(len(drawn))
        assert drawn.var() == pytest.approx(full_variance(model, c), abs=4 * standard_error)


def test_the_sampled_variance_is_unbiased_for_the_full_sum():
    scores = toy_scores(n=15, m=6, seed=2)
    model = swap_model("ml", TopicSample(scores.values), "sample")
    for c in (TAU, TAU_AP):
        found = [sampled_terms(model, [c], 500, stream(s))[c.name].variance() for s in range(40)]
        standard_error = np.std(found, ddof=1) / math.sqrt(len(found))
        assert np.mean(found) == pytest.approx(full_variance(model, c), abs=4 * standard_error)


def test_variance_of_two_systems_is_bernoullis():
    scores = toy_scores(n=10, m=2, seed=5)
    model = swap_model("ml", TopicSample(scores.values), "sample")
    p = model.probabilities[0, 1]
    assert full_variance(model, TAU) == pytest.approx(4 * p * (1 - p))
    assert sampled_terms(model, [TAU], 10, stream(1))["tau"].variance() == pytest.approx(4 * p * (1 - p))


def test_own_draws_of_res_have_the_variance_of_a_double_loop():
    scores = toy_scores()
    sample = TopicSample(scores.values, 500, 1)
    model = swap_model("res", sample, "own")
    m, replicates = scores.m, sample.replicates
    pairs = list(itertools.combinations(range(m), 2))
    swapped = np.array([[r[i] - r[j] < -1e-12 for i, j in pairs] for r in replicates.T], dtype=float)
    for c in (TAU, TAU_AP):
        w = c.weights(m)
        total = 0.0
        for a, (i, j) in enumerate(pairs):
            for b, (k, l) in enumerate(pairs):  # noqa: E741
                both = np.mean(swapped[:, a] * swapped[:, b])
                total += w[i, j] * w[k, l] * (both - swapped[:, a].mean() * swapped[:, b].mean())
        drawn = model.draws(1, stream(1)).coefficient(c)
        assert drawn.var() == pytest.approx(total, rel=1e-9)


def plain_ledoit_wolf(z):
    n, m = z.shape
    s = sum(np.outer(row, row) for row in z) / n
    mu = np.trace(s) / m
    d2 = np.sum((s - mu * np.eye(m)) ** 2)
    b2 = min(sum(np.sum((np.outer(row, row) - s) ** 2) for row in z) / n**2, d2)
    return b2 / d2 * mu * np.eye(m) + (1 - b2 / d2) * s


def test_ledoit_wolf_is_its_definition():
    rng = np.random.default_rng(1)
    for n, m in ((5, 8), (30, 4), (200, 3)):
        z = rng.standard_normal((n, m)) @ rng.standard_normal((m, m))
        np.testing.assert_allclose(ledoit_wolf(z), plain_ledoit_wolf(z), rtol=1e-10)


def test_the_shrunk_covariance_as_written():
    x = toy_scores(n=9, m=5).values
    e = x - x.mean(axis=0)
    e = e - e.mean(axis=1, keepdims=True)
    sd = e.std(axis=0, ddof=1)
    c = plain_ledoit_wolf(e / sd)
    d = np.sqrt(np.diag(c))
    np.testing.assert_allclose(shrunk_covariance(x), np.outer(sd, sd) * c / np.outer(d, d), rtol=1e-10)


@given(st.floats(-3, 3))
def test_the_shrunk_covariance_does_not_see_topic_effects(shift):
    x = toy_scores(n=9, m=5).values
    moved = x + shift * np.linspace(-1, 1, 9)[:, None]
    np.testing.assert_allclose(shrunk_covariance(moved), shrunk_covariance(x), atol=1e-9)


@given(st.floats(-3, 3), st.floats(-3, 3), st.floats(-0.99, 0.99))
def test_bivariate_normal_is_scipys(a, b, r):
    expected = multivariate_normal([0, 0], [[1, r], [r, 1]]).cdf([a, b])
    assert bivariate_t_cdf(a, b, r, math.inf) == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize("degrees", [2, 19])
def test_bivariate_t_limits_and_simulation(degrees):
    a, b = -0.8, 0.4
    assert bivariate_t_cdf(a, 60.0, 0.3, degrees) == pytest.approx(student.cdf(a, degrees), abs=2e-4)
    assert bivariate_t_cdf(a, b, 1.0, degrees) == pytest.approx(student.cdf(a, degrees), abs=1e-7)
    assert bivariate_t_cdf(-0.2, 0.1, -1.0, degrees) == 0
    # P(both below 0) depends on the correlation alone.
    assert bivariate_t_cdf(0, 0, 0.5, degrees) == pytest.approx(
        1 / 4 + math.asin(0.5) / 2 / math.pi, abs=1e-9
    )
    k = 200_000
    values = t_draws(unit_root(np.array([[1, 0.6], [0.6, 1]])), degrees, k, stream(2))
    p = float(bivariate_t_cdf(a, b, 0.6, degrees))
    share = np.mean((values[0] < a) & (values[1] < b))
    assert share == pytest.approx(p, abs=4 * math.sqrt(p * (1 - p) / k))


def test_a_swap_model_that_cannot_swap_is_certain():
    model = SwapModel("none", "sample", np.zeros((4, 4)), np.eye(4), 9)
    drawn = model.draws(50, stream(1)).coefficient(TAU)
    assert model.expectation(TAU) == 1.0
    assert (drawn == 1.0).all()
