"""Means and their influence rows against plain computations, other packages' figures, and derivatives."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import ttest_ind, ttest_rel

from truerank.errors import InputError
from truerank.reliability.estimators.eb import eb, posterior
from truerank.reliability.means import AGGREGATES, means_of
from truerank.reliability.means.aggregates import beaten_shares, borda_points
from truerank.reliability.means.data_sets import additive, averaged, data_set_means, sampled
from truerank.reliability.means.means import plain_means
from truerank.scores import ScoreMatrix

SIZES = (4, 7, 12)


def board(seed=0, m=5, sizes=SIZES, share=0.0):
    rng = np.random.default_rng(seed)
    values = rng.normal(np.linspace(0.6, 0.4, m), 0.2, (sum(sizes), m)) + rng.normal(0, 0.3, (sum(sizes), 1))
    values[rng.random(values.shape) < share] = np.nan
    names = np.repeat([f"set {k}" for k in range(len(sizes))], sizes).tolist()
    return ScoreMatrix.build(values, data_sets=names, holes=share > 0)


def test_one_stratum_is_the_plain_mean():
    values = board().values
    values = values[:, np.argsort(-values.mean(axis=0))]
    plain, other = plain_means(values), averaged([data_set_means(values)], np.ones(1))
    one = means_of(ScoreMatrix.build(values, data_sets=["A"] * len(values)))
    for means in (other, one):
        np.testing.assert_allclose(means.theta, plain.theta, rtol=1e-12)
        np.testing.assert_allclose(means.deviations, plain.deviations, rtol=1e-12)
        np.testing.assert_allclose(means.degrees, plain.degrees, rtol=1e-12)
        assert means.effective == pytest.approx(len(values))
        np.testing.assert_allclose(posterior(means).probabilities(), eb(values), rtol=1e-9)


def test_the_plain_mean_gives_the_paired_t_test():
    values = board().values
    means = plain_means(values)
    t = means.differences[0, 3] / means.deviations[0, 3]
    expected = ttest_rel(values[:, 0], values[:, 3])
    assert t == pytest.approx(expected.statistic)
    assert means.degrees[0, 3] == pytest.approx(expected.df, rel=1e-12)


def test_the_average_of_two_data_sets_is_welchs_test():
    """(d̄_A + d̄_B)/2 is half the difference of the means of d_A and −d_B."""
    scores = board(sizes=(5, 11))
    means = means_of(scores)
    d = scores.values[:, 1] - scores.values[:, 2]
    expected = ttest_ind(d[:5], -d[5:], equal_var=False)
    assert means.differences[1, 2] / means.deviations[1, 2] == pytest.approx(expected.statistic)
    assert means.degrees[1, 2] == pytest.approx(expected.df)


@pytest.mark.parametrize("weights", [None, (0.5, 0.2, 0.3)])
def test_the_macro_average_is_the_weighted_mean_of_means(weights):
    scores = board()
    named = None if weights is None else dict(zip(scores.data_sets, weights, strict=True))
    scores = ScoreMatrix.build(
        scores.values, data_sets=[scores.data_sets[k] for k in scores.strata], weights=named
    )
    w = np.array(weights or (1 / 3,) * 3)
    parts = [scores.values[scores.strata == k] for k in range(3)]
    means = means_of(scores)
    expected = sum(a * p.mean(axis=0) for a, p in zip(w, parts, strict=True))
    np.testing.assert_allclose(means.theta, expected, rtol=1e-12)
    assert means.effective == pytest.approx(1 / sum(w**2 / SIZES))
    assert means_of(scores, "topics", "borda").effective == pytest.approx(1 / sum(w**2 / SIZES))
    d = [p[:, 0] - p[:, 1] for p in parts]
    variance = sum(a**2 * x.var(ddof=1) / len(x) for a, x in zip(w, d, strict=True))
    assert means.deviations[0, 1] == pytest.approx(np.sqrt(variance))


def by_dummies(values, weights=None):
    """Additive least squares by numpy: one column a system, one a topic; systems' effects to sum to 0."""
    n, m = values.shape
    t, s = np.nonzero(~np.isnan(values))
    design = np.zeros((len(t), m + n))
    design[np.arange(len(t)), s] = 1
    design[np.arange(len(t)), m + t] = 1
    root = np.sqrt(np.ones(n) if weights is None else weights)[t]
    found = np.linalg.lstsq(design * root[:, None], values[t, s] * root, rcond=None)[0]
    return found[:m] - found[:m].mean(), found[m:] + found[:m].mean()


