"""Tables and figures of a run in its folder, and the commands."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from truerank.cli import experiment as commands
from truerank.errors import InputError
from truerank.experiments import run
from truerank.experiments.view import write
from truerank.report.charts.style import COLUMN
from truerank.scores import ScoreMatrix


@pytest.fixture(scope="module")
def finished(table: ScoreMatrix, tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("runs") / "r"
    options: dict[str, Any] = {"draws": 50, "samples": 50, "levels": "0.8,0.95"}
    return run("intervals", {"x": table}, folder, workers=1, trials=3, topics="8,12", **options)


def test_every_series_of_a_figure_differs_in_color_and_in_dash_or_shape(finished: Any) -> None:
    figures = finished.findings.figures
    for name in ("error", "variance", "coverage-tau-quantile-shrunk"):
        chart = figures[name](COLUMN)
        found: dict[str, list[list[Any]]] = {}
        stack: list[Any] = [chart]
        while stack:
            node = stack.pop()
            if isinstance(node, dict):
                for channel in ("color", "strokeDash", "shape"):
                    scale = node.get("encoding", {}).get(channel, {}).get("scale", {})
                    if "range" in scale:
                        found.setdefault(channel, []).append(scale["range"])
                stack += node.values()
            elif isinstance(node, list):
                stack += node
        assert "color" in found, name
        assert {"strokeDash", "shape"} & set(found), name
        for ranges in found.values():
            for values in ranges:
                assert len({str(v) for v in values}) == len(values), name


@pytest.mark.validation
def test_tables_and_figures_are_written_in_every_format(finished: Any) -> None:
    files = {path.relative_to(finished.store.folder).as_posix(): path for path in write(finished)}
    made = finished.findings
    for one in made.tables:
        again = pd.read_csv(files[f"tables/{one.name}.csv"])
        for key in [column.key for column in one.columns]:
            values = [row[one.keys.index(key)] for row in one.values()]
            if any(isinstance(value, float) for value in values):
                assert list(again[key]) == pytest.approx(
                    [float("nan") if v is None else v for v in values], nan_ok=True
                )
        assert one.caption in files["tables/tables.md"].read_text(encoding="utf-8")
    starts = {"svg": b"<svg", "pdf": b"%PDF", "png": b"\x89PNG"}
    for name in made.figures:
        for suffix, start in starts.items():
            assert files[f"figures/{name}.{suffix}"].read_bytes().startswith(start)


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
