"""Ranked runs: trec_eval's order, documents as numbers, and what tells two collections apart."""

from __future__ import annotations

import ir_measures
import pytest
from hypothesis import given
from hypothesis import strategies as st

from truerank.readers import RankedRuns, read_ranked_runs
from truerank.readers.run_formats import trec_order

scores_of = st.one_of(st.integers(-3, 3).map(float), st.floats(allow_nan=False, allow_infinity=False))
documents = st.dictionaries(st.text(st.characters(categories=["L", "N"]), min_size=1), scores_of, min_size=1)


@given(documents)
def test_the_order_is_trec_evals(run: dict[str, float]) -> None:
    """Against trec_eval itself: reciprocal rank, with one document relevant at a time, gives its place."""
    ranked = trec_order(run)
    assert sorted(ranked) == sorted(run)
    names = {document: f"d{place:03d}" for place, document in enumerate(sorted(run))}
    plain = {names[document]: score for document, score in run.items()}
    for place, document in enumerate(trec_order(plain), start=1):
        found = ir_measures.calc_aggregate([ir_measures.RR], {"q": {document: 1}}, {"q": plain})
        assert found[ir_measures.RR] == pytest.approx(1 / place)


QRELS = {"1": {"x": 0, "y": 2, "z": -1}, "2": {"x": 1}, "3": {"w": 1}}
RUNS = {
    "a": {"1": {"p": 1.0, "y": 1.0, "q": 3.0, "x": 0.5}, "9": {"x": 1.0}},
    "b": {"1": {"q": 1.0, "o": 2.0}, "2": {"x": 1.0, "p": 2.0}},
}


def test_documents_are_numbered_the_same_in_all_runs() -> None:
    """The judged ones by the qrels, then the others as they come; topics that no run has are left out."""
    runs = read_ranked_runs(QRELS, RUNS, scores=True)
    assert (runs.topics, runs.systems) == (("1", "2"), ("a", "b"))
    assert [grades.tolist() for grades in runs.grades] == [[0, 2, -1], [1]]
    assert [[one.tolist() for one in row] for row in runs.rankings] == [[[3, 1, 4, 0], []], [[5, 3], [1, 0]]]
    assert runs.scores is not None
    assert [[one.tolist() for one in row] for row in runs.scores] == [[[3, 1, 1, 0.5], []], [[2, 1], [2, 1]]]
    assert runs.pool(0, 1).tolist() == [3, 5]
    assert "1 topic of the runs without judgments, ignored (9)" in runs.warnings
    assert read_ranked_runs(QRELS, RUNS).scores is None


def test_fingerprints_tell_data_apart() -> None:
    def read(qrels: object = QRELS, runs: object = RUNS, **options: bool) -> RankedRuns:
        return read_ranked_runs(qrels, runs, **options)  # type: ignore[arg-type]

    again = [read(), read()]
    assert again[0].fingerprint() == again[1].fingerprint()
    others = [
        read(scores=True),
        read(qrels=QRELS | {"2": {"x": 2}}),
        read(runs={"a": RUNS["a"], "c": RUNS["b"]}),
        read(runs={"a": RUNS["a"], "b": RUNS["b"] | {"2": {"x": 2.0, "p": 1.0}}}),
        read(runs={"a": RUNS["a"], "b": RUNS["b"] | {"2": {"x": 2.0, "p": 1.0}}}, scores=True),
    ]
    assert len({one.fingerprint() for one in (again[0], *others)}) == 1 + len(others)
