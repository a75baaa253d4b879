"""What newcomers stumbled over, output by output."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import truerank
from truerank.comparison.significance.analysis import analyze
from truerank.report.shown import view
from truerank.report.writers.latex import latex
from truerank.report.writers.terminal import lines
from truerank.scores import ScoreMatrix

SYSTEMS = ("bm25", "dense", "fusion", "splade")


def table(measure: str = "AP", n: int = 25, seed: int = 2) -> ScoreMatrix:
    rng = np.random.default_rng(seed)
    values = rng.beta(2, 3, (n, 1)) * rng.uniform(0.7, 1, (n, 4)) + [0, 0.02, 0.05, 0.09]
    return ScoreMatrix.build(values, systems=SYSTEMS, measure=measure)


def test_the_verdicts_of_several_measures_are_in_the_first_part_at_80_columns() -> None:
    found = truerank.gate([table(), table("nDCG@10", seed=3)], "bm25", seed=1)
    shown = view(found)
    made = lines(shown.table("gate"), 80)
    assert "Verdict" in made[1]  # below the first line of a heading of two
    assert not [line for line in made if "Further columns" in line]
    assert not [one for one in shown.answer if shown.subject in one]


def test_cells_of_significance_are_numbers_with_the_letters_beside(tmp_path: Path) -> None:
    found = analyze(table(), "t", "none")
    found.to_csv(tmp_path)
    rows = list(csv.DictReader((tmp_path / "significance.csv").read_text(encoding="utf-8").splitlines()))
    means = dict(zip(found.scores.systems, found.scores.means, strict=True))
    for row in rows:
        assert float(row["AP"]) == pytest.approx(means[row["system"]], abs=5e-5)
    assert rows[0]["AP_marks"]
    assert set("".join(row["AP_marks"] for row in rows)) <= {row["label"] for row in rows}


def test_topics_that_decide_and_topics_against_are_two_short_tables() -> None:
    values = table(n=40).values.copy()
    values[:6] = values[:6, ::-1]
    shown = view(truerank.topics(ScoreMatrix.build(values, systems=SYSTEMS)))
    deciding, against, everything = (shown.table(name) for name in ("deciding", "against", "topics"))
    assert len(deciding.rows) == 4
    assert 0 < len(against.rows) <= 10
    assert len(everything.rows) == 40
    keys = everything.keys
    separation = keys.index("separation")
    most = sorted((row[separation] for row in everything.rows), reverse=True)[:4]
    assert [row[separation] for row in deciding.rows] == most
    assert all(row[separation] < 0 for row in against.rows)


def test_the_frame_of_topics_has_all_of_them() -> None:
    assert len(truerank.topics(table()).to_frame()) == 25


def test_a_distance_with_p_of_exactly_5_percent_is_more_than_chance() -> None:
    reference = table()
    found = truerank.compare(reference, reference.means[::-1].copy(), resamples=200, seed=1)
    at = replace(found, distance=replace(found.distance, p_value=0.05))
    assert view(at).answer[0].startswith("The rankings differ")


def test_identical_rankings_prove_nothing_about_other_topics() -> None:
    reference = table()
    found = truerank.compare(reference, reference.means.copy(), resamples=200, seed=1)
    assert "does not prove" in view(found).answer[1]


def test_estimators_that_nobody_asked_for_are_left_out_silently() -> None:
    rng = np.random.default_rng(1)
    values = rng.beta(2, 3, (60, 4)) + np.linspace(0, 0.3, 4)
    board = ScoreMatrix.build(values, systems=SYSTEMS, data_sets=np.repeat(["x", "y", "z"], 20))
    found = truerank.assess(board, draws=200, resamples=50)
    assert not [one for one in found.warnings if "left out" in one]
    with pytest.raises(truerank.errors.InputError, match="not defined here"):
        truerank.assess(board, ["msqd"], draws=200)


def test_a_baseline_names_the_gate_command_for_all_together() -> None:
    found = truerank.assess(table(), ["eb"], baseline="bm25", draws=200)
    assert (
        "truerank.gate(scores, baseline='bm25') judges all together." in view(found).table("baseline").below
    )


def test_a_table_spans_both_columns_only_where_it_must() -> None:
    shown = view(truerank.assess(table(), ["eb"], draws=200))
    assert "table*" not in latex(shown.table("ranking"), "assess", "AP")
    wide = view(truerank.topics(table())).table("topics")
    assert "table*" in latex(
        replace(wide, columns=wide.columns * 2, rows=[[*row, *row] for row in wide.rows])
    )


def test_the_entry_of_the_software_is_of_a_kind_that_all_bibtex_styles_know() -> None:
    from truerank.report import bibtex

    assert bibtex(["truerank"]).startswith("@misc{")
    assert f"Version {truerank.__version__}" in bibtex(["truerank"])


def test_what_stands_beside_a_leader_that_is_first_for_sure_is_true_of_the_tests() -> None:
    """They correct for all pairs, so the reason why they separate less is not that each stands alone."""
    rng = np.random.default_rng(5)
    values = rng.beta(2, 3, (60, 1)) + rng.normal(0, 0.03, (60, 5)) + [0.3, 0.02, 0.01, 0, 0]
    shown = view(truerank.assess(ScoreMatrix.build(values, measure="AP"), draws=200, seed=1))
    advice = shown.table("ranking").advice
    assert "corrects for all pairs" in advice
    assert "by itself" not in advice
    (leader,) = (one for one in shown.sections if one.name == "leader")
    assert "by this pair alone; shrunken means weigh all pairs." in leader.text[1]
