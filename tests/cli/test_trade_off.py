"""`assess --pareto`: the same answer in every output, and bad input in one line."""

from __future__ import annotations

import csv
import json
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import truerank
from truerank.cli import run
from truerank.errors import InputError
from truerank.reliability.frontier import observed_frontier

SYSTEMS = [f"m{i}" for i in range(8)]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Accuracy and latency of eight systems on forty topics, and their prices."""
    rng = np.random.default_rng(1)
    rows = ["topic,system,acc,latency"]
    for t in range(40):
        easy = rng.beta(2, 3)
        for i, name in enumerate(SYSTEMS):
            rows.append(
                f"t{t},{name},{easy - 0.02 * i + rng.normal(0, 0.1):.5f},{np.exp(i % 3) + rng.random():.5f}"
            )
    (tmp_path / "s.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    prices = [f"{name},{1 + 5 * i % 7}" for i, name in enumerate(SYSTEMS)]
    (tmp_path / "p.csv").write_text("\n".join(["system,price", *prices]) + "\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_every_output_has_the_same_frontier(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = ["s.csv", "-m", "acc", "--pareto", "p.csv", "--draws", "500"]
    assert run(["assess", *given, "--json", "a.json", "--html", "a.html", "--csv", "csv"]) == 0
    printed_table = capsys.readouterr().out
    printed = " ".join(printed_table.split())
    found = json.loads((folder / "a.json").read_text(encoding="utf-8"))["pareto"]
    mean = {row["system"]: row["mean"] for row in found["rows"]}
    price = {row["system"]: row["value"] for row in found["rows"]}
    names = list(mean)
    by_hand = observed_frontier(np.array([mean[s] for s in names]), np.array([price[s] for s in names]))
    assert found["observed"] == [names[i] for i in by_hand]
    assert set(found["observed"]) <= set(found["systems"])
    assert f"{len(found['observed'])} of 8 systems" in printed
    assert f"{len(found['systems'])} may be on the true one (95%)" in printed
    for row in found["rows"]:
        assert row["low"] is None
        if row["dominated_by"] is not None:
            assert price[row["dominated_by"]] <= row["value"]
            assert 0 < row["dominated_probability"] <= 1 - row["probability"] + 1e-9
        assert (row["dominated_by"] is None) == (row["probability"] == 1)
    lines = printed_table.splitlines()
    for row in found["rows"]:
        line = next(x for x in lines if x.split()[:1] == [row["system"]] and ("yes" in x or " no " in x))
        marks = [word for word in line.split() if word in ("yes", "no")]
        assert marks == ["yes" if row[key] else "no" for key in ("in_set", "observed")]
    page = (folder / "a.html").read_text(encoding="utf-8")
    assert page.count('class="frontier"') == 1
    with (folder / "csv" / "trade_off.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["system"] for row in rows if row["in_set"] == "True"} == set(found["systems"])
    assert {row["system"] for row in rows if row["observed"] == "True"} == set(found["observed"])


def test_the_table_of_two_intervals_is_in_one_block(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What dominates a system is a detail: files and `--details` have it."""
    given = ["assess", "s.csv", "-m", "acc", "--pareto", "latency", "--draws", "500"]
    assert run([*given, "--csv", "csv"]) == 0
    printed = capsys.readouterr().out
    assert "The frontier of acc and latency" in printed
    assert "Further columns" not in printed
    assert "dominated_by" in (folder / "csv" / "trade_off.csv").read_text(encoding="utf-8")
    assert run([*given, "--details"]) == 0
    assert "Dominated by: the system that" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(("heading", "column"), [("price", "price"), ("topics", "value")])
def test_the_second_criterion_names_its_column_of_a_board(heading: str, column: str, folder: Path) -> None:
    """But where the board has a column of that name already."""
    prices = (folder / "p.csv").read_text(encoding="utf-8").replace("price", heading)
    (folder / "p.csv").write_text(prices, encoding="utf-8")
    assert run(["board", "s.csv", "-m", "acc", "--pareto", "p.csv", "--draws", "500", "-o", "b.csv"]) == 0
    board = pd.read_csv(folder / "b.csv").set_index("system")
    assert board[column].to_dict() == pd.read_csv(folder / "p.csv").set_index("system")[heading].to_dict()


