"""The files around the code agree with it: one version everywhere, changes told, lines that fit."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
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


@pytest.mark.skipif(shutil.which("make") is None, reason="no make")
@pytest.mark.parametrize(
    ("lint", "suite", "code", "last"),
    [
        ("true", "echo '7 passed, 1 skipped, 9 deselected in 2.00s (0:00:02)'", 0, "7 passed, 1 skipped"),
        (
            "echo bad line; false",
            "echo '=== 1 failed, 1 passed in 3.10s ==='; false",
            1,
            "1 failed, 1 error, 1 passed",
        ),
        ("true", "echo 'no interpreter'; false", 1, "1 error"),
    ],
)
def test_one_line_counts_all_steps(lint: str, suite: str, code: int, last: str, tmp_path: Path) -> None:
    text = "\n".join(f"{name}:\n\t@{command}" for name, command in (("lint", lint), ("suite", suite)))
    (tmp_path / "Makefile").write_text(text + "\n", encoding="utf-8")
    script = [sys.executable, str(ROOT / "scripts" / "check.py")]
    done = subprocess.run(script, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == code
    assert re.fullmatch(last + r" in [\d.]+s", done.stdout.splitlines()[-1])
    assert ("bad line" in done.stdout) == ("bad" in lint)
