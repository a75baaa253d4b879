"""Algorithms 1 to 4 against a second, plain computation from the same samples."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from documents_data import small_collection
from scipy import stats

from truerank.documents import samples as samples_module
from truerank.documents.measures import place_measure
from truerank.documents.models import document_model
from truerank.documents.samples import chunk_sizes, join, raw_scores, sample, sample_chunk, sampled_scores
from truerank.documents.summaries import (
    count_errors,
    error_rates,
    estimated_difference,
    rank_correlation,
    sampled_tau,
    significance_levels,
)
from truerank.documents.summary import replicate_weights
from truerank.errors import InputError
from truerank.numerics.paired_t import absolute_t_of_samples, critical_t

AP = place_measure("AP")
BST = document_model("bst")


@pytest.fixture(scope="module")
def drawn() -> tuple[np.ndarray, np.ndarray]:
    """Raw scores n × m in ranking order, and 300 samples, k × n × m."""
    collection = small_collection()
    ranked = collection.select(raw_scores(collection, AP).order)
    return raw_scores(ranked, AP).values, sampled_scores(ranked, AP, BST, 0, 300, 1)


def test_t_statistics_are_scipys(drawn: tuple[np.ndarray, np.ndarray]) -> None:
    _, scores = drawn
    ours = absolute_t_of_samples(scores)
    for pair, (i, j) in enumerate(itertools.combinations(range(scores.shape[2]), 2)):
        theirs = np.abs(stats.ttest_rel(scores[:, :, i], scores[:, :, j], axis=1).statistic)
        np.testing.assert_allclose(ours[:, pair], theirs, rtol=1e-9)


def test_t_where_there_is_no_spread() -> None:
    """Equal systems: 0; systems a constant apart: infinite, so significant."""
    base = np.random.default_rng(0).random((1, 20, 1))
    t = absolute_t_of_samples(np.concatenate([base, base, base + 0.25], axis=2))
    np.testing.assert_array_equal(t, [[0.0, np.inf, np.inf]])


def test_error_counts_by_hand() -> None:
    """Edges belong to the bin above, also after rounding; equal means and raw ties count as said."""
    raw = np.array([0.5, 0.4, 0.4])
    means = np.array(
        [
            [0.50, 0.47, 0.50],  # 0.03 right; 0 nowhere; −0.03 of a raw tie: counted, no error
            [0.30, 0.40, 0.55],  # −0.10 wrong; −0.25 wrong; −0.15 of the tie
            [0.505, 0.5, 0.495],
        ]
    )
    counts, errors = count_errors(raw, means)
    assert np.flatnonzero(counts[0]).tolist() == [3]
    assert counts[0, 3] == 2
    assert errors[0].sum() == 0
    assert np.flatnonzero(counts[1]).tolist() == [10, 15, 20]
    assert np.flatnonzero(errors[1]).tolist() == [10, 20]
    assert counts[2, 0] == 2  # 0.005 twice
    assert counts[2, 1] == 1  # 0.505 − 0.495, which is 0.010000000000000009 or a hair less


def test_error_rate_is_algorithm_1(drawn: tuple[np.ndarray, np.ndarray]) -> None:
    raw, scores = drawn
    means, raw_means = scores.mean(axis=1), raw.mean(axis=0)
    count, wrong = [0] * 21, [0] * 21
    for i, j in itertools.combinations(range(len(raw_means)), 2):
        d = raw_means[i] - raw_means[j]
        for mean in means:
            di = mean[i] - mean[j]
            if di == 0:
                continue
            place = min(int(abs(di) * 100), 20)
            count[place] += 1
            wrong[place] += d * di < 0
    weights = replicate_weights(len(means), np.random.default_rng(0))
    found = error_rates(raw_means, means, weights, 0.95)
    bins = found.bins
    assert found.share == pytest.approx(sum(wrong) / len(means) / math.comb(len(raw_means), 2))
    assert [b.count for b in bins] == count
    assert [b.errors for b in bins] == wrong
    assert len(bins) == 21
    assert math.isinf(bins[-1].high)
    for b in bins:
        if b.count:
            assert b.error_rate == b.errors / b.count
            assert b.interval.low <= b.error_rate <= b.interval.high
        else:
            assert math.isnan(b.error_rate)


def test_krcc_is_the_mean_of_scipys_tau(drawn: tuple[np.ndarray, np.ndarray]) -> None:
    raw, scores = drawn
    means = scores.mean(axis=1)
    expected = [stats.kendalltau(raw.mean(axis=0), row).statistic for row in means]
    np.testing.assert_allclose(sampled_tau(means), expected, atol=1e-12)
    weights = replicate_weights(len(means), np.random.default_rng(0), 2_000)
    result = rank_correlation(means, weights, 0.95)
    assert result.mean == pytest.approx(np.mean(expected))
    # The Monte Carlo interval is that of a mean; 15% allows for the noise of its 2,000 replicates.
    width = 2 * 1.96 * np.std(expected) / math.sqrt(len(expected))
    assert result.interval.high - result.interval.low == pytest.approx(width, rel=0.15)
    assert result.spread.low == pytest.approx(np.quantile(expected, 0.025))


def test_asl_is_algorithm_3(drawn: tuple[np.ndarray, np.ndarray]) -> None:
    raw, scores = drawn
    n = len(raw)
    weights = replicate_weights(len(scores), np.random.default_rng(0))
    result = significance_levels(
        absolute_t_of_samples(raw[None])[0], absolute_t_of_samples(scores), n, 0.05, weights, 0.95
    )
    levels = []
    raw_significant = []
    for i, j in itertools.combinations(range(raw.shape[1]), 2):
        p = [stats.ttest_rel(x[:, i], x[:, j]).pvalue for x in scores]
        levels.append(np.mean(np.array(p) < 0.05))
        raw_significant.append(stats.ttest_rel(raw[:, i], raw[:, j]).pvalue < 0.05)
    np.testing.assert_allclose(result.of_pairs, levels)
    found = np.round(np.array(levels) * len(scores)).astype(int)  # of 300: 15 are 5%, and 285 are 95%
    assert result.below == pytest.approx(np.mean(found < 15))
    assert result.above == pytest.approx(np.mean(found >= 285))
    assert result.mean == pytest.approx(np.mean(levels))
    assert result.raw_significant == pytest.approx(np.mean(raw_significant))
    assert critical_t(0.05, n) == pytest.approx(stats.t.ppf(0.975, n - 1))
    # The mean ASL's Monte Carlo error is that of the samples' shares of significant pairs.
    share = np.mean(absolute_t_of_samples(scores) > critical_t(0.05, n), axis=1)
    width = 2 * 1.96 * share.std() / math.sqrt(len(share))
    assert result.mean_interval.high - result.mean_interval.low == pytest.approx(width, rel=0.2)


@pytest.mark.parametrize("alpha", [0.05, 0.07, 0.051])
def test_ed_is_algorithm_4(drawn: tuple[np.ndarray, np.ndarray], alpha: float) -> None:
    _, scores = drawn
    means, t = scores.mean(axis=1), absolute_t_of_samples(scores)
    rank = {0.05: 15, 0.07: 21, 0.051: 16}[alpha]  # ⌈α·300⌉
    expected = []
    for pair, (i, j) in enumerate(itertools.combinations(range(means.shape[1]), 2)):
        by_t = sorted(zip(t[:, pair], np.abs(means[:, i] - means[:, j]), strict=True), reverse=True)
        expected.append(by_t[rank - 1][1])
    weights = replicate_weights(len(means), np.random.default_rng(0))
    result = estimated_difference(means, t, alpha, weights, 0.95)
    np.testing.assert_allclose(result.of_pairs, expected)
    assert result.difference == pytest.approx(max(expected), rel=1e-12)
    assert result.pair == list(itertools.combinations(range(means.shape[1]), 2))[int(np.argmax(expected))]


def test_ed_replicates_are_those_of_resampled_samples(drawn: tuple[np.ndarray, np.ndarray]) -> None:
    """The short cut through weights gives what resampling and sorting the samples gives."""
    _, scores = drawn
    means, t = scores.mean(axis=1)[:, :2], absolute_t_of_samples(scores)[:, :1]
    weights = replicate_weights(len(means), np.random.default_rng(0), 50)
    result = estimated_difference(means, t, 0.05, weights, 0.9)
    plain = []
    for row in weights.astype(int):
        again = np.repeat(np.arange(len(means)), row)
        by_t = sorted(zip(t[again, 0], np.abs(means[again, 0] - means[again, 1]), strict=True), reverse=True)
        plain.append(by_t[14][1])
    assert (result.interval.low, result.interval.high) == pytest.approx(
        tuple(np.quantile(plain, [0.05, 0.95]))
    )


def test_replicates_have_the_sample_size() -> None:
    weights = replicate_weights(500, np.random.default_rng(1), 300)
    np.testing.assert_array_equal(weights.sum(axis=1), 500)
    # Each weight is binomial(500, 1/500): variance 0.998; its estimate has a standard error of 0.5%.
    assert weights.var() == pytest.approx(0.998, rel=0.03)


def test_chunks_join_to_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(samples_module, "CHUNK", 50)
    collection = small_collection()
    assert chunk_sizes(120) == [50, 50, 20]
    whole = sample(collection, AP, BST, 120, seed=3)
    parts = [sample_chunk(collection, AP, BST, c, size, 3) for c, size in enumerate([50, 50, 20])]
    backwards = [sample_chunk(collection, AP, BST, c, [50, 50, 20][c], 3) for c in (2, 1, 0)][::-1]
    scores = np.concatenate(
        [sampled_scores(collection, AP, BST, c, size, 3) for c, size in enumerate([50, 50, 20])]
    )
    for joined in (join(parts), join(backwards)):
        np.testing.assert_array_equal(joined.means, whole.means)
        np.testing.assert_array_equal(joined.t, whole.t)
    np.testing.assert_allclose(whole.topic_means, scores.mean(axis=0), atol=1e-14)
    np.testing.assert_allclose(whole.topic_variances, scores.var(axis=0, ddof=1), atol=1e-14)


def test_a_systems_samples_do_not_depend_on_the_others() -> None:
    collection = small_collection()
    all_systems = sampled_scores(collection, AP, BST, 0, 30, 7)
    some = sampled_scores(collection.select([2, 0]), AP, BST, 0, 30, 7)
    np.testing.assert_array_equal(some, all_systems[:, :, [2, 0]])
    other = sampled_scores(collection, AP, BST, 1, 30, 7)
    assert not np.array_equal(other, all_systems)


def test_measures_share_their_samples() -> None:
    """P@5 and AP of one seed are those of the same rankings: RR = 1 where P@1 = 1."""
    collection = small_collection()
    first = sampled_scores(collection, place_measure("P@1"), BST, 0, 40, 2)
    reciprocal = sampled_scores(collection, place_measure("RR"), BST, 0, 40, 2)
    np.testing.assert_array_equal(first == 1, reciprocal == 1)


def test_grades_need_documents() -> None:
    collection = small_collection()
    ndcg = place_measure("nDCG@10")
    with pytest.raises(InputError, match="use the model shared or bst"):
        sampled_scores(collection, ndcg, document_model("kde"), 0, 5, 0)
    assert sampled_scores(collection.at_level(2), ndcg, document_model("kde"), 0, 5, 0).max() <= 1
