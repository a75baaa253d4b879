"""ASL and ED, algorithms 3 and 4, against a second, plain computation from the same samples."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from truerank.documents.summaries import replicate_weights
from truerank.experiments.studies.documents import estimated_difference, significance_levels
from truerank.numerics.pairs import absolute_t_of_samples, critical_t


@pytest.fixture(scope="module")
def drawn() -> tuple[np.ndarray, np.ndarray]:
    """Raw scores n × m in ranking order, and 300 samples, k × n × m."""
    rng = np.random.default_rng(5)
    raw = rng.uniform(0.2, 0.5, (12, 1)) + np.array([0.06, 0.04, 0.03, 0.0]) + rng.normal(0, 0.05, (12, 4))
    return raw, raw + rng.normal(0, 0.06, (300, 12, 4))


def test_asl_is_algorithm_3(drawn: tuple[np.ndarray, np.ndarray]) -> None:
    raw, scores = drawn
    n = len(raw)
    weights = replicate_weights(len(scores), np.random.default_rng(0))
    result = significance_levels(
        absolute_t_of_samples(raw[None])[0], absolute_t_of_samples(scores), n, 0.05, weights, 0.95
    )
    below, above, mean, here = result
    levels = []
    raw_significant = []
    for i, j in itertools.combinations(range(raw.shape[1]), 2):
        p = [stats.ttest_rel(x[:, i], x[:, j]).pvalue for x in scores]
        levels.append(np.mean(np.array(p) < 0.05))
        raw_significant.append(stats.ttest_rel(raw[:, i], raw[:, j]).pvalue < 0.05)
    found = np.round(np.array(levels) * len(scores)).astype(int)  # of 300: 15 are 5%, and 285 are 95%
    assert below.value == pytest.approx(np.mean(found < 15))
    assert above.value == pytest.approx(np.mean(found >= 285))
    assert mean.value == pytest.approx(np.mean(levels))
    assert here.value == pytest.approx(np.mean(raw_significant))
    assert critical_t(0.05, n) == pytest.approx(stats.t.ppf(0.975, n - 1))
    # The mean ASL's Monte Carlo error is that of the samples' shares of significant pairs.
    share = np.mean(absolute_t_of_samples(scores) > critical_t(0.05, n), axis=1)
    width = 2 * 1.96 * share.std() / math.sqrt(len(share))
    assert mean.interval.high - mean.interval.low == pytest.approx(width, rel=0.2)


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
    assert result.value == pytest.approx(max(expected), rel=1e-12)


def test_ed_replicates_are_those_of_resampled_samples(drawn: tuple[np.ndarray, np.ndarray]) -> None:
    """The short cut through weights gives what resampling and sorting the samples gives."""
    _, scores = drawn
    means, t = scores.mean(axis=1)[:, :2], absolute_t_of_samples(scores)[:, :1]
    weights = replicate_weights(len(means), np.random.default_rng(0), 50)
    result = estimated_difference(means, t, 0.05, weights, 0.9)
    interval = result.interval
    plain = []
    for row in weights.astype(int):
        again = np.repeat(np.arange(len(means)), row)
        by_t = sorted(zip(t[again, 0], np.abs(means[again, 0] - means[again, 1]), strict=True), reverse=True)
        plain.append(by_t[14][1])
    assert (interval.low, interval.high) == pytest.approx(tuple(np.quantile(plain, [0.05, 0.95])))
