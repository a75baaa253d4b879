"""What to do instead of formats that are gone, as docs/changes.md says it."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from truerank.cli import run
from truerank.readers.run_formats import read_run

PAGE = (Path(__file__).parents[2] / "docs" / "changes.md").read_text(encoding="utf-8")

HEAD = "Team Name,Case Name,Case ID,Query Text,Score\n"
RAGAS = "user_input,response,reference,faithfulness\n"
MLFLOW = "trace_id,correctness/value,state,request\n"

FILES = {
    "both.csv": {
        "both.csv": HEAD
        + "T,Old,1,a,.5\nT,Old,1,b,.25\nT,Old,1,c,.7\nT,Old,1,d,.2\n"
        + "T,New,2,a,.6\nT,New,2,b,.35\nT,New,2,c,.8\nT,New,2,d,.3\n"
    },
    "dense.csv": {
        f"{name}.csv": RAGAS + "".join(f"question {k},x y,3,0.{k}{n}\n" for k in range(1, 9))
        for n, name in enumerate(("dense", "sparse"))
    },
    "small.csv": {
        f"{name}.csv": MLFLOW + "".join(f"tr-{k}{n}0f,0.{k}{n},OK,question {k}\n" for k in range(1, 9))
        for n, name in enumerate(("small", "large"))
    },
    "results.csv": {
        "results.csv": "query,system,NDCG@8,MAP@8\n"
        + "".join(f"q{k},{system},0.{k}{n},0.5\n" for k in range(1, 9) for n, system in enumerate("ABC"))
    },
    "samples.jsonl": {
        "samples.jsonl": "".join(
            json.dumps(
                {
                    "evaluation_id": f"run of {system}",
                    "model_id": system,
                    "evaluation_name": name,
                    "sample_id": f"s{k}",
                    "evaluation": {"score": (k + n) / 20, "is_correct": True},
                }
            )
            + "\n"
            for name in ("arc", "gsm8k")
            for k in range(1, 9)
            for n, system in enumerate("ABC")
        )
    },
}


@pytest.mark.parametrize("name", FILES)
def test_the_command_that_the_page_shows(name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for file, text in FILES[name].items():
        Path(file).write_text(text, encoding="utf-8")
    (command,) = [part for part in PAGE.split("`") if part.startswith("truerank ") and name in part]
    assert run([*shlex.split(command)[1:], "--json", "-"]) in (0, 1, 4)
    found = json.loads(capsys.readouterr().out)
    if name in ("results.csv", "samples.jsonl"):
        assert [row["system"] for row in found["ranking"]] == ["C", "B", "A"]
    else:
        assert found["difference"] == pytest.approx(0.1 if name == "both.csv" else 0.01)


def _lines(documents):
    return "".join(json.dumps(one) + "\n" for one in documents)


FILTERS = {
    "`_rank_eval`": ("topic,score", ["A.json", "B.json"], lambda s: _rank_eval(0.1 * s)),
    "AlpacaEval": ("topic,system,score", ["AB.json"], lambda s: _alpaca()),
    "EuroEval": ("data_set,system,score", ["AB.jsonl"], lambda s: _euroeval()),
    "BEIR": ("system,data_set,score", ["AB.json"], lambda s: _beir()),
    "HELM: tables": ("", ["AB.csv"], lambda s: _helm()),
    "logs of OpenAI": ("", ["A.jsonl", "B.jsonl"], lambda s: _openai(s)),
    "Every Eval Ever, aggregates": ("system,data_set,score", ["AB.jsonl"], lambda s: _aggregates()),
}
"""What a row of the page begins with; the heading, the files, and the text of each."""


def _rank_eval(more):
    details = {f"q{k}": {"metric_score": k / 10 + more} for k in range(1, 9)}
    return json.dumps({"metric_score": 0.5, "details": details})


def _alpaca():
    preferences = {"A": [1.0, 1.25, 0, 1.5], "B": [1.5, 1.75, 1.5, 1.75]}
    return json.dumps(
        [
            {"instruction": f"Say {k}.", "generator_1": "base", "generator_2": system, "preference": one}
            for system, found in preferences.items()
            for k, one in enumerate(found)
        ]
    )


def _euroeval():
    return _lines(
        {
            "model_info": {"name": system},
            "eval_library": {"name": "euroeval", "additional_details": {"dataset": data_set}},
            "evaluation_results": [
                {"evaluation_name": f"test_{name}", "score_details": {"score": value}}
                for name, value in (("mcc", 10.0 * k + 5 * s), ("accuracy", 50.0 - 10 * s))
            ],
        }
        for s, system in enumerate("AB")
        for k, data_set in enumerate(("wsc", "ner", "mcq"))
    )


def _beir():
    for s, system in enumerate("AB"):
        for k, data_set in enumerate(("fiqa", "nq", "scifact")):
            file = Path("results", system, f"{data_set}.json")
            file.parent.mkdir(parents=True, exist_ok=True)
            means = {"NDCG@1": 0.9 - 0.1 * s, "NDCG@10": 0.1 * k + 0.25 * s}
            found = {"ndcg": means, "map": {}, "recall": {}, "precision": {}}
            file.write_text(json.dumps(found), encoding="utf-8")
    return ""


def _helm():
    header = [{"value": name} for name in ("Model", "Mean score", "Anatomy - EM", "Law - EM", "NQ - F1")]
    rows = [["A", 0.5, 0.25, 0.75, 0.5], ["B", 0.75, 0.5, 1.0, 0.75]]
    table = {"title": "Accuracy", "header": header, "rows": [[{"value": one} for one in row] for row in rows]}
    return json.dumps([table])


def _openai(s):
    spec = {"spec": {"completion_fns": ["AB"[s]], "eval_name": "match.dev", "run_id": "1"}}
    events = [
        {"sample_id": f"match.dev.{k}", "type": kind, "data": {"correct": k < 3 + 2 * s, "expected": "3"}}
        for k in range(8)
        for kind in ("sampling", "match")
    ]
    return _lines([spec, *events, {"final_report": {"accuracy": 0.5}}])


def _aggregates():
    return _lines(
        {
            "model_info": {"id": system},
            "evaluation_results": [
                {"evaluation_name": name, "score_details": {"score": 0.1 * k + 0.25 * s}}
                for k, name in enumerate(("arc", "gsm8k", "mmlu"))
            ],
        }
        for s, system in enumerate("AB")
    )


@pytest.mark.skipif(shutil.which("jq") is None, reason="jq is not installed")
def test_predictions_of_mteb_2(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    documents = {"q1": {"d1": 2.5, "d2": 0.1}, "q2": {"d2": 1.0}}
    path = Path("predictions/e5/NFCorpus_predictions.json")
    path.parent.mkdir(parents=True)
    meta = {"model_name": "org/e5", "revision": "1"}
    path.write_text(json.dumps({"mteb_model_meta": meta, "default": {"test": documents}}), encoding="utf-8")
    line = next(one for one in PAGE.splitlines() if one.startswith("| predictions of MTEB 2"))
    (command,) = [part for part in line.split("`") if part.startswith("jq ")]
    subprocess.run(command, check=True, shell=True)
    assert read_run("e5.json").documents == documents


@pytest.mark.skipif(shutil.which("jq") is None, reason="jq is not installed")
def test_experiments_of_mteb(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for s, model in enumerate("ABC"):
        for k in range(4):
            each = [{"accuracy": (k + e + 3 * s * (e + 1)) / 20} for e in range(3)]
            file = Path("results", model, "v", f"T{k}.json")
            file.parent.mkdir(parents=True, exist_ok=True)
            found = {"task_name": f"T{k}", "scores": {"test": [{"scores_per_experiment": each}]}}
            file.write_text(json.dumps(found), encoding="utf-8")
    line = next(one for one in PAGE.splitlines() if one.startswith("| experiments of MTEB"))
    command, heading, make = (
        part for part in line.split("`") if part.startswith(("truerank", "data_", "jq"))
    )
    make = make.replace("\\|", "|")
    rows = subprocess.run(make, capture_output=True, text=True, check=True, shell=True).stdout
    Path("experiments.csv").write_text(f"{heading}\n{rows}", encoding="utf-8")
    assert run([*shlex.split(command)[1:], "--json", "-"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [row["system"] for row in found["ranking"]] == ["C", "B", "A"]


@pytest.mark.skipif(shutil.which("jq") is None, reason="jq is not installed")
@pytest.mark.parametrize("row", FILTERS)
def test_the_filter_that_the_page_shows(row, tmp_path, monkeypatch, capsys):
    """The better system is B, by a difference that is known."""
    monkeypatch.chdir(tmp_path)
    heading, files, text = FILTERS[row]
    line = next(one for one in PAGE.splitlines() if one.startswith(f"| {row}"))
    (command,) = [part for part in line.split("`") if part.startswith("jq ")]
    tables = []
    for s, file in enumerate(files):
        found = subprocess.run(
            command.replace("\\|", "|"), input=text(s), capture_output=True, text=True, check=True, shell=True
        )
        tables.append(Path(file).with_suffix(".csv") if heading else Path(file))
        tables[-1].write_text(f"{heading}\n{found.stdout}" if heading else found.stdout, encoding="utf-8")
    baseline = [] if len(files) == 2 else ["--baseline", "A"]
    assert run(["gate", *map(str, tables), *baseline, "--json", "-"]) in (0, 1, 4)
    expected = {"`_rank_eval`": 0.1, "AlpacaEval": 0.3125, "EuroEval": 5.0}
    assert json.loads(capsys.readouterr().out)["difference"] == pytest.approx(expected.get(row, 0.25))
