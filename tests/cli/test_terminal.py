"""What is printed: in which order, how wide, and in whose words."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.cells import cell_len

from truerank.cli import run

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
    texts["compare"], _ = printed("compare", scores, other, "--samples", 200, columns=columns)
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


def test_a_ranking_is_called_by_its_file(printed: Any, tmp_path: Path) -> None:
    scores = write(tmp_path / "scores.csv", list("ABCD"))
    (tmp_path / "mine.txt").write_text("B\nA\nC\nD\n")
    text, _ = printed("compare", scores, tmp_path / "mine.txt", "--samples", 100)
    assert text.startswith("Baseline scores.csv: 30 topics, 4 systems\n\nmine.txt\n")
    assert re.search(r"^mine\.txt +0\.667", text, re.MULTILINE)
    table = between(text, "Agreement with the baseline", "τ: 1 is")
    assert " to " not in table  # Kendall's interval stands apart from it
    assert "Kendall’s 95% interval of τ" in text[text.index("The swaps that weigh most") :]


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
