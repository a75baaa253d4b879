"""Measures from places: against ir_measures, and against a walk down the list."""

from __future__ import annotations

import ir_measures
import numpy as np
import pytest
from documents_data import random_list, small_collection
from hypothesis import given
from hypothesis import strategies as st
from plain_documents import walk_ap, walk_ndcg

from truerank.documents.collection import read_collection
from truerank.documents.measures import place_measure
from truerank.documents.samples import observed_places, raw_scores
from truerank.errors import InputError, UnknownNameError

MEASURES = ["AP", "AP(rel=2)", "AP@20", "P@10", "P(rel=2)@5", "Rprec", "RR", "nDCG", "nDCG@10", "R@15"]

score = st.one_of(
    st.integers(-3, 3).map(float),
    st.floats(-10, 10, width=32),
    st.sampled_from([1 + 1e-9, 1e38, 1e300, -1e300, 1e-40]),
)
topic = st.fixed_dictionaries(
    {
        "run": st.dictionaries(st.sampled_from("abcdefghijklé"), score, max_size=12),
        "qrels": st.dictionaries(st.sampled_from("abcdefghijklé"), st.integers(-1, 3), min_size=1),
    }
)


@given(st.lists(topic, min_size=1, max_size=3))
def test_raw_scores_are_those_of_ir_measures(topics: list[dict[str, dict[str, float]]]) -> None:
    """Ties, scores beyond 32 bits, negative grades, topics without documents or relevant ones."""
    qrels = {f"t{i}": t["qrels"] for i, t in enumerate(topics)}
    run = {f"t{i}": t["run"] for i, t in enumerate(topics) if t["run"]}
    if not run:
        return
    collection = read_collection(qrels, {"run": run})
    for name in MEASURES:
        ours = raw_scores(collection, place_measure(name))
        assert ours.measure == str(ir_measures.parse_measure(name))
        theirs = ir_measures.iter_calc([ir_measures.parse_measure(name)], qrels, run)
        expected = {metric.query_id: metric.value for metric in theirs}
        for t, value in zip(ours.topics, ours.values[:, 0], strict=True):
            assert value == pytest.approx(expected[t], abs=1e-12), name


@pytest.mark.parametrize("seed", range(2))
def test_against_a_walk_down_the_list(seed: int) -> None:
    documents = random_list(np.random.default_rng(seed))
    places = observed_places(documents)
    ap = place_measure("AP").scores(places)[0]
    assert ap == pytest.approx(walk_ap(documents.grades, len(documents.missing)), abs=1e-12)
    ndcg = place_measure("nDCG@10").scores(places)[0]
    assert ndcg == pytest.approx(walk_ndcg(documents.grades, documents.missing, 10), abs=1e-12)


def test_names_levels_and_parameters() -> None:
    assert place_measure("map").name == "AP"
    assert place_measure("P_10").name == "P@10"
    assert place_measure("AP", 2).level == 2
    assert place_measure("AP(rel=2)", 2).name == "AP(rel=2)"
    assert place_measure("nDCG@10").graded
    with pytest.raises(UnknownNameError, match="did you mean"):
        place_measure("nDGC@10")
    for name, level, message in (
        ("ERR@20", None, "choose from AP"),
        ("nDCG(dcg='exp-log2')@10", None, "dcg is not known"),
        ("AP(judged_only=True)", None, "judged_only"),
        ("nDCG", 2, "no relevance level"),
        ("AP(rel=1)", 2, "names its own"),
        ("AP", 0, "from 1 on"),
    ):
        with pytest.raises(InputError, match=message):
            place_measure(name, level)


def test_level_moves_documents_out_of_the_relevant() -> None:
    collection = small_collection().at_level(2)
    assert not collection.graded
    for row in collection.lists:
        for documents, judged in zip(row, collection.judged, strict=True):
            relevant = int(np.count_nonzero(judged))
            assert len(documents.relevant) + len(documents.missing) == relevant
