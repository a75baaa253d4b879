"""What to do instead of formats that are gone, as docs/changes.md says it."""

from __future__ import annotations

import json
import re
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
    (command,) = [one for one in PAGE.splitlines() if one.startswith("truerank ") and name in one]
    assert run([*shlex.split(command)[1:], "--json", "-"]) in (0, 1, 4)
    found = json.loads(capsys.readouterr().out)
    if name in ("results.csv", "samples.jsonl"):
        assert [row["system"] for row in found["ranking"]] == ["C", "B", "A"]
    else:
        assert found["difference"] == pytest.approx(0.1 if name == "both.csv" else 0.01)


def _lines(documents):
    return "".join(json.dumps(one) + "\n" for one in documents)


FILTERS = {
    "metric_score": (["bm25.json"] * 2, lambda s: _rank_eval(0.1 * s)),
    ".instruction": (["annotations.json"], lambda s: _alpaca()),
    "eval_library": (["results.jsonl"], lambda s: _euroeval()),
    "NDCG@10": (["results.json"], lambda s: _beir()),
    ".header": (["groups/core.json"], lambda s: _helm()),
    "sample_id": (["log.jsonl"] * 2, lambda s: _openai(s)),
    "model_info.id": (["aggregates/all.json"], lambda s: _aggregates()),
}
"""What is in a command of the page alone; the file that it reads, of one system or of both, and its text."""


def _making(part):
    """The command of the page that has this part and writes a table, and the name of the table."""
    blocks = "".join(re.findall(r"```bash\n(.*?)```", PAGE, re.DOTALL))
    (found,) = [one for one in re.findall(r"^(?:\(echo|jq).*? > \S+$", blocks, re.M | re.S) if part in one]
    return found, Path(found.rpartition(" > ")[2])


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
    command, made = _making(".default.test")
    subprocess.run(command, check=True, shell=True)
    assert made == Path("e5.json")
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
    subprocess.run(_making("scores_per_experiment")[0], check=True, shell=True)
    assert "truerank assess scores.csv --facet experiment\n" in PAGE
    assert run(["assess", "scores.csv", "--facet", "experiment", "--json", "-"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [row["system"] for row in found["ranking"]] == ["C", "B", "A"]


@pytest.mark.skipif(shutil.which("jq") is None, reason="jq is not installed")
@pytest.mark.parametrize("part", FILTERS)
def test_the_filter_that_the_page_shows(part, tmp_path, monkeypatch, capsys):
    """The better system is B, by a difference that is known."""
    monkeypatch.chdir(tmp_path)
    files, text = FILTERS[part]
    command, made = _making(part)
    tables = []
    for name, file, s in zip("AB", files, range(2), strict=False):
        Path(file).parent.mkdir(exist_ok=True)
        Path(file).write_text(text(s), encoding="utf-8")
        subprocess.run(command, check=True, shell=True)
        tables.append(str(made.replace(name + made.suffix)))
    baseline = [] if len(files) == 2 else ["--baseline", "A"]
    assert run(["gate", *tables, *baseline, "--json", "-"]) in (0, 1, 4)
    found = json.loads(capsys.readouterr().out)
    assert (found["baseline"], found["candidate"]) == ("A", "B")
    expected = {"metric_score": 0.1, ".instruction": 0.3125, "eval_library": 5.0}
    assert found["difference"] == pytest.approx(expected.get(part, 0.25))