def test_a_system_of_the_set_names_the_one_that_dominates_it_most_often(tmp_path: Path) -> None:
    """Only `b` costs less than `a`: it dominates `a` in the draws in which `a` is not on the frontier."""
    scores = np.random.default_rng(5).normal([0.52, 0.5, 0.2], 0.1, (40, 3))
    table = pd.DataFrame(scores, columns=["a", "b", "c"])
    found = truerank.assess(table, pareto={"a": 2.0, "b": 1.0, "c": 3.0}, draws=500).pareto
    rows = {row.system: row for row in found.rows}
    assert rows["a"].in_set
    assert rows["a"].dominated_by == "b"
    assert 0.05 < rows["a"].dominated_probability < 0.95
    assert rows["a"].dominated_probability == pytest.approx(1 - rows["a"].probability, rel=1e-9)
    assert rows["b"].dominated_by is None
    assert rows["b"].dominated_probability is None


def test_boards_and_kits_say_who_may_be_on_the_frontier(folder: Path) -> None:
    given = ["s.csv", "-m", "acc", "--pareto", "p.csv", "--draws", "500"]
    assert run(["assess", *given, "--json", "a.json", "--board", "a.csv", "--paper", "kit"]) == 0
    found = json.loads((folder / "a.json").read_text(encoding="utf-8"))["pareto"]
    inside = {row["system"]: row["in_set"] for row in found["rows"]}
    assert run(["board", *given, "-o", "b.json"]) == 0
    board = json.loads((folder / "b.json").read_text(encoding="utf-8"))
    assert {row["system"]: row["on_frontier"] for row in board["systems"]} == inside
    assert {row["system"]: row["value"] for row in board["systems"]} == {
        row["system"]: row["value"] for row in found["rows"]
    }
    with (folder / "a.csv").open(encoding="utf-8", newline="") as file:
        assert {row["system"]: row["on_frontier"] == "True" for row in csv.DictReader(file)} == inside
    macros = (folder / "kit" / "numbers.tex").read_text(encoding="utf-8")
    assert f"accFrontier}}{{{len(found['systems'])}}}" in macros
    assert f"accObservedFrontier}}{{{len(found['observed'])}}}" in macros


def test_the_ways_to_give_a_criterion_agree(folder: Path) -> None:
    scores = truerank.read_scores("s.csv", "acc")
    prices = dict(zip(SYSTEMS, [float(1 + 5 * i % 7) for i in range(8)], strict=True))
    by_mapping = truerank.assess(scores, pareto=prices, draws=300).pareto
    by_file = truerank.assess(scores, pareto="p.csv", draws=300).pareto
    assert by_mapping is not None
    assert by_file is not None
    assert by_mapping.rows == by_file.rows
    latency = truerank.read_scores("s.csv", "latency")
    by_name = truerank.assess("s.csv", measure="acc", pareto="latency", draws=300).pareto
    by_table = truerank.assess(scores, pareto=latency, draws=300).pareto
    assert by_name is not None
    assert by_name == by_table
    assert by_name.measure == "latency"
    assert by_name.lower_is_better
    truth = {s: -latency.values[:, latency.systems.index(s)].mean() for s in SYSTEMS}
    assert {row.system: row.value for row in by_name.rows} == pytest.approx(truth)
    assert all(row.low <= row.value <= row.high for row in by_name.rows if row.low and row.high)


def test_a_criterion_of_which_more_is_better_is_the_same_turned_round(folder: Path) -> None:
    prices = dict(zip(SYSTEMS, [float(1 + 5 * i % 7) for i in range(8)], strict=True))
    turned = "\n".join(["system,F1", *(f"{name},{-price}" for name, price in prices.items())])
    (folder / "f1.csv").write_text(turned, encoding="utf-8")
    up = truerank.assess("s.csv", measure="acc", pareto="f1.csv", draws=300).pareto
    down = truerank.assess("s.csv", measure="acc", pareto="p.csv", draws=300).pareto
    assert up is not None
    assert down is not None
    assert not up.lower_is_better
    assert (up.observed, up.systems) == (down.observed, down.systems)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("system,price\nm0,1\nm1,2\n", "p.csv: price has no number for the system"),
        ("system,price\n" + "".join(f"x{i},{i}\n" for i in range(8)), "no system of the scores has a number"),
        ("system,price\nm0,1\nm0,2\n", "p.csv:3: system 'm0' has price '2' here and '1' above"),
        ("system,price\nm0,1\nm1,free\n", "p.csv:3: price of 'm1' is 'free'; give a finite number"),
        (
            "system,price\n" + "".join(f"m{i},{[-1, 1, 50, 3, 4, 5, 6, 7][i]}\n" for i in range(8)),
            "price of 'm0' is -1, which may stand for none; give the price",
        ),
    ],
)
def test_bad_numbers_are_one_line(
    text: str, message: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "p.csv").write_text(text, encoding="utf-8")
    assert run(["assess", "s.csv", "-m", "acc", "--pareto", "p.csv", "--json", "a.json"]) == 2
    said = capsys.readouterr().err
    assert message in said
    assert len(said.strip().splitlines()) == 1
    assert not (folder / "a.json").exists()


