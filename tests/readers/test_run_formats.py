"""Runs and judgments in the formats of ranx, BEIR and MTEB: the files that they wrote, and spoilt ones."""

from __future__ import annotations

import json
import math
import sys
from collections import namedtuple
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import truerank
from truerank.cli import run
from truerank.errors import InputError, UnknownNameError
from truerank.readers.run_formats import holds_run, read_qrels, read_run

FIXTURES = Path(__file__).parent / "fixtures"
RANX, BEIR, MTEB = (FIXTURES / name for name in ("ranx", "beir", "mteb"))
MEASURES = {"map": "AP", "ndcg@10": "nDCG@10", "precision@5": "P@5", "mrr": "RR", "recall@10": "R@10"}
SYSTEMS = ("BM25", "dense", "hybrid")
QRELS = [RANX / "qrels.json", RANX / "qrels.parquet", RANX / "qrels.trec", BEIR / "test.tsv"]


def refused(call, *args, error=InputError, **kwargs) -> str:
    with pytest.raises(error) as caught:
        call(*args, **kwargs)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("theirs", MEASURES)
def test_scores_are_those_of_ranx(theirs):
    expected = json.loads((RANX / "scores.json").read_text())
    found = truerank.evaluate(
        RANX / "qrels.json", [RANX / f"{name}.json" for name in SYSTEMS], MEASURES[theirs]
    )
    assert found.systems == SYSTEMS
    for name, column in zip(found.systems, found.values.T, strict=True):
        own = [expected[name][theirs][topic] for topic in found.topics]
        np.testing.assert_allclose(column, own, rtol=0, atol=1e-12)
        assert math.isclose(column.mean(), sum(own) / len(own), abs_tol=1e-12)


def test_every_format_of_ranx_holds_the_same_run():
    runs = {kind: read_run(RANX / f"BM25.{kind}") for kind in ("json", "parquet", "trec")}
    assert len(runs["json"].documents) == 6
    assert sum(map(len, runs["json"].documents.values())) == 120
    for kind, one in runs.items():
        assert one.documents == runs["json"].documents, kind
        assert one.tag == ("BM25" if kind == "trec" else "")


@pytest.mark.parametrize("path", QRELS, ids=lambda path: path.name)
def test_every_format_holds_the_same_judgments(path):
    judged = read_qrels(path)
    assert judged == read_qrels(QRELS[0])
    assert sum(map(len, judged.values())) == 180
    assert all(isinstance(grade, int) for one in judged.values() for grade in one.values())


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("results.csv", "qid,docno,rank,score\nq1,d1,0,2.5\nq1,d2,1,1e-1\n"),
        ("results.tsv", "query-id\tcorpus-id\tscore\r\nq1\td1\t2.5\r\nq1\td2\t0.1\r\n"),
        ("run.json", '\ufeff {"q1": {"d1": 2.5, "d2": 0.1}, "q2": {}}'),
        ("run.txt", "q1 Q0 d1 1 2.5 x\nq1 Q0 d2 2 .1 x\n"),
    ],
)
def test_a_run_is_told_by_its_content(write, name, text):
    for path in (write(name, text), write(f"{name}.gz", text, compress=True), write("anything", text)):
        assert read_run(path).documents == {"q1": {"d1": 2.5, "d2": 0.1}}
        assert holds_run(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"q1": {"d1": 0.5, "d2"', ":1: the JSON breaks off here"),
        ('{"q1": {"d1": 0.5,\n "d1": 0.25}}', ": the name 'd1' is there twice"),
        ('{"q1": {"d1": NaN}}', ": document 'd1' of topic 'q1' has the score nan"),
        ('{"q1": {}}', ": no documents; give topic"),
        ('{"q1": 0.5}', ": JSON, but not of topic → document → score"),
        ("qid,docno,score\nq1,d1,0.5\nq1,d1,0.25\n", ":3: document 'd1' already has a score for topic 'q1'"),
        ("qid,docno,score\nq1,d1,1_0\n", ":2: document 'd1' of topic 'q1' has the score '1_0'"),
        ("", ": the file is empty"),
    ],
)
def test_runs_that_cannot_be_read(write, text, message, capsys):
    path = write("run", text)
    assert message in refused(read_run, path)
    assert run(["evaluate", path, "--qrels", str(QRELS[0]), "-m", "AP", "-o", path + "-tables"]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert not Path(path + "-tables").exists()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"q1": {"d1": 0.5}}', ": document 'd1' of topic 'q1' has the relevance 0.5"),
        ("query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\td1\t2\n", ":3: document 'd1' already has a rel"),
    ],
)
def test_judgments_that_cannot_be_read(write, text, message):
    assert message in refused(read_qrels, write("qrels", text))


