"""The commands that take a machine's judgments: what they print, write and refuse."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import truerank
from truerank.cli import run
from truerank.readers import evaluate, with_machine

NAMES = ["plain", "a_b & 50%", "<b>|*x*", "other", "fifth"]


@pytest.fixture
def tables(tmp_path, monkeypatch):
    """Human scores of 15 topics drawn from 80, and a machine's of all, which favours the second system."""
    rng = np.random.default_rng(1)
    people = (
        rng.uniform(0.2, 0.5, (80, 1)) + np.array([0.2, 0.1, 0.15, 0.05, 0.0]) + rng.normal(0, 0.06, (80, 5))
    )
    machine = people + np.array([0.0, 0.2, 0.0, 0.0, 0.0]) + rng.normal(0, 0.04, (80, 5))
    topics = pd.Index([f"t{t}" for t in range(80)], name="topic")
    drawn = rng.permutation(80)[:15]
    pd.DataFrame(people[drawn].round(4), columns=NAMES, index=topics[drawn]).to_csv(tmp_path / "human.csv")
    pd.DataFrame(machine.round(4), columns=NAMES, index=topics).to_csv(tmp_path / "machine.csv")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def call(capsys, *arguments):
    code = run(list(map(str, arguments)))
    out = capsys.readouterr()
    return code, out.out, out.err


ASSESS = [
    "assess",
    "human.csv",
    "--machine",
    "machine.csv",
    "-m",
    "AP",
    "--estimator",
    "eb",
    "--draws",
    "200",
]


def test_assess_says_what_the_machine_adds_and_whom_it_favours(capsys, tables):
    code, out, err = call(capsys, *ASSESS)
    assert (code, err) == (0, "")
    assert max(map(len, out.splitlines())) <= 80
    text = " ".join(out.split())
    assert "on 15 topics judged by people and 65 more judged by a machine is expected" in text
    found = truerank.assess("human.csv", "eb", machine="machine.csv", draws=200).machine
    count = f"{found.effective_topics:.0f} (their weight λ is {found.scale:.2f}; 0 is none, 1 full)"
    assert f"The machine’s scores make 15 human topics count as {count}." in text
    _, details, _ = call(capsys, *ASSESS, "--details")
    bias = details[details.index("Bias of the machine judge") :]
    (row,) = (line for line in bias.splitlines() if line.startswith("a_b & 50%"))
    (one,) = (one for one in found.systems if one.system == "a_b & 50%")
    assert f"{one.bias:+.3f}" in row


def test_assess_writes_the_documented_json_csv_page_and_figures(capsys, tables):
    files = ["--json", "out.json", "--csv", "tables", "--html", "page.html", "--latex", "t.tex"]
    code, _, _ = call(capsys, *ASSESS, *files, "--figures", "figures")
    assert code == 0
    machine = json.loads((tables / "out.json").read_text())["machine"]
    assert (machine["human_topics"], machine["machine_topics"]) == (15, 80)
    assert 0 < machine["lambda"] <= 1
    csv = pd.read_csv(tables / "tables" / "machine.csv", index_col="system")
    assert csv.loc["a_b & 50%", "verdict"] == "over-scored"
    for row in machine["bias"]:
        assert csv.loc[row["system"], "bias"] == pytest.approx(row["bias"])
        assert row["low"] < row["bias"] < row["high"]
    settings = pd.read_csv(tables / "tables" / "settings.csv", index_col="setting")["value"]
    assert settings["machine topics"] == "80"
    page = (tables / "page.html").read_text()
    assert 'id="machine"' in page
    assert "&lt;b&gt;|*x*" in page
    assert "<b>|" not in page


QRELS = "".join(f"q{t} 0 d{d} {(t * d) % 3 == 1:d}\n" for t in range(12) for d in range(9))
MACHINE_QRELS = "".join(f"q{t} 0 d{d} {(t * d) % 3 != 0:d}\n" for t in range(12) for d in range(9))


