"""The same topics in another order give the same digits, whatever kind of table they are in."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import truerank
from truerank.readers import with_machine
from truerank.reliability.means.means_of import canonical_rows
from truerank.scores import ScoreMatrix

SETTINGS = {"draws": 300, "resamples": 300, "seed": 1}


def digits(scores, **options):
    """Everything random in an assessment, exactly."""
    found = truerank.assess(scores, **SETTINGS, **options)
    document = found.to_dict()
    return [document.get(key) for key in ("estimates", "ranking", "swap_probabilities", "best", "machine")]


def scores_of(rng, n, m):
    return (rng.uniform(size=(n, 1)) + rng.normal(np.linspace(0.2, 0, m), 0.2, (n, m))).round(2)


@given(st.integers(0, 2**31), st.sampled_from([4, 8, 13]))
def test_shuffled_topics_of_one_table(seed, n):
    rng = np.random.default_rng(seed)
    values = scores_of(rng, n, 5)
    values[0] = values[1]  # two topics may hold the same
    assert digits(values) == digits(values[rng.permutation(n)])


@pytest.mark.parametrize("columns", [{}, {"cluster": "cluster"}, {"dataset": "data_set"}, "both", "holes"])
def test_shuffled_topics_of_data_sets_and_clusters(columns):
    rng = np.random.default_rng(0)
    n, values = 24, None
    sets = np.array([f"d{t % 3}" for t in range(n)]) if columns in ({"dataset": "data_set"}, "both") else None
    clusters = (
        np.array([f"c{t // 2}" for t in range(n)]) if columns in ({"cluster": "cluster"}, "both") else None
    )
    values = np.round(scores_of(rng, n, 4), 1)  # coarse, so that topics of different clusters hold the same
    if columns == "holes":
        values[rng.random(values.shape) < 0.1] = np.nan

    def table(rows):
        return ScoreMatrix.build(
            values[rows],
            [f"t{t}" for t in rows],
            holes=columns == "holes",
            data_sets=None if sets is None else sets[rows].tolist(),
            clusters=None if clusters is None else clusters[rows].tolist(),
            weights=None if sets is None else {"d0": 1, "d1": 2, "d2": 3},
        )

    for question in ("topics", "data_sets") if sets is not None else (None,):
        first = digits(table(np.arange(n)), generalize_to=question)
        assert first == digits(table(rng.permutation(n)), generalize_to=question)


def test_shuffled_topics_of_both_judges():
    rng = np.random.default_rng(0)
    people = scores_of(rng, 40, 4)
    machine = people + rng.normal([0.1, 0, 0, 0], 0.1, people.shape)
    names = np.array([f"t{t}" for t in range(40)])

    def joined(some, every):
        return with_machine(
            ScoreMatrix.build(people[some], names[some].tolist()),
            ScoreMatrix.build(machine[every], names[every].tolist()),
        )

    first = digits(joined(np.arange(12), np.arange(40)))
    assert first == digits(joined(rng.permutation(12), rng.permutation(40)))


@given(
    st.lists(
        st.lists(st.sampled_from([-2.5, -0.0, 0.0, 1e-300, 0.3, 7.0]), min_size=3, max_size=3), min_size=3
    )
)
def test_topics_are_in_the_order_of_their_numbers(rows):
    """Lexicographic, so that neither the unit of the scores nor how a number is stored matters."""
    found = canonical_rows(ScoreMatrix.build(rows)).values
    assert [row.tolist() for row in found] == sorted(rows)
    in_other_unit = canonical_rows(ScoreMatrix.build(np.array(rows) * 1e50)).values
    assert np.array_equal(in_other_unit, found * 1e50)


def test_data_sets_are_in_the_order_of_the_scores():
    """Not in that of their names, by which rows are ordered before anything is drawn."""
    names = [f"set {t}" for t in range(12)]
    values = np.random.default_rng(1).normal([0.6, 0.5, 0.4], 0.1, (12, 3))
    found = truerank.assess(ScoreMatrix.build(values, data_sets=names), draws=50)
    assert [one.name for one in found.data_sets or ()] == names
