"""The bootstrap test: enumeration, Monte Carlo agreement, and the saved distribution."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plain_distance import AP, P10, by_enumeration, enumerated_p_value, problem, values_of

import truerank
from truerank.comparison.distance import BootstrapDistribution, Reference, rank_distance_test
from truerank.comparison.distance.rank_distance import bootstrap_distribution
from truerank.errors import InputError
from truerank.scores import ScoreMatrix


def test_the_enumerated_example():
    test = rank_distance_test(AP, P10)
    assert test.exact
    assert test.resamples == 256
    assert test.p_value == 54 / 256  # all 256 resamples; the paper's 10,000 random ones gave 0.21
    assert test.p_value == enumerated_p_value(test.distance, AP)
    assert [rank_distance_test(AP, values_of(r)).p_value for r in ("ABC", "ACB", "BAC", "CAB")] == [0] * 4
    assert rank_distance_test(AP, values_of("CBA")).p_value == 1


@settings(max_examples=15)
@given(n=st.integers(2, 5), seed=st.integers(0, 2**32 - 1))
def test_enumeration_counts_every_resample_once(n, seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(0.4, 0.1, (n, 2)) - [0, 0.02]
    made = bootstrap_distribution(Reference.of(x, ridge=1e-4), exact=True)
    assert made.resamples == made.counts.sum() == n**n
    plain = []
    for topics in np.ndindex(*[n] * n):
        means = x[list(topics)].mean(axis=0)
        order = [0, 1] if means[0] >= means[1] else [1, 0]
        plain.append(by_enumeration(*problem(order, x, 1e-4)))
    for distance in (0.01, 0.5, 1.0, max(plain)):
        assert made.p_value(distance) == np.mean(np.array(plain) >= distance - 1e-9)


def test_samples_agree_with_the_enumeration():
    x = np.random.default_rng(3).normal(0.4, 0.1, (6, 4)) - 0.03 * np.arange(4)
    reference = Reference.of(x)
    exact = bootstrap_distribution(reference)
    drawn = bootstrap_distribution(reference, resamples=20_000, exact=False, seed=5)
    assert exact.exact
    assert not drawn.exact
    for distance in np.quantile(exact.distances, [0.2, 0.5, 0.8]):
        p = exact.p_value(distance)
        # Four standard errors of a share of 20,000 samples.
        assert drawn.p_value(distance) == pytest.approx(p, abs=4 * np.sqrt(p * (1 - p) / 20_000) + 1e-12)


def test_other_topics_of_the_same_scores_are_rarely_significant():
    # What the test is for: a ranking by resampled topics is rejected about as often as it says.
    x = np.random.default_rng(1).normal(0.4, 0.1, (40, 10)) - 0.01 * np.arange(10)
    reference = Reference.of(x)
    known = bootstrap_distribution(reference, resamples=4000)
    counts = np.random.default_rng(2).multinomial(40, np.full(40, 1 / 40), 2000)
    p = np.array([known.p_value(d) for d in reference.distances(counts @ x / 40)])
    # A share of 2,000 against a quantile of 4,000: standard error √(0.1·0.9·(1/2000 + 1/4000)).
    assert np.mean(p <= 0.1) == pytest.approx(0.1, abs=4 * 0.0082)


def test_the_same_seed_gives_the_same_digits_on_any_number_of_threads(monkeypatch):
    x = np.random.default_rng(3).normal(0.4, 0.1, (30, 12))
    first = rank_distance_test(x, np.arange(12), resamples=300, seed=7).distribution
    assert (
        first.distances.tolist()
        == rank_distance_test(x, np.arange(12), resamples=300, seed=7).distribution.distances.tolist()
    )
    assert (
        first.distances.tolist()
        != rank_distance_test(x, np.arange(12), resamples=300, seed=8).distribution.distances.tolist()
    )
    monkeypatch.setattr("truerank._support.resources.processors", lambda: 5)
    again = rank_distance_test(x, np.arange(12), resamples=300, seed=7).distribution
    assert first.distances.tolist() == again.distances.tolist()


@given(
    st.lists(
        st.tuples(st.floats(0, 10), st.integers(1, 50)), min_size=1, max_size=20, unique_by=lambda p: p[0]
    ),
    st.floats(0.001, 0.999),
)
def test_critical_values_are_quantiles_and_match_p(pairs, alpha):
    distances, counts = (np.array(part) for part in zip(*sorted(pairs), strict=True))
    made = BootstrapDistribution(
        distances, counts.astype(np.int64), int(counts.sum()), False, 0, 0.0, "differences", "", "", 5, 3
    )
    value = made.critical_value(alpha)
    assert value in distances
    assert made.p_value(value + 2.5e-9) <= alpha
    assert made.p_value(value) > alpha or value == distances[0]


def test_a_saved_distribution_serves_new_rankings(tmp_path):
    x = ScoreMatrix.build(np.random.default_rng(3).normal(0.4, 0.1, (30, 5)), measure="AP")
    first = rank_distance_test(x, [1, 2, 3, 4, 5], resamples=200, seed=3)
    path = tmp_path / "ap.json"
    first.distribution.save(path)
    loaded = BootstrapDistribution.load(path)
    assert loaded.distances.tolist() == first.distribution.distances.tolist()
    again = rank_distance_test(x, [1, 2, 3, 4, 5], distribution=loaded)
    assert (again.p_value, again.resamples, again.seed) == (first.p_value, 200, 3)
    fresh = rank_distance_test(x, [2, 1, 3, 4, 5], resamples=200, seed=3)
    assert rank_distance_test(x, [2, 1, 3, 4, 5], distribution=loaded).p_value == fresh.p_value
    assert (
        rank_distance_test(x, [2, 1, 3, 4, 5], distribution=loaded).critical_values == fresh.critical_values
    )
    assert truerank.compare(x, [1, 2, 3, 4, 5], distribution=path).distance.p_value == first.p_value
    with pytest.raises(InputError, match="other scores"):
        truerank.compare(x.select([0, 1, 2]), [1, 2, 3], distribution=path)
    with pytest.raises(InputError, match="saved"):
        truerank.compare(x, [1, 2, 3, 4, 5], distribution=tmp_path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": 1}, "version 1 of the format"),
        ({"format": "other"}, "not a saved bootstrap distribution"),
        ({"counts": [1]}, "damaged"),
        ({"checksum": None}, "damaged"),
    ],
)
def test_a_damaged_file_is_refused(tmp_path, change, message):
    path = tmp_path / "made.json"
    bootstrap_distribution(Reference.of(AP)).save(path)
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(InputError, match=message):
        BootstrapDistribution.load(path)


def test_a_flipped_bit_never_gives_another_distribution(tmp_path):
    path, made = tmp_path / "made.json", bootstrap_distribution(Reference.of(AP))
    made.save(path)
    data, rng = path.read_bytes(), np.random.default_rng(12)
    messages = []
    for bit in rng.choice(8 * len(data), 60, replace=False):
        flipped = bytearray(data)
        flipped[bit // 8] ^= 1 << bit % 8
        path.write_bytes(flipped)
        try:
            found = BootstrapDistribution.load(path)
        except InputError as error:
            messages.append(str(error))
        else:  # 1e-5 and 1E-5 are the same number
            assert found.distances.tolist() == made.distances.tolist()
            assert found.counts.tolist() == made.counts.tolist()
    assert len(messages) > 55
    assert all(message.startswith(str(path)) for message in messages)