def test_holes_are_least_squares():
    values = board(share=0.25).values
    theta, topics = by_dummies(values)
    means = means_of(ScoreMatrix.build(values, holes=True))
    np.testing.assert_allclose(means.contrasts, theta, atol=1e-12)
    np.testing.assert_allclose(means.theta, theta + topics.mean(), atol=1e-12)


def test_the_variances_of_rows_that_count_alike_are_those_of_rows_that_do_not():
    """M⁺ M M⁺ = M⁺, against the covariance of the estimates as maps of the scores."""
    rng = np.random.default_rng(1)
    values = rng.normal(size=(12, 5))
    values[rng.uniform(size=values.shape) < 0.3] = np.nan
    values[0, 1:] = np.nan  # a row of one system compares nothing
    for weights in (np.full(12, 1 / 12), np.linspace(1, 2, 12)):
        fit = additive(values, weights)
        columns = []
        for cell in np.argwhere(~np.isnan(values)):
            moved = values.copy()
            moved[tuple(cell)] += 1.0
            columns.append(additive(moved, weights).contrasts - fit.contrasts)
        map_of_scores = np.array(columns).T
        assert fit.variances == pytest.approx(map_of_scores @ map_of_scores.T, abs=1e-12)


def test_a_system_without_a_data_set_is_compared_by_least_squares_of_means():
    scores = board(share=0.1)
    values = scores.values.copy()
    values[scores.strata == 1, 0] = np.nan
    scores = ScoreMatrix.build(values, data_sets=[scores.data_sets[k] for k in scores.strata], holes=True)
    table = np.array([np.add(*_own(values[scores.strata == k])) for k in range(3)])
    expected, levels = by_dummies(table, np.full(3, 1 / 3))
    means = means_of(scores)
    np.testing.assert_allclose(means.contrasts, expected, atol=1e-12)
    np.testing.assert_allclose(means.theta, expected + levels.mean(), atol=1e-12)


def _own(values):
    """Means of one data set and their level, NaN for a system without a score."""
    here = ~np.isnan(values).all(axis=0)
    found = np.full(values.shape[1], np.nan)
    theta, topics = by_dummies(values[:, here])
    found[here] = theta
    return found, topics.mean()


@pytest.mark.parametrize("share", [0.0, 0.2])
@pytest.mark.parametrize("absent", [False, True])
def test_influence_rows_are_derivatives(share, absent):
    """θ̂ and its rows are linear in the scores: what noise adds is what noise alone gives."""
    scores = board(seed=3, share=share)
    values = scores.values.copy()
    if absent:
        values[scores.strata == 0, 2] = np.nan
    names = [scores.data_sets[k] for k in scores.strata]

    def theta(v):
        return means_of(ScoreMatrix.build(v, data_sets=names, holes=True)).theta

    means = means_of(ScoreMatrix.build(values, data_sets=names, holes=True))
    for k in range(3):
        rows = means.influences[means.strata == k]
        np.testing.assert_allclose(rows.sum(axis=0), 0, atol=1e-12)
    rng = np.random.default_rng(1)
    noise = np.where(np.isnan(values), np.nan, rng.standard_normal(values.shape))
    moved = theta(values + noise)
    linear = means_of(ScoreMatrix.build(noise, data_sets=names, holes=True))
    np.testing.assert_allclose(moved - means.theta, linear.theta, atol=1e-10)
    # The linear map is the same for all scores, so rows of noise have the covariance that the map gives them.
    both = means_of(ScoreMatrix.build(values + noise, data_sets=names, holes=True))
    np.testing.assert_allclose(both.influences, means.influences + linear.influences, atol=1e-10)


