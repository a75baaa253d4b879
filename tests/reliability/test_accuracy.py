"""Notes on accuracy: their figures are those of the ledger, of the closest board, and stand once."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

import truerank
from truerank._support.notes import Note, joined
from truerank.reliability import diagnostics
from truerank.reliability.diagnostics import NUMBERS, RIGHT, SHARES, SKEWED, Measured, nearest

LEDGER = Path(__file__).resolve().parents[2] / "validation" / "ledger" / "measured.csv"
POPULATIONS = {
    (RIGHT, 20): "right or wrong, spread .3",
    (SHARES, 25): "evalperf, resampled",
    (NUMBERS, 20): "skewed",
}


def measured(population: str, topics: int, statement: str) -> tuple[float, float]:
    with LEDGER.open(encoding="utf-8") as file:
        wanted = {"population": population, "topics": str(topics), "statement": statement, "kind": "ranking"}
        rows = [row for row in csv.DictReader(file) if wanted.items() <= row.items()]
    (row,) = rows
    return float(row["said"]), float(row["happened"])


@pytest.mark.parametrize(
    ("board", "population"),
    [(one, POPULATIONS[one.kind, one.systems]) for one in SKEWED if (one.kind, one.systems) in POPULATIONS],
)
def test_figures_are_those_of_the_ledger(board: Measured, population: str) -> None:
    said, happened = measured(population, board.topics, "tau")
    assert board.high == pytest.approx(said - happened, abs=0.0055)
    assert board.ranges == pytest.approx(measured(population, board.topics, "ranks")[1], abs=0.005)
    if board.leader is not None:
        assert board.leader == pytest.approx(measured(population, board.topics, "leader-score")[1], abs=0.005)


def test_the_closest_board_is_close_in_both_sizes() -> None:
    shares = [one for one in SKEWED if one.kind == SHARES]
    assert (nearest(shares, 25, 60).topics, nearest(shares, 25, 60).systems) == (30, 58)
    assert (nearest(shares, 25, 18).topics, nearest(shares, 25, 18).systems) == (20, 25)


def test_a_board_with_several_doubts_has_one_warning_with_one_figure() -> None:
    """The gravest says what follows; all codes stay for programs."""
    found = truerank.assess(np.random.default_rng(1).random((20, 4)) ** 20, draws=200, seed=1)
    codes = [note.code for note in found.notes if note.code in diagnostics.GRAVEST]
    assert len(codes) == 3
    assert len({note.meaning for note in found.notes if note.code in codes}) == 1
    (said,) = (one for one in found.warnings if "skewed" in one)
    assert "only 4 systems" in said
    assert "only 20 topics" in said
    assert said.count("too high") == 1


def test_notes_without_a_consequence_stay_apart() -> None:
    other = Note("b", "two")
    notes = [Note("a", "one", meaning="so it is"), other, Note("c", "three", meaning="so it is"), other]
    assert [note.text for note in joined(notes)] == ["one; three. So it is", "two", "two"]