def test_a_name_of_no_file_is_not_taken_for_the_scores(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A wide table is read by any measure's name, so a mistyped file would be weighed as the scores."""
    rows = ["topic,A,B,C", *(f"q{t},{t % 7 / 7},{t % 5 / 5},{t % 3 / 3}" for t in range(30))]
    (tmp_path / "s.csv").write_text("\n".join(rows))
    for command in (["assess"], ["board", "-o", str(tmp_path / "b.json")]):
        assert run([*command, str(tmp_path / "s.csv"), "-m", "AP", "--pareto", "prcies.csv"]) == 2
        assert "'prcies.csv' names no file and no other measure" in capsys.readouterr().err
    assert not (tmp_path / "b.json").exists()
    with pytest.raises(truerank.InputError, match="'foo' names no file"):
        truerank.assess(str(tmp_path / "s.csv"), measure="AP", pareto="foo")


def test_a_direction_may_be_that_of_either_measure(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = ["s.csv", "-m", "acc", "--pareto", "latency", "--draws", "200", "--json", "-"]
    assert run(["assess", *given, "--direction", "latency=higher", "--direction", "acc=lower"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["pareto"]["lower_is_better"] is False
    assert document["measure"] == "−acc"
    assert run(["assess", *given, "--direction", "other=lower"]) == 2
    assert "choose from acc" in capsys.readouterr().err


def test_a_file_of_several_columns_is_refused_with_the_command_that_cuts_it(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    meta = [f"{name},{1 + 5 * i % 7},{100 + i},mit" for i, name in enumerate(SYSTEMS)]
    (folder / "meta.csv").write_text("\n".join(["model,price,latency_ms,license", *meta]) + "\n")
    assert run(["assess", "s.csv", "-m", "acc", "--pareto", "meta.csv"]) == 2
    error = capsys.readouterr().err
    assert (
        "meta.csv:1: a criterion is one number per system; the columns are model, price, latency_ms" in error
    )
    command, option = error.partition("numbers: ")[2].rstrip().split("; then ")
    subprocess.run(command, shell=True, check=True)
    shown = ["assess", "s.csv", "-m", "acc", "--draws", "200", "--json"]
    assert run([*shown, "a.json", *option.split()]) == run([*shown, "b.json", "--pareto", "p.csv"]) == 0
    a, b = (json.loads((folder / f"{name}.json").read_text())["pareto"] for name in "ab")
    assert a == b
    with pytest.raises(
        InputError, match=r"pareto=pandas\.read_csv\('meta\.csv'\)\.set_index\('model'\)\['price'\]"
    ):
        truerank.assess("s.csv", measure="acc", pareto="meta.csv")


def test_two_systems_name_the_command_that_compares_them(folder: Path, capsys) -> None:
    pd.DataFrame({"topic": ["q1", "q2", "q3"], "A": [0.1, 0.2, 0.3], "B": [0.2, 0.2, 0.5]}).to_csv(
        "two.csv", index=False
    )
    assert run(["topics", "two.csv"]) == 2
    assert "compare them with: truerank gate two.csv --baseline A --candidate B" in capsys.readouterr().err


def test_a_gate_by_several_measures_says_how_each_was_read(folder: Path, capsys) -> None:
    assert run(["gate", "s.csv", "--baseline", "m0", "--candidate", "m1", "-m", "acc", "-m", "latency"]) in (
        0,
        1,
        3,
    )
    shown = " ".join(capsys.readouterr().out.split())
    assert (
        "scores from column 'acc' and column 'latency'; higher is better by acc; lower is better by latency."
        in shown
    )