def test_clusters_of_copies_count_once():
    values = board().values
    twice = ScoreMatrix.build(np.repeat(values, 2, axis=0), clusters=np.repeat(np.arange(len(values)), 2))
    means, plain = means_of(twice), plain_means(values)
    np.testing.assert_allclose(means.theta, plain.theta, rtol=1e-12)
    np.testing.assert_allclose(means.deviations, plain.deviations, rtol=1e-9)
    np.testing.assert_allclose(means.degrees, plain.degrees)
    assert means.effective == pytest.approx(len(values))
    assert means.unit == "cluster"


MTEB = (
    (
        [
            [0.6, 0.9, 0.8, 0.2, 0.3, 0.9],
            [0.0, 0.8, 0.8, 0.5, 0.3, 0.3],
            [0.3, 0.4, 0.5, 0.6, 1.0, 0.8],
            [0.6, 1.0, 0.2, 0.2, 0.6, 0.0],
            [0.0, 0.5, 0.5, 0.9, 0.6, 0.5],
            [0.5, 0.2, 0.0, 0.2, 0.7, 0.2],
            [0.4, 0.0, 0.8, 0.2, 0.3, 0.9],
        ],
        [12.5, 19.0, 17.0, 15.5, 22.0, 19.0],
    ),
    (
        [
            [0.5, 0.8, 0.6, 0.7, 0.1, None],
            [None, 0.9, 0.4, 0.6, 0.1, 0.4],
            [None, 0.2, None, None, 1.0, 0.6],
            [0.6, 0.6, 0.7, 0.2, 0.4, 0.2],
            [0.4, 0.1, 1.0, 0.2, None, 0.3],
            [None, 0.7, 0.1, None, 0.9, 0.9],
            [None, 0.1, 0.2, 0.9, 0.6, None],
        ],
        [9.5, 22.5, 20.5, 15.5, 17.5, 14.5],
    ),
)
"""Scores of six models on seven tasks, and the counts that mteb 2.26.24 ranks them by."""


@pytest.mark.parametrize(("table", "counts"), MTEB)
def test_borda_counts_are_those_of_mteb(table, counts):
    scores = np.array(table, dtype=float)
    np.testing.assert_allclose(borda_points(scores).sum(axis=0), counts, rtol=1e-12)
    names = [f"task {k}" for k in range(7)]
    one = ScoreMatrix.build(scores, names, data_sets=names, holes=True)
    assert means_of(one, "data_sets", "borda").theta.tolist() == pytest.approx(counts, rel=1e-12)
    again = ScoreMatrix.build(np.repeat(scores, 2, axis=0), data_sets=np.repeat(names, 2), holes=True)
    assert means_of(again, "topics", "borda").theta.tolist() == pytest.approx(counts, rel=1e-12)


@pytest.mark.parametrize("which", [0, 1])
def test_win_rates_are_those_of_helm(which):
    """HELM: of each column the mean over the others of 1 for a win and ½ for a tie; then over columns."""
    scores = np.array(MTEB[which][0], dtype=float)
    expected = []
    for s in range(6):
        rates = []
        for row in scores:
            others = [x for o, x in enumerate(row) if o != s and not np.isnan(x)]
            if not np.isnan(row[s]) and others:
                rates.append(np.mean([1.0 if row[s] > x else 0.5 if row[s] == x else 0.0 for x in others]))
        expected.append(np.mean(rates))
    np.testing.assert_allclose(np.nanmean(beaten_shares(scores), axis=0), expected, rtol=1e-12)
    names = [f"task {k}" for k in range(7)]
    one = ScoreMatrix.build(scores, names, data_sets=names, holes=True)
    assert means_of(one, "data_sets", "win-rate").theta.tolist() == pytest.approx(expected, rel=1e-12)
    again = ScoreMatrix.build(np.repeat(scores, 2, axis=0), data_sets=np.repeat(names, 2), holes=True)
    assert means_of(again, "topics", "win-rate").theta.tolist() == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("families", [None, [0, 0, 0, 1, 2, 3, 3]])
