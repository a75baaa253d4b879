"""The score matrix: what it refuses, and its ranking."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from truerank._support.notes import Note
from truerank.errors import InputError
from truerank.scores import ScoreMatrix

matrices = arrays(
    np.float64,
    st.tuples(st.integers(1, 6), st.integers(1, 6)),
    elements=st.sampled_from([0, 0.1, 0.25, 0.5, 1]),
)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([[0.1, np.nan]], "system 'sys2' on topic '1' is nan"),
        ([[0.1], [np.inf]], "system 'sys1' on topic '2' is inf"),
        ([0.1, 0.2], "one column of numbers"),
        (np.zeros((0, 3)), "0 topics × 3 systems"),
        ([["a", "b"]], "must be numbers"),
    ],
)
def test_unusable_scores_are_refused(values, message):
    with pytest.raises(InputError, match=message):
        ScoreMatrix.build(values)


@pytest.mark.parametrize(
    ("topics", "systems", "message"),
    [
        (["a", "a"], None, "topic 'a' appears 2 times"),
        (None, ["s", "s"], "system 's' appears 2 times"),
        (["a"], None, "1 topic names, and 2 are needed"),
        (None, ["s", ""], "system 2 has an empty name"),
        (None, ["s", "\ud83d"], "the name of system .* is not text"),
        (["\udc80", "t"], None, "the name of topic .* is not text"),
    ],
)
def test_unusable_names_are_refused(topics, systems, message):
    with pytest.raises(InputError, match=message):
        ScoreMatrix.build(np.eye(2), topics, systems)


def test_scores_are_a_frozen_copy():
    values = np.eye(3)
    scores = ScoreMatrix.build(values)
    values[0, 0] = 9
    assert scores.values[0, 0] == 1
    with pytest.raises(ValueError, match="read-only"):
        scores.values[0, 0] = 2


@given(matrices)
def test_ranking_sorts_by_mean_and_keeps_input_order_in_ties(values):
    scores = ScoreMatrix.build(values)
    exact = [round(sum(round(100 * v) for v in column)) for column in values.T]
    expected = sorted(range(scores.m), key=lambda s: (-exact[s], s))
    assert scores.order.tolist() == expected
    ranked = scores.ranked()
    assert ranked.systems == tuple(f"sys{s + 1}" for s in expected)
    assert np.array_equal(ranked.values, values[:, expected])


def test_rounding_noise_in_means_is_a_tie():
    # 0.1 + 0.2 and 0.3: equal scores whose sums differ in the last bit.
    scores = ScoreMatrix.build([[0.3, 0.1], [0.0, 0.2], [0.0, 0.0]])
    assert scores.order.tolist() == [0, 1]


def test_drop_bottom_keeps_55_of_adhoc6(data):
    import truerank

    scores = truerank.read_scores(data / "trec" / "adhoc6_ap.csv")
    kept = scores.drop_bottom(0.25)
    assert (scores.m, kept.m) == (74, 55)
    assert min(kept.means) >= np.quantile(scores.means, 0.25)
    assert [s for s in scores.systems if s in kept.systems] == list(kept.systems)
    with pytest.raises(InputError, match=r"\[0, 1\)"):
        scores.drop_bottom(1.0)


def test_fingerprint_sees_every_part():
    scores = ScoreMatrix.build(np.eye(2), ["a", "b"], ["s", "t"], "AP")
    others = [
        ScoreMatrix.build(np.eye(2) * 2, ["a", "b"], ["s", "t"], "AP"),
        ScoreMatrix.build(np.eye(2), ["a", "c"], ["s", "t"], "AP"),
        ScoreMatrix.build(np.eye(2), ["a", "b"], ["s", "u"], "AP"),
        ScoreMatrix.build(np.eye(2), ["a", "b"], ["s", "t"], "P"),
    ]
    assert scores.fingerprint() == ScoreMatrix.build(np.eye(2), ["a", "b"], ["s", "t"], "AP").fingerprint()
    assert len({m.fingerprint() for m in (scores, *others)}) == 5


def test_drop_identical_keeps_the_first_of_each_group():
    values = [[0.1, 0.2, 0.1, 0.3, 0.2, 0.1], [0.4, 0.3, 0.4, 0.2, 0.3, 0.5]]
    scores = ScoreMatrix.build(values, systems=list("abcdef"), notes=[Note("x", {"text": "before"})])
    kept = scores.drop_identical()
    # a and c, b and e agree on both topics; a, b and d share the mean 0.25 only.
    assert kept.systems == ("a", "b", "d", "f")
    assert np.array_equal(kept.values, scores.values[:, [0, 1, 3, 5]])
    assert kept.warnings == (
        "before",
        "2 systems with the same scores as another on every topic left out: c (as a); e (as b)",
    )
    assert kept.drop_identical() is kept


def test_the_thesis_counts_distinct_columns_of_precision_at_ten(data):
    """bavdaz-2018 §5.1 has 76 systems of TREC Web 2010, of which 88 runs were submitted."""
    import truerank

    assert truerank.read_scores(data / "trec" / "web2010_p10.csv").drop_identical().m == 76
    values = truerank.read_scores(data / "trec" / "web2010_p10.csv").values
    assert len(np.unique(values.T, axis=0)) == 76
