"""Algorithms 1 and 2 against a second, plain computation from the same samples."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from documents_data import small_collection
from scipy import stats

from truerank.documents import samples as samples_module
from truerank.documents.analysis import summarize
from truerank.documents.measures import place_measure
from truerank.documents.models import document_model
from truerank.documents.samples import (
    DocumentSettings,
    averaged,
    chunk_sizes,
    join,
    raw_scores,
    sample,
    sampled_scores,
)
from truerank.documents.summaries import (
    count_errors,
    error_bins,
    replicate_weights,
    sampled_tau,
)
from truerank.scores import ScoreMatrix

AP = place_measure("AP")
BST = document_model("bst")


@pytest.fixture(scope="module")
def drawn() -> tuple[np.ndarray, np.ndarray]:
    """Raw scores n × m in ranking order, and 300 samples, k × n × m."""
    collection = small_collection()
    ranked = collection.select(raw_scores(collection, AP).order)
    return raw_scores(ranked, AP).values, sampled_scores(ranked, AP, BST, 0, 300, 1)


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
    bins = error_bins(*count_errors(raw_means, means), weights, 0.95)
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


def test_an_interval_of_a_rate_of_0_or_1_has_a_width() -> None:
    """Wilson's interval on the samples with pairs in the bin, as SciPy has it."""
    right, wrong = [0.5, 0.3], [0.35, 0.5]
    counted = count_errors(np.array([0.5, 0.4]), np.array([right] * 40 + [wrong] * 20))
    bins = error_bins(*counted, np.ones((400, 60), dtype=np.float32), 0.95)
    for place, rate, samples in ((20, 0.0, 40), (15, 1.0, 20)):
        expected = stats.binomtest(round(rate * samples), samples).proportion_ci(0.95, "wilson")
        assert bins[place].error_rate == rate
        assert (*bins[place].interval,) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_krcc_is_the_mean_of_scipys_tau(drawn: tuple[np.ndarray, np.ndarray]) -> None:
    raw, scores = drawn
    means = scores.mean(axis=1)
    expected = [stats.kendalltau(raw.mean(axis=0), row).statistic for row in means]
    np.testing.assert_allclose(sampled_tau(means), expected, atol=1e-12)
    order = np.argsort(-raw.mean(axis=0), kind="stable")
    settings = DocumentSettings("", 1, len(scores), len(scores), 0.95)
    ranked = ScoreMatrix.build(raw[:, order], measure="AP")
    result = summarize(ranked, averaged(scores[:, :, order]), BST, settings)
    assert result.krcc == pytest.approx(np.mean(expected))
    # The Monte Carlo interval is that of a mean; 25% allows for the noise of its 400 replicates.
    width = 2 * 1.96 * np.std(expected) / math.sqrt(len(expected))
    interval = result.intervals.krcc
    assert interval.high - interval.low == pytest.approx(width, rel=0.25)
    assert result.spread.tau.low == pytest.approx(np.quantile(expected, 0.025))


def test_chunks_join_to_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(samples_module, "CHUNK", 50)
    collection = small_collection()
    assert chunk_sizes(120) == [50, 50, 20]
    whole = sample(collection, AP, BST, 120, seed=3)
    parts = [averaged(sampled_scores(collection, AP, BST, c, size, 3)) for c, size in enumerate([50, 50, 20])]
    backwards = [averaged(sampled_scores(collection, AP, BST, c, [50, 50, 20][c], 3)) for c in (2, 1, 0)][
        ::-1
    ]
    scores = np.concatenate(
        [sampled_scores(collection, AP, BST, c, size, 3) for c, size in enumerate([50, 50, 20])]
    )
    for joined in (join(parts), join(backwards)):
        np.testing.assert_array_equal(joined.means, whole.means)
    np.testing.assert_allclose(whole.topic_means, scores.mean(axis=0), atol=1e-14)
    np.testing.assert_allclose(whole.topic_variances, scores.var(axis=0, ddof=1), atol=1e-14)


def test_a_systems_samples_do_not_depend_on_the_others() -> None:
    collection = small_collection()
    all_systems = sampled_scores(collection, AP, BST, 0, 30, 7)
    some = sampled_scores(collection.select([2, 0]), AP, BST, 0, 30, 7)
    np.testing.assert_array_equal(some, all_systems[:, :, [2, 0]])
    other = sampled_scores(collection, AP, BST, 1, 30, 7)
    assert not np.array_equal(other, all_systems)
