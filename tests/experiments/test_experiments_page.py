"""The page of an experiment: what is on it, what is data in it, and how it says to repeat the run."""

from __future__ import annotations

import json
import re
import shlex
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from truerank import cli
from truerank.cli import experiment as commands
from truerank.errors import InputError
from truerank.experiments import run, show
from truerank.experiments.view import run_command
from truerank.scores import ScoreMatrix

Options = dict[str, Any]
SMALL: Options = {"workers": 1, "trials": 2, "topics": "8,9", "estimators": "ml,msqd"}


@pytest.fixture(scope="module")
def finished(table: ScoreMatrix, tmp_path_factory: pytest.TempPathFactory) -> Any:
    return run("estimators", {"x": table}, tmp_path_factory.mktemp("pages") / "results", **SMALL)


def cells(page: str, table: str) -> list[list[str]]:
    """The texts of a table's rows."""
    body = page.split(f'id="{table}-table"')[1].split("<tbody>")[1].split("</tbody>")[0]
    rows = re.findall("<tr.*?</tr>", body, flags=re.DOTALL)
    found = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in rows]
    return [[unescape(re.sub("<[^>]*>", "", cell)) for cell in row] for row in found]


def test_the_page_has_the_parts_of_every_page_and_the_numbers_of_the_tables(finished: Any) -> None:
    page = finished.to_html()
    titles = re.findall(r'<h2 id="([a-z]+)-title"', page)
    assert titles == ["tables", "methods"]
    assert "Error and bias of point estimates by number of topics" in page
    assert "estimators: all 4 tasks are done." in page
    assert "Whatever the data" not in page
    error = finished.to_frame("error")
    shown = cells(page, "error")
    assert [row[2] for row in shown] == [str(n) for n in error["topics"]]
    for name, place in (("ml", 3), ("msqd", 4)):
        wanted = [f"{value:.4f}".replace("-", "−") for value in error[name]]
        assert [row[place] for row in shown] == wanted
    assert {row[1] for row in shown} == {"τ", "τAP"}
    assert page == show(finished.store.folder).to_html()


def test_the_command_on_the_page_computes_the_same_run_again(
    table_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(table_file.parent)
    first = run("estimators", str(table_file.resolve()), tmp_path / "first", seed=7, **SMALL)
    words = shlex.split(run_command(first))
    assert words[:4] == ["truerank", "experiment", "run", "estimators"]
    assert not any(Path(word).is_absolute() for word in words)
    monkeypatch.setattr("sys.argv", words)
    again = tmp_path / "again"
    place = words.index("-o") + 1
    assert cli.run([*words[1:place], str(again), *words[place + 1 :], "--workers", "1", "--quiet"]) == 0
    assert show(again).frame().equals(first.frame())


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
