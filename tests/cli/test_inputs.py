"""What commands read: several files, folders, runs by judgments of their own; and `truerank import`."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import truerank
from truerank.cli import run

FIXTURES = Path(__file__).parents[1] / "readers" / "fixtures"
RANX = FIXTURES / "ranx"
SYSTEMS = ("BM25", "dense", "hybrid")
RUNS = [RANX / f"{name}.json" for name in SYSTEMS]
QRELS = FIXTURES / "beir" / "test.tsv"
FAST = ("--resamples", "60", "--quiet")


def document(capsys, *arguments):
    assert run([str(a) for a in arguments] + ["--json", "-"]) == 0
    return json.loads(capsys.readouterr().out)


def refused(capsys, *arguments):
    assert run([str(a) for a in arguments]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    return err


@pytest.fixture
def scores():
    return truerank.evaluate(QRELS, RUNS, "AP")


@pytest.fixture
def places(tmp_path, scores):
    """The same scores as a table, trec_eval's output, a folder of runs, and a ranking file."""
    truerank.write_scores(scores, tmp_path / "table.csv")
    for folder in ("evals", "runs"):
        (tmp_path / folder).mkdir()
    for s, (name, path) in enumerate(zip(SYSTEMS, RUNS, strict=True)):
        rows = [
            f"map {topic} {value!r}"
            for topic, value in zip(scores.topics, scores.values[:, s].tolist(), strict=True)
        ]
        (tmp_path / "evals" / f"{name}.eval").write_text("\n".join(rows) + "\n")
        (tmp_path / "runs" / path.name).write_bytes(path.read_bytes())
    order = sorted(zip(scores.means, SYSTEMS, strict=True), reverse=True)
    (tmp_path / "order.txt").write_text("".join(f"{name}\n" for _, name in order))
    return tmp_path


def test_reference_and_other_are_whatever_assess_reads(places, capsys):
    table, evals, runs = places / "table.csv", places / "evals", places / "runs"
    expected = document(capsys, "compare", table, table, *FAST)
    judged = ("--qrels", QRELS, "-m", "AP")
    for reference, other, more in (
        (evals, table, ()),
        (f"{evals}/*.eval", evals, ()),
        (table, f"{evals}/*.eval", ()),
        (runs, table, judged),
        (table, f"{runs}/*.json", judged),
        (runs, runs, judged),
        (runs, places / "order.txt", judged),
        (runs, runs, (*judged, "--qrels", RANX / "qrels.json")),
    ):
        found = document(capsys, "compare", reference, other, *more, *FAST)
        assert found["other"] == str(other)
        for key in ("tau", "tau_b", "tau_ap", "rank_distance", "p_value", "ridge"):
            assert found[key] == pytest.approx(expected[key], abs=1e-12), key


def test_each_ranking_by_judgments_of_its_own(places, capsys):
    """The field's use: the same runs, by people's judgments and by others."""
    judged = truerank.readers.run_formats.read_qrels(QRELS)
    others = {topic: {doc: 2 - grade for doc, grade in grades.items()} for topic, grades in judged.items()}
    (places / "others.json").write_text(json.dumps(others))
    runs = places / "runs"
    found = document(
        capsys, "compare", runs, runs, "--qrels", QRELS, "--qrels", places / "others.json", "-m", "AP", *FAST
    )
    one, two = (truerank.evaluate(qrels, runs, "AP") for qrels in (judged, others))
    expected = truerank.compare(one, two, resamples=60)
    assert found["tau"] == expected.tau
    assert found["rank_distance"] == pytest.approx(expected.distance.distance, abs=1e-12)
    assert expected.tau < 1


def test_what_cannot_be_compared(places, capsys):
    table, evals, runs = places / "table.csv", places / "evals", places / "runs"
    assert "give REFERENCE as a folder or a quoted pattern" in refused(
        capsys, "compare", evals / "BM25.eval", table
    )
    assert "no file fits this pattern" in refused(capsys, "compare", f"{evals}/*.txt", table)
    assert "none of these is one" in refused(capsys, "compare", table, table, "--qrels", QRELS)
    assert "--qrels needs a measure" in refused(capsys, "compare", runs, runs, "--qrels", QRELS)
    three = ["--qrels", QRELS] * 3
    assert "3 --qrels for 2 rankings" in refused(capsys, "compare", runs, runs, *three, "-m", "AP")
    missing = ["--qrels", QRELS, "-m", "AP", "--missing", "zero"]
    assert "--missing zero is for tables" in refused(capsys, "compare", runs, runs, *missing)
    trec = RANX / "BM25.trec"
    assert "this reads as a run or judgments, not as scores; give" in refused(capsys, "compare", table, trec)
    assert "reads as a run or judgments, not as scores; give" in refused(capsys, "assess", trec)


