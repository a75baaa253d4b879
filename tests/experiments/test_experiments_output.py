"""Tables and figures of a run in its folder, and the commands."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from truerank.cli import experiment as commands
from truerank.errors import InputError


def command(*words: str) -> None:
    commands.COMMANDS.run(words)


def test_run_and_show_from_the_command_line(
    table_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = str(tmp_path / "r")
    words = ["run", "estimators", str(table_file), "-o", folder, "--workers", "1", "--trials", "2"]
    words += ["--topics=8,9"]
    command(*words, "--estimators", "ml", "--json", "-")
    out, err = capsys.readouterr()
    document = json.loads(out)
    assert (document["done"], document["total"]) == (4, 4)
    assert document["parameters"]["topics"] == [8, 9]
    assert "4 of 4 tasks" in err
    assert (tmp_path / "r" / "figures" / "bias.pdf").exists()
    command("show", folder, "--json", "-")
    assert json.loads(capsys.readouterr().out)["tables"] == document["tables"]
    command("show", folder, "--csv", str(tmp_path / "csv"), "--latex", str(tmp_path / "t.tex"))
    assert "estimators: all 4 tasks are done." in capsys.readouterr().out
    assert (tmp_path / "csv" / "bias.csv").read_bytes() == (tmp_path / "r/tables/bias.csv").read_bytes()
    assert r"\caption{Mean absolute error" in (tmp_path / "t.tex").read_text(encoding="utf-8")
    command(*words, "--estimators", "ml", "--quiet")
    assert "files in" in capsys.readouterr().out
    with pytest.raises(InputError, match="estimators ml, not msqd"):
        command(*words, "--estimators", "msqd")
    with pytest.raises(InputError, match=r"--quick is only for .*; give few --trials"):
        command(*words, "--quick")
    with pytest.raises(InputError, match="--estimators takes a value"):
        command(*words, "--estimators")
