"""What newcomers stumbled over, output by output."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import truerank
from truerank.comparison.significance.analysis import analyze
from truerank.report.views import view
from truerank.scores import ScoreMatrix

SYSTEMS = ("bm25", "dense", "fusion", "splade")


def table(measure: str = "AP", n: int = 25, seed: int = 2) -> ScoreMatrix:
    rng = np.random.default_rng(seed)
    values = rng.beta(2, 3, (n, 1)) * rng.uniform(0.7, 1, (n, 4)) + [0, 0.02, 0.05, 0.09]
    return ScoreMatrix.build(values, systems=SYSTEMS, measure=measure)


def test_cells_of_significance_are_numbers_with_the_letters_beside(tmp_path: Path) -> None:
    found = analyze(table(), "t", "none")
    found.to_csv(tmp_path)
    rows = list(csv.DictReader((tmp_path / "significance.csv").read_text(encoding="utf-8").splitlines()))
    means = dict(zip(found.scores.systems, found.scores.means, strict=True))
    for row in rows:
        assert float(row["AP"]) == pytest.approx(means[row["system"]], abs=5e-5)
    assert rows[0]["AP_marks"]
    assert set("".join(row["AP_marks"] for row in rows)) <= {row["label"] for row in rows}


def test_a_distance_with_p_of_exactly_5_percent_is_more_than_chance() -> None:
    reference = table()
    found = truerank.compare(reference, reference.means[::-1].copy(), resamples=200, seed=1)
    at = replace(found, distance=replace(found.distance, p_value=0.05))
    assert view(at).answer[0].startswith("The rankings differ")


def test_identical_rankings_prove_nothing_about_other_topics() -> None:
    reference = table()
    found = truerank.compare(reference, reference.means.copy(), resamples=200, seed=1)
    assert "does not prove" in view(found).answer[1]


def test_what_stands_beside_a_leader_that_is_first_for_sure_is_true_of_the_tests() -> None:
    """They correct for all pairs, so the reason why they separate less is not that each stands alone."""
    rng = np.random.default_rng(5)
    values = rng.beta(2, 3, (60, 1)) + rng.normal(0, 0.03, (60, 5)) + [0.3, 0.02, 0.01, 0, 0]
    found = truerank.assess(ScoreMatrix.build(values, measure="AP"), draws=200, seed=1)
    shown = view(found)
    advice = shown.table("ranking").advice
    assert "corrects for all pairs" in advice
    assert "by itself" not in advice
    (leader,) = (one for one in shown.sections if one.name == "leader")
    first, second = (row["shrunken"] for row in found.to_dict()["ranking"][:2])
    assert f"by this pair alone, and {first - second:.4f} by the column Shrunken" in leader.text[1]


@pytest.mark.parametrize(
    ("lead", "usual", "named"),
    [
        (0.002, "; one topic is usual for so small a lead.", "Topic 20 carries it most."),
        (0.01, "; 3.6 topics are usual for a lead of this size.", "Topics 20, 19, 18 and 17 carry it most."),
    ],
)
def test_the_topics_that_carry_a_lead_are_named_as_topics(lead: float, usual: str, named: str) -> None:
    values = np.random.default_rng(1).normal([0, 0.3, 0.2, 0.1], 0.01, (20, 4))
    values[:, 0] = values[:, 1] + np.linspace(-0.05, 0.05, 20) + lead
    shown = view(truerank.assess(ScoreMatrix.build(values), "eb", draws=200, seed=1))
    (leader,) = (one for one in shown.sections if one.name == "leader")
    assert usual in " ".join(leader.text)
    assert named in leader.text


def test_large_counts_of_pairs_have_a_separator() -> None:
    """All 1,770 pairs are in the other order, and SciPy says how many of them differ."""
    x = np.random.default_rng(1).normal(np.linspace(0, 1, 60), 0.1, (20, 60))
    found = truerank.compare(ScoreMatrix.build(x), -x.mean(axis=0), resamples=20, seed=1)
    differ = sum((stats.ttest_rel(x[:, :s].T, x[:, s], axis=1).pvalue < 0.05).sum() for s in range(1, 60))
    assert f"1,770 of 1,770 pairs of systems are in the other order (τ = −1.00); {differ:,} of" in " ".join(
        view(found).answer
    )
