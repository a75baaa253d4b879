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

from truerank._support.tables import Column, Count, Kind, Name, Number, Table, Text
from truerank.cli import run
from truerank.report.outputs.terminal import lines

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
        assert run([str(argument) for argument in arguments]) in (0, 1, 4)
        found = capsys.readouterr()
        return found.out, found.err

    return call


def between(text: str, start: str, end: str = "\n\n") -> str:
    """The part of an output from a title to the next blank line."""
    return text[text.index(start) :].split(end)[0]


@pytest.fixture(scope="module")
def scores(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("scores") / "scores.csv", LONG)


@pytest.mark.parametrize("columns", [60, 80])
def test_everything_fits_and_no_digit_is_cut(
    printed: Any, scores: Path, tmp_path: Path, columns: int
) -> None:
    target = tmp_path / "result.json"
    words = ["--baseline", "BM25", "--details", "--json", target, *FAST]
    texts = {"assess": printed("assess", scores, *words, columns=columns)[0]}
    texts["gate"], _ = printed("gate", scores, "--baseline", "BM25", columns=columns)
    texts["plan"], _ = printed("plan", scores, "--tau", 0.8, "--draws", 64, "--details", columns=columns)
    texts["significance"], _ = printed("significance", scores, columns=columns)
    for name, text in texts.items():
        assert columns * 3 / 4 < max(map(cell_len, text.splitlines())) <= columns, name
        assert not re.search(r"\d-\d|< 0\.|p < 0\.000| 0\.0%", text), name
        assert "\x1b" not in text
        # No line ends between a number and what belongs to it.
        assert not re.search(r" [=<>≤≥] *$|^ *[=<>≤≥] ?[−\d.]|\b(seed|truerank) *$", text, re.MULTILINE), name
        assert "\ue0d2" not in text
    document = json.loads(target.read_text())
    ranking = between(texts["assess"], "Ranking of 7 systems", "Rank range: ")
    for row in document["ranking"]:
        assert f"{row['mean']:.3f} ({row['mean_low']:.3f} to {row['mean_high']:.3f})" in ranking
    against = between(texts["assess"], "Differences from the baseline", "Each row")
    for row in document["baseline"]["differences"]:
        assert f"{row['difference']:+.4f}".replace("-", "−") in against
    verdicts = re.findall(r" (better|fail|inconclusive)$", against, re.MULTILINE)
    known = ("better", "fail")
    expected = [row["verdict"] for row in document["baseline"]["differences"]]
    assert verdicts == [one if one in known else "inconclusive" for one in expected]
    first = ranking.partition("Further columns")[0]
    names = [line.split(" 0.")[0] for line in first.splitlines() if re.match(r" *\d+ ", line)]
    assert len(set(names)) == len(LONG)


def wide_tables() -> dict[str, Table]:
    """Rows wider than 60 columns in different ways."""
    rng = np.random.default_rng(3)
    texts = ["ml", "msqd", "res", "sh-wo", "eb/shrunk/quantile", "anti-correlated"]
    keys = [(topics, name) for topics in (8, 1200) for name in texts]

    def table(rows: list[tuple[object, ...]], *kinds: tuple[str, Kind], numbers: int = 0) -> Table:
        columns = [Column(heading, kind, heading) for heading, kind in kinds]
        columns += [Column(f"number_{place}", Number(), f"number_{place}") for place in range(numbers)]
        return Table("made", "Made", tuple(columns), [(*row, *rng.normal(0, 1, numbers)) for row in rows])

    two = (("topics", Count()), ("estimator", Text()))
    names = [(*row, f"{LONG[1]}-{place}") for place, row in enumerate(keys)]
    return {
        "errors": table(keys, *two, numbers=6),
        "names": table(names, *two, ("system", Name()), numbers=3),
        "one row": table(keys[:1], *two, numbers=10),
        "many columns": table(keys, *two, numbers=60),
    }


def test_a_note_beside_many_numbers_is_wrapped() -> None:
    numbers = [Column(f"number_{place}", Number()) for place in range(12)]
    columns = (Column("paper", Name()), *numbers, Column("note", Text()))
    table = Table("made", "Made", columns, [("first", *[0.5] * 12, "of other runs " * 9)])
    assert max(map(cell_len, lines(table, 80))) <= 80


@pytest.mark.parametrize("name", wide_tables())
@pytest.mark.parametrize("columns", [60, 80])
def test_a_wide_table_goes_on_below_with_whole_names_and_numbers(name: str, columns: int) -> None:
    table = wide_tables()[name]
    written = lines(table, columns)
    assert max(map(cell_len, written)) <= columns
    words = set(" ".join(written).split())
    for row in table.rows:
        for value in row:
            if isinstance(value, float):
                assert table.columns[-1].kind.text(value) in words
            elif str(value).startswith(LONG[1]):
                shown = [word for word in words if "…" in word]
                assert any(re.fullmatch(".*".join(map(re.escape, one.split("…"))), value) for one in shown)
            else:
                assert str(value) in words | {"1200"}