# ── truerank import ───────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("suffix", ["csv", "tsv", "parquet"])
@pytest.mark.parametrize("shape", [(), ("--long",)])
def test_import_writes_a_table_that_is_read_back(places, scores, suffix, shape, capsys):
    target = places / f"made.{suffix}"
    for form, sources, more in (
        ("auto", [places / "evals"], ()),
        ("trec_eval", sorted((places / "evals").iterdir()), ()),
        ("json", RUNS, ("--qrels", QRELS, "-m", "AP")),
        ("auto", [*RUNS[1:], RANX / "BM25.parquet"], ("--qrels", QRELS, "-m", "AP")),
    ):
        arguments = ["import", form, *sources, "-o", target, *shape, *more]
        assert run([str(a) for a in arguments]) == 0
        assert "6 topics, 3 systems" in " ".join(capsys.readouterr().out.split())
        back = truerank.read_scores(target)
        columns = [back.systems.index(system) for system in SYSTEMS]
        rows = [back.topics.index(topic) for topic in scores.topics]
        np.testing.assert_array_equal(back.values[np.ix_(rows, columns)], scores.values)


def test_import_of_several_measures_and_data_sets(tmp_path, capsys):
    frame = pd.DataFrame(
        {
            "dataset": ["x", "x", "x", "x", "y", "y"] * 2,
            "qid": ["1", "1", "2", "2", "1", "1"] * 2,
            "name": ["a", "b"] * 6,
            "measure": ["map"] * 6 + ["P_10"] * 6,
            "value": [0.1, 0.2, 0.3, None, 0.5, 0.6, 0.2, 0.4, 0.6, 0.8, 0.9, 0.7],
        }
    )
    source, target = tmp_path / "in.csv", tmp_path / "out.csv"
    frame.to_csv(source, index=False)
    both = ["import", "auto", source, "-m", "map", "-m", "P_10"]
    assert "a wide table holds one measure" in refused(capsys, *both, "-o", target)
    assert not target.exists()
    tables = document(capsys, *both, "--long", "-o", target)["tables"]
    assert [(t["measure"], t["topics"], t["systems"], t["missing"]) for t in tables] == [
        ("map", 3, 2, 1),
        ("P_10", 3, 2, 0),
    ]
    for measure in ("map", "P_10"):
        one, other = (truerank.read_scores(path, measure, "model") for path in (source, target))
        assert (one.topics, one.systems, one.data_sets) == (other.topics, other.systems, other.data_sets)
        np.testing.assert_array_equal(one.values, other.values)
    assert run(["import", "auto", str(source), "-m", "map", "-o", str(target)]) == 0
    out, err = capsys.readouterr()
    assert "3 topics, 2 systems, 2 data sets, 1 empty cell" in " ".join(out.split())
    assert err.startswith(f"truerank: replaced {target}\n")
    assert "has no score on topic" in refused(
        capsys, "import", "auto", source, "-m", "map", "--missing", "error", "-o", target
    )


def test_import_that_cannot_be(places, tmp_path, capsys):
    table, evals = places / "table.csv", places / "evals"
    assert "name it .csv, .tsv or .parquet" in refused(
        capsys, "import", "auto", evals, "-o", tmp_path / "a.xls"
    )
    assert "did you mean 'trec_eval'" in refused(
        capsys, "import", "trek_eval", evals, "-o", tmp_path / "a.csv"
    )
    runs = ("--qrels", QRELS, "-m", "AP", "-o", tmp_path / "a.csv")
    assert "did you mean 'json'" in refused(capsys, "import", "jsom", *RUNS, *runs)
    assert refused(capsys, "import", "auto", table, "-o", table)
    assert not (tmp_path / "a.csv").exists()


PLUGIN = """
import numpy as np
import truerank
from truerank.reliability.estimators import PairEstimator

def quarter(sample):
    m = sample.values.shape[1]
    return np.triu(np.full((m, m), 0.25), 1)

truerank.estimators.register(
    PairEstimator("quarter", "a quarter", quarter, explanation="Any pair, one in four.", formula="1/4")
)
"""


def test_an_estimator_of_ones_own_is_assessed_by(tmp_path, monkeypatch, capsys):
    from truerank.reliability.estimators import ESTIMATORS

    monkeypatch.setattr(ESTIMATORS, "_things", dict(ESTIMATORS))
    (tmp_path / "mine.py").write_text(PLUGIN)
    table = tmp_path / "scores.csv"
    table.write_text("topic,a,b,c\n1,.9,.5,.1\n2,.8,.6,.3\n3,.7,.7,.2\n4,.9,.4,.3\n")
    command = ["assess", str(table), "--plugin", str(tmp_path / "mine.py"), "--estimator", "quarter"]
    assert run([*command, "--draws", "50", "--json", "-"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["headline"]["estimator"] == "quarter"
    assert found["estimates"][0]["estimate"] == pytest.approx(0.5)  # 1 − 2 · 1/4
    assert run(["assess", str(table), "--plugin", str(tmp_path / "none.py")]) == 2
    assert "none.py: no such file" in capsys.readouterr().err
