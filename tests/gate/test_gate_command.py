"""`truerank gate`: exit codes, files for pipelines, refusals; and two systems given to other commands."""

from __future__ import annotations

import json
import os
import re
import shutil
import stat
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import truerank
from truerank.cli import run
from truerank.report import notebook_html, page_html
from truerank.report.figures import figures
from truerank.report.pages.gate import gate_html
from truerank.report.parts import gate_words
from truerank.report.tables.gate import junit_text, markdown_text
from truerank.report.words import p_text, sentence

ROOT = Path(__file__).resolve().parents[2]
NASTY = "n|e`w*<b>\x1b[31m"


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
    assert run([*arguments, "--json", "-"]) in (0, 1)
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize(
    ("shift", "margin", "undecided", "verdict", "code"),
    [
        (0.03, "0", "fail", "better", 0),
        (0.0, "0.02", "fail", "pass", 0),
        (-0.05, "0.01", "fail", "fail", 1),
        (-0.05, "0.01", "pass", "fail", 1),
        (0.0, "0.001", "fail", "undecided", 1),
        (0.0, "0.001", "pass", "undecided", 0),
    ],
)
def test_exit_codes(
    shift: float,
    margin: str,
    undecided: str,
    verdict: str,
    code: int,
    folder: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    scores = table(folder / "s.csv", arms(shift=shift))
    assert run(["gate", scores, "--margin", margin, "--undecided", undecided]) == code
    assert capsys.readouterr().out.startswith(f"{verdict.upper()}: new against old, 60 topics\n")


def test_the_command_and_python_agree(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scores = table(folder / "s.csv", arms())
    found = document(capsys, "gate", scores, "--margin", "0.01", "--seed", "3")
    assert found == truerank.gate(scores, margin=0.01, seed=3).to_dict()


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
    assert truerank.gate([a, b], margin=0.01).to_dict() == parts
    for key in ("verdict", "difference", "low", "high", "p_value"):
        assert parts[key] == pytest.approx(whole[key]) if key != "verdict" else parts[key] == whole[key]


def test_two_outputs_of_trec_eval(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    x = arms()
    for s, name in enumerate(("old", "new")):
        lines = [f"map\tt{t}\t{row[s]}" for t, row in enumerate(x.tolist())]
        (folder / f"{name}.eval").write_text("\n".join(lines) + "\n")
    found = document(capsys, "gate", "old.eval", "new.eval", "--margin", "0.01")
    assert isinstance(found, dict)
    assert found["difference"] == pytest.approx(np.mean(x[:, 1] - x[:, 0]))


def test_runs_and_judgments(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rng = np.random.default_rng(1)
    (folder / "q.txt").write_text("".join(f"{t} 0 d{d} 1\n" for t in range(30) for d in range(3)))
    for name, skill in (("a", 1.0), ("b", 2.0)):
        lines = []
        for t in range(30):
            for d in range(12):
                lines.append(f"{t} Q0 d{d} 1 {rng.normal(skill * (d < 3)):.4f} {name}\n")
        (folder / f"{name}.run").write_text("".join(lines))
    found = document(capsys, "gate", "--qrels", "q.txt", "-m", "AP", "-m", "RR", "a.run", "b.run")
    assert isinstance(found, list)
    assert [one["measure"] for one in found] == ["AP", "RR"]
    assert {one["comparisons"] for one in found} == {2}
    assert found[0]["verdict"] == "better"


def test_several_candidates_are_a_list(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    x = np.column_stack([arms(), arms(seed=2)])
    scores = table(folder / "s.csv", x, ("old", "b", "c", "d"))
    found = document(capsys, "gate", scores, "--baseline", "old", "--candidate", "b", "--candidate", "d")
    assert isinstance(found, list)
    assert [one["candidate"] for one in found] == ["b", "d"]
    run(["gate", scores, "--baseline", "old"])
    out = capsys.readouterr().out
    assert "3 comparisons are judged together" in " ".join(out.split())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["gate", "zero.csv"], "'new' has the same score (0) on all 60 topics"),
        (["gate", "copy.csv"], "same scores as 'old' on every topic"),
        (["gate", "s.csv", "--margin", "2"], "as wide as the range of all scores"),
        (["gate", "s.csv", "--level", "95"], "write 0.95 for 95%"),
        (["gate", "A.csv", "C.csv"], "share no of their 60 and 60 topics"),
        (["gate", "A.csv", "half.csv"], "has no score on topic"),
        (["gate", "s.csv", "A.csv"], "s.csv: 2 systems"),
        (["gate", "s.csv", "--candidate", "nobody"], "unknown system 'nobody'"),
        (["gate", "A.csv"], "only one system"),
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


def test_shared_topics_of_two_files_with_drop_topic(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    x = arms()
    a, b = table(folder / "A.csv", x[:, :1], ("old",)), table(folder / "B.csv", x[:45, 1:], ("new",))
    found = document(capsys, "gate", a, b, "--missing", "drop-topic")
    assert isinstance(found, dict)
    assert found["topics"] == 45
    assert any("15 of 60" in warning for warning in found["warnings"])


def test_holes_of_other_systems_are_no_matter(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    x = arms()
    rows = [f"t{t},{a},{b},{'' if t % 3 else a}" for t, (a, b) in enumerate(x.tolist())]
    (folder / "s.csv").write_text("\n".join(["topic,old,new,other", *rows]) + "\n")
    found = document(capsys, "gate", "s.csv", "--baseline", "old", "--candidate", "new")
    assert isinstance(found, dict)
    assert found["topics"] == 60
    assert run(["gate", "s.csv", "--baseline", "old"]) == 2
    assert "'other' has no score on topic 't1' (40 of 60 topics lack one" in capsys.readouterr().err


def test_columns_of_data_sets_and_clusters(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = ["data_set,topic,intent,old,new"]
    rng = np.random.default_rng(3)
    for name, n in (("fiqa", 30), ("nq", 60)):
        for t in range(n):
            old = rng.uniform(0.2, 0.8)
            rows.append(f"{name},{t},{t // 3},{old:.4f},{old + rng.normal(0.01, 0.05):.4f}")
    (folder / "s.csv").write_text("\n".join(rows) + "\n")
    found = document(capsys, "gate", "s.csv", "--margin", "0.02", "--cluster", "intent")
    assert isinstance(found, list)
    assert [one["data_set"] for one in found] == [None, "fiqa", "nq"]
    assert {one["unit"] for one in found} == {"cluster"}
    scores = truerank.read_scores(folder / "s.csv", cluster="intent")
    assert [one["low"] for one in found] == [one.low for one in truerank.gate(scores, margin=0.02)]
    assert found[0]["difference"] == pytest.approx((found[1]["difference"] + found[2]["difference"]) / 2)
    one_each = [("old", "data_set,topic,intent,old"), ("new", "data_set,topic,intent,new")]
    for place, (name, header) in enumerate(one_each):
        cells = [row.split(",") for row in rows[1:]]
        lines = [",".join([*row[:3], row[3 + place]]) for row in cells]
        (folder / f"{name}.csv").write_text("\n".join([header, *lines]) + "\n")
    apart = document(capsys, "gate", "old.csv", "new.csv", "--margin", "0.02", "--cluster", "intent")
    assert isinstance(apart, list)
    assert [one["low"] for one in apart] == pytest.approx([one["low"] for one in found])


# ── files for pipelines ──────────────────────────────────────────────────────────────────────────────


def test_files_are_written_and_replaced_by_the_next_run(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scores = table(folder / "s.csv", arms(shift=-0.05))
    files = ["--markdown", "g.md", "--junit", "g.xml", "--html", "g.html", "--json", "g.json"]
    for _ in range(2):
        assert run(["gate", scores, "--margin", "0.01", *files]) == 1
    assert "❌" in (folder / "g.md").read_text(encoding="utf-8")
    assert (folder / "g.html").read_text(encoding="utf-8").count("</html>") == 1
    assert json.loads((folder / "g.json").read_text())["verdict"] == "fail"
    (folder / "g.md").write_text("mine")
    capsys.readouterr()
    assert run(["gate", scores, "--markdown", "g.md"]) == 2


def test_junit_counts_what_it_holds() -> None:
    x = np.column_stack([arms(shift=0.05), arms(seed=2)[:, 1:], arms(shift=-0.05, seed=1)[:, 1:]])
    x[:, 3] = (x[:, 0] - 0.05).clip(0, 1)
    x[0, 3] = 0.5
    found = truerank.gate(x, "sys1", margin=0.002)
    verdicts = [one.verdict for one in found]
    assert {"better", "fail", "undecided"} <= set(verdicts)
    for undecided_passes in (False, True):
        root = ElementTree.fromstring(junit_text(found, undecided_passes).split("\n", 1)[1])
        cases = list(root.iter("testcase"))
        assert len(cases) == int(root.get("tests", "")) == 3
        failed = [case for case in cases if case.find("failure") is not None]
        expected = 1 if undecided_passes else 3 - verdicts.count("better") - verdicts.count("pass")
        assert len(failed) == int(root.get("failures", "")) == expected
        assert int(root.get("skipped", "")) == (verdicts.count("undecided") if undecided_passes else 0)


def test_names_from_files_are_data() -> None:
    x = arms()
    scores = truerank.ScoreMatrix.build(
        x, systems=["old", NASTY], topics=[f"<t{t}>|\n" for t in range(60)], measure="A|P"
    )
    found = truerank.gate(scores)
    text = markdown_text(found)
    rows = [line for line in text.splitlines() if line.startswith("| n")]
    assert len(re.findall(r"(?<!\\)\|", rows[0])) == 10
    assert "<b>" not in text
    assert "\x1b" not in text
    root = ElementTree.fromstring(junit_text(found).split("\n", 1)[1])
    assert "\\x1b" in next(root.iter("testcase")).get("name", "")
    page = page_html(truerank.assess(scores, ["ml"], draws=50))
    assert "<b>\\x1b" not in page
    assert "&lt;b&gt;" in page


# ── the same answer elsewhere ────────────────────────────────────────────────────────────────────────


def words(text: str) -> str:
    return " ".join(text.split())


def test_assess_and_compare_give_the_gate_s_answer(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scores = table(folder / "s.csv", arms())
    run(["gate", scores])
    answer = words(capsys.readouterr().out)
    for arguments in (["assess", scores], ["compare", scores, scores]):
        assert run(arguments) == 0
        out = words(capsys.readouterr().out)
        assert answer in out
        assert "τ" not in out
        assert "tier" not in out
        assert "every 100" not in out
    page = page_html(truerank.assess(scores))
    said = answer.split("Mean")[0].split("topics ", 1)[1].strip()
    assert said in words(page)
    assert "τ" not in page
    assert "squares" not in page.split("</style>")[1]
    assert said in words(notebook_html(truerank.assess(scores)))
    assert "τ" not in repr(truerank.assess(scores))
    assert list(figures(truerank.assess(scores))) == ["differences"]


def test_a_page_s_baseline_is_the_system_given_first(folder: Path) -> None:
    x = arms(shift=-0.05)
    page = page_html(truerank.assess(table(folder / "s.csv", x), ["ml"], draws=50))
    assert "new is worse than old" in words(page)
    other = page_html(truerank.assess(str(folder / "s.csv"), ["ml"], draws=50, baseline="new"))
    assert "old is better than new" in words(other)


def test_json_and_files_of_two_systems(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scores = table(folder / "s.csv", arms(shift=0.03))
    files = ["--csv", "c", "--latex", "t.tex", "--html", "p.html", "--figures", "f"]
    found = document(capsys, "assess", scores, *files, "--estimator", "eb")
    assert isinstance(found, dict)
    assert found["estimates"] == []
    assert [row["system"] for row in found["ranking"]] == ["new", "old"]
    assert found["gate"]["verdict"] == "better"
    assert sorted(path.name for path in (folder / "c").glob("*.csv")) == ["differences.csv", "gate.csv"]
    assert sorted(path.suffix for path in (folder / "f").glob("d*")) == [".pdf", ".png", ".svg"]
    assert "booktabs" in (folder / "t.tex").read_text()
    run(["assess", scores, "--estimator", "eb"])
    assert "Without effect on two systems: --estimator" in words(capsys.readouterr().out)
    compared = document(capsys, "compare", scores, scores)
    assert isinstance(compared, dict)
    assert compared["tau"] is None
    assert compared["same_order"] is True
    assert compared["gate"]["verdict"] == compared["gate_other"]["verdict"] == "better"


def test_compare_says_whom_a_ranking_has_ahead(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scores = table(folder / "s.csv", arms(shift=0.03))
    (folder / "r.txt").write_text("old\nnew\n")
    assert run(["compare", scores, "r.txt"]) == 0
    assert "r.txt has old ahead, which the trusted scores do not." in words(capsys.readouterr().out)


def test_two_systems_left_by_dropping_are_two_systems(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    x = np.column_stack([arms(), arms()[:, 0] * 0.1])
    scores = table(folder / "s.csv", x, ("old", "new", "bad"))
    assert run(["assess", scores, "--drop-bottom", "0.4"]) == 0
    assert "new against old" in capsys.readouterr().out


def test_the_truth_of_a_simulation(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scores = table(folder / "s.csv", arms())
    model = ["simulate", "fit", scores, "--simulator", "effects", "-o", "m.json", "--quiet"]
    assert run(model) == 0
    capsys.readouterr()
    assert run(["assess", scores, "--model", "m.json"]) == 0
    assert "The true difference, known here" in capsys.readouterr().out


# ── the snippets of the docs ─────────────────────────────────────────────────────────────────────────


def blocks(language: str) -> list[str]:
    text = (ROOT / "docs" / "methods" / "gate.md").read_text(encoding="utf-8")
    return re.findall(rf"```{language}(?: title=[^\n]*)?\n(.*?)```", text, re.DOTALL)


@pytest.fixture
def shell(folder: Path) -> dict[str, str]:
    """Two files as the snippets name them, and a `truerank` on the path."""
    if shutil.which("sh") is None or sys.platform == "win32":
        pytest.skip("no POSIX shell")
    x = arms(shift=0.01)
    table(folder / "baseline.csv", x[:, :1], ("old",))
    table(folder / "candidate.csv", x[:, 1:], ("new",))
    program = folder / "bin" / "truerank"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m truerank "$@"\n')
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    path = os.pathsep.join([str(program.parent), os.environ["PATH"], "/bin"])
    source = os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    return os.environ | {"PATH": path, "PYTHONPATH": source, "GITHUB_STEP_SUMMARY": str(folder / "summary")}


def lose(folder: Path) -> None:
    table(folder / "candidate.csv", arms(shift=-0.1)[:, 1:], ("new",))


def sh(script: str, shell: dict[str, str]) -> int:
    """The exit code of a script as pipelines run it: it stops at the first command that fails."""
    return subprocess.run(["sh", "-e", "-c", script], env=shell, capture_output=True, check=False).returncode


def test_the_github_snippet(folder: Path, shell: dict[str, str]) -> None:
    (snippet,) = [block for block in blocks("yaml") if "runs-on" in block]
    steps = re.findall(r"run: (.+)", snippet)
    gate, show = steps[1:]
    assert steps[0].startswith("pip install wheels/truerank-")
    assert sh(gate, shell) == 0
    lose(folder)
    assert sh(gate, shell) == 1
    assert sh(show, shell) == 0  # it runs whatever came before
    assert "❌" in (folder / "summary").read_text(encoding="utf-8")


def test_the_gitlab_snippet(folder: Path, shell: dict[str, str]) -> None:
    (snippet,) = [block for block in blocks("yaml") if "artifacts" in block]
    (gate,) = re.findall(r"- (truerank gate .+)", snippet)
    (report,) = re.findall(r"junit: (.+)", snippet)
    assert sh(gate, shell) == 0
    lose(folder)
    assert sh(gate, shell) == 1
    assert ElementTree.parse(folder / report).getroot().get("failures") == "1"


def test_snippets_are_yaml() -> None:
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
    for block in blocks("yaml"):
        assert isinstance(yaml.safe_load(block), dict)


def test_the_hook(folder: Path, shell: dict[str, str]) -> None:
    (hook,) = blocks("sh")
    assert sh(hook, shell) == 0
    lose(folder)
    assert sh(hook, shell) == 1


def test_the_one_liner(folder: Path) -> None:
    (snippet,) = blocks("python")
    table(folder / "scores.csv", arms(shift=0.02), ("sys12", "sys5"))
    space: dict[str, object] = {}
    exec(compile(snippet, "docs/methods/gate.md", "exec"), space)
    space["test_the_new_ranker_is_not_worse"]()  # type: ignore[operator]


# ── several data sets ────────────────────────────────────────────────────────────────────────────────


def two_sets(worse: float) -> truerank.ScoreMatrix:
    """A candidate that is better on one data set and worse on the other."""
    x = np.vstack([arms(shift=0.06, spread=0.02), arms(seed=2, shift=worse, spread=0.02)])
    return truerank.ScoreMatrix.build(x, systems=["old", "new"], data_sets=np.repeat(["nq", "fiqa"], 60))


def test_a_data_set_that_fails_is_named_with_the_verdict() -> None:
    found = truerank.gate(two_sets(-0.04), margin=0.01)
    assert (found.decisions[0].verdict, found.verdict) == ("better", "fail")
    said = "BETTER on average, but FAIL on fiqa"
    assert f"### ❌ truerank gate: {said}\n" in markdown_text(found)
    assert said in words(gate_html(found))
    assert said in words(notebook_html(found))
    assert "On fiqa it is worse by more than 0.01" in markdown_text(found)
    assert "data set | topics" in markdown_text(found)
    assert "FAIL" not in markdown_text(truerank.gate(two_sets(0.02), margin=0.01))


def test_without_a_margin_nothing_fails_in_words() -> None:
    text = markdown_text(truerank.gate(arms(shift=-0.05)))
    assert "truerank gate: WORSE" in text
    assert "FAIL" not in text.upper().replace("### ❌", "")


def test_a_warning_is_said_once() -> None:
    x = np.vstack([arms(12, 1), arms(15, 2), arms(80, 3)])
    sets = np.repeat(["a", "b", "c"], [12, 15, 80])
    noted = truerank.ScoreMatrix.build(x, systems=["old", "new"], data_sets=sets, notes=["a column unused"])
    said = gate_words.warnings(truerank.gate(noted))
    assert said[0] == "a column unused"
    assert said[1].startswith("for new, a: only 12 topics; for new, b: only 15 topics. What others would do")
    assert len(said) == 2


def test_one_score_on_a_data_set_is_named_once() -> None:
    names = [f"set{k}" for k in range(9)]
    board = truerank.ScoreMatrix.build(arms(9, 2), topics=names, systems=["old", "new"], data_sets=names)
    said = gate_words.lost(truerank.gate(board).decisions[0])
    assert "loses most on set" in said
    assert " of set" not in said


def test_notes_of_others_keep_their_punctuation_and_their_names() -> None:
    notes = ["columns that are not used: is_public", "'task_name' is the data sets (4: fiqa, nq)"]
    one = arms(60, 1)
    scores = np.column_stack([one, one[:, 1] + np.random.default_rng(1).normal(0, 0.01, 60)])
    scores[:9, 2] = np.nan
    noted = truerank.ScoreMatrix.build(
        scores, systems=["org/small", "org/large", "dense: v2"], notes=notes, holes=True
    )
    said = gate_words.warnings(truerank.gate(noted, baseline="org/small"))
    assert said[:2] == notes
    assert said[2] == ("for dense: v2: 9 of 60 topics left out: 'org/small' or 'dense: v2' lacks them")
    assert [sentence(one) for one in said[:2]] == [
        "Columns that are not used: is_public.",
        "'task_name' is the data sets (4: fiqa, nq).",
    ]


def test_little_confidence_is_no_certainty_of_the_contrary() -> None:
    rng = np.random.default_rng(3)
    found = truerank.gate(arms(40, seed=4, shift=-0.005, spread=0.05 + 0.01 * rng.random()))
    (one,) = found
    assert one.probability_better < 0.5
    assert "Confidence that it is better: below 50%. Test of no difference" in gate_words.tested(one)


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
    assert "10 families of data sets" in gate_words.where(one)
    assert any("only 10 families of data sets, " in warning for warning in one.warnings)


def test_assess_names_the_options_that_two_systems_have_no_use_for(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(["assess", table(folder / "s.csv", arms()), "--guarantee", "--best", "2"])
    assert "Without effect on two systems: --best, --guarantee." in words(capsys.readouterr().out)


def test_p_values_of_different_tests_stand_under_different_headings() -> None:
    found = truerank.gate(arms(40, seed=4, shift=0.01))
    (one,) = found
    markdown, latex = found.to_markdown(), found.to_latex()
    assert one.p_adjusted != one.p_two_sided
    assert "| p, adjusted |" in markdown
    assert gate_words.ADJUSTED in markdown
    # Beside the verdict is the p of the verdict, everywhere; the t-test's has its name beside it.
    shown, other = (p_text(p) for p in (one.p_adjusted, one.p_two_sided))
    assert shown != other
    row = next(line for line in latex.splitlines() if line.endswith(f"{one.verdict} \\\\"))
    assert row.split(" & ")[-2] == shown
    assert re.search(r" & p, adjusted & Verdict \\\\", latex)
    assert f"Paired t-test of no difference at all (two-sided, not adjusted): p = {other}." in latex
    assert f" {shown} |" in markdown
    assert other not in "".join(line for line in markdown.splitlines() if line.startswith("|"))
    several = truerank.gate(np.column_stack([arms(40), arms(40, seed=4)[:, 1]]), "sys1")
    assert "t-test of no difference at all" not in several.to_latex()
    page = gate_html(several)
    for each in several:
        assert f" & {p_text(each.p_adjusted)} & {each.verdict} \\\\" in several.to_latex()
        assert re.search(rf">\s*{p_text(each.p_adjusted)}\s*</td>", page)
