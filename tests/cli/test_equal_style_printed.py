"""Battles with the lengths of answers: every output says that strengths are at equal length."""

from __future__ import annotations

import re

import numpy as np
import pytest

from truerank.cli import run


@pytest.fixture
def battles(tmp_path, monkeypatch):
    """Battles of five systems on 80 prompts by 30 voters, which longer answers win more often."""
    rng = np.random.default_rng(3)
    lines = ["question_id,model_a,model_b,winner,judge,length_a,length_b"]
    for k in range(800):
        a, b = rng.choice(5, 2, replace=False)
        lengths = rng.integers(100, 2_000, 2) + np.array([300 * a, 300 * b])
        logit = 0.4 * (a - b) + np.log(lengths[0] / lengths[1])
        winner = "model_a" if rng.random() < 1 / (1 + np.exp(-logit)) else "model_b"
        lines.append(f"p{k % 80},{'vwxyz'[a]},{'vwxyz'[b]},{winner},u{k % 30},{lengths[0]},{lengths[1]}")
    (tmp_path / "battles.csv").write_text("\n".join(lines))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def printed(capsys, line):
    run(line.split())
    out = capsys.readouterr()
    return " ".join(out.out.split()), out.err


def test_a_board_and_its_files_are_at_equal_length(capsys, battles):
    text, _ = printed(capsys, "board battles.csv --covariate length -o b.md")
    assert "on 80 prompts by 30 voters at equal length is expected to agree" in text
    assert "Leaderboard of 5 systems at equal length" in (battles / "b.md").read_text()


def test_a_gate_says_which_strengths_and_which_share_are_at_equal_length(capsys, battles):
    line = "gate battles.csv --covariate length --baseline y --candidate z --latex g.tex"
    text, _ = printed(capsys, line)
    assert "Strength at equal length " in text
    assert re.search(r"the whole graph of battles expects \d+%, with length as in these battles\.", text)
    tables = (battles / "g.tex").read_text()
    assert "80 prompts at equal length" in tables
    assert "by strengths from all battles, with length as in the direct ones" in tables
