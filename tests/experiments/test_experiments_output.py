"""Tables, figures and commands."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import typer

from truerank.cli import experiment as commands
from truerank.errors import InputError
from truerank.experiments import Table, run
from truerank.experiments.engine.execution import summary
from truerank.experiments.engine.experiment import Summary
from truerank.experiments.shared.report import write
from truerank.report.tables.table import latex, markdown
from truerank.scores import ScoreMatrix


@pytest.fixture(scope="module")
def finished(table: ScoreMatrix, tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("runs") / "r"
    options: dict[str, Any] = {"draws": 50, "samples": 50, "levels": "0.8,0.95"}
    return run("intervals", {"x": table}, folder, workers=1, trials=3, topics="8,12", **options)


def test_every_series_of_a_figure_differs_in_colour_and_in_dash_or_shape(finished: Any) -> None:
    figures = summary(finished).figures
    for name in ("error", "variance", "coverage-tau-quantile-shrunk"):
        draw = figures[name]
        chart = draw().to_dict()
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


def test_tables_and_figures_are_written_in_every_format(finished: Any) -> None:
    made = summary(finished)
    made = Summary(
        made.tables, {name: made.figures[name] for name in ("variance", "coverage-tau-normal-shrunk")}
    )
    files = {path.relative_to(finished.store.folder).as_posix(): path for path in write(finished, made)}
    for table in made.tables:
        again = pd.read_csv(files[f"tables/{table.name}.csv"])
        numbers = table.frame.select_dtypes("number").columns
        for column in numbers:
            assert again[str(column)].to_numpy() == pytest.approx(table.frame[column].to_numpy(), nan_ok=True)
    starts = {"svg": b"<svg", "pdf": b"%PDF", "png": b"\x89PNG"}
    for name in made.figures:
        for suffix, start in starts.items():
            assert files[f"figures/{name}.{suffix}"].read_bytes().startswith(start)


def test_tables_for_papers_escape_names_and_align_numbers() -> None:
    frame = pd.DataFrame({"name_x": ["a_b|c", "50%"], "x": [0.12345, float("nan")], "n": [3, 4]})
    table = Table("t", "Of τ_AP & more", frame, 2)
    assert markdown(table) == (
        "Of τ_AP & more.\n\n"
        "| name_x | x | n |\n| --- | ---: | ---: |\n| a_b\\|c | 0.12 | 3 |\n| 50% | – | 4 |\n"
    )
    text = latex(table)
    assert r"\begin{tabular}{lrr}" in text
    assert r"a\_b$|$c & 0.12 & 3 \\" in text
    assert r"50\% & -- & 4 \\" in text
    assert r"\caption{Of $\tau$\_AP \& more}" in text


def command(*words: str) -> None:
    commands.app(list(words), standalone_mode=False)


def test_run_and_show_from_the_command_line(
    table_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = str(tmp_path / "r")
    words = [
        "run",
        "estimators",
        str(table_file),
        "-o",
        folder,
        "--workers",
        "1",
        "--trials",
        "2",
        "--topics=8,9",
    ]
    command(*words, "--estimators", "ml", "--json", "-")
    out, err = capsys.readouterr()
    document = json.loads(out)
    assert (document["done"], document["total"]) == (4, 4)
    assert document["parameters"]["topics"] == [8, 9]
    assert "4 of 4 tasks" in err
    assert (tmp_path / "r" / "figures" / "bias.pdf").exists()
    command("show", folder, "--json", "-")
    assert json.loads(capsys.readouterr().out)["tables"] == document["tables"]
    command("show", folder)
    assert "estimators: 4 of 4 tasks finished" in capsys.readouterr().out
    command(*words, "--estimators", "ml", "--quiet")
    assert "files in" in capsys.readouterr().out
    with pytest.raises(InputError, match="estimators ml, not msqd"):
        command(*words, "--estimators", "msqd")
    with pytest.raises(typer.BadParameter, match="--estimators takes a value"):
        command(*words, "--estimators")


def test_list_names_experiments_and_their_parameters(
    capsys: pytest.CaptureFixture[str], draws_plugin: str
) -> None:
    command("list")
    out = capsys.readouterr().out
    assert all(name in out for name in ("estimators", "intervals", "sample-size"))
    command("list", "draws", "--plugin", draws_plugin, "--json", "-")
    (described,) = json.loads(capsys.readouterr().out)
    assert [p["name"] for p in described["parameters"]] == ["trials", "sizes", "pause"]
