"""The tables of `truerank documents` as files: the numbers of its JSON, and cells that are harmless."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from truerank.cli import run
from truerank.cli.example import write_collection
from truerank.report.words import percent


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All outputs of one run with two models."""
    folder = tmp_path_factory.mktemp("documents")
    write_collection(folder, seed=1)
    numbers = ["--samples", "60", "--rank-samples", "30", "--decomposition", "20"]
    outputs = ["--csv", str(folder / "csv"), "--latex", str(folder / "t.tex")]
    outputs += ["--markdown", str(folder / "t.md"), "--json", str(folder / "t.json")]
    where = ["documents", str(folder / "runs"), "--qrels", str(folder / "qrels.txt")]
    assert run([*where, "--model", "bst", "--model", "kde", *numbers, *outputs, "-q"]) == 0
    return folder


def rows(path: Path) -> list[dict[str, str]]:
    """A CSV file's rows."""
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_csv_has_every_digit_of_the_json(made: Path) -> None:
    found = json.loads((made / "t.json").read_text(encoding="utf-8"))
    systems = rows(made / "csv" / "systems.csv")
    expected = [(one["model"], s) for one in found for s in one["ranking"]]
    assert [row["model"] for row in systems] == [model for model, _ in expected]
    for row, (_, system) in zip(systems, expected, strict=True):
        assert row["system"] == system["system"]
        assert float(row["sampled_mean"]) == system["sampled_mean"]
    shares = {row["source"]: float(row["share"]) for row in rows(made / "csv" / "decomposition.csv")}
    assert shares == {c["source"]: c["share"] for c in found[0]["decomposition"]["components"]}
    pairs = found[0]["systems"] * (found[0]["systems"] - 1) // 2
    for model in ("bst", "kde"):
        counted = [int(r["pairs"]) for r in rows(made / "csv" / "error_rates.csv") if r["model"] == model]
        assert sum(counted) == 60 * pairs  # every pair of every sample falls into one bin
    assert len(rows(made / "csv" / "topics.csv")) == 2 * found[0]["topics"] * found[0]["systems"]


def test_papers_get_the_same_tables_in_latex_and_markdown(made: Path) -> None:
    found = json.loads((made / "t.json").read_text(encoding="utf-8"))
    tex, text = ((made / name).read_text(encoding="utf-8") for name in ("t.tex", "t.md"))
    assert tex.count("\\caption{") == 4
    assert "\\label{tab:document-systems-AP}" in tex
    assert "α" not in tex  # no usual font of LaTeX has it
    for system in found[0]["ranking"]:
        assert f"| {system['system']} | {system['mean']:.3f} | {system['sampled_mean']:.3f} [" in text
        assert f" & {system['system']} & {system['mean']:.3f} & {system['sampled_mean']:.3f} [" in tex
    for component in found[0]["decomposition"]["components"]:
        assert f"| {percent(component['share'])} |" in text
    # The bins of an error rate end with the rest, in which there is no error: all pairs are counted.
    lines = [line for line in text.splitlines() if line.startswith(("| 0.", "| ≥ 0."))]
    bins = [line for line in lines if "–" in line.split("|")[1] or "≥" in line.split("|")[1]]
    pairs = found[0]["systems"] * (found[0]["systems"] - 1) // 2
    assert sum(int(line.split("|")[2].replace(",", "")) for line in bins) == 60 * pairs
