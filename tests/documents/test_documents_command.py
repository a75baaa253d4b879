"""`truerank documents` and its figures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from truerank import cli
from truerank.documents import analyze_collection, place_measure, read_collection
from truerank.errors import UnknownNameError
from truerank.report.charts.documents import error_chart, topic_chart, write_figures

SMALL = ["--samples", "60", "--rank-samples", "30", "--decomposition", "10"]


@pytest.fixture(autouse=True)
def _narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """A folder of runs and qrels, as arguments."""
    rng = np.random.default_rng(1)
    folder = tmp_path / "runs"
    folder.mkdir()
    lines = [f"{t} 0 d{i} {1 + i % 2}\n" for t in range(1, 6) for i in range(0, 30, 5)]
    (tmp_path / "qrels.txt").write_text("".join(lines))
    for s in range(3):
        (folder / f"s{s}").write_text(
            "".join(
                f"{t} Q0 d{i} 0 {rng.normal() + (1.5 - 0.4 * s) * (i % 5 == 0):.5f} s[{s}]\n"
                for t in range(1, 6)
                for i in range(30)
            )
        )
    return ["--qrels", str(tmp_path / "qrels.txt"), str(folder)]


def run(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    code = cli.run(["documents", *arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_json_alone_on_standard_output(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    arguments = [*files, "-m", "AP", "--model", "bst", "--json", "-", "--seed", "7", *SMALL]
    code, out, err = run(arguments, capsys)
    assert code == 0
    assert err == ""
    document = json.loads(out)
    assert len(document["error_rate"]) == 21
    assert document["error_rate"][-1]["high"] is None
    assert document["settings"]["seed"] == 7
    assert run(arguments, capsys)[1] == out
    _, several, _ = run(
        [*files, "--model", "bst", "--model", "kde", "-m", "AP", "-m", "RR", "--json", "-", *SMALL], capsys
    )
    assert [(d["measure"], d["model"]) for d in json.loads(several)] == [
        ("AP", "bst"), ("AP", "kde"), ("RR", "bst"), ("RR", "kde")
    ]  # fmt: skip


@pytest.mark.parametrize("models", [["bst"], ["bst", "kde"], ["bst", "kde", "normexp"]])
def test_terminal_fits_80_columns(
    files: list[str], models: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    options = [part for model in models for part in ("--model", model)]
    code, out, _ = run([*files, *options, *SMALL], capsys)
    assert code == 0
    assert max(map(len, out.splitlines())) <= 80
    for text in ("KRCC", "PCT: pairs with ASL < 0.05", "system × documents", "twice the topics", *models):
        assert text in out
    assert "…" not in out.split("Where the variance")[0].replace("…,", "")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-m", "ERR@10"], "not known for documents"),
        (["--model", "bts"], "did you mean 'bst'"),
        (["--model", "kde", "-m", "nDCG@10"], "use the model bst"),
        (["--alpha", "2"], "alpha must be between 0 and 1"),
        (["--samples", "1"], "2"),
        (["--system", "none", "--figures", "here"], "unknown system"),
    ],
)
def test_wrong_use_is_one_line(
    files: list[str],
    arguments: list[str],
    message: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = run([*files, *SMALL[:4], *arguments], capsys)
    assert code == 2
    assert out == ""
    assert message in err
    assert err.count("\n") == 1


def test_figures_hold_the_numbers(files: list[str], tmp_path: Path) -> None:
    collection = read_collection(files[1], files[2])
    analyses = [
        analyze_collection(collection, place_measure("AP"), model, samples=80) for model in ("bst", "kde")
    ]
    curves = error_chart(analyses).to_dict()
    drawn = {(r["model"], r["low"]): r["rate"] for r in _records(curves, curves["layer"][1])}
    expected = {(a.model, b.low): b.error_rate for a in analyses for b in a.error_rate if b.count}
    assert drawn == expected
    topics = topic_chart(analyses, "s[1]").to_dict()
    s = analyses[0].scores.systems.index("s[1]")
    for panel, analysis in zip(topics["hconcat"], analyses, strict=True):
        values = _records(topics, panel["layer"][2])
        assert [v["raw"] for v in values] == analysis.scores.values[:, s].tolist()
        assert [v["mean"] for v in values] == analysis.topic_means[:, s].tolist()
    written = write_figures(analyses, tmp_path / "figures", "s[1]")
    assert [path.name for path in written] == [
        f"{name}.{kind}" for name in ("topics", "error-rate") for kind in ("svg", "pdf", "png")
    ]
    starts = {"svg": b"<svg", "pdf": b"%PDF", "png": b"\x89PNG"}
    for path in written:
        assert path.read_bytes().startswith(starts[path.suffix[1:]])
        if path.suffix == ".svg":
            root = ElementTree.fromstring(path.read_bytes())
            text = "".join(root.itertext())
            assert float(root.get("width", "").removesuffix("pt")) == 240  # a column of a paper
            assert "kernel density" in text
            assert ("s[1]" if path.stem == "topics" else "Monte Carlo") in text
    with pytest.raises(UnknownNameError, match="did you mean"):
        topic_chart(analyses, "s[9]")


def _records(chart: dict[str, Any], layer: dict[str, Any]) -> list[dict[str, Any]]:
    """The data of a layer, there or among the chart's data sets."""
    return layer["data"].get("values") or chart["datasets"][layer["data"]["name"]]
