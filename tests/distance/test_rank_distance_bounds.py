"""The distance and the paired t of swapped pairs, as docs/methods/evidence/rank-distance.md states it."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from truerank.comparison.distance import Reference, rank_distance
from truerank.readers import read_scores

SEEDS = st.integers(0, 2**32 - 1)


def problem(seed, systems=None):
    """Correlated scores of more topics than systems, close enough for swaps, and a ranking y."""
    rng = np.random.default_rng(seed)
    m = systems or int(rng.integers(2, 8))
    n = int(rng.integers(m + 3, 40))
    mixed = rng.normal(size=(n, m)) @ rng.normal(size=(m, m))
    return mixed + rng.normal(0, 0.5, m), rng.permutation(m).astype(float)


def swapped(x, y):
    """Pairs (i above j in y, j above i in X) and how many places apart y has them."""
    order = np.argsort(-y)
    for first, second in itertools.combinations(range(len(y)), 2):
        i, j = order[first], order[second]
        if x[:, i].mean() < x[:, j].mean():
            yield i, j, second - first


@given(SEEDS)
def test_the_distance_is_the_largest_t_of_a_contrast_that_y_calls_positive(seed):
    x, y = problem(seed)
    found = rank_distance(x, y)
    differences = -np.diff(x[:, np.argsort(-y)], axis=1)
    rng = np.random.default_rng(seed)
    for _ in range(20):
        contrast = differences @ (rng.random(differences.shape[1]) ** 3)
        assert -stats.ttest_1samp(contrast, 0).statistic <= found.distance * (1 + 1e-9) + 1e-9
    if found.distance > 1e-6:
        covariance = np.atleast_2d(np.cov(differences.T))
        a = np.linalg.solve(covariance, found.nearest - differences.mean(axis=0))
        assert a.min() >= -1e-6 * a.max()
        reached = -stats.ttest_1samp(differences @ a, 0).statistic
        assert reached == pytest.approx(found.distance, rel=1e-6)


@given(SEEDS)
def test_one_swap_of_neighbors_is_its_t_only_where_no_other_pair_must_move(seed):
    x, _ = problem(seed)
    x = x[:, np.argsort(-x.mean(axis=0))]
    m = x.shape[1]
    k = seed % (m - 1)
    order = np.arange(m)
    order[[k, k + 1]] = k + 1, k
    y = np.empty(m)
    y[order] = -np.arange(m)
    t = abs(stats.ttest_rel(x[:, k], x[:, k + 1]).statistic)
    differences = -np.diff(x[:, order], axis=1)
    means = differences.mean(axis=0)
    slopes = [stats.linregress(differences[:, k], differences[:, other]).slope for other in range(m - 1)]
    spare = np.delete(means - np.array(slopes) * means[k], k)
    d = rank_distance(x, y).distance
    if (spare >= 0).all():
        assert d == pytest.approx(t, rel=1e-7)
    else:
        assert d > t
    if m == 2:
        assert not len(spare)


@pytest.mark.parametrize("regularize", ["differences", "scores"])
@given(seed=SEEDS, ridge=st.floats(1e-6, 10))
def test_with_lambda_the_bound_has_it_in_the_variance(regularize, seed, ridge):
    x, y = problem(seed)
    d = Reference.of(x, ridge, regularize).distances(y)[0]
    for i, j, places in swapped(x, y):
        difference = x[:, i] - x[:, j]
        added = ridge * (places if regularize == "differences" else 1)
        t = np.sqrt(len(x)) * abs(difference.mean()) / np.sqrt(difference.var(ddof=1) + added)
        assert d >= t * (1 - 1e-9)


def test_the_figure_on_the_page(data):
    """Terabyte 2006, AP, the 15 best systems, ranks 1 and 2 swapped."""
    scores = read_scores(data / "trec" / "terabyte2006_ap.csv")
    top = scores.select(list(scores.order[:15]))
    y = np.arange(15, 0, -1.0)
    y[:2] = y[1], y[0]
    found = rank_distance(top, y)
    assert found.ridge == 0
    assert found.distance == pytest.approx(3.769, abs=5e-4)
    assert stats.ttest_rel(top.values[:, 0], top.values[:, 1]).statistic == pytest.approx(3.182, abs=5e-4)
