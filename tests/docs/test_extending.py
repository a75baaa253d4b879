"""The worked examples of docs/extending run as printed, and do what their pages say."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import validation.studies  # noqa: F401  # which a page runs
from truerank.cli import run
from truerank.coefficients import COEFFICIENTS
from truerank.experiments import EXPERIMENTS
from truerank.readers.formats.format import FORMATS
from truerank.reliability.estimators import ESTIMATORS, TopicSample

ROOT = Path(__file__).resolve().parents[2]
PAGES = ROOT / "docs" / "extending"
FENCED = re.compile(r"```(\w+)(?: title=\"([^\"]+)\")?\n(.*?)```(?:\n\n```text\n(.*?)```)?", re.DOTALL)


REGISTRIES = (ESTIMATORS, COEFFICIENTS, EXPERIMENTS, FORMATS)


def forget(before: list[dict[str, object]]) -> None:
    """Nothing is registered that was not before, as in a new process."""
    for registry, things in zip(REGISTRIES, before, strict=True):
        registry._things.clear()
        registry._things.update(things)


@pytest.fixture(scope="module")
def scores(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The table of the demo."""
    from truerank.cli.demo import demo_scores
    from truerank.readers.writing import table_text

    path = tmp_path_factory.mktemp("demo") / "scores.csv"
    path.write_text(table_text(demo_scores(1)[0], "scores.csv"), encoding="utf-8")
    return path


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scores: Path) -> Iterator[Path]:
    """A place with the demo's table; afterwards nothing is registered that was not before."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "scores.csv").write_bytes(scores.read_bytes())
    modules, before = set(sys.modules), [dict(one) for one in REGISTRIES]
    yield tmp_path
    forget(before)
    for name in set(sys.modules) - modules:
        if str(getattr(sys.modules[name], "__file__", "")).startswith(str(tmp_path)):
            del sys.modules[name]


def told(page: str) -> list[tuple[str, str, str, str]]:
    return [match.groups("") for match in FENCED.finditer((PAGES / page).read_text(encoding="utf-8"))]


def follow(page: str, capsys: pytest.CaptureFixture[str], *shorter: str) -> str:
    """Do what a page shows, and hold what is printed against what it says; returns what commands printed."""
    printed, before = "", [dict(one) for one in REGISTRIES]
    for language, title, code, shown in told(page):
        if title:
            assert len(code.splitlines()) <= 50, f"{page}: {title} is long for an example"
            Path(title).write_text(code, encoding="utf-8")
        elif language == "python":
            exec(compile(code, page, "exec"), {})
            assert capsys.readouterr().out == shown
        elif language == "bash":
            forget(before)
            words = (
                code.replace("\\\n", " ")
                .replace("python -m validation.studies", "truerank experiment")
                .split()[1:]
            )
            for option in {"--trials", "--topics", "--workers"} & set(words) & set(shorter):
                at = words.index(option)
                del words[at : at + 2]
            assert run([*words, *shorter]) == 0
            found = capsys.readouterr().out
            assert all(line in found for line in shown.splitlines()), found
            printed += found
    return printed


def test_the_estimator(folder: Path, capsys: Any) -> None:
    """Its probabilities are those of a normal posterior, by plain sums; the experiment takes it."""
    printed = follow("estimator.md", capsys, "--trials", "2", "--topics", "10", "--workers", "1", "--quiet")
    assert "normal-prior/shrunk/quantile" in printed
    values = np.random.default_rng(1).normal(np.arange(6, 0, -1) / 2, 1, (9, 6))
    sample = TopicSample(values[:, np.argsort(-values.mean(axis=0))])
    found = ESTIMATORS["normal-prior"].fit(sample).probabilities
    upper = np.triu_indices(6, 1)
    d = (sample.values[:, upper[0]] - sample.values[:, upper[1]]).mean(axis=0)
    s2 = (sample.values[:, upper[0]] - sample.values[:, upper[1]]).var(axis=0, ddof=1) / 9
    prior = np.mean(d**2) - np.mean(s2)
    truth = np.random.default_rng(2).normal(size=200_000)
    for place in (0, 7, 14):
        mean, sd = d[place] * prior / (prior + s2[place]), np.sqrt(prior * s2[place] / (prior + s2[place]))
        assert found[upper][place] == pytest.approx(np.mean(mean + sd * truth < 0), abs=0.005)


def test_the_coefficient(folder: Path, capsys: Any) -> None:
    follow("coefficient.md", capsys)
    found = COEFFICIENTS["tau_top3"]
    for m in (2, 3, 4, 7):
        reversed_ = np.triu(np.ones((m, m)), 1)
        assert found.of_swaps(np.zeros((m, m))) == 1
        assert found.of_swaps(reversed_) == pytest.approx(-1)
    last_two = np.zeros((5, 5))
    last_two[3, 4] = 1
    assert found.of_swaps(last_two) == 1  # of no interest
    first_two = np.zeros((5, 5))
    first_two[0, 1] = 1
    assert found.of_swaps(first_two) == pytest.approx(1 - 2 / 9)  # one of nine pairs


def test_the_format(folder: Path, capsys: Any) -> None:
    import truerank
    from truerank.errors import InputError

    follow("format.md", capsys)
    commands = re.findall(
        r"`truerank (\w+ alpha\.jsonl beta\.jsonl -m \w+)", (PAGES / "format.md").read_text(encoding="utf-8")
    )
    assert len(commands) == 2
    assert all(run(command.split()) in (0, 1, 4) for command in commands)
    assert truerank.read_scores("alpha.jsonl").values[:3, 0].tolist() == pytest.approx([0, 6 / 7, 5 / 7])
    lines = Path("alpha.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    Path("alpha.jsonl").write_text("".join([*lines, '{"response": "", "x": 1}\n']), encoding="utf-8")
    with pytest.raises(InputError, match=r"alpha\.jsonl:21: .* lacks 'user_input'"):
        truerank.read_scores("alpha.jsonl")


def test_a_package_adds_an_adapter_to_every_command(folder: Path) -> None:
    """By its entry point alone, in a process of its own."""
    (code,) = [code for _, title, code, _ in told("format.md") if title == "ragas_adapter.py"]
    (folder / "ragas_adapter.py").write_text(code, encoding="utf-8")
    about = folder / "ragas_adapter-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: ragas-adapter\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[truerank.adapters]\nragas = ragas_adapter:ADAPTER\n")
    for name, step in (("a", 3), ("b", 5)):
        records = [
            {"user_input": f"q{k}", "response": "", "faithfulness": k * step % 11 / 11} for k in range(30)
        ]
        (folder / f"{name}.jsonl").write_text("\n".join(map(json.dumps, records)) + "\n")
    command = [sys.executable, "-m", "truerank", "import", "ragas", "a.jsonl", "b.jsonl", "-o", "t.csv"]
    done = subprocess.run(
        command, env={**os.environ, "PYTHONPATH": str(folder)}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert (folder / "t.csv").read_text().splitlines()[2] == "q1,0.2727272727272727,0.45454545454545453"


def test_the_experiment(folder: Path, capsys: Any) -> None:
    follow("experiment.md", capsys, "--workers", "1", "--quiet")
