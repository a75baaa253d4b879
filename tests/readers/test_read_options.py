"""Each option of reading on each path that reads: it works, or it is refused by its name."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import truerank
from truerank.cli import run
from truerank.readers.options import ReadOptions

ALPHA, BETA, GAMMA = ALL = "alpha", "beta", "gamma"
TOPICS = tuple(f"q{t}" for t in range(12))
RNG = np.random.default_rng(3)
SCORES = {
    ALPHA: RNG.uniform(0.2, 0.5, len(TOPICS)).round(3),
    BETA: RNG.uniform(0.3, 0.8, len(TOPICS)).round(3),
    GAMMA: RNG.uniform(0.1, 0.6, len(TOPICS)).round(3),
}
DIFFERENCE = float((SCORES[BETA] - SCORES[ALPHA]).mean())

Rows = list[list[Any]]


@dataclass(frozen=True)
class Given:
    """An option: its value, and tables that are read as `SCORES` with it alone."""

    value: Any
    table: Callable[[Sequence[str]], Rows]
    flag: Sequence[str]
    also: Mapping[str, Any] = field(default_factory=dict)
    applies: bool = True
    """Whether it says anything about tables of scores; else it is refused everywhere."""


def wide(systems: Sequence[str], topic: str = "topic", minus: bool = False) -> Rows:
    rows = [[name, *(float(SCORES[s][t]) for s in systems)] for t, name in enumerate(TOPICS)]
    if minus:
        rows = [[name, *(round(1 - x, 3) for x in each)] for name, *each in rows]
    return [[topic, *systems], *rows]


def long(systems: Sequence[str], system: str = "system", score: str = "score") -> Rows:
    rows = [[name, s, float(SCORES[s][t])] for t, name in enumerate(TOPICS) for s in systems]
    return [["topic", system, score], *rows]


def beside(systems: Sequence[str], name: str, values: Callable[[int], Any]) -> Rows:
    """A column of text before the topics."""
    header, *rows = wide(systems)
    return [[name, *header], *([values(t), *row] for t, row in enumerate(rows))]


def levels(systems: Sequence[str], name: str) -> Rows:
    """Two rows per topic, of which the mean is the score."""
    header, *rows = wide(systems)
    both = [
        [topic, level, *(round(x + step, 3) for x in each)]
        for topic, *each in rows
        for level, step in (("u", 0.05), ("v", -0.05))
    ]
    return [[header[0], name, *header[1:]], *both]


def transposed(systems: Sequence[str]) -> Rows:
    return [["what", *TOPICS], *([s, *map(float, SCORES[s])] for s in systems)]


def in_two_columns(systems: Sequence[str]) -> Rows:
    """Topics that two columns name, neither of them alone."""
    header, *rows = wide(systems)
    return [["Size", "Radius", *header[1:]], *([t % 3, t // 3, *row[1:]] for t, row in enumerate(rows))]


def by_two_measures(systems: Sequence[str]) -> Rows:
    """Two data sets, each with the scores by one measure, and others by the other."""
    header, *rows = wide(systems)
    both = [
        [
            "xy"[t % 2],
            measure,
            topic,
            *(score if measure == ("AP", "RR")[t % 2] else 1 - score for score in scores),
        ]
        for t, (topic, *scores) in enumerate(rows)
        for measure in ("AP", "RR")
    ]
    return [["data_set", "measure", *header], *both]


def with_hole(systems: Sequence[str], cell: str) -> Rows:
    return [*wide(systems), ["q99", *(cell if s == ALPHA else 0.4 for s in systems)]]


OPTIONS = {
    "measure": Given("AP", wide, ["-m", "AP"]),
    "measure of data sets": Given("x=AP,y=RR", by_two_measures, ["-m", "x=AP,y=RR"]),
    "missing": Given("common", lambda systems: with_hole(systems, ""), ["--missing", "common"]),
    "topic_column": Given("Fall", lambda systems: wide(systems, "Fall"), ["--topic-column", "Fall"]),
    "topic_column of two": Given("Size,Radius", in_two_columns, ["--topic-column", "Size,Radius"]),
    "system_column": Given("Wer", lambda systems: long(systems, "Wer"), ["--system-column", "Wer"]),
    "score_column": Given("Punkte", lambda s: long(s, score="Punkte"), ["--score-column", "Punkte"]),
    "data_set_column": Given(
        "Gebiet", lambda s: beside(s, "Gebiet", lambda t: "xy"[t % 2]), ["--data-set-column", "Gebiet"]
    ),
    "measure_column": Given("Art", lambda s: beside(s, "Art", lambda t: "nDCG"), ["--measure-column", "Art"]),
    "run_column": Given("Lauf", lambda systems: levels(systems, "Lauf"), ["--run-column", "Lauf"]),
    "facet": Given(["Vorlage"], lambda systems: levels(systems, "Vorlage"), ["--facet", "Vorlage"]),
    "ignore_columns": Given(
        ["Kosten"], lambda s: beside(s, "Kosten", lambda t: t + 7), ["--ignore-column", "Kosten"]
    ),
    "missing_value": Given(
        -9, lambda s: with_hole(s, "-9"), ["--missing-value=-9", "--missing=common"], {"missing": "common"}
    ),
    "lower_is_better": Given(True, lambda s: wide(s, minus=True), ["--lower-is-better"]),
    "direction": Given(
        ["Fehl=lower"],
        lambda s: wide(s, minus=True),
        ["--direction", "Fehl=lower", "-m", "Fehl"],
        {"measure": "Fehl"},
    ),
    "cluster": Given(
        "Gruppe", lambda s: beside(s, "Gruppe", lambda t: f"g{t // 2}"), ["--cluster", "Gruppe"]
    ),
    "cluster of a file": Given("clusters.csv", wide, ["--cluster", "clusters.csv"]),
    "family": Given(
        "Familie",
        lambda s: [
            [("data_set" if k == 0 else f"d{k % 3}"), ("Familie" if k == 0 else f"f{k % 3 // 2}"), *row]
            for k, row in enumerate(wide(s))
        ],
        ["--family", "Familie"],
    ),
    "weights": Given({"x": 1, "y": 1}, lambda s: beside(s, "data_set", lambda t: "xy"[t % 2]), []),
    "format": Given("table", wide, ["--format", "table"]),
    "transpose": Given(True, transposed, ["--transpose"]),
    "topics": Given("topics.txt", wide, ["--topics", "topics.txt"], applies=False),
    "runs_of": Given(
        "{system}_{run}",
        lambda s: [["topic", *(f"{one}_1" for one in s)], *wide(s)[1:]],
        ["--runs-of", "{system}_{run}"],
    ),
    "min_battles": Given(3, wide, ["--min-battles", "3"], applies=False),
    "covariates": Given(["length"], wide, ["--covariate", "length"], applies=False),
}


def named(key: str) -> str:
    """The option that a key of `OPTIONS` is about."""
    return key.partition(" ")[0]


def write(path: Path, rows: Rows) -> str:
    path.parent.mkdir(exist_ok=True)
    path.write_text("\n".join(",".join(map(str, row)) for row in rows) + "\n", encoding="utf-8")
    return str(path)


def one_table(option: Given) -> list[str]:
    return [write(Path("s.csv"), option.table(ALL)), "--baseline", ALPHA, "--candidate", BETA]


def two_files(option: Given) -> list[str]:
    return [write(Path(f"{s}.csv"), option.table([s])) for s in ALL[:2]]


def folder_of_systems(option: Given) -> list[str]:
    for s in ALL:
        write(Path("systems") / f"{s}.csv", option.table([s]))
    return ["systems", "--baseline", ALPHA, "--candidate", BETA]


def anchor(option: Given) -> list[str]:
    write(Path("release.csv"), option.table([ALPHA]))
    table = write(Path("s.csv"), option.table([BETA, GAMMA]))
    return [table, "--anchor", "release.csv", "--baseline", ALPHA, "--candidate", BETA]


COMMANDS = (one_table, two_files, folder_of_systems, anchor)


def difference(document: Any) -> float:
    """The difference of all data sets, which is the first of several."""
    found = document[0] if isinstance(document, list) else document
    assert found["baseline"].startswith(ALPHA)
    return float(found["difference"])


def refused_by_name(text: str, name: str, option: Given) -> None:
    """Whether a refusal names the option, as its caller typed it."""
    of_data_sets = name in ("data_set_column", "family", "measure of data sets")
    name = named(name)
    typed = option.flag[0].partition("=")[0] if option.flag else name
    known = [typed, name, *(["data set"] if of_data_sets else [])]
    assert any(one in text for one in known), (name, text)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(Path("clusters.csv"), [["topic", "cluster"], *([name, t // 2] for t, name in enumerate(TOPICS))])
    Path("topics.txt").write_text("\n".join(TOPICS) + "\n", encoding="utf-8")


def test_every_option_is_crossed() -> None:
    assert {item.name for item in fields(ReadOptions)} == set(map(named, OPTIONS))


@pytest.mark.parametrize("path", COMMANDS)
@pytest.mark.parametrize("name", [name for name in OPTIONS if OPTIONS[name].flag])
def test_options_reach_every_path_of_a_command(
    name: str, path: Callable[[Given], list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    option = OPTIONS[name]
    code = run(["gate", *path(option), *option.flag, "--json", "-"])
    out, err = capsys.readouterr()
    if not option.applies:
        assert code == 2
        refused_by_name(err, name, option)
        return
    assert code in (0, 1, 4), err
    assert difference(json.loads(out)) == pytest.approx(DIFFERENCE, rel=1e-9)


@pytest.mark.parametrize("name", [name for name in OPTIONS if OPTIONS[name].applies])
def test_options_reach_the_function(name: str) -> None:
    option = OPTIONS[name]
    files = [write(Path(f"{s}.csv"), option.table([s])) for s in ALL[:2]]
    scores = truerank.read_scores(files, **{named(name): option.value, **option.also})
    assert scores.means[1] - scores.means[0] == pytest.approx(DIFFERENCE, rel=1e-9)


@pytest.mark.parametrize("path", COMMANDS[:3])
@pytest.mark.parametrize(
    "name",
    [name for name in OPTIONS if name.endswith("column")] + ["ignore_columns", "facet", "cluster", "family"],
)
def test_a_column_that_does_not_exist_is_refused_by_its_name(
    name: str, path: Callable[[Given], list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["gate", *path(OPTIONS["measure"]), OPTIONS[name].flag[0], "nowhere"]) == 2
    assert "'nowhere'" in capsys.readouterr().err


@pytest.mark.parametrize(
    "name", ["topic_column", "cluster", "family", "missing_value", "transpose", "topics"]
)
def test_options_of_tables_are_refused_by_a_format_that_knows_its_columns(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for s in ALL:
        lines = [f"map\t{topic}\t{score}" for topic, score in zip(TOPICS, SCORES[s], strict=True)]
        Path(f"{s}.eval").write_text("\n".join(lines) + "\n", encoding="utf-8")
    option = OPTIONS[name]
    assert run(["board", *(f"{s}.eval" for s in ALL), *option.flag]) == 2
    refused_by_name(capsys.readouterr().err, name, option)