@pytest.mark.parametrize("weights", [np.full(7, 1 / 7), np.array([7, 1, 2, 3, 1, 1, 1]) / 16])
def test_the_variance_over_sampled_data_sets_is_unbiased(weights, families):
    """As a quadratic form of independent rows (or families): its trace is Σ W² exactly."""
    groups = np.arange(7) if families is None else np.array(families)
    W = np.bincount(groups, weights)
    expected = float(np.sum(W**2))
    total = 0.0
    for g in range(len(W)):  # one family of variance 1 at a time, the same for all its members
        table = np.zeros((7, 2))
        table[groups == g, 0] = 1.0
        means = sampled(table, weights, None if families is None else groups)
        total += means.deviations[0, 1] ** 2
    assert total == pytest.approx(expected)
    assert means.effective == pytest.approx(1 / expected)
    assert means.degrees[0, 1] == pytest.approx(max(1 / expected - 1, 1))


def test_replicates_of_an_average_are_averages_of_resampled_means():
    scores = board()
    means = means_of(scores)
    found = means.replicates(2000, np.random.default_rng(1))
    np.testing.assert_allclose(found.mean(axis=1), means.theta, atol=1e-12)  # balanced
    spread = found.std(axis=1)
    parts = [scores.values[scores.strata == k] for k in range(3)]
    exact = np.sqrt(sum(p.var(axis=0) / len(p) for p in parts)) / 3
    np.testing.assert_allclose(spread, exact, rtol=4 / np.sqrt(2 * 2000))


def test_resampled_votes_are_votes_of_resampled_data_sets():
    """With two topics a data set has three resamples; all of both are enumerated."""
    rng = np.random.default_rng(4)
    values = rng.uniform(size=(4, 3))
    scores = ScoreMatrix.build(values, data_sets=["A", "A", "B", "B"])
    expected = np.zeros(3)
    chance = {(0, 0): 0.25, (0, 1): 0.5, (1, 1): 0.25}
    for a, p in chance.items():
        for b, q in chance.items():
            table = np.array([values[list(a)].mean(axis=0), values[2:][list(b)].mean(axis=0)])
            expected += p * q * borda_points(table).sum(axis=0)
    draws = 20_000
    found = means_of(scores, "topics", "borda").replicates(draws, np.random.default_rng(2))
    np.testing.assert_allclose(found.mean(axis=1), expected, atol=4 * found.std() / np.sqrt(draws))


def test_a_system_with_one_usable_topic_is_refused():
    values = np.arange(12.0).reshape(6, 2) % 5
    values[1:, 1] = np.nan
    values = np.column_stack([values, values[:, 0] + 0.1])
    with pytest.raises(InputError, match=r"system 'sys2' has [01] usable topic"):
        means_of(ScoreMatrix.build(values, holes=True))


@pytest.mark.parametrize("aggregate", ["borda", "win-rate"])
@pytest.mark.parametrize("question", ["topics", "data_sets"])
def test_votes_are_on_own_means(aggregate, question):
    scores = board(share=0.2)
    table = np.array([np.nanmean(scores.values[scores.strata == k], axis=0) for k in range(3)])
    points = AGGREGATES[aggregate].points(table)
    expected = points.sum(axis=0) if aggregate == "borda" else points.mean(axis=0)
    np.testing.assert_allclose(means_of(scores, question, aggregate).theta, expected, rtol=1e-12)
