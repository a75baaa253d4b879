"""What boards of data sets, and comparisons say where ties, holes or names would mislead."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import kendalltau

import truerank
from truerank.cli import run

SETS = ["MMLU", "GSM8K", "ARC", "HellaSwag", "TruthfulQA", "Winogrande"]


def board(holes: bool = False) -> pd.DataFrame:
    """Models × well-known data sets; each model but the last two lacks one if there are holes."""
    rng = np.random.default_rng(2)
    values = 60 - 2.0 * np.arange(8)[:, None] + rng.normal(0, 4, (8, 6)).round(1)
    if holes:
        values[np.arange(4), np.arange(4)] = np.nan
    return pd.DataFrame(values, index=[f"model-{k}" for k in range(8)], columns=SETS)


def test_pairs_tied_on_a_data_set_count_half() -> None:
    """τ_b of a ranking without ties and one with, times the square root of its share of untied pairs."""
    rng = np.random.default_rng(5)
    values = (rng.random((48, 10)) < np.linspace(0.7, 0.4, 10)).astype(float)
    sets = [f"set{t // 8}" for t in range(48)]
    found = truerank.assess(truerank.ScoreMatrix.build(values, data_sets=sets), "eb", draws=100)
    order = [found.scores.systems.index(one.system) for one in found.ranking]
    pairs, tied_somewhere = np.triu_indices(10, 1), False
    for k, one in enumerate(found.board.data_sets):
        means = found.scores.values[np.array(found.scores.strata) == k].mean(axis=0)[order].round(9)
        untied = (means[pairs[0]] != means[pairs[1]]).mean()
        tied_somewhere |= untied < 1
        expected = kendalltau(-np.arange(10), means).statistic * np.sqrt(untied)
        assert one.tau == pytest.approx(expected, abs=1e-9)
    assert tied_somewhere
    assert "a tied pair counts half" in " ".join(found.to_markdown().split())


def test_a_frame_whose_rows_are_called_data_sets_is_read_like_its_transpose() -> None:
    frame = board()
    of_rows = truerank.read_scores(frame.T.rename_axis("data_set"))
    of_columns = truerank.read_scores(frame.rename_axis("model").reset_index())
    assert of_rows.data_sets == of_columns.data_sets == tuple(SETS)
    assert of_rows.unit.many == "data sets"
    assert truerank.read_scores(frame.T).k == 1


def test_comparisons_say_ties_and_the_systems_in_both(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    values = np.random.default_rng(3).normal([5, 4, 3, 2, 1], 0.1, (20, 5)).round(3)
    values[:, 4] = values[:, 3]
    table, same, other = (tmp_path / name for name in ("t.csv", "same.txt", "other.txt"))
    table.write_text("\n".join([",".join("abcde"), *(",".join(map(str, row)) for row in values)]))
    same.write_text("a\nb\nc\nghost\n")
    other.write_text("e\nd\nc\nb\na\n")
    assert run(["compare", str(table), str(same)]) == 0
    assert "no pair of the 3 systems in both is in the other order" in " ".join(
        capsys.readouterr().out.split()
    )
    assert run(["compare", str(table), str(other)]) == 0
    said = " ".join(capsys.readouterr().out.split())
    tau_b = kendalltau(values.mean(axis=0), [1, 2, 3, 4, 5]).statistic
    assert (
        f"9 of 10 pairs of systems are in the other order, 1 tied (τ_b = −{-tau_b:.2f}); 9 of the 9" in said
    )
