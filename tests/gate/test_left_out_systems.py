"""A name that was left out while scores were read is not called unknown: the error says why it is gone."""

from __future__ import annotations

from pathlib import Path

import pytest

from truerank.cli import run

_TABLE = "topic,a,b,c,gpt-a,remark\n" + "".join(
    f"q{k},0.{k},0.{(k * 7) % 10},0.{(k * 3) % 10},{'' if k == 2 else f'0.{k}'},words here\n"
    for k in range(1, 10)
)


@pytest.mark.parametrize(
    "arguments",
    [
        ["gate", "--baseline", "a", "--candidate", "gpt-a"],
        ["gate", "--baseline", "gpt-a", "--candidate", "a"],
        ["assess", "--baseline", "gpt-a"],
    ],
)
def test_a_system_that_lacks_scores(
    arguments: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "s.csv"
    path.write_text(_TABLE, encoding="utf-8")
    command, *options = arguments
    assert run([command, str(path), "--missing", "complete", *options]) == 2
    assert "'gpt-a' was left out by --missing complete; use --missing common" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments", [["gate", "--candidate"], ["assess", "--missing", "model", "--baseline"]]
)
def test_a_column_of_text(arguments: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "s.csv"
    path.write_text(_TABLE, encoding="utf-8")
    command, *options = arguments
    assert run([command, str(path), *options, "remark"]) == 2
    assert "'remark' is a column that is not used as a system" in capsys.readouterr().err
