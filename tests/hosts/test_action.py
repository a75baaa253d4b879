"""The GitHub action: its steps, run as a runner runs them, with a `gh` that keeps comments in a file."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import truerank
from truerank.readers import write_scores

yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
ROOT = Path(__file__).resolve().parents[2]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))

pytestmark = pytest.mark.skipif(
    sys.platform == "win32" or shutil.which("bash") is None, reason="the action is for POSIX runners"
)

PYTHON = """#!/bin/sh
echo "$@" >> "$CALLS"
mkdir -p "$3/bin"
cat > "$3/bin/python" <<'END'
#!/bin/sh
if [ "$2" = pip ]; then echo "$@" >> "$CALLS"; else exec "PROGRAM" "$@"; fi
END
printf '#!/bin/sh\\nexec "PROGRAM" -m truerank "$@"\\n' > "$3/bin/truerank"
chmod +x "$3/bin/python" "$3/bin/truerank"
"""
"""A `python3` that makes the environment without a network: `-m venv PLACE`."""

GH = """#!PROGRAM
import json, os, pathlib, sys
store = pathlib.Path(os.environ["STORE"])
comments = json.loads(store.read_text()) if store.exists() else [{"id": 7, "body": "Well done."}]
given = sys.argv[1:]
method = given[given.index("--method") + 1] if "--method" in given else "GET"
if method == "GET":
    assert given[2].endswith("/issues/12/comments"), given
    assert given[-1] == ".[] | select(.body | startswith(env.MARKER)) | .id"
    print(*[one["id"] for one in comments if one["body"].startswith(os.environ["MARKER"])], sep="\\n")
else:
    body = pathlib.Path(given[-1].removeprefix("body=@")).read_text()
    if method == "POST":
        comments.append({"id": len(comments) + 10, "body": body})
    else:
        next(one for one in comments if f"/issues/comments/{one['id']}" in " ".join(given))["body"] = body
