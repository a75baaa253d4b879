"""A board with many submissions, and plans with looks."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from truerank.cli import run
from truerank.numerics.error_spending import looks_cost
from truerank.scores import ScoreMatrix


def submissions(gains: list[float], n: int = 100, seed: int = 1) -> ScoreMatrix:
    rng = np.random.default_rng(seed)
    base = rng.uniform(0.2, 0.6, (n, 1))
    return ScoreMatrix.build((base + np.array(gains) + rng.normal(0, 0.1, (n, len(gains)))).clip(0, 1))


def test_the_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    submissions([0.0, 0.2, 0.1]).to_frame().to_csv(tmp_path / "s.csv")
    scores = str(tmp_path / "s.csv")
    assert run(["board", scores, "--tried", "9", "--json", "-", "--draws", "50"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["leader"]["tried"] == 9
    assert found["leader"]["low"] < found["leader"]["observed"]
    assert "adaptive-board" in [note["code"] for note in found["notes"]]
    assert run(["board", scores, "--draws", "50", "--json", "-"]) == 0
    assert "leader" not in json.loads(capsys.readouterr().out)

    plan = ["plan", "--systems", "9", "--draws", "64", "--json", str(tmp_path / "plan.json")]
    assert run([*plan, "--looks", "50,100,200"]) == 0
    looks = json.loads((tmp_path / "plan.json").read_text(encoding="utf-8"))["looks"]
    assert looks["one_look"] == pytest.approx(looks_cost([50, 100, 200]).one_look)
    assert "is worth one look at 174: it costs 26 topics at most" in " ".join(capsys.readouterr().out.split())
    assert run(["plan", "--systems", "9", "--looks", "5,4"]) == 2
