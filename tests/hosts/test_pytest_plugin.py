"""The pytest plug-in: verdicts as tests, with nothing imported before, and one section for all workers."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

import pytest

import truerank
from truerank.cli.demo import demo_scores
from truerank.readers import write_scores

EXAMPLE = """
import random

draws = random.Random(1)
old = {f"q{i}": draws.betavariate(2, 4) for i in range(60)}
new = {topic: score + draws.gauss(0.001, 0.02) for topic, score in old.items()}
worse = {topic: score - 0.05 + draws.gauss(0, 0.02) for topic, score in old.items()}
noisy = {topic: score + draws.gauss(0, 0.3) for topic, score in old.items()}

def test_pass(truerank_gate):
    assert truerank_gate(old, new, margin=0.02).verdict == "pass"

def test_fail(truerank_gate):
    truerank_gate(old, worse, margin=0.01)

def test_inconclusive(truerank_gate):
    truerank_gate(old, noisy, margin=0.01)

def test_inconclusive_passes(truerank_gate):
    assert truerank_gate(old, noisy, margin=0.01, undecided="pass").verdict == "undecided"

def test_two(truerank_gate):
    truerank_gate(old, new, margin=0.02)
    truerank_gate(new, old, margin=0.05, level=0.9)
"""


@dataclass(frozen=True)
class Project:
    """A project with tests of its own; pytest runs in a process of its own, where nothing is loaded yet."""

    path: Path

    def write(self, code: str, name: str = "test_example.py") -> None:
        (self.path / name).write_text(textwrap.dedent(code), encoding="utf-8")

    def run(self, *options: str, **outcomes: int) -> str:
        """What pytest prints, once it is certain that the outcomes are these."""
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *options]
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
        done = subprocess.run(
            command, cwd=self.path, env=environment, capture_output=True, text=True, check=False
        )
        counted = re.findall(r"(\d+) (passed|failed|deselected|error)", done.stdout.splitlines()[-1])
        assert {name: int(number) for number, name in counted} == outcomes, done.stdout + done.stderr
        return done.stdout


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """An empty project."""
    return Project(tmp_path)


@pytest.fixture
def example(project: Project) -> Project:
    """A project with five tests that use the fixture."""
    project.write(EXAMPLE)
    return project


def _verdicts(printed: str) -> list[str]:
    """The verdicts of the section, in order."""
    section = printed.partition(" truerank ==")[2].partition("\n===")[0]
    return re.findall(r"^  ([A-Z]+): ", section, re.MULTILINE)


@pytest.mark.parametrize("workers", [0, pytest.param(2, marks=pytest.mark.validation)])
def test_all_verdicts_are_in_one_section(example: Project, workers: int) -> None:
    given = (f"-n{workers}", "--truerank-report", "pages", "--junitxml=out.xml")
    printed = example.run(*given, passed=3, failed=2)
    assert _verdicts(printed) == ["FAIL", "INCONCLUSIVE", "INCONCLUSIVE", "PASS", "PASS", "PASS"]
    pages = sorted(path.name for path in (example.path / "pages").glob("*.html"))
    assert len(pages) == 6
    assert {path.name for path in (example.path / "pages").iterdir()} == set(pages)
    assert all(f"  Page: pages{os.sep}{page}\n" in printed for page in pages)
    told = [one.get("value") or "" for one in ElementTree.parse(example.path / "out.xml").iter("property")]
    assert sum(one.startswith("PASS: ") for one in told) == 3
    scores: dict[str, dict[str, float]] = {}
    exec(EXAMPLE, scores)
    for line in truerank.gate(scores["old"], scores["worse"], margin=0.01).summary().splitlines():
        assert line in printed
    assert "deciding.py" not in printed


@pytest.mark.validation
def test_the_example_of_the_page_prints_what_is_shown(project: Project) -> None:
    write_scores(demo_scores(1)[0], project.path / "scores.csv")
    page = (Path(__file__).resolve().parents[2] / "docs/recipes/hosts.md").read_text(encoding="utf-8")
    code, shown = re.findall(r"```(?:python|console) title=.*\n((?:.*\n)*?)```", page)[:2]
    project.write(code, "test_ranker.py")
    printed = project.run("--truerank-report", "pages", passed=1, failed=1)
    assert shown in printed, printed


def test_files_and_series_are_read(project: Project) -> None:
    for name, shift in (("old", 0.0), ("new", 0.002)):
        rows = [f"q{i},{i / 100 + shift * (i % 3)}" for i in range(50)]
        (project.path / f"{name}.csv").write_text("\n".join([f"topic,{name}", *rows]))
    project.write("""
        import pandas as pd, pytest

        def test_files(truerank_gate):
            found = truerank_gate("old.csv", "new.csv", margin=0.01)
            assert (found.baseline, found.candidate, found.topics) == ("old", "new", 50)

        def test_series(truerank_gate):
            old, new = (pd.read_csv(f"{name}.csv", index_col=0)[name] for name in ("old", "new"))
            assert truerank_gate(old, new).verdict == truerank_gate(dict(old), dict(new)).verdict == "better"

        @pytest.mark.parametrize("given", [("old.csv", {"q1": 1.0}), ({"q1": 1.0}, {"q1": 2.0}), (3, 4)])
        def test_what_cannot_be_compared(truerank_gate, given):
            truerank_gate(*given)

        def test_a_wrong_word(truerank_gate):
            truerank_gate("old.csv", "new.csv", undecided="passes")
    """)
    printed = project.run("--tb=short", passed=2, failed=4)
    assert "Error" not in re.sub(r"^E .*", "", printed, flags=re.MULTILINE)


def test_nothing_is_imported_before_the_fixture_is_used(project: Project) -> None:
    """Neither truerank nor what it needs; the plug-in is found by its entry point alone."""
    project.write("""
        import sys

        def test_without():
            assert {"numpy", "scipy", "truerank"}.isdisjoint(sys.modules)

        def test_with(truerank_gate):
            assert "truerank" in sys.modules
    """)
    assert " truerank " not in project.run(passed=2)
