"""Every command and block of Python on the pages for users runs as it stands, and prints what is shown."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import pytest

from truerank._support.references import REFERENCES
from truerank.cli import run
from truerank.cli.demo import demo_scores
from truerank.readers.writing import table_text
from validation.docs_pages import DOCS, QUICK, SLOW, Reader, blocks, demo_files


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("demo")
    demo_files(folder)
    return folder


@pytest.mark.parametrize("name", [page for page in QUICK if (DOCS / page).exists()])
def test_what_a_page_says_is_what_happens(name, demo, tmp_path, monkeypatch):
    folder = tmp_path / "truerank-demo"
    shutil.copytree(demo, folder)
    monkeypatch.chdir(folder)
    monkeypatch.setattr(REFERENCES, "_things", dict(REFERENCES))
    wrong = Reader(folder).follow(DOCS / name)
    assert not wrong, "\n\n".join(wrong)


def test_every_recipe_is_run():
    recipes = {f"recipes/{path.name}" for path in (DOCS / "recipes").glob("*.md")} - {"recipes/index.md"}
    assert recipes == {page for page in QUICK + SLOW if page.startswith("recipes/")}


def test_a_page_that_is_wrong_is_found(demo, tmp_path, monkeypatch):
    """What the tests above rest on: output that isn’t printed, a wrong exit code, code that prints less."""
    monkeypatch.chdir(demo)
    page = tmp_path / "page.md"
    page.write_text(
        "```console\n$ truerank --version\ntruerank 99\n```\n\n```bash\ntruerank assess none.csv\n```\n\n"
        '```python\nprint("τ")\n```\n\n```text\nτ = 1\n```\n\n```bash title="Elsewhere"\nfalse\n```\n',
        encoding="utf-8",
    )
    assert [block.language for block in blocks(page)] == ["console", "bash", "python"]
    wrong = Reader(demo).follow(page)
    assert len(wrong) == 3
    assert "99" in wrong[0]
    assert "exit code 2" in wrong[1]
    assert "τ = 1" in wrong[2]


def test_the_section_for_a_paper_uses_the_numbers_that_are_written(tmp_path, monkeypatch):
    """The page's own command makes every macro, label and file of its document."""
    monkeypatch.chdir(tmp_path)
    Path("scores.csv").write_text(table_text(demo_scores(1)[0], "scores.csv"), encoding="utf-8")
    text = (DOCS / "recipes" / "paper-section.md").read_text(encoding="utf-8")
    (command,) = re.findall(r"^truerank (.*)", text.split("```bash")[1].split("```")[0], re.MULTILINE)
    assert run([*command.split(), "--quiet"]) == 0
    section = re.sub("%.*", "", text.split("```latex")[1].split("```")[0])
    own, defined = Path("kit/numbers.tex").read_text(encoding="utf-8"), r"command\{\\(kitAP\w+)\}"
    used = set(re.findall(r"\\(kitAP[A-Z]\w*)", section))
    assert len(used) > 15
    assert used <= set(re.findall(defined, own))
    written = "".join(Path(f"kit/{part}.tex").read_text(encoding="utf-8") for part in ("table", "figure"))
    assert set(re.findall(r"ref\{(.*?)\}", section)) == set(re.findall(r"label\{(.*?)\}", written))
    files = set(re.findall(r"`(\w+\.\w+)`", text.split("| --- | --- |")[1].split("\n\n")[0]))
    assert files == set(os.listdir("kit"))


def test_the_evidence_for_the_headline_is_that_of_the_evidence_page():
    """The bias of four estimators, rounded, is what the long table has."""
    page = (DOCS / "which-estimator.md").read_text(encoding="utf-8")
    long = (DOCS / "methods" / "evidence" / "empirical-bayes.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\d+) \| (0\.\d+) \| (0\.\d+) \| (0\.\d+) \| (0\.\d+) \|$", page, re.MULTILINE)
    assert [row[0] for row in rows] == ["10", "20", "50", "100"]
    for topics, *shown in rows:
        exact = re.search(rf"^\| τ \| {topics} \| " + r"(0\.\d{4}) \| " * 4, long, re.MULTILINE)
        assert exact
        assert [abs(float(a) - float(b)) <= 0.000501 for a, b in zip(shown, exact.groups(), strict=True)] == [
            True
        ] * 4
