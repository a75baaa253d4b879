"""Tables and figures of a run in its folder, and the commands."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import typer

from truerank.cli import experiment as commands
from truerank.cli.files import Files
from truerank.errors import InputError
from truerank.experiments import EXPERIMENTS, run, table
from truerank.experiments.engine.parameters import describe
from truerank.experiments.shared.view import write
from truerank.report.charts.style import COLUMN, TEXT
from truerank.report.writers.csv import csv
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


@pytest.mark.parametrize("size", [COLUMN, TEXT])
def test_figures_are_no_wider_than_where_they_go(finished: Any, size: Any) -> None:
    for name in ("error", "coverage-tau-quantile-shrunk"):
        for row in finished.findings.figures[name](size)["vconcat"]:
            across = row["hconcat"]
            assert sum(panel["width"] for panel in across) + len(across) * 4 * size.font < size.width


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


def test_a_frame_is_a_table_whose_columns_know_what_they_hold() -> None:
    frame = pd.DataFrame(
        {"data": ["a", "b"], "coefficient": ["tau_ap", "tau"], "n": [3, 4], "median": [5.0, float("nan")]}
        | {"bias": [-0.12345, float("nan")], "p": [0.00001, 0.5], "tau_ap": [0.25, 0.5], "text": ["x", None]}
    )
    found = table("t", "Of & more.", frame, 2)
    shown = [[c.kind.text(v) for c, v in zip(found.columns, row, strict=True)] for row in found.rows]
    assert shown[0] == ["a", "τ_AP", "3", "5", "−0.12", "<.001", "0.25", "x"]
    assert shown[1] == ["b", "τ", "4", "–", "–", ".500", "0.50", "–"]
    assert [c.heading for c in found.columns][-2:] == ["τ_AP", "text"]
    assert found.names == [0]
    assert csv(found).splitlines()[1:] == ["a,tau_ap,3,5.0,-0.12345,1e-05,0.25,x", "b,tau,4,,,0.5,0.5,"]


def test_no_parameter_has_the_name_of_an_option_of_every_command() -> None:
    """It would never reach the experiment."""
    taken = set(Files.__dataclass_fields__) | {"output", "workers", "dask", "plugin", "seed"}
    for experiment in EXPERIMENTS.values():
        assert not taken & {name for name, _, _ in describe(experiment.parameters)}, experiment.name


def command(*words: str) -> None:
    commands.app(list(words), standalone_mode=False)


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
    with pytest.raises(typer.BadParameter, match="--estimators takes a value"):
        command(*words, "--estimators")


def test_sources_and_parameters_may_be_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What needs sources says so itself; what needs none gets none."""
    with pytest.raises(InputError, match="name at least one score table"):
        command("run", "estimators", "-o", str(tmp_path / "r"), "--quiet")
    asked: list[Any] = []

    def stopped(name: str, sources: Any, folder: str, **options: Any) -> None:
        asked.append((name, sources))
        raise InputError("far enough")

    monkeypatch.setattr("truerank.experiments.engine.execution.run", stopped)
    with pytest.raises(InputError, match="far enough"):
        command("run", "runs", "-o", str(tmp_path / "r"), "--quiet")
    assert asked == [("runs", [])]


def test_list_names_experiments_and_their_parameters(
    capsys: pytest.CaptureFixture[str], draws_plugin: str
) -> None:
    command("list")
    out = capsys.readouterr().out
    assert all(name in out for name in ("estimators", "intervals", "sample-size"))
    command("list", "estimators")
    out = capsys.readouterr().out
    assert "--trials" in out
    assert max(map(len, out.splitlines())) <= 80
    command("list", "draws", "--plugin", draws_plugin, "--json", "-")
    (described,) = json.loads(capsys.readouterr().out)
    assert [p["name"] for p in described["parameters"]] == ["trials", "sizes", "pause"]


def test_cells_made_of_numbers_are_not_shortened() -> None:
    import pandas as pd

    from truerank.experiments import table
    from truerank.report.writers.terminal import lines

    cells = {f"a-measure-{n}": ["0.80 (0.58, 0.91)", "1.04, p=1.00†"] for n in range(7)}
    made = table("tau", "τ", pd.DataFrame({"measure": ["one", "two"]} | cells))
    text = " ".join(lines(made, 60))
    assert text.count("p=1.00†") == 7
    assert "…" not in text
