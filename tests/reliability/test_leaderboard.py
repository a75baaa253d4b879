"""Boards: the statements of `assess`."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import truerank
from truerank.cli import run
from truerank.errors import PairError, UnknownNameError
from truerank.readers import with_machine
from truerank.reliability.leaderboard import board_of
from truerank.scores import ScoreMatrix
from truerank.simulation import load_embedded


def sample(seed: int, topics: int = 30, systems: int = 10) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return (
        rng.normal(0.4, 0.15, (topics, 1))
        + rng.normal(0, 0.04, systems)
        + rng.normal(0, 0.1, (topics, systems))
    )


def tables() -> dict[str, ScoreMatrix]:
    """One table of each kind."""
    rng = np.random.default_rng(7)
    values = sample(1)
    holes = np.where(rng.random(values.shape) < 0.1, np.nan, values)
    people = rng.normal(0, 1, (60, 5)) + np.linspace(0.6, 0, 5)
    pairs = [rng.choice(6, 2, replace=False) for _ in range(400)]
    won = rng.random(400)
    rows = [
        (f"q{k % 40}", f"s{i}", f"s{j}", float(won[k] < 0.5 + (j - i) / 12)) for k, (i, j) in enumerate(pairs)
    ]
    battles = pd.DataFrame(rows, columns=["prompt", "model_a", "model_b", "outcome"])
    sets = [f"set {t % 6}" for t in range(30)]
    found = {
        "plain": ScoreMatrix.build(values),
        "data sets": ScoreMatrix.build(values, data_sets=sets),
        "one score each": ScoreMatrix.build(values, data_sets=[f"set {t}" for t in range(30)]),
        "four data sets": ScoreMatrix.build(values[:4], data_sets=list("abcd")),
        "holes": ScoreMatrix.build(holes, holes=True),
        "holes in data sets": ScoreMatrix.build(holes, data_sets=sets, holes=True),
        "copies": ScoreMatrix.build(np.column_stack([values, values[:, 3]])),
        "battles": truerank.read_scores(battles),
        "machine": with_machine(people[:20], people + rng.normal(0, 0.3, people.shape)),
    }
    return found | {"TREC": load_embedded("web2010-p10").sample(48, seed=1)}


TABLES = tables()


@pytest.mark.parametrize(
    ("rule", "sets"), [("mean", None), ("borda", "topics"), ("win-rate", "data_sets"), ("mean", "data_sets")]
)
def test_the_same_digits_as_assess(rule: str, sets: str | None) -> None:
    """By every rule, also where nothing is linear in the topics."""
    names = None if sets is None else [f"set {t % 6}" for t in range(30)]
    the_same(ScoreMatrix.build(sample(1), data_sets=names), aggregate=rule, generalize_to=sets)


@pytest.mark.parametrize("name", TABLES)
def test_no_statement_differs_from_that_of_assess(name: str) -> None:
    """Numbers, notes, what is generalized to, the leader and the machine."""
    the_same(TABLES[name], tried=200 if name == "TREC" else None)


def the_same(scores: ScoreMatrix, **options: object) -> None:
    board = truerank.board(scores, ties="ordinal", draws=200, seed=3, **options)
    whole = truerank.assess(scores, draws=200, seed=3, **options)
    for row, other in zip(board.systems, whole.ranking, strict=True):
        shown = (row.system, row.rank, row.rank_low, row.rank_high)
        assert shown == (other.system, other.rank, other.rank_low, other.rank_high)
        shown = (row.score, row.score_low, row.score_high)
        assert shown == (other.mean, other.mean_low, other.mean_high)
        said = (row.se, row.shrunken, row.battles, row.win_rate)
        assert said == (other.se, other.shrunken, other.battles, other.win_rate)
        assert row.tied_with_leader == (None if row.rank_low is None else row.rank_low == 1)
    if board.leader is None and whole.best is not None:
        assert [row.system for row in board.systems if row.tied_with_leader] == list(whole.best.systems)
    tau = whole.estimate()
    interval = tau.interval(0.95)
    assert (board.tau.estimate, board.tau.low, board.tau.high) == (tau.estimate, interval.low, interval.high)
    others = ("not-computed",)
    own = [note for note in whole.notes if note.code not in others]
    assert list(board.notes) == own
    assert board_of(whole, "ordinal").to_dict() == board.to_dict()
    assert board.machine == whole.machine
    assert (board.rule, board.generalize_to) == (whole.settings.aggregate, whole.settings.generalize_to)
    if options.get("tried"):
        assert board.leader == whole.leader


@pytest.mark.parametrize(
    ("ties", "ranks"), [("min", [1, 2, 2, 4]), ("dense", [1, 2, 2, 3]), ("ordinal", [1, 2, 3, 4])]
)
def test_ranks_of_equal_scores(ties: str, ranks: list[int]) -> None:
    values = sample(3, systems=3)
    board = truerank.board(values[:, np.argsort(-values.mean(axis=0))[[0, 1, 1, 2]]], ties=ties, draws=200)
    assert [row.rank for row in board.systems] == ranks


def test_what_is_no_board() -> None:
    with pytest.raises(PairError):
        truerank.board(sample(1)[:, :2])
    with pytest.raises(UnknownNameError):
        truerank.board(sample(1), ties="max")


@pytest.mark.parametrize("suffix", ["json", "csv"])
@pytest.mark.parametrize("options", [[], ["--tried", "40"]])
def test_assess_writes_the_file_of_board(suffix: str, options: list[str], tmp_path: Path) -> None:
    """By the headline estimator, whichever others are asked for, and beside every other file."""
    table = tmp_path / "scores.csv"
    pd.DataFrame(sample(6)).add_prefix("s").to_csv(table, index_label="topic")
    board, other = tmp_path / f"a.{suffix}", tmp_path / f"b.{suffix}"
    words = [str(table), "--draws", "200", "--resamples", "50", "-q", *options]
    whole = ["--board", str(other), "--json", str(tmp_path / "whole.json")]
    assert run(["board", *words[:3], *words[5:], "-o", str(board)]) == 0
    assert run(["assess", *words, "--estimator", "all", *whole]) == 0
    assert other.read_text() == board.read_text()
    assert "ranking" in json.loads((tmp_path / "whole.json").read_text())
