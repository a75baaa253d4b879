"""`truerank gate`: exit codes, files for pipelines, refusals."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import truerank
from truerank import ScoreMatrix
from truerank._support.wording import number
from truerank.cli import run
from truerank.report.views.gate import about


def arms(n: int = 60, seed: int = 1, shift: float = 0.0, spread: float = 0.03) -> np.ndarray:
    rng = np.random.default_rng(seed)
    old = rng.beta(2, 3, n)
    return np.column_stack([old, (old + rng.normal(shift, spread, n)).clip(0, 1)]).round(4)


def table(path: Path, x: np.ndarray, names: tuple[str, ...] = ("old", "new")) -> str:
    rows = [",".join([f"t{t}", *map(str, row)]) for t, row in enumerate(x.tolist())]
    path.write_text("\n".join([",".join(["topic", *names]), *rows]) + "\n", encoding="utf-8")
    return str(path)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def document(capsys: pytest.CaptureFixture[str], *arguments: str) -> object:
    assert run([*arguments, "--json", "-"]) in (0, 1, 4)
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize(
    ("shift", "margin", "undecided", "verdict", "code"),
    [
        (0.03, "0", None, "better", 0),
        (0.0, "0.02", None, "pass", 0),
        (-0.05, "0.01", None, "fail", 1),
        (-0.05, "0.01", "pass", "fail", 1),
        (0.0, "0.001", None, "undecided", 4),
        (0.0, "0.001", "fail", "undecided", 1),
        (0.0, "0.001", "pass", "undecided", 0),
    ],
)
def test_exit_codes(
    shift: float,
    margin: str,
    undecided: str | None,
    verdict: str,
    code: int,
    folder: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    scores = table(folder / "s.csv", arms(shift=shift))
    option = [] if undecided is None else ["--undecided", undecided]
    assert run(["gate", scores, "--margin", margin, *option]) == code
    shown = {"undecided": "INCONCLUSIVE"}.get(verdict, verdict.upper())
    assert capsys.readouterr().out.startswith(f"{shown}: new against old, 60 topics\n")


def test_the_command_and_python_agree(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scores = table(folder / "s.csv", arms())
    found = document(capsys, "gate", scores, "--margin", "0.01", "--seed", "3")
    assert found == {"schema_version": 1} | truerank.gate(scores, margin=0.01, seed=3).to_dict()


def test_two_files_of_one_system_each(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    x = arms()
    whole = document(capsys, "gate", table(folder / "s.csv", x), "--margin", "0.01")
    a, b = table(folder / "A.csv", x[:, :1], ("AP",)), table(folder / "B.csv", x[::-1, 1:], ("AP",))
    (folder / "B.csv").write_text(
        "topic,AP\n" + "".join(f"t{t},{v}\n" for t, v in reversed(list(enumerate(x[:, 1].tolist()))))
    )
    parts = document(capsys, "gate", a, b, "--margin", "0.01")
    assert isinstance(whole, dict)
    assert isinstance(parts, dict)
    assert (parts["baseline"], parts["candidate"], parts["measure"]) == ("A", "B", "AP")
    assert {"schema_version": 1} | truerank.gate([a, b], margin=0.01).to_dict() == parts
    for key in ("verdict", "difference", "low", "high", "p_value"):
        assert parts[key] == pytest.approx(whole[key]) if key != "verdict" else parts[key] == whole[key]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["gate", "zero.csv"], "'new' has the same score (0) on all 60 topics"),
        (["gate", "s.csv", "--margin", "2"], "as wide as the range of all scores"),
        (["gate", "s.csv", "--level", "95"], "write 0.95 for 95%"),
        (["gate", "A.csv", "C.csv"], "A.csv and C.csv share no topic: the first has 't0', the other 'u0'"),
        (["gate", "A.csv", "half.csv"], "has no score on topic"),
        (["gate", "s.csv", "A.csv"], "s.csv: 2 systems"),
        (["gate", "s.csv", "--candidate", "nobody"], "unknown system 'nobody'"),
        (["gate", "A.csv"], "For the interval of one mean use truerank assess A.csv"),
        (["gate", "s.csv", "--margin", "0,02"], "is not a number D or NAME=D; write 0.02"),
        (["gate", "missing.csv"], "missing.csv"),
        (["gate", "s.csv", "--undecided", "maybe"], "maybe"),
    ],
)
def test_refusals_are_one_line(
    arguments: list[str], message: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    x = arms()
    table(folder / "s.csv", x)
    table(folder / "zero.csv", np.column_stack([x[:, 0], np.zeros(60)]))
    table(folder / "copy.csv", x[:, [0, 0]])
    table(folder / "A.csv", x[:, :1], ("old",))
    table(folder / "half.csv", x[:45, 1:], ("new",))
    (folder / "C.csv").write_text("topic,new\n" + "".join(f"u{t},{v}\n" for t, v in enumerate(x[:, 1])))
    assert run([*arguments, "--json", "out.json"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("truerank: ")
    assert err.count("\n") == 1
    assert message in err
    assert not (folder / "out.json").exists()


# ── files for pipelines ──────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("shifts", "verdict", "code", "sequential"),
    [
        ((0.3, 0.0), "undecided", 4, True),
        ((0.3, 0.0, -0.3), "fail", 1, False),
        ((0.3, -0.3), "fail", 1, True),
        ((0.3,), "better", 0, False),
    ],
)
def test_of_several_verdicts_the_worst_decides(
    shifts: tuple[float, ...], verdict: str, code: int, sequential: bool, folder: Path
) -> None:
    """The exit code and the JUnit report agree: fail before inconclusive before pass."""
    rng = np.random.default_rng(7)
    old = rng.uniform(0.35, 0.65, 60)
    noise = rng.permutation(np.tile([-0.1, 0.1], 30))
    x = np.column_stack([old, *(old + shift + noise * (0.1 if shift else 1.0) for shift in shifts)])
    scores = folder / "s.csv"
    names = ",".join(["topic", "old", *(f"new{i}" for i in range(len(shifts)))])
    scores.write_text(
        "\n".join([names, *(f"t{t}," + ",".join(map(str, row)) for t, row in enumerate(x.tolist()))])
    )
    more = ["--sequential"] if sequential else []
    given = [str(scores), "--baseline", "old", "--margin", "0.001", "--range", "0,1", "--quiet"]
    for undecided in (None, "pass", "fail"):
        option = [] if undecided is None else ["--undecided", undecided]
        expected = {"pass": 0, "fail": 1, None: 4}[undecided] if code == 4 else code
        assert run(["gate", *given, *more, *option, "--junit", "g.xml", "--json", "g.json"]) == expected
        suite = ElementTree.fromstring(Path("g.xml").read_text(encoding="utf-8").split("\n", 1)[1])
        found = json.loads(Path("g.json").read_text(encoding="utf-8"))
        verdicts = [one["verdict"] for one in (found if isinstance(found, list) else [found])]
        assert verdict in verdicts
        failures = verdicts.count("fail") + (undecided != "pass") * verdicts.count("undecided")
        assert int(suite.get("failures", "")) == failures
        assert (failures > 0) == (expected > 0)


def test_two_systems_elsewhere_are_sent_to_a_gate_on_the_same_population(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    x = np.random.default_rng(1).random((9, 4, 2))
    rows = [f"q{t},{s},j{j},{float(v)!r}" for (t, j, s), v in np.ndenumerate(x)]
    Path("a.csv").write_text("\n".join(["query,system,judge,score", *rows]), encoding="utf-8")
    for command in ("assess", "plan", "board"):
        assert run([command, "a.csv", "--generalize-to", "topics,judge"]) == 2
        advised = capsys.readouterr().err.strip().partition("truerank gate ")[2].split()
        assert advised[-2:] == ["--generalize-to", "topics,judge"]
        assert run(["gate", *advised, "--json", "-", "--quiet"]) in (0, 1, 4)
        assert json.loads(capsys.readouterr().out)["generalize_to"] == "topics,judge"


# ── several data sets ────────────────────────────────────────────────────────────────────────────────


def test_losses_in_one_of_several_data_sets_name_it(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    x = arms(20)[:, 0]
    rows = [
        f"{name},q{k},{score},{score - k / 99 * (name == 'y'):.4f}"
        for name in "xyz"
        for k, score in enumerate(x.tolist())
    ]
    (folder / "s.csv").write_text("\n".join(["data_set,topic,old,new", *rows]) + "\n")
    run(["gate", "s.csv", "--baseline", "old", "--candidate", "new"])
    assert "new loses most on topics q19 of y (" in " ".join(capsys.readouterr().out.split())


def test_families_of_data_sets_are_what_is_counted(folder: Path) -> None:
    values = arms(12, 5, 0.002)
    names = [f"s{k}" for k in range(12)]
    families = ["f", "f", "f", *names[3:]]
    rows = [f"{s},{f},{a},{b}" for s, f, (a, b) in zip(names, families, values.tolist(), strict=True)]
    (folder / "b.csv").write_text("\n".join(["data_set,family,old,new", *rows]) + "\n")
    (one,) = truerank.gate(truerank.read_scores(folder / "b.csv", family="family"))
    assert (one.topics, one.units, one.differing) == (12, 10, 10)
    assert one.topics_needed_low is not None
    assert one.topics_needed_low > one.units
    assert "10 families of data sets" in about(one)


@pytest.mark.parametrize("named", [["new"], ["new", "newer"], ["old", "new", "newer"]])
def test_systems_without_options_are_refused_with_a_command_that_runs(named, folder, capsys):
    x = np.column_stack([arms(), arms(seed=4)[:, 1]])
    scores = table(folder / "s.csv", x, ("old", "new", "newer"))
    assert run(["gate", scores, *named]) == 2
    command = shlex.split(capsys.readouterr().err.partition("Use: truerank ")[2])
    assert command[command.index("--baseline") + 1] == named[0]
    assert command.count("--candidate") == len(named) - 1
    assert run(command) in (0, 1, 4)
    assert run(["gate", scores, "neither"]) == 2
    assert "neither: no such file" in capsys.readouterr().err
    assert run(["gate", scores, "sum.CSV", "--baseline", "old"]) == 2
    assert "sum.CSV: no such file; check the path" in capsys.readouterr().err
    assert run(["gate", scores, "new", "--baseline", "old"]) == 2
    assert "--baseline old --candidate new" in capsys.readouterr().err


@pytest.mark.parametrize("options", [[], ["--sequential", "--range", "0,1"]], ids=["once", "at any time"])
def test_several_candidates_are_told_apart_best_first(
    options: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Best first in the table; in the file's order in JSON."""
    rng = np.random.default_rng(4)
    base = rng.beta(4, 3, 120)
    names = ("close", "bad", "good")
    shifts = (0.01, -0.3, 0.25)
    scores = [base, *((base + shift + rng.normal(0, 0.1, 120)).clip(0, 1) for shift in shifts)]
    table = tmp_path / "scores.csv"
    rows = [",".join([f"t{t}", *map(str, row)]) for t, row in enumerate(np.column_stack(scores).tolist())]
    table.write_text("\n".join([f"topic,base,{','.join(names)}", *rows]) + "\n", encoding="utf-8")
    command = ["gate", str(table), "--baseline", "base", *options]
    assert run(command) == 1
    out = capsys.readouterr().out
    said = " ".join(out.split())
    assert "1 of 3 candidates passes: good is better than base, with 95% confidence" in said
    lines = [line.split()[:2] for line in out.splitlines() if line.startswith(names)]
    assert lines == [["good", "better"], ["close", "inconclusive"], ["bad", "fail"]]
    assert options or "joint 95% intervals by Student’s t, max-T; seed 0" in said
    assert "p: two-sided, of no difference, adjusted for all 3" in said
    run([*command, "--margin", "0.01"])
    assert "p, no" in capsys.readouterr().out.partition("─")[0]  # beside verdicts of a margin
    assert run([*command, "--json", "-"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert [one["candidate"] for one in found] == list(names)
    if options:  # it is looked at until it decides: no number of topics is foretold
        assert not any("topics_needed" in one for one in found)


def measured(folder: Path) -> str:
    """A long table of three measures, of two systems."""
    rng = np.random.default_rng(1)
    rows = ["topic,system,WER,points,cost"]
    for t in range(40):
        for name, error, points in (("old", 0.3, 50), ("new", 0.25, 52)):
            one = error + rng.normal(0, 0.05), points + rng.normal(0, 5), 1 + rng.normal(0, 0.1)
            rows.append(f"q{t},{name},{one[0]:.4f},{one[1]:.2f},{one[2]:.3f}")
    (folder / "measures.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    return "measures.csv"


def test_each_measure_has_its_margin_and_its_direction(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = measured(folder)
    three = ["gate", path, "-m", "WER", "-m", "points", "-m", "cost", "--baseline", "old"]
    own = ["--margin", "WER=0.02", "--margin", "points=3"]
    assert [one["margin"] for one in document(capsys, *three, *own)] == [0.02, 3.0, 0.0]
    turned = document(capsys, *three, "--direction", "cost=higher", "--direction", "points=lower")
    assert [one["measure"] for one in turned] == ["−WER", "−points", "cost"]
    plain = document(capsys, "gate", path, "-m", "cost", "--baseline", "old", "--higher-is-better")
    assert turned[2]["difference"] == pytest.approx(plain["difference"])
    assert [one["reading"]["certain"] for one in turned] == [True, True, True]
    same = truerank.read_scores(path, "points", direction={"points": "lower"})
    assert turned[1]["candidate_mean"] == pytest.approx(same.means[same.systems.index("new")])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--margin", "0.02"], "give one for each: --margin WER=0.02 --margin points=0.02"),
        (["--margin", "AP=0.02"], "measure with a margin 'AP'"),
        (["--margin", "WER=a"], "--margin 'WER=a' is not a number D or NAME=D"),
        (["--margin", "0.1", "--margin", "0.2"], "give --margin once, or as NAME=D for each measure"),
        (["--direction", "AP=lower"], "measure with a direction 'AP'"),
        (["--direction", "WER=down"], "give NAME=lower or NAME=higher"),
    ],
)
def test_margins_and_directions_of_no_measure_are_refused(
    options: list[str], message: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    three = ["gate", measured(folder), "-m", "WER", "-m", "points", "--baseline", "old"]
    assert run([*three, *options]) == 2
    assert message in " ".join(capsys.readouterr().err.split())


def test_grades_without_a_range_are_decided_by_t(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """15 of 60 better by one grade, or all 60: never too few topics. With a range 15 have the exact bound."""
    old = np.random.default_rng(2).integers(1, 5, 60).astype(float)
    for name, better in (("some", 15), ("all", 60)):
        path = table(folder / f"{name}.csv", np.column_stack([old, old + (np.arange(60) < better)]))
        found = document(capsys, "gate", path)
        assert (found["verdict"], found["rule"], found["p_value"] < 0.001) == ("better", "t", True)
        assert found["low"] > 0
        known = document(capsys, "gate", path, "--range", "1,5")
        assert known["rule"] == ("exact" if better < 20 else "t")
        assert run(["gate", path]) == 0
        assert "too few" not in capsys.readouterr().out


def test_a_kit_of_several_candidates_has_what_they_share_and_counts_of_verdicts(tmp_path: Path) -> None:
    x = np.random.default_rng(6).uniform(size=(40, 6)) + np.array([0, 1, 0.02, -1, 0, -1])
    found = truerank.gate(ScoreMatrix.build(x, systems=[*"abcdef"]), baseline="a", margin=0.02)
    found.to_paper(tmp_path / "kit")
    text = (tmp_path / "kit" / "numbers.tex").read_text(encoding="utf-8")
    macros = dict(re.findall(r"newcommand\{\\kit(\w+)\}\{(.*)\}", text))
    shown = {"Better": "better", "Pass": "pass", "Inconclusive": "undecided", "Fail": "fail"}
    verdicts = [one.verdict for one in found]
    assert {"better", "fail"} <= set(verdicts)
    assert {key: int(macros[key]) for key in shown} == {
        key: verdicts.count(one) for key, one in shown.items()
    }
    assert (macros["Baseline"], macros["Margin"], macros["Topics"]) == ("a", "0.02", "40")
    assert macros["Level"] == r"95\%"


def test_a_half_is_rounded_alike_however_it_was_computed() -> None:
    assert number(-0.04335, 4) == number(-0.04335000000000002, 4) == number(-0.04334999999999998, 4)


_TABLE = "topic,a,b,c,gpt-a,remark\n" + "".join(
    f"q{k},0.{k},0.{(k * 7) % 10},0.{(k * 3) % 10},{'' if k == 2 else f'0.{k}'},words here\n"
    for k in range(1, 10)
)


@pytest.mark.parametrize(
    "arguments",
    [
        ["gate", "--baseline", "a", "--candidate", "gpt-a"],
        ["gate", "--baseline", "gpt-a", "--candidate", "a"],
        ["assess", "--baseline", "gpt-a"],
    ],
)
def test_a_system_that_lacks_scores(
    arguments: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "s.csv"
    path.write_text(_TABLE, encoding="utf-8")
    command, *options = arguments
    assert run([command, str(path), "--missing", "complete", *options]) == 2
    assert "'gpt-a' was left out by --missing complete; use --missing common" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments", [["gate", "--candidate"], ["assess", "--missing", "model", "--baseline"]]
)
def test_a_column_of_text(arguments: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "s.csv"
    path.write_text(_TABLE, encoding="utf-8")
    command, *options = arguments
    assert run([command, str(path), *options, "remark"]) == 2
    assert "'remark' is a column that is not used as a system" in capsys.readouterr().err
