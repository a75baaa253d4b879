"""What commands print of a table with runs: one table of noise, whole runs to buy, notes without a mark."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import numpy as np
import pytest

from truerank.cli import run

FAST = ["--draws", "200"]


@pytest.fixture
def runs(tmp_path: Path) -> str:
    rng = np.random.default_rng(4)
    path = tmp_path / "runs.csv"
    with path.open("w", newline="", encoding="utf-8") as out:
        table = csv.writer(out)
        table.writerow(["question", "model", "run", "score"])
        for topic in range(30):
            for system in range(5):
                score = 0.5 - 0.05 * system + rng.normal(0, 0.1)
                table.writerows((topic, f"m{system}", k, score + rng.normal(0, 0.1)) for k in range(3))
    return str(path)


def test_an_assessment_shows_one_table_of_noise_and_the_rest_as_details(
    runs: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["assess", runs, *FAST]) == 0
    short = capsys.readouterr().out
    assert run(["assess", runs, *FAST, "--details"]) == 0
    long = capsys.readouterr().out
    assert re.search(r"^run +3 +0\.", short, re.MULTILINE)
    for caption in ("τ expected of other runs", "Noise of each system"):
        assert caption not in short
        assert caption in long
    for out in (short, long):
        lines = out.splitlines()
        assert "Systems are read from 'model', questions from 'question', runs from 'run'." in lines
        assert "3 runs of each system on each question are averaged (column 'run')." in lines


def test_a_plan_says_how_many_whole_runs_and_rounds_what_it_estimates(
    runs: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["plan", runs, "--cost", "topic=1,run=0.05", *FAST]) == 0
    answer = " ".join(capsys.readouterr().out.split("\n\n")[0].split())
    assert re.search(r"about \d+ runs of each question are best \(95% interval \d+ to \d+\)\.", answer)
    estimated = re.findall(r"(?:about|interval|to) ([\d,]+)(?= questions| \(|\)| to)", answer)
    assert len(estimated) >= 4
    for number in estimated:
        assert len(number.replace(",", "").rstrip("0")) <= 2, answer
