"""Figures in the documentation are what the commands give now; every page of evidence names its command."""

from __future__ import annotations

import re
from pathlib import Path

import validation.studies  # noqa: F401  # registers the studies that pages name
from truerank.experiments import EXPERIMENTS
from validation.claims import EVIDENCE, QUICK, evidence_pages

ROOT = Path(__file__).resolve().parents[2]
SETTLED = [ROOT / "docs" / page for page in ("methods/evidence/settled.md", "compared.md")]
"""Their commands are those of an older version."""
NAMED = re.compile(rf"{EVIDENCE.pattern}|python -m validation\.studies run [a-z]")
"""A page may also name a study."""


def test_the_figures_of_the_demo_and_its_plan() -> None:
    wrong = [said for claim in QUICK if (said := claim.check())]
    assert not wrong, "\n".join(wrong)


def test_every_page_of_evidence_names_the_command_that_makes_it() -> None:
    silent = [
        str(page.relative_to(ROOT))
        for page in evidence_pages()
        if not NAMED.search(" ".join(page.read_text(encoding="utf-8").split()))
    ]
    assert not silent


def test_the_commands_that_pages_name_exist() -> None:
    validations = {path.stem for path in (ROOT / "validation").iterdir()}
    for page in [*(ROOT / "docs").rglob("*.md"), ROOT / "README.md"]:
        if page in SETTLED:
            continue
        text = " ".join(page.read_text(encoding="utf-8").split())
        named = re.findall(r"python -m validation ([a-z_0-9]+)", text)
        assert not set(named) - validations, page
        for name in re.findall(
            r"(?:truerank experiment|python -m validation\.studies) run ([a-z][a-z-]*)", text
        ):
            assert name in EXPERIMENTS or "--plugin" in text, (page, name)
