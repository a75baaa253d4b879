"""Boards: the digits of `assess`, boards from means and a covariance alone, and one more system."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

import truerank
from truerank.cli import run
from truerank.errors import InputError, PairError, UnknownNameError
from truerank.readers import with_machine
from truerank.reliability.estimators import eb
from truerank.reliability.means import means_of
from truerank.scores import ScoreMatrix, ranking_order


def sample(seed: int, topics: int = 30, systems: int = 10) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return (
        rng.normal(0.4, 0.15, (topics, 1))
        + rng.normal(0, 0.04, systems)
        + rng.normal(0, 0.1, (topics, systems))
    )


@pytest.mark.parametrize("rule", ["mean", "borda", "win-rate"])
@pytest.mark.parametrize("sets", [None, "topics", "data_sets"])
def test_the_same_digits_as_assess(rule: str, sets: str | None) -> None:
    """Scores, ranks and joint rank ranges, by every rule, also where nothing is linear in the topics."""
    names = None if sets is None else [f"set {t % 6}" for t in range(30)]
    scores = ScoreMatrix.build(sample(1), data_sets=names)
    board = truerank.board(scores, aggregate=rule, generalize_to=sets, draws=500, seed=3)
    whole = truerank.assess(scores, aggregate=rule, generalize_to=sets, draws=500, seed=3)
    assert [row.system for row in board.rows] == [row.system for row in whole.ranking]
    for row, other in zip(board.rows, whole.ranking, strict=True):
        assert (row.rank_low, row.rank_high) == (other.rank_low, other.rank_high)
        assert row.score == other.mean
        assert row.shrunken == other.shrunken or (np.isnan(row.shrunken) and other.shrunken is None)
        assert row.tied_with_leader == (row.rank_low == 1)
        assert row.topics == 30


def test_intervals_of_each_system_by_itself() -> None:
    """Counted from the probabilities of pairs: 1 plus those surely above, m less those surely below."""
    scores = ScoreMatrix.build(sample(2))
    order = ranking_order(scores.means)
    swapped = eb.posterior(means_of(scores.select(order))).probabilities()
    for s, row in enumerate(truerank.board(scores, joint=False).rows):
        above = sum(1 - swapped[i, s] >= 0.975 for i in range(s))
        below = sum(1 - swapped[s, j] >= 0.975 for j in range(s + 1, 10))
        assert (row.rank_low, row.rank_high) == (1 + above, 10 - below)


@pytest.mark.parametrize("joint", [False, True])
def test_means_and_covariance_are_enough(joint: bool) -> None:
    """The board of a table, from its means and their covariance alone."""
    values = sample(3)
    covariance = np.cov(values.T) / len(values)
    board = truerank.board(values.mean(axis=0), covariance, df=29, joint=joint, draws=2000)
    whole = truerank.board(values, joint=joint, draws=2000)
    assert board.names == whole.names
    assert board.errors == pytest.approx(whole.errors)
    assert board.shrunken == pytest.approx(whole.shrunken, abs=1e-9)
    if joint:  # the covariance of draws from scores is shrunk
        assert np.abs(np.subtract(board.low, whole.low)).max() <= 1
        assert board.joint
    else:
        assert (board.low.tolist(), board.high.tolist()) == (whole.low.tolist(), whole.high.tolist())


@pytest.mark.parametrize("place", [0, 4, 9])
def test_one_more_system(place: int) -> None:
    """Added to the others, or with them from the start: the same but for what the curve learns of it."""
    values = sample(4, 200)
    theta, covariance = values.mean(axis=0), np.cov(values.T) / 200
    new = int(ranking_order(theta)[place])
    rest = [s for s in ranking_order(theta).tolist() if s != new]
    names = [f"sys{s + 1}" for s in range(10)]
    before = truerank.board(
        theta[rest], covariance[np.ix_(rest, rest)], df=199, systems=[names[s] for s in rest]
    )
    after = before.add(names[new], theta[new], covariance[new, rest], covariance[new, new])
    whole = truerank.board(theta, covariance, df=199)
    assert after.names == whole.names
    assert after.errors == pytest.approx(whole.errors)
    assert after.shrunken == pytest.approx(whole.shrunken, abs=1e-3)
    assert np.abs(np.subtract(after.low, whole.low)).max() <= 1
    assert len(before.rows) == 9
    again = after.add(
        "again",
        theta[new],
        np.insert(covariance[new, rest], place, covariance[new, new]),
        covariance[new, new],
    )
    copies = [row for row in again.rows if row.system in ("again", names[new])]
    assert copies[0].rank == copies[1].rank
    assert copies[0].shrunken == pytest.approx(copies[1].shrunken)


@pytest.mark.parametrize(
    ("ties", "ranks"), [("min", [1, 2, 2, 4]), ("dense", [1, 2, 2, 3]), ("ordinal", [1, 2, 3, 4])]
)
def test_ranks_of_equal_scores(ties: str, ranks: list[int]) -> None:
    board = truerank.board([0.1, 0.4, 0.2, 0.2], np.eye(4) * 1e-4, df=20, ties=ties)
    assert board.ranks.tolist() == ranks


@pytest.mark.parametrize(
    ("theta", "covariance", "more", "message"),
    [
        ([1, 2, 3], np.eye(2), {"df": 9}, "3 × 3"),
        ([1, 2], [[1, 2], [2, 1]], {"df": 9}, "negative eigenvalue"),
        ([1, 2], [[1, 0.5], [0, 1]], {"df": 9}, "not symmetric"),
        ([1, 2], np.eye(2), {}, "degrees of freedom"),
        ([1, np.nan], np.eye(2), {"df": 9}, "finite means"),
        ([1, 2], np.eye(2), {"df": 9, "systems": ["a", "a"]}, "different names"),
    ],
)
def test_what_is_no_covariance(theta, covariance, more, message) -> None:
    with pytest.raises(InputError, match=message):
        truerank.board(theta, covariance, **more)


def test_what_cannot_be_added() -> None:
    board = truerank.board([0.5, 0.4], np.eye(2) * 1e-4, df=20)
    with pytest.raises(InputError, match="on the board already"):
        board.add("sys1", 0.3, [0, 0], 1e-4)
    with pytest.raises(InputError, match="beyond 1"):
        board.add("new", 0.3, [1, 0], 1e-4)
    with pytest.raises(InputError, match="2 finite numbers"):
        board.add("new", 0.3, [0], 1e-4)
    with pytest.raises(InputError, match="means and a covariance"):
        truerank.board(sample(1)).add("new", 0.3, [0] * 10, 1e-4)
    with pytest.raises(PairError):
        truerank.board(sample(1)[:, :2])
    with pytest.raises(UnknownNameError):
        truerank.board(sample(1), ties="max")


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The three kinds of file have the same rows; another suffix is refused before any work."""
    table = tmp_path / "scores.csv"
    names = ",".join(f"s{s}" for s in range(10))
    rows = [f"t{t}," + ",".join(map(str, row)) for t, row in enumerate(sample(5).tolist())]
    table.write_text("\n".join([f"topic,{names}", *rows]))
    for suffix in ("json", "csv", "md"):
        assert run(["board", str(table), "-o", str(tmp_path / f"b.{suffix}"), "--draws", "200", "-q"]) == 0
    capsys.readouterr()
    document = json.loads((tmp_path / "b.json").read_text())
    with (tmp_path / "b.csv").open() as file:
        read = list(csv.DictReader(file))
    assert [row["system"] for row in read] == [row["system"] for row in document["systems"]]
    assert [int(row["rank_high"]) for row in read] == [row["rank_high"] for row in document["systems"]]
    assert all(row["system"] in (tmp_path / "b.md").read_text() for row in document["systems"])
    assert run(["board", str(table), "-o", str(tmp_path / "b.txt"), "-q"]) == 2
    assert "ends in .json, .csv or .md" in capsys.readouterr().err
    assert not (tmp_path / "b.txt").exists()


def test_a_board_says_what_a_machine_adds():
    """A board of people's and a machine's scores has the machine judge, λ and warnings of the assessment."""
    rng = np.random.default_rng(4)
    people = rng.normal(0, 1, (60, 5)) + np.linspace(0.6, 0, 5)
    for useless in (False, True):
        machine = rng.normal(0, 0.3, people.shape) + (0 if useless else people)
        table = with_machine(people[:20], machine)
        found, whole = truerank.board(table, seed=1), truerank.assess(table, "eb", seed=1)
        assert found.machine == whole.machine
        weight = f"λ = {whole.machine.scale:.2f}"
        assert weight in found.summary()
        assert weight in whole.summary()
        said = [[one for one in it.warnings if "machine" in one] for it in (found, whole)]
        assert said[0] == said[1]
        assert any("adds next to nothing" in one for one in said[0]) is not whole.machine.helps
    assert truerank.board(people, seed=1).machine is None
