"""What to do instead of formats that are gone, as docs/changes.md says it."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from truerank.cli import run

PAGE = (Path(__file__).parents[2] / "docs" / "changes.md").read_text(encoding="utf-8")

CASES = (
    "Team Name,Case Name,Case ID,Query Text,Score\nT,Old,1,a,.5\nT,Old,1,b,.25\nT,Old,1,c,.7\nT,Old,1,d,.2\n"
)

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
}


@pytest.mark.parametrize("name", FILES)
def test_the_command_that_the_page_shows(name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for file, text in FILES[name].items():
        Path(file).write_text(text, encoding="utf-8")
    (command,) = [part for part in PAGE.split("`") if part.startswith("truerank ") and name in part]
    assert run([*shlex.split(command)[1:], "--json", "-"]) in (0, 1, 4)
    found = json.loads(capsys.readouterr().out)
    if name == "results.csv":
        assert [row["system"] for row in found["ranking"]] == ["C", "B", "A"]
    else:
        assert found["difference"] == pytest.approx(0.1 if name == "both.csv" else 0.01)
