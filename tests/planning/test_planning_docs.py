"""The examples of docs/methods/planning.md and docs/methods/generalizability.md run as they stand."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from truerank.cli import run

DOCS = Path(__file__).resolve().parents[2] / "docs" / "methods"


def test_the_python_example(capsys: Any) -> None:
    text = (DOCS / "generalizability.md").read_text(encoding="utf-8")
    (script,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    exec(compile(script, "generalizability.md", "exec"), {})
    assert "tau_ap" in capsys.readouterr().out


def test_figures_of_a_real_collection(capsys: Any, data: Path) -> None:
    text = (DOCS / "generalizability.md").read_text(encoding="utf-8").replace("\n", " ")
    assert run(["plan", str(data / "trec" / "adhoc6_ap.csv"), "--stability", "0.95", "--draws", "64"]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    for topics, interval in (("53 topics", "36 to 73"), ("93 topics", "61 to 140")):
        assert topics in text
        assert f"{topics} (95% interval {interval})" in printed


def test_commands_that_need_no_files(capsys: Any) -> None:
    block = (DOCS / "planning.md").read_text(encoding="utf-8").split("```")[1]
    commands = [line.split("#")[0].split() for line in block.splitlines() if "--systems" in line]
    assert len(commands) == 2
    for command in commands:
        assert run([*command[1:], "--draws", "64"]) == 0
        assert "Order as a whole (τ = " in " ".join(capsys.readouterr().out.split())
