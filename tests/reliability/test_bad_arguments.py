"""Arguments of Python that are not what they should be: one clear error each."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import truerank
from truerank.errors import TruerankError


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda x: truerank.assess([[10**400, 1, 2], [1, 2, 3], [2, 3, 4]]), "too large"),
        (lambda x: truerank.assess(x, baseline=3), "unknown system '3'"),
        (lambda x: truerank.assess(x, coefficients=7), "7 is not a known coefficient"),
        (lambda x: truerank.Monitor(data_sets={"a": "x"}), "must be numbers"),
        (lambda x: truerank.assess(x, tried=2), "tried=2: 4 systems"),
        (lambda x: truerank.assess(x, best=9), "best=9: there are 4 systems"),
    ],
)
def test_one_clear_error(call, said) -> None:
    with pytest.raises(TruerankError, match=said):
        call(np.random.default_rng(1).random((10, 4)))


@pytest.mark.filterwarnings("error")
def test_a_board_of_many_degrees_of_freedom() -> None:
    """As many topics as anyone likes: the ranges are those of a known covariance."""
    boards = [truerank.board([0.6, 0.5, 0.3], np.eye(3) * 0.001, df=df) for df in (1e4, 1e6, 1e12)]
    ranges = [[(row.rank_low, row.rank_high) for row in board.systems] for board in boards]
    assert ranges[0] == ranges[1] == ranges[2] == [(1, 1), (2, 2), (3, 3)]


def test_a_column_left_out_of_several_tables_is_named(tmp_path: Path) -> None:
    for name in ("one", "two"):
        rows = [f"t{t},{t / 10},{t / 9},note {t}" for t in range(5)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["topic,a,b,text", *rows]) + "\n")
    with pytest.raises(TruerankError, match="nosuch"):
        truerank.gate(truerank.read_scores(tmp_path), baseline="nosuch", candidate="a")
