"""Leaderboards of very many data sets end in time, or are refused with a way out."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from truerank.cli import run


def test_the_way_out_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.modules["truerank.reliability.means.means_of"], "MOST_DATA_SETS", 20)
    rows = np.random.default_rng(1).random((42, 3)).round(3).tolist()
    lines = [f"d{k // 2},t{k % 2},{a},{b},{c}\n" for k, (a, b, c) in enumerate(rows)]
    (tmp_path / "s.csv").write_text("data_set,topic,A,B,C\n" + "".join(lines), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    for command in (["assess"], ["board"], ["plan", "--tau", "0.9"]):
        assert run([*command, "s.csv"]) == 2
        error = capsys.readouterr().err
        assert "s.csv: 21 data sets are more than 20" in error
        assert "--topic-column" in error
        assert "--run-column" in error
    assert run(["assess", "s.csv", "--topic-column", "data_set", "--run-column", "topic"]) == 0
    assert "21 topics" in capsys.readouterr().out
