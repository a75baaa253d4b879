"""Topics that one side lacks: refused by default, and with `common` it is said how hard they are."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import truerank
from truerank.cli import run
from truerank.significance import analyze

HARD = np.arange(400) < 40


def crashed(seed: int = 3) -> tuple[dict[str, float], dict[str, float]]:
    """400 questions of a baseline, and a candidate that crashed on the 40 hard ones."""
    rng = np.random.default_rng(seed)
    old = np.where(HARD, rng.random(400) < 0.2, rng.random(400) < 0.7).astype(float)
    new = np.where(rng.random(400) < 0.15, 1.0, old)
    names = [f"q{t}" for t in range(400)]
    old, new = old.tolist(), new.tolist()
    return dict(zip(names, old, strict=True)), {
        n: s for n, s, h in zip(names, new, HARD, strict=True) if not h
    }


def file(path: Path) -> str:
    old, new = crashed()
    rows = [f"{name},{score},{new.get(name, '')}" for name, score in old.items()]
    path.write_text("\n".join(["question,old,new", *rows]) + "\n", encoding="utf-8")
    return str(path)


def test_a_gate_says_how_hard_the_missing_topics_are() -> None:
    old, new = crashed()
    found = truerank.gate(old, new, missing="common")
    assert found.verdict == "better"
    (note,) = [note for note in found.notes if note.code == "missing-topics"]
    there = np.mean([score for name, score in old.items() if name not in new])
    elsewhere = np.mean([score for name, score in old.items() if name in new])
    assert note.level == "alert"
    assert (
        f"'candidate' lacks 40 topics: 'baseline' scores {there:.3g} there and {elsewhere:.3g} elsewhere"
        in (note.text)
    )
    assert truerank.gate(old, new, missing="zero").difference < found.difference


def test_a_data_set_that_is_missing_is_called_one() -> None:
    rng = np.random.default_rng(3)
    rows = [f"d{k},{rng.random()},{rng.random()},{'' if k == 3 else rng.random()}" for k in range(12)]
    table = "\n".join(["data_set,a,b,c", *rows]).encode()
    assert "'c' lacks 1 data set: the others score" in " ".join(
        truerank.read_scores(table, missing="common").warnings
    )


@pytest.mark.parametrize("seed", range(12))
def test_it_is_an_alert_from_two_standard_errors_on(seed: int) -> None:
    rng = np.random.default_rng(seed)
    old = rng.normal(0, 1, 80)
    old[:15] -= 0.35
    new = np.where(np.arange(80) < 15, np.nan, old + rng.normal(0, 0.1, 80))
    x = np.column_stack([old, new])
    table = truerank.ScoreMatrix.build(x, holes=True)
    (note,) = [one for one in truerank.gate(table, missing="common").notes if one.code == "missing-topics"]
    t = stats.ttest_ind(old[:15], old[15:]).statistic
    assert (note.level == "alert") == (abs(t) > 2)


def test_every_command_refuses_or_says_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = file(tmp_path / "s.csv")
    for command in (
        ["gate", path, "--baseline", "old"],
        ["gate", path, "--baseline", "old", "--sequential"],
        ["gate", path, "--baseline", "old", "--looks", "100,400"],
        ["significance", path],
    ):
        assert run(command) == 2, command
        assert "'new' has no score on" in capsys.readouterr().err
        run([*command, "--missing", "common", "--json", "-"])
        document = json.loads(capsys.readouterr().out)
        (note,) = [note for note in document["notes"] if note["code"] == "missing-topics"]
        assert note["level"] == "alert", command
        assert "--missing zero counts them as failed" in note["text"]


def test_many_systems_without_a_pattern_raise_no_alert() -> None:
    """Cells are missing at random; the threshold allows for the number of systems."""
    alerts = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        x = rng.normal(0, 1, (60, 1)) + rng.normal(0, 1, (60, 12))
        x[rng.random(x.shape) < 0.03] = np.nan
        found = analyze(pd.DataFrame(x), missing="common")
        alerts += any(note.code == "missing-topics" and note.level == "alert" for note in found.notes)
    assert alerts / 60 <= 0.09 + 2 * math.sqrt(0.09 * 0.91 / 60)


pytest_plugins = ["pytester"]
