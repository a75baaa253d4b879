"""A gate on two means with their standard errors, against closed forms by SciPy's normal distribution."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

import jsonschema
import pytest
from scipy.stats import norm

import truerank
from scripts.json_schemas import schema_of
from truerank.cli import run


@dataclass
class Ended:
    exit_code: int
    output: str
    stderr: str


@pytest.fixture
def gate(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., Ended]:
    def of(rows: str, *options: str) -> Ended:
        file = tmp_path / "summaries.csv"
        file.write_text(rows, encoding="utf-8")
        code = run(["gate", str(file), *options])
        out, err = capsys.readouterr()
        return Ended(code, out, err)

    return of


@pytest.fixture
def found(gate: Callable[..., Ended]) -> Callable[..., dict]:
    return lambda rows, *options: json.loads(gate(rows, *options, "--json", "-").output)


def table(a: float, b: float, header: str = "system,mean,stderr") -> str:
    return f"{header}\nold,{a},0.03\nnew,{b},0.04\n"


@pytest.mark.parametrize(
    ("header", "level"),
    [("system,mean,stderr", 0.9), ("model,acc,acc_stderr", 0.95), ("Model,Score,SE", 0.95)],
)
def test_the_closed_form(found, header, level):
    result = found(table(0.5, 0.58, header), "--margin", "0.02", "--level", str(level))
    of = norm(0.08, 0.05)
    assert [result["low"], result["high"]] == pytest.approx(of.interval(level), rel=1e-9)
    assert result["stderr"] == pytest.approx(0.05, rel=1e-9)
    assert result["p_value"] == pytest.approx(2 * norm.sf(0.08 / 0.05), rel=1e-9)
    assert result["p_margin"] == pytest.approx(2 * norm.sf(0.10 / 0.05), rel=1e-9)
    assert result["measure"] == ("acc" if "acc" in header else "")
    assert (result["baseline"], result["candidate"]) == ("old", "new")
    jsonschema.validate(result, schema_of("gate"))


@pytest.mark.parametrize(
    ("new", "margin", "verdict", "code"),
    [
        (0.70, 0, "better", 0),
        (0.58, 0, "undecided", 4),
        (0.50, 0.2, "pass", 0),
        (0.30, 0.1, "fail", 1),
    ],
)
def test_verdicts_and_exit_codes(gate, found, tmp_path, new, margin, verdict, code):
    half = norm.ppf(0.975) * 0.05
    low, high = new - 0.5 - half, new - 0.5 + half
    by_hand = "better" if low > 0 else "pass" if low > -margin else "fail" if high < -margin else "undecided"
    result = gate(table(0.5, new), "--margin", str(margin), "--junit", str(tmp_path / "gate.xml"))
    assert result.exit_code == code
    assert found(table(0.5, new), "--margin", str(margin))["verdict"] == verdict == by_hand
    suite = ElementTree.parse(tmp_path / "gate.xml").getroot()
    assert suite.get("failures") == ("0" if code == 0 else "1")
    assert "unpaired" in result.output + result.stderr
    assert "--log_samples" in result.output + result.stderr


def test_options_name_the_two(gate, found):
    rows = table(0.5, 0.7) + "third,0.6,0.03\n"
    result = found(rows, "--baseline", "third", "--candidate", "old")
    assert (result["baseline"], result["candidate"]) == ("third", "old")
    assert result["difference"] == pytest.approx(-0.1, rel=1e-9)
    several = gate(rows, "--baseline", "third")
    assert several.exit_code == 2
    assert "--candidate old" in several.stderr


@pytest.mark.parametrize(
    ("rows", "options", "says"),
    [
        ("old,0.5,0.03\nnew,0.7,-0.04\n", (), "summaries.csv:3: -0.04 is not a standard error of 'new'"),
        ("old,0.5,0\nnew,0.7,0.04\n", (), "summaries.csv:2: 0 is not a standard error of 'old'"),
        ("old,0.5,0.03\nnew,0.7,\n", (), "summaries.csv:3: column 'stderr' is empty for 'new'"),
        ("old,,0.03\nnew,0.7,0.04\n", (), "summaries.csv:2: column 'mean' is empty for 'old'"),
        ("old,0.5,x\nnew,0.7,0.04\n", (), "summaries.csv:2: column 'stderr' holds 'x'"),
        ("old,0.5,0.03\n", (), "only one system"),
        ("old,0.5,0.03\nnew,0.7,0.04\n", ("--guarantee",), "leave --guarantee out"),
        ("old,0.5,0.03\nnew,0.7,0.04\n", ("--sequential",), "leave --sequential out"),
        ("old,0.5,0.03\nnew,0.7,0.04\n", ("--baseline", "other"), "'other'"),
        ("old,0.5,0.03\nnew,0.7,0.04\n", ("--margin", "-1"), "0 or more"),
    ],
)
def test_bad_input_is_one_line(gate, rows, options, says):
    result = gate(f"system,mean,stderr\n{rows}", *options)
    assert result.exit_code == 2
    assert says in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1


def test_a_row_in_each_of_two_files_is_asked_for_in_one(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name, mean in (("old", 0.5), ("new", 0.7)):
        Path(f"{name}.csv").write_text(f"system,mean,stderr\n{name},{mean},0.03\n", encoding="utf-8")
    assert run(["gate", "old.csv", "new.csv"]) == 2
    assert "old.csv:1: " in (said := capsys.readouterr().err)
    assert "put the rows of both systems into one file" in said


def test_python_reads_the_same_file(found, tmp_path):
    result = found(table(0.5, 0.58), "--margin", "0.02")
    decided = truerank.gate(tmp_path / "summaries.csv", margin=0.02)
    (one,) = decided.decisions
    assert [one.low, one.high] == pytest.approx([result["low"], result["high"]], rel=1e-9)
    assert decided.verdict == result["verdict"]
    with pytest.raises(truerank.InputError, match="guarantee"):
        truerank.gate(tmp_path / "summaries.csv", guarantee=True)


def test_a_ranking_of_means_names_the_gate(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("means.csv").write_text(table(0.5, 0.58) + "other,0.4,0.03\n", encoding="utf-8")
    assert run(["assess", "means.csv"]) == 2
    command = capsys.readouterr().err.partition("with truerank ")[2]
    assert run([*shlex.split(command), "--json", "-"]) in (0, 1, 4)
    assert json.loads(capsys.readouterr().out)["candidate"] == "new"
    with pytest.raises(truerank.InputError) as refused:
        truerank.assess("means.csv")
    call = str(refused.value).partition("with truerank.gate(")[2]
    assert call == "'means.csv', baseline='old', candidate='new')"
