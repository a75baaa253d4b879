"""The README's and the docs' examples run as they stand, on the demo's data."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from truerank.cli import run
from truerank.coefficients import COEFFICIENTS
from validation.docs_pages import demo_files

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder that holds what the README's examples name."""
    folder = tmp_path / "demo"
    folder.mkdir()
    demo_files(folder)
    monkeypatch.chdir(folder)
    return folder


def blocks(path: Path, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", path.read_text(encoding="utf-8"), re.DOTALL)


def test_the_commands_of_the_readme(folder, capsys):
    commands = [
        line.lstrip("$ ").split("#")[0].strip()
        for block in blocks(ROOT / "README.md", "")
        for line in block.splitlines()
        if line.startswith(("truerank ", "$ truerank "))
    ]
    assert len(commands) == 7
    for command in commands:
        words = shlex.split(command)[1:]
        expanded = [str(p) for w in words for p in (sorted(folder.glob(w)) if "*" in w else [w])]
        assert run(expanded) in ((0, 1) if words[0] == "gate" else (0,)), (command, capsys.readouterr().err)


def test_the_answer_in_the_readme_is_what_the_command_prints(folder, capsys):
    assert run(["assess", "scores.csv", "-m", "AP", "--seed", "1"]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    block = next(b for b in blocks(ROOT / "README.md", "") if b.startswith("$ truerank assess"))
    shown = block.split("\n", 1)[1].split("...")[0]
    assert " ".join(shown.split()) in printed


@pytest.mark.parametrize("page", ["README.md", "docs/methods/coefficients.md"])
def test_the_python_examples(page, folder, monkeypatch, capsys):
    monkeypatch.setattr(COEFFICIENTS, "_things", dict(COEFFICIENTS))
    found = blocks(ROOT / page, "python")
    assert found
    for block in found:
        exec(compile(block, page, "exec"), {})


def test_it_is_short():
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 80
    assert max(map(len, lines)) <= 120


def test_every_linked_page_exists():
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("**/*.md"))]:
        for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
            if "://" not in target:
                made = ROOT / "gallery" / "results" / f"{Path(target).stem}.json"  # a page made with the site
                assert (page.parent / target).exists() or made.exists(), f"{page.name} links to {target}"
