"""What boards and tables of tests say where ties, names or letters would mislead."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import kendalltau

import truerank
from truerank.comparison.significance.analysis import analyze

SETS = ["MMLU", "GSM8K", "ARC", "HellaSwag", "TruthfulQA", "Winogrande"]


def board() -> pd.DataFrame:
    """Models × well-known data sets."""
    rng = np.random.default_rng(2)
    values = 60 - 2.0 * np.arange(8)[:, None] + rng.normal(0, 4, (8, 6)).round(1)
    return pd.DataFrame(values, index=[f"model-{k}" for k in range(8)], columns=SETS)


def test_pairs_tied_on_a_data_set_count_half() -> None:
    """τ_b of a ranking without ties and one with, times the square root of its share of untied pairs."""
    rng = np.random.default_rng(5)
    values = (rng.random((48, 10)) < np.linspace(0.7, 0.4, 10)).astype(float)
    sets = [f"set{t // 8}" for t in range(48)]
    found = truerank.assess(truerank.ScoreMatrix.build(values, data_sets=sets), "eb", draws=100)
    order = [found.scores.systems.index(one.system) for one in found.ranking]
    pairs, tied_somewhere = np.triu_indices(10, 1), False
    for k, one in enumerate(found.data_sets):
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


def test_cells_of_significance_are_numbers_with_the_letters_beside(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    values = rng.beta(2, 3, (25, 1)) * rng.uniform(0.7, 1, (25, 4)) + [0, 0.02, 0.05, 0.09]
    found = analyze(truerank.ScoreMatrix.build(values, measure="AP"), "t", "none")
    found.to_csv(tmp_path)
    rows = list(csv.DictReader((tmp_path / "significance.csv").read_text(encoding="utf-8").splitlines()))
    means = dict(zip(found.scores.systems, found.scores.means, strict=True))
    for row in rows:
        assert float(row["AP"]) == pytest.approx(means[row["system"]], abs=5e-5)
    assert rows[0]["AP_marks"]
    assert set("".join(row["AP_marks"] for row in rows)) <= {row["label"] for row in rows}


def test_data_sets_stand_in_the_order_of_the_table() -> None:
    found = truerank.assess(board().rename_axis("model").reset_index(), "eb", draws=50)
    assert [one.name for one in found.data_sets] == SETS
