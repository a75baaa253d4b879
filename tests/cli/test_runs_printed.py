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
    assert re.search(r"about \d+ runs of each question are best \(95% interval \d+ to \d+\) \(run: ", answer)
    estimated = re.findall(r"(?:about|interval|to) ([\d,]+)(?= questions| \(|\)| to)", answer)
    assert len(estimated) >= 4
    for number in estimated:
        assert len(number.replace(",", "").rstrip("0")) <= 2, answer


def test_a_price_after_a_space_is_no_file(runs: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["plan", runs, "--cost", "topic=1", "run=0.02"]) == 2
    assert "--cost topic=1,run=0.02" in " ".join(capsys.readouterr().err.split())


def test_advice_about_prompts_is_an_option_that_works(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of questions too: an option keeps its word."""
    rng = np.random.default_rng(1)
    lines = ["question,model,prompt_id,score"]
    for m in range(6):
        shift = rng.normal(0, 0.5, 3)
        for q in range(12):
            lines += [f"q{q},m{m},{p},{rng.normal(m / 5 + shift[p], 0.2):.3f}" for p in range(3)]
    path = tmp_path / "p.csv"
    path.write_text("\n".join(lines) + "\n")
    assert run(["assess", str(path), *FAST]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "use --generalize-to topics,prompt_id for others like them" in said
    assert "depends most on prompt_id" in said
    assert run(["assess", str(path), "--generalize-to", "topics,prompt_id", *FAST]) == 0
