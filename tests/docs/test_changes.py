"""What docs/changes.md says to do instead of what is removed works."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from truerank.cli import run
from validation.docs_pages import DOCS
from validation.golden_inputs import grid, write_battles, write_repeats, write_rows

ROWS = [
    [cell.strip() for cell in line.strip("|").split(" | ")]
    for line in (DOCS / "changes.md").read_text(encoding="utf-8").splitlines()
    if re.match(r"\| (?!gone|---)", line)
]

COMMANDS = {
    "all estimators by default": [
        "assess s.csv --estimator all --draws 50 --resamples 50",
        "assess s.csv --estimator ml --draws 50",
    ],
    "`--missing drop-topic`": ["assess holes.csv --missing common --draws 50"],
    "means and ranks told by their numbers": ["assess means.csv --ignore-column overall --draws 50"],
    "`truerank reduce`": ["plan s.csv --draws 50"],
    "`compare --machine`": [
        "compare human.csv machine.csv --resamples 100",
        "assess human.csv --machine machine.csv --draws 50",
    ],
    "figures `baseline`": ["assess s.csv --draws 50 --csv tables"],
    "`--explain`": ["assess s.csv --draws 50 --json -"],
    "`.truerank` in folders": ["assess s.csv --draws 50 --csv full --overwrite"],
    "`--top`": ["assess some.csv --draws 50"],
    "`--only`": ["assess some.csv --draws 50"],
    "`simulate show --figures`": [
        "simulate fit s.csv --simulator effects -o m.json",
        "simulate show m.json --against s.csv --topics 50",
    ],
    "one-sided verdicts of `gate`": ["gate pair.csv --level 0.9"],
    "`gate --sequential` without a known range": [
        "gate pair.csv --sequential --range 0,1",
        "gate pair.csv --looks 10,20",
    ],
    "`topics_needed` of `gate --sequential`": ["gate pair.csv --margin 0.01", "plan s.csv --draws 50"],
    "`documents` with a collection for each system": [
        "documents $runs --model bst --samples 20 --rank-samples 20"
    ],
    "ASL and ED": [
        "experiment run documents runs --qrels qrels.txt -o table --models bst --samples 20 --workers 1 -q"
    ],
    "`documents --decomposition`": ["documents $runs --samples 20 --rank-samples 20"],
    "`compare --resamples-file FOLDER`": [
        "compare s.csv human.csv --resamples 50 --save-resamples b.npz",
        "compare s.csv human.csv --resamples-file b.npz",
    ],
    "`app --public`": ["assess s.csv --draws 50 --html page.html"],
    "`plan --cost` of battles": ["plan arena.csv --draws 50"],
    "classical designs in `plan`": ["plan s.csv --pair A C --margin 0.1 --draws 50"],
    "sensitivity in `significance`": ["significance s.csv"],
    "τ of a rerun": ["plan runs.csv --cost topic=1,run=0.1 --draws 50"],
    "`plan --budget` with `--qrels`": [
        "plan s.csv --tau 0.8 --draws 50",
        "plan runs.csv --cost topic=1,run=0.1 --budget 20 --draws 50",
    ],
    "`plan --extend --cost`": ["plan runs.csv --extend --draws 50"],
    "G-studies with data sets or empty cells": ["plan s.csv --stability 0.9 --draws 50"],
    "`--machine` with battles": ["assess arena.csv --draws 50"],
    "`--covariate style`": ["assess arena.csv --covariate length --draws 50"],
    "`truerank.board(…).summary()`": ["board s.csv --draws 50 -o board.json"],
}
"""By the start of a row: commands that work."""


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Small tables, battles, and runs with judgments."""
    folder = tmp_path_factory.mktemp("inputs")
    topics = [f"t{k}" for k in range(24)]
    tables = {
        "s": grid([*"ABCDE"], topics, seed=2),
        "human": grid([*"ABCDE"], topics[:12], seed=1),
        "machine": grid([*"ABCDE"], topics, seed=1, bias=0.06),
        "pair": grid([*"AB"], topics, seed=4),
        "some": grid([*"ABC"], topics, seed=2),
        "means": grid([*"ABCD", "overall"], topics, seed=6),
    }
    for name, scores in tables.items():
        head = list(next(iter(scores.values())))
        rows = [[topic, *(row[s] for s in head)] for topic, row in scores.items()]
        write_rows(folder / f"{name}.csv", [["topic", *head], *rows])
        if name == "s":
            holes = [
                [x if not place or (k + place) % 17 else "" for place, x in enumerate(r)]
                for k, r in enumerate(rows, 1)
            ]
            write_rows(folder / "holes.csv", [["topic", *head], *holes])
    write_battles(folder)
    write_repeats(folder)
    (folder / "runs").mkdir()
    (folder / "full").mkdir()
    (folder / "full" / "own.txt").write_text("", encoding="utf-8")
    judged = [[t, 0, f"d{i}", int(i % 4 == 0)] for t in range(6) for i in range(16)]
    write_rows(folder / "qrels.txt", judged, " ")
    for s in range(3):
        lists = [
            [t, "Q0", f"d{i}", 0, 100 - (i * (s + 3) + t) % 17, f"s{s}"]
            for t, _, d, _ in judged[::16]
            for i in range(16)
        ]
        write_rows(folder / "runs" / f"s{s}.run", lists, " ")
    return folder


def commands_of(start: str) -> list[list[str]]:
    """The words of each command of one row of the page."""
    assert sum(start in row[0] for row in ROWS) == 1
    return [shlex.split(line.replace("$runs", "--qrels qrels.txt runs")) for line in COMMANDS[start]]


@pytest.mark.validation
@pytest.mark.parametrize("start", COMMANDS)
def test_the_way_out_works(start, inputs, monkeypatch, capsys):
    monkeypatch.chdir(inputs)
    for line in commands_of(start):
        verdicts = (0, 1, 4) if line[0] == "gate" else (0,)
        assert run(line) in verdicts, capsys.readouterr().err
