"""The files around the code agree with it: one version everywhere, changes told, lines that fit."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from truerank._support.version import __version__

ROOT = Path(__file__).resolve().parents[2]
PROSE = ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")


def test_the_version_is_the_same_everywhere() -> None:
    cited = re.search(r"^version: (\S+)$", (ROOT / "CITATION.cff").read_text(encoding="utf-8"), re.MULTILINE)
    assert cited is not None
    assert cited[1] == __version__
    newest = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert newest is not None
    assert newest[1] == __version__


@pytest.mark.parametrize("name", PROSE)
def test_lines_fit_and_links_lead_somewhere(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    assert [line for line in text.splitlines() if len(line) > 120] == []
    links = re.findall(r"\]\((?!https?:)([^)#]+)", text)
    missing = [link for link in links if not (ROOT / link).exists()]
    assert missing == []
