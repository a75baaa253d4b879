"""The examples of docs/methods/rank-distance.md, and the one worked through beside it, run as they stand."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from truerank.cli import run

METHODS = Path(__file__).resolve().parents[2] / "docs" / "methods"
PAGE = METHODS / "rank-distance.md"
EXAMPLE = METHODS / "rank-distance-example.md"


def test_the_two_judges(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    assert run(["demo", str(tmp_path / "demo")]) == 0
    monkeypatch.chdir(tmp_path / "demo")
    capsys.readouterr()
    page = EXAMPLE.read_text(encoding="utf-8")
    (script,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    exec(compile(script, str(EXAMPLE), "exec"), {})
    (commands,) = re.findall(r"```bash\n(.*?)```", page, re.DOTALL)
    for line in commands.splitlines():
        assert run(line.split()[1:]) == 0
    printed = capsys.readouterr().out
    rows = [line.split("|")[1:-1] for line in page.splitlines() if re.match(r"\| (careful|partial) ", line)]
    shown = [line.split() for line in printed.splitlines() if re.match(r"\w+/AP.csv +\d", line)]
    assert len(rows) == len(shown) == 2
    for cells, numbers in zip(rows, shown, strict=True):
        judge, tau, tau_ap, distance, p = (cell.strip() for cell in cells[:5])
        assert [f"{judge}/AP.csv", tau] == numbers[:2]
        assert [tau_ap, distance, p] == [numbers[3], numbers[5], numbers[7]]
    assert Path("judges.html").read_text(encoding="utf-8").startswith("<!doctype html>")


def test_the_python_example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("tables").mkdir()
    Path("tables/AP.csv").write_text(
        "topic,sys1,sys2,sys3\n1,0.28,0.48,0.52\n2,0.02,0.4,0.54\n3,0.08,0.3,0.28\n4,0.18,0.66,0.62\n",
        encoding="utf-8",
    )
    Path("tables/P@5.csv").write_text(
        "topic,sys1,sys2,sys3\n1,0.2,0.2,0.4\n2,0.4,0.4,0.4\n3,0.4,0.2,0.2\n", encoding="utf-8"
    )
    names: dict[str, Any] = {}
    block = PAGE.read_text(encoding="utf-8").split("```python\n")[1].split("```")[0]
    exec(compile(block, str(PAGE), "exec"), names)
    assert names["result"].to_dict()["rank_distance"] == names["test"].distance > 0
    assert names["low"] < names["result"].tau < names["high"]