store.write_text(json.dumps(comments))
"""


@dataclass
class Runner:
    """What GitHub does with a composite action, as far as this one needs it."""

    folder: Path
    event: dict[str, str] = field(default_factory=lambda: {"number": "12"})
    used: list[dict[str, str]] = field(default_factory=list)
    said: str = ""

    def __post_init__(self) -> None:
        for name, text in (("python3", PYTHON), ("gh", GH)):
            program = self.folder / "bin" / name
            program.parent.mkdir(exist_ok=True)
            program.write_text(text.replace("PROGRAM", sys.executable), encoding="utf-8")
            program.chmod(0o755)
        (self.folder / "temp").mkdir()

    def run(self, **inputs: str) -> tuple[int, dict[str, str]]:
        """The exit code of the first step that fails, else 0, and the outputs."""
        known = {f"inputs.{name}": str(one.get("default", "")) for name, one in ACTION["inputs"].items()}
        known |= {f"inputs.{name}": value for name, value in inputs.items()}
        known |= {
            "github.action_path": str(ROOT),
            "github.repository": "someone/ranker",
            "github.event.number": self.event["number"],
            "github.token": "secret",
            "runner.temp": str(self.folder / "temp"),
        }
        filled = {name: _filled(value, known) for name, value in known.items()}
        code = 0
        for step in ACTION["runs"]["steps"]:
            if not _holds(step.get("if", ""), filled):
                continue
            if "uses" in step:
                self.used.append({name: _filled(value, filled) for name, value in step["with"].items()})
                continue
            done, outputs = self._step(step, filled)
            filled |= {f"steps.{step.get('id')}.outputs.{name}": value for name, value in outputs.items()}
            if done and not step.get("continue-on-error"):
                code = done
                break
        return code, {name: _filled(one["value"], filled) for name, one in ACTION["outputs"].items()}

    def _step(self, step: dict[str, Any], known: dict[str, str]) -> tuple[int, dict[str, str]]:
        assert step["shell"] == "bash"
        assert "${{" not in step["run"], "inputs reach the shell as variables only"
        output = self.folder / "output"
        output.write_text("", encoding="utf-8")
        environment = os.environ | {
            "PATH": os.pathsep.join([str(self.folder / "bin"), os.environ["PATH"]]),
            "PYTHONPATH": str(ROOT / "src"),
            "GITHUB_OUTPUT": str(output),
            "GITHUB_STEP_SUMMARY": str(self.folder / "summary.md"),
            "CALLS": str(self.folder / "calls"),
            "STORE": str(self.folder / "comments.json"),
        }
        environment |= {name: _filled(value, known) for name, value in step["env"].items()}
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
        done = subprocess.run(command, cwd=self.folder, env=environment, capture_output=True, check=False)
        self.said += done.stderr.decode()
        return done.returncode, dict(line.split("=", 1) for line in output.read_text().splitlines())

    @property
    def summary(self) -> str:
        return (self.folder / "summary.md").read_text(encoding="utf-8")

    @property
    def comments(self) -> list[str]:
        return [one["body"] for one in json.loads((self.folder / "comments.json").read_text())]


def _filled(text: str, known: dict[str, str]) -> str:
    return re.sub(r"\$\{\{ ([\w.]+) \}\}", lambda match: known.get(match[1], ""), text)


def _holds(condition: str, known: dict[str, str]) -> bool:
    """A condition of ``NAME == 'x'`` and ``NAME != 'x'``, joined by ``&&``."""
    for part in filter(None, condition.split(" && ")):
        name, how, value = part.split()
        if (known[name] == value.strip("'")) != (how == "=="):
            return False
    return True


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    """A repository with scores of four systems: `old`, `same`, `worse` and `noisy`."""
    old = np.random.default_rng(3).beta(2, 4, 60)
    signs = np.resize([1, -1], 60)
    shifts = [0 * signs, 0.01 * signs, 0.02 * signs - 0.06, 0.3 * signs]
    names = ("old", "same", "worse", "noisy one")
    scores = truerank.ScoreMatrix.build(old[:, None] + np.column_stack(shifts), systems=names)
    write_scores(scores, tmp_path / "all scores.csv")
    return Runner(tmp_path)


def _run(runner: Runner, candidate: str, **inputs: str) -> tuple[int, dict[str, str]]:
    given = {"scores": "all scores.csv", "baseline": "old", "candidate": candidate, "margin": "0.01"}
    return runner.run(**(given | inputs))


@pytest.mark.parametrize(
    ("candidate", "undecided", "code", "verdict"),
    [
        ("noisy one", "fail", 1, "undecided"),
        ("same\nnoisy one\r\n", "pass", 0, "undecided"),
        ("same\nworse", "pass", 1, "fail"),
    ],
)
def test_the_job_ends_as_the_gate_does(
    runner: Runner, candidate: str, undecided: str, code: int, verdict: str
) -> None:
    found, outputs = _run(runner, candidate, undecided=undecided)
    names = candidate.split("\n")
    expected = truerank.gate(
        str(runner.folder / "all scores.csv"), "old", [name.strip() for name in names if name], margin=0.01
    )
    assert (found, outputs["verdict"], expected.verdict) == (code, verdict, verdict), runner.said
    assert float(outputs["low"]) == pytest.approx(min(one.low for one in expected))
    assert runner.summary.splitlines()[:4] == expected.to_markdown().splitlines()[:4]
    [kept] = runner.used
    page, data = map(Path, kept["path"].split())
    assert kept["name"] == "truerank-gate"
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert json.loads(data.read_text(encoding="utf-8"))
    assert not (runner.folder / "comments.json").exists()
    assert "[plots]" in (runner.folder / "calls").read_text()


@pytest.mark.validation
def test_a_second_run_updates_its_comment(runner: Runner) -> None:
    _run(runner, "same", comment="true")
    first = runner.comments
    _run(runner, "worse", comment="true")
    second = runner.comments
    assert [len(first), len(second)] == [2, 2]
    assert first[0] == second[0] == "Well done."
    assert "PASS: same" in first[1]
    assert "FAIL: worse" in second[1]
    _run(runner, "same", comment="true", name="other")
    assert len(runner.comments) == 3
    runner.event["number"] = ""  # a push: there is no pull request
    _run(runner, "same", comment="true", name="third")
    assert len(runner.comments) == 3


def test_two_files_and_other_options(runner: Runner, tmp_path: Path) -> None:
    for name in ("old", "same"):
        table = truerank.read_scores(tmp_path / "all scores.csv")
        values = table.values[:, table.systems.index(name)].tolist()
        rows = [f"{topic},{value}" for topic, value in zip(table.topics, values, strict=True)]
        (tmp_path / f"{name} run.csv").write_text("\n".join([f"topic,{name}", *rows]), encoding="utf-8")
    given = {"scores": "old run.csv\nsame run.csv\n", "margin": "0.5", "level": "0.9", "page": "false"}
    code, outputs = runner.run(**given, options="--range -2,2\n --guarantee --missing common")
    assert (code, outputs["verdict"], runner.used) == (0, "pass", [])


def test_each_measure_has_a_margin_on_a_line_of_its_own(runner: Runner, tmp_path: Path) -> None:
    rows = []
    for t in range(30):
        rows += [f"q{t},old,{0.3 + 0.01 * (t % 5)},{40 + t % 7}"]
        rows += [f"q{t},new,{0.3 + 0.01 * (t % 4)},{40 + t % 6}"]
    (tmp_path / "m.csv").write_text("\n".join(["topic,system,WER,points", *rows]), encoding="utf-8")
    given = {"scores": "m.csv", "baseline": "old", "measure": "WER\npoints"}
    assert runner.run(**given, margin="WER=0.03\npoints=3\n")[0] == 0
    data = json.loads(Path(runner.used[0]["path"].split()[1]).read_text(encoding="utf-8"))
    assert [one["margin"] for one in data] == [0.03, 3.0]


@pytest.mark.parametrize("given", ['"; touch hacked; $(touch hacked) `touch hacked`"', "--json=hacked"])
def test_no_input_is_read_as_code(runner: Runner, given: str) -> None:
    """The program, here one that lists its arguments, is given each input as one of them."""
    python = runner.folder / "bin" / "python3"
    program, listing = (
        f'exec "{sys.executable}" -m truerank "$@"',
        'for one; do echo "$one" >&2; done; exit 2',
    )
    python.write_text(python.read_text(encoding="utf-8").replace(program, listing), encoding="utf-8")
    for name in ("scores", "baseline", "candidate", "measure", "margin"):
        assert runner.run(**({"scores": "s.csv"} | {name: given}))[0] == 2
        assert (f"--{name}={given}" if name != "scores" else given) in runner.said.splitlines()
    assert "no verdict" in runner.summary
    assert not (runner.folder / "hacked").exists()