@pytest.mark.parametrize("name", ["BM25.parquet", "qrels.parquet"])
def test_cut_off_files(write, name):
    data = (RANX / name).read_bytes()
    for length in (5, len(data) // 2, len(data) - 5):
        message = refused(read_run, write(name, data[:length]))
        assert "broken" in message


def test_the_format_that_is_named():
    path = str(RANX / "BM25.json")
    assert "did you mean 'json'" in refused(read_run, path, "jsn", error=UnknownNameError)
    assert "a run has 6" in refused(read_run, path, "trec")


# ── objects ───────────────────────────────────────────────────────────────────────────────────────


def test_objects_of_libraries():
    judged = read_qrels(QRELS[0])
    documents = {name: read_run(RANX / f"{name}.json").documents for name in SYSTEMS}
    expected = truerank.evaluate(judged, documents, "AP")
    frames = {
        name: pd.DataFrame(
            [(topic, doc, score) for topic, one in documents[name].items() for doc, score in one.items()],
            columns=["q_id", "doc_id", "score"],
        )
        for name in SYSTEMS
    }
    scored = namedtuple("ScoredDoc", ["query_id", "doc_id", "score"])
    graded = namedtuple("Qrel", ["query_id", "doc_id", "relevance", "iteration"])
    tuples = {name: [scored(*row) for row in frames[name].itertuples(index=False)] for name in SYSTEMS}
    qrels = [graded(topic, doc, grade, "0") for topic, one in judged.items() for doc, grade in one.items()]
    for given in (documents, frames, tuples):
        for judgments in (judged, qrels, iter(qrels), QRELS[3]):
            found = truerank.evaluate(judgments, given, "AP")
            assert found.systems == SYSTEMS
            assert (found.values == expected.values).all()


# ── ir_datasets ───────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def ir_datasets(monkeypatch):
    """A package of its shape, with judgments, none, and some that cannot be read."""
    package = ModuleType("ir_datasets")
    row = namedtuple("TrecQrel", ["query_id", "doc_id", "relevance", "iteration"])
    judged = [
        row(topic, doc, grade, "0")
        for topic, one in read_qrels(QRELS[0]).items()
        for doc, grade in one.items()
    ]
    sets = {
        "made/judged": SimpleNamespace(qrels_iter=lambda: iter(judged)),
        "docs-only": SimpleNamespace(),
        "broken": SimpleNamespace(qrels_iter=lambda: {}["mirror"]),
    }
    package.load = sets.__getitem__
    package.__spec__ = SimpleNamespace(name="ir_datasets")
    monkeypatch.setitem(sys.modules, "ir_datasets", package)


@pytest.mark.usefixtures("ir_datasets")
def test_judgments_by_their_id():
    runs = [RANX / f"{name}.json" for name in SYSTEMS]
    expected = truerank.evaluate(QRELS[0], runs, "AP")
    assert (truerank.evaluate("made/judged", runs, "AP").values == expected.values).all()
    message = refused(truerank.evaluate, "docs-only", runs, "AP")
    assert "has no judgments of it (AttributeError" in message
    assert "KeyError" in refused(truerank.evaluate, "broken", runs, "AP")
    assert "no such file" in refused(truerank.evaluate, "nowhere", runs, "AP")


def test_three_columns_of_ms_marco_are_a_run_and_no_scores(write):
    path = write("x.run", "".join(f"{301 + k}\tD{k}_{d}\t{d}\n" for k in range(4) for d in (1, 2, 3)))
    with pytest.raises(InputError, match="reads as a run or judgments, not as scores"):
        truerank.read_scores(path)
