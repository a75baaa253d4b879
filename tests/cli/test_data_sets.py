"""Tables of several data sets, with clusters or holes: what assess reads, and what the others refuse."""

from __future__ import annotations

import numpy as np
import pytest

import truerank
from truerank.cli import run
from truerank.comparison import significance
from truerank.errors import InputError
from truerank.scores import ScoreMatrix
from truerank.simulation import fit

VALUES = np.round(np.random.default_rng(3).random((12, 3)), 3)
PLAIN = ScoreMatrix.build(VALUES)
UNFIT = {
    "data sets": ScoreMatrix.build(VALUES, data_sets=["x"] * 5 + ["y"] * 7),
    "clusters": ScoreMatrix.build(VALUES, clusters=[t // 2 for t in range(12)]),
    "empty cells": ScoreMatrix.build(np.where(VALUES[3, 1] == VALUES, np.nan, VALUES), holes=True),
}
MESSAGES = {
    "data sets": "takes the scores of one data set, not of 2",
    "clusters": "knows nothing of clusters",
    "empty cells": "takes no empty cells",
}


@pytest.mark.parametrize("kind", UNFIT)
@pytest.mark.parametrize(
    "call",
    [
        lambda scores: truerank.compare(scores, [1, 2, 3]),
        lambda scores: truerank.compare(PLAIN, scores),
        lambda scores: truerank.rank_distance(PLAIN, scores),
        lambda scores: significance.analyze(scores),
        lambda scores: fit(scores, "effects"),
    ],
)
def test_what_takes_one_complete_table_says_so(call, kind):
    with pytest.raises(InputError, match=MESSAGES[kind]):
        call(UNFIT[kind])


@pytest.fixture
def board(tmp_path):
    text = "data_set,topic,a,b,c\n" + "".join(
        f"{'xy'[t // 6]},{t % 6},{','.join(map(repr, row))}\n" for t, row in enumerate(VALUES.tolist())
    )
    (tmp_path / "board.csv").write_text(text)
    (tmp_path / "plain.csv").write_text(
        "topic,a,b,c\n"
        + "".join(f"{t},{','.join(map(repr, row))}\n" for t, row in enumerate(VALUES.tolist()))
    )
    return tmp_path


@pytest.mark.parametrize(
    "command",
    [["compare", "plain.csv", "board.csv"], ["simulate", "fit", "board.csv", "-o", "model.json"]],
)
def test_commands_that_take_one_table_refuse_a_board_in_one_line(board, command, capsys, monkeypatch):
    monkeypatch.chdir(board)
    assert run(command) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert "takes the scores of one data set, not of 2" in err
    assert sorted(path.name for path in board.iterdir()) == ["board.csv", "plain.csv"]


@pytest.mark.parametrize("command", ["assess", "topics"])
def test_commands_that_take_empty_cells_offer_them(command, tmp_path, capsys):
    path = tmp_path / "holes.csv"
    assert run([command, "--help"]) == 0
    assert "complete, zero, model" in " ".join(capsys.readouterr().out.split())
    rows = [f"q{k},0.{k},0.{9 - k},{'' if k == 2 else f'0.{k * 3 % 10}'}" for k in range(1, 10)]
    path.write_text("\n".join(["topic,A,B,C", *rows]))
    assert run([command, str(path), "--missing", "model", "--quiet"]) == 0, capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["plain.csv", "--cluster", "turn"], "unknown column 'turn'"),
        (["plain.csv", "--family", "a"], "families are of data sets"),
        (["run", "--qrels", "q", "-m", "AP", "--cluster", "x"], "--cluster: runs have no columns; give a"),
        (["run", "--qrels", "q", "-m", "AP", "--missing", "model"], "--missing is for score tables"),
    ],
)
def test_wrong_use_of_reading_options(board, arguments, message, capsys, monkeypatch):
    monkeypatch.chdir(board)
    assert run(["assess", *arguments]) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert message in err