@pytest.fixture
def runs(tmp_path, monkeypatch):
    rng = np.random.default_rng(2)
    for name in "abc":
        ranked = [(t, rank, d) for t in range(12) for rank, d in enumerate(rng.permutation(9))]
        (tmp_path / name).write_text("".join(f"q{t} Q0 d{d} {r} {9 - r} {name}\n" for t, r, d in ranked))
    (tmp_path / "human").write_text("".join(QRELS.splitlines(keepends=True)[: 5 * 9]))
    (tmp_path / "machine").write_text(MACHINE_QRELS)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_runs_are_scored_by_either_qrels(capsys, runs):
    arguments = ["--qrels", "human", "--machine-qrels", "machine", "-m", "P@3", "a", "b", "c"]
    code, out, err = call(capsys, "assess", *arguments, "--draws", "100", "--estimator", "eb", "--json", "-")
    assert (code, err) == (0, "")
    document = json.loads(out)
    both = with_machine(*(evaluate(q, ["a", "b", "c"], "P@3") for q in ("human", "machine")))
    same = truerank.assess(both, "eb", draws=100)
    assert (document["measure"], document["topics"]) == ("P@3", 5)
    assert document["machine"] == same.to_dict()["machine"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["assess", "--qrels", "q", "--machine", "machine.csv", "-m", "AP", "run"], "give --machine-qrels"),
        (["assess", "human.csv", "--machine", "machine.csv", "--aggregate", "borda"], "machine judgments"),
        (["plan", "--systems", "9", "--machine", "machine.csv"], "--machine needs the scores of a pilot"),
        (["compare", "human.csv"], "name another ranking"),
    ],
)
def test_what_is_refused_is_refused_in_one_line(capsys, tables, arguments, message):
    code, out, err = call(capsys, *arguments)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert message in err


def test_plan_counts_human_topics(capsys, tables):
    code, out, err = call(
        capsys, "plan", "human.csv", "--machine", "machine.csv", "--draws", "64", "--tau", "0.8"
    )
    assert (code, err) == (0, "")
    assert max(map(len, out.splitlines())) <= 80
    assert "human topics" in out
    code, out, _ = call(
        capsys, *["plan", "human.csv", "--machine", "machine.csv", "--draws", "64", "--json", "-"],
        *["--machine-topics", "500"],
    )  # fmt: skip
    assert json.loads(out)["machine"]["machine_topics"] == 500


def test_the_gate_prints_the_mean_of_the_baseline_that_assess_prints(capsys, tables):
    arguments = ["human.csv", "--machine", "machine.csv", "--baseline", "fifth", "--candidate", "plain"]
    code, out, err = call(capsys, "gate", *arguments, "--json", "-")
    assert (code, err) == (0, "")
    document = json.loads(out)
    means = {
        one.system: one.mean for one in truerank.assess("human.csv", "eb", machine="machine.csv").ranking
    }
    assert document["verdict"] == "better"
    assert document["machine_topics"] == 80
    assert document["baseline_mean"] == pytest.approx(means["fifth"], abs=1e-12)
    assert document["difference"] == pytest.approx(means["plain"] - means["fifth"], abs=0.01)
    assert document["topics"] == 15
    code, out, _ = call(capsys, "gate", *arguments)
    assert "15 topics judged by people, 80 by a machine" in " ".join(out.split())


def test_rows_of_people_and_a_machine_in_one_file_lead_to_the_option(tmp_path, monkeypatch, capsys):
    """The message names --machine, and two files made as it says are assessed."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(2)
    rows = [
        (f"t{t}", system, judge, f"{rng.random():.3f}")
        for t in range(30)
        for system in "ABCD"
        for judge in (("people", "model") if t < 12 else ("model",))
    ]
    table = "topic,system,judge,score\n" + "".join(",".join(row) + "\n" for row in rows)
    Path("all.csv").write_text(table, encoding="utf-8")
    assert run(["assess", "all.csv", "--draws", "100"]) == 2
    error = capsys.readouterr().err
    assert "If 'judge' is people and a machine, put the rows of the machine into a file for" in error
    assert len(error.strip().splitlines()) == 1
    for name in ("people", "model"):
        some = "".join(f"{t},{s},{score}\n" for t, s, judge, score in rows if judge == name)
        Path(f"{name}.csv").write_text("topic,system,score\n" + some, encoding="utf-8")
    assert run(["assess", "people.csv", "--machine", "model.csv", "--draws", "100"]) == 0
    assert "12 topics judged by people and 18 more" in " ".join(capsys.readouterr().out.split())
