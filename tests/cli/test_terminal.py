"""What is printed: in which order, how wide, and in whose words."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from rich.cells import cell_len

from truerank.cli import run
from truerank.cli.experiment import _show as show
from truerank.experiments import Table
from truerank.experiments.engine.experiment import Summary

LONG = [
    "sentence-transformers/all-MiniLM-L6-v2",
    "sentence-transformers/all-mpnet-base-v2",
    "sentence-transformers/multi-qa-MiniLM-L6-cos-v1",
    "sentence-transformers/msmarco-distilbert-base-tas-b",
    "漢字漢字漢字漢字漢字漢字漢字漢字漢字",
    "BM25",
    "dense retrieval with a name of many words",
]

FAST = ["--draws", "300", "--resamples", "100", "--seed", "1"]


def write(path: Path, names: list[str], topics: int = 30, seed: int = 5) -> Path:
    rng = np.random.default_rng(seed)
    with path.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["topic", *names])
        for topic in range(topics):
            scores = rng.normal(0.5, 0.1, len(names)) - np.linspace(0, 0.3, len(names))
            rows.writerow([topic, *scores.clip(0, 1).round(4)])
    return path


@pytest.fixture
def printed(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Any:
    """Standard output and error of a command in a terminal of so many columns."""

    def call(*arguments: object, columns: int = 80) -> tuple[str, str]:
        monkeypatch.setenv("COLUMNS", str(columns))
        assert run([str(argument) for argument in arguments]) in (0, 1)
        found = capsys.readouterr()
        return found.out, found.err

    return call


def between(text: str, start: str, end: str = "\n\n") -> str:
    """The part of an output from a title to the next blank line."""
    return text[text.index(start) :].split(end)[0]


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_everything_fits_and_no_digit_is_cut(printed: Any, tmp_path: Path, columns: int) -> None:
    scores = write(tmp_path / "scores.csv", LONG)
    other = write(tmp_path / "other.csv", LONG, seed=6)
    target = tmp_path / "result.json"
    texts = {}
    texts["assess"], _ = printed(
        "assess", scores, "--baseline", "BM25", "--json", target, *FAST, columns=columns
    )
    texts["compare"], _ = printed("compare", scores, other, "--resamples", 200, columns=columns)
    texts["gate"], _ = printed("gate", scores, "--baseline", "BM25", columns=columns)
    texts["plan"], _ = printed("plan", scores, "--tau", 0.8, "--draws", 64, columns=columns)
    for name, text in texts.items():
        assert max(map(cell_len, text.splitlines())) <= columns, name
        assert not re.search(r"\d-\d|< 0\.|p < 0\.000| 0\.0%", text), name
    document = json.loads(target.read_text())
    ranking = between(texts["assess"], "Ranking, with", "True rank: ")
    for row in document["ranking"]:
        assert f"{row['mean']:.4f}" in ranking
    against = between(texts["assess"], "Against the baseline")
    for row in document["baseline"]["differences"]:
        shown = f"{row['difference']:+.4f}".replace("-", "−")
        line = next(line for line in against.splitlines() if shown in line)
        assert line.rstrip().endswith(row["verdict"].replace("'", "’"))
    names = [line.split("0.")[0] for line in ranking.splitlines() if re.match(r" *\d+ ", line)]
    assert len(set(names)) == len(LONG)


def test_names_are_shortened_in_the_middle_and_stay_on_one_line(printed: Any, tmp_path: Path) -> None:
    scores = write(tmp_path / "scores.csv", LONG)
    wide, _ = printed("assess", scores, *FAST, columns=140)
    for name in LONG:
        assert re.search(rf"^ *\d+ +{re.escape(name)} ", wide, re.MULTILINE)
    narrow, _ = printed("assess", scores, *FAST, columns=60)
    rows = re.findall(r"^ *\d  (.*?)  ", between(narrow, "Ranking, with", "True rank:"), re.MULTILINE)
    assert len(rows) == len(LONG)
    for row in rows:
        pattern = ".*".join(map(re.escape, row.strip().split("…")))
        assert any(re.fullmatch(pattern, name) for name in LONG)


def test_the_ranking_comes_first_and_one_estimator_is_shown(printed: Any, tmp_path: Path) -> None:
    scores = write(tmp_path / "scores.csv", list("ABCDE"))
    text, _ = printed("assess", scores, *FAST)
    assert text.index("Ranking, with") < text.index("Expected correlation with the true ranking")
    assert re.findall(r"^(eb|ml|msqd|res|kd|sh\S*) ", text, re.MULTILINE) == ["eb"]
    assert "7 others: --all-estimators." in text
    text, _ = printed("assess", scores, "--all-estimators", *FAST)
    every = ["eb", "ml", "msqd", "res", "kd", "sh-w", "sh-wo", "sh"]
    assert re.findall(r"^(eb|ml|msqd|res|kd|sh\S*) +(?:\* +)?\d", text, re.MULTILINE) == every
    text, _ = printed("assess", scores, "--estimator", "ml", "--estimator", "res", *FAST)
    assert re.findall(r"^(ml|res) +(?:\* +)?\d", text, re.MULTILINE) == ["ml", "res"]


def test_measures_stand_side_by_side_and_share_their_warnings(printed: Any, tmp_path: Path) -> None:
    printed("demo", tmp_path / "demo")
    runs, qrels = tmp_path / "demo" / "runs", tmp_path / "demo" / "qrels.txt"
    target = tmp_path / "both.json"
    arguments = ["assess", "--qrels", qrels, "-m", "AP", "-m", "P@10", runs, "--json", target, *FAST]
    text, _ = printed(*arguments)
    both = between(text, "Ranking by AP and P@10")
    for document in json.loads(target.read_text()):
        for row in document["ranking"]:
            line = next(line for line in both.splitlines() if line.startswith(row["system"]))
            assert f"{row['mean']:.4f}" in line
    warnings = [line for line in text.splitlines() if line.startswith("! ")]
    assert len(warnings) == len(set(warnings))
    common = set.intersection(*(set(d["warnings"]) for d in json.loads(target.read_text())))
    joined = " ".join(text.split())
    assert common
    for warning in common:
        assert joined.count(f"! {warning}") == 1
    estimates = between(text, "Expected correlation with the true ranking, by eb")
    assert re.findall(r"^(AP|P@10) +0\.", estimates, re.MULTILINE) == ["AP", "P@10"]


def test_what_was_written_is_said_last(printed: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "scores.csv", list("ABC"))
    arguments = ["assess", "scores.csv", "--csv", "tables", "--latex", "t.tex", "--markdown", "t.md", *FAST]
    _, err = printed(*arguments)
    count = len(list((tmp_path / "tables").glob("*.csv")))
    assert err.splitlines() == [f"truerank: wrote t.md, t.tex, {count} files in tables"]
    _, err = printed(*arguments)
    replaced, wrote = err.splitlines()
    assert "replaced results of an earlier truerank assess" in replaced
    assert wrote.startswith("truerank: wrote ")
    assert printed(*arguments, "--quiet")[1] == ""
    out, err = printed("assess", "scores.csv", "--json", "-", "--latex", "t.tex", *FAST)
    json.loads(out)
    assert err.endswith("truerank: wrote t.tex\n")


def test_abbreviations_are_explained_where_they_are_printed(printed: Any, tmp_path: Path) -> None:
    printed("demo", tmp_path / "demo")
    runs, qrels = tmp_path / "demo" / "runs", tmp_path / "demo" / "qrels.txt"
    text, _ = printed("documents", "--qrels", qrels, runs, "--samples", 100, "--rank-samples", 50)
    below = " ".join(between(text, "Summaries", "Error rate by").split())
    for name in ("KRCC", "ASL", "PCT", "ED"):
        assert f"{name}: " in below.split("|sampled − raw| of a topic")[1]


def test_large_groups_of_systems_are_no_walls_of_names(printed: Any, tmp_path: Path) -> None:
    names = [f"copy{i}" for i in range(30)]
    rng = np.random.default_rng(1)
    rows = ["topic," + ",".join([*names, "other"])]
    for topic in range(20):
        one, other = rng.random(2).round(3)
        rows.append(f"{topic}," + ",".join([str(one)] * 30 + [str(other)]))
    (tmp_path / "scores.csv").write_text("\n".join(rows) + "\n")
    text, _ = printed("assess", tmp_path / "scores.csv", *FAST)
    warning = next(line for line in " ".join(text.split()).split("! ") if line.startswith("identical scores"))
    assert warning.count("copy") == 3
    assert "and 27 more" in warning


def test_long_names_in_a_narrow_table_stay_apart(printed: Any, tmp_path: Path) -> None:
    models = ("all-mpnet-base-v2", "all-MiniLM-L6-v2", "all-MiniLM-L12-v2", "multi-qa-mpnet-base-dot-v1")
    names = [
        f"sentence-transformers/{model}{run}"
        for model in models
        for run in ("", "-ft-msmarco-run0", "-ft-msmarco-run1", "+rm3-fbDocs10-fbTerms10")
    ]
    text, _ = printed("assess", write(tmp_path / "scores.csv", [*names, "x" * 30_000]), *FAST, columns=60)
    table = between(text, "Ranking", "True rank:")
    rows = re.findall(r"^ +\d+ +(\S+) +(0\.\d{4}) +\d", table, re.MULTILINE)
    assert len({name for name, _ in rows}) == len(rows) == 17
    assert max(map(len, table.splitlines())) <= 60


@pytest.mark.parametrize("columns", [60, 61, 67, 80])
def test_no_line_ends_between_a_number_and_its_sign(printed: Any, tmp_path: Path, columns: int) -> None:
    table = write(tmp_path / "s.csv", [f"s{i}" for i in range(40)])
    text, _ = printed("assess", table, *FAST, columns=columns)
    lines = text.splitlines()
    assert not [line for line in lines if re.search(r" [=<>≤≥] *$", line)]
    assert not [line for line in lines if re.match(r" *[=<>≤≥] ?[−\d.]", line)]
    assert not [line for line in lines if re.search(r"\b(seed|truerank) *$", line)]
    assert "\ue0d2" not in text


def test_choosing_systems_of_figures_without_any_is_refused(tmp_path: Path, capsys: Any) -> None:
    table = str(write(tmp_path / "s.csv", ["a", "b", "c", "d"]))
    choices = (["--top", "2"], ["--only", "a", "--only", "b"], ["--figure-width", "178"])
    commands = [["assess", table, *FAST, *options] for options in choices]
    commands.append(["plan", table, "--figure-width", "85"])
    commands.append(["documents", table, "--qrels", table, "--figure-width", "178"])
    for command in commands:
        assert run(command) == 2
        said = capsys.readouterr().err
        assert "--figures DIR" in said
        assert len(said.splitlines()) == 1


def test_a_page_has_split_half_only_when_asked(tmp_path: Path) -> None:
    table = str(write(tmp_path / "s.csv", ["a", "b", "c", "d"]))
    for place, (options, there) in enumerate(
        (([], False), (["--all-estimators"], True), (["--estimator", "eb", "--estimator", "sh-w"], True))
    ):
        page = tmp_path / f"{place}.html"
        assert run(["assess", table, *FAST, *options, "--html", str(page), "-q"]) == 0
        assert ("split-half" in page.read_text(encoding="utf-8")) == there


ESTIMATORS = ["ml", "msqd", "res", "sh-wo", "eb/shrunk/quantile", "anti-correlated"]


def wide_tables() -> dict[str, pd.DataFrame]:
    """Rows such as experiments print, wider than 60 columns in different ways."""
    rng = np.random.default_rng(3)
    rows = [(topics, name) for topics in (8, 1200) for name in ESTIMATORS]
    keys = pd.DataFrame(rows, columns=["topics", "estimator"])

    def with_numbers(frame: pd.DataFrame, *names: str) -> pd.DataFrame:
        return frame.assign(**{name: rng.normal(0, 1, len(frame)) for name in names})

    matrix = pd.DataFrame(
        {"measure": ["P@10", "Bpref"]}
        | {
            name: ["1.00 (-0.12, 1.00)", "0.87 (-0.23, 0.99)"]
            for name in ("P@10", "Rprec", "AP", "RR", "Bpref")
        }
    )
    return {
        "errors": with_numbers(keys, "error", "error_se", "bias", "bias_se", "actual", "actual_sd"),
        "coverage": with_numbers(
            keys.assign(dependence="sampled", way=["pairs of pairs"] * 11 + ["own"]), *"abcde"
        ),
        "systems": with_numbers(
            keys.assign(system=[f"{LONG[1]}-{i}" for i in range(12)]), "mean", "low", "high"
        ),
        "matrix": matrix,
        "one row": with_numbers(keys[:1], *"abcdefghij"),
        "cells": with_numbers(keys, *(f"error_of_{i}" for i in range(60))),
    }


@pytest.mark.parametrize("name", wide_tables())
@pytest.mark.parametrize("columns", [60, 80])
def test_a_wide_table_goes_on_below_with_whole_names_and_numbers(
    name: str, columns: int, capsys: Any, monkeypatch: Any
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    frame = wide_tables()[name]
    results = SimpleNamespace(manifest={"experiment": "made", "data": []}, done=1, total=1)
    show(results, Summary((Table(name, "Made rows", frame),)))
    text = capsys.readouterr().out
    assert max(map(cell_len, text.splitlines())) <= columns
    if name == "cells":
        assert "62 columns, too many for a terminal: tables/cells.csv has them" in " ".join(text.split())
        return
    words = set(text.split())
    for column in frame.columns:
        for value in frame[column]:
            if isinstance(value, float):
                assert f"{value:.4f}".replace("-", "−") in words
            elif column == "system":
                shown = [word for word in words if word.endswith(value[-2:]) and "…" in word]
                assert any(re.fullmatch(".*".join(map(re.escape, one.split("…"))), value) for one in shown)
            else:
                assert set(str(value).replace("-0.", "−0.").split()) <= words | {"1200"}


def test_verdicts_are_all_there_in_a_narrow_terminal(printed: Any, tmp_path: Path) -> None:
    rows = ["data_set,topic," + ",".join(LONG)]
    for place, row in enumerate(write(tmp_path / "s.csv", LONG).read_text().splitlines()[1:]):
        rows.append(f"{'nq' if place % 2 else 'fiqa-2018-a-benchmark-with-a-long-name'},{row}")
    (tmp_path / "board.csv").write_text("\n".join(rows) + "\n")
    target = tmp_path / "gate.json"
    arguments = ["gate", tmp_path / "board.csv", "--baseline", "BM25", "--json", target]
    text, _ = printed(*arguments, columns=60)
    decisions = json.loads(target.read_text())
    table = between(text, "Against BM25", "p: how likely")
    shown = re.findall(r" (better|worse|fail|undecided) +(<?\.\d+|1\.000)$", table, re.MULTILINE)
    assert [verdict.replace("worse", "fail") for verdict, _ in shown] == [d["verdict"] for d in decisions]
    assert len(shown) == 18


def test_terms_are_explained_once_where_they_are_printed(printed: Any, tmp_path: Path) -> None:
    scores = write(tmp_path / "scores.csv", list("ABCDE"))
    said, _ = printed("significance", scores, columns=60)
    assert said.count("Discriminative power: the share of all pairs") == said.count("Significantly: ") == 1
    plan, _ = printed("plan", scores, "--draws", 64, columns=60)
    below = plan[plan.index("Stability of the means") :]
    assert [plan.count(term) for term in ("Eρ²: of", "Φ: the", "Effect size c = ")] == [1, 1, 1]
    assert "Eρ²: of" in below
    gate, _ = printed("gate", scores, "--baseline", "A", columns=60)
    assert gate.count("max-T: each difference") == 1
