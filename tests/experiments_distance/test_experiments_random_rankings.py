"""Random re-rankings against all rankings of few systems, listed, and all resamples of four topics."""

from __future__ import annotations

import math
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import truerank
from truerank.comparison.distance import Reference
from truerank.experiments import run
from truerank.experiments.studies.reorderings import KINDS, LARGE_TAU, RESAMPLED, UNIFORM, distances_of
from truerank.report.outputs.data import frame
from truerank.scores import ScoreMatrix

PAPER = [[0.283, 0.481, 0.516], [0.017, 0.399, 0.544], [0.075, 0.3, 0.277], [0.183, 0.662, 0.616]]
"""Average precision of carterette-2009 §3.1."""


def shares(found: Any) -> Any:
    table = {t.name: frame(t) for t in found.findings.tables}["shares"]
    return table.set_index(["drawn", "what"])


def near(row: Any, expected: float) -> bool:
    """Within four standard errors of the known share."""
    return bool(abs(row["value"] - expected) <= 4 * math.sqrt(expected * (1 - expected) / row["of"]) + 1e-12)


def test_the_papers_three_systems(tmp_path: Path) -> None:
    """§3.2: C > B > A has d 0 in 79% and B > C > A d 0.65 in 21% of the resamples, and no other comes."""
    found = run(
        "random-rankings", {"x": ScoreMatrix.build(PAPER)}, tmp_path / "r", workers=1, rankings=1000,
        trials=4, tau=1.0, seed=1,
    )  # fmt: skip
    table = shares(found)
    rows = found.frame("rankings")
    own = rows[rows["drawn"] == RESAMPLED]
    assert set(own["distance"].round(4)) == {0.0, 0.6508}
    assert set(rows.loc[own.index, "p"].round(4)) == {1.0, round(54 / 256, 4)}
    assert near(table.loc[RESAMPLED, "τ ≥ 1"], 202 / 256)
    assert near(table.loc[RESAMPLED, "τ < 1, among those not far"], 54 / 256)
    assert near(table.loc[UNIFORM, "τ ≥ 1"], 1 / 6)
    assert near(table.loc[UNIFORM, "not far"], 2 / 6)
    assert near(table.loc[UNIFORM, "τ < 1, among those not far"], 1 / 2)
    assert table.loc[(UNIFORM, "far, among those with τ ≥ 1"), "value"] == 0
    assert table.loc[(UNIFORM, "lowest τ among those not far"), "value"] == pytest.approx(1 / 3)
    assert table.loc[(LARGE_TAU, "not far"), "value"] == 1


def test_shares_are_those_of_all_rankings(five: ScoreMatrix, tmp_path: Path) -> None:
    found = run(
        "random-rankings", {"five": five}, tmp_path / "r", workers=1, trials=3, rankings=1500, tau=0.4,
        alpha=0.2, resamples=3000, seed=2,
    )  # fmt: skip
    table = shares(found)
    reference = Reference.of(five.ranked())
    test = truerank.rank_distance_test(five.ranked(), five.ranked().means, resamples=3000, seed=2)
    every = np.array(list(permutations(range(5))))
    far = np.array([test.distribution.p_value(d) <= 0.2 for d in distances_of(reference, every)])
    ranks = np.argsort(every, axis=1)
    tau = np.array([truerank.tau(-np.arange(5), -r) for r in ranks])
    large = tau >= 0.4 - 1e-9
    assert 0 < (far & large).sum() < large.sum()
    assert near(table.loc[UNIFORM, "τ ≥ 0.4"], large.mean())
    assert near(table.loc[UNIFORM, "not far"], 1 - far.mean())
    for kind in (UNIFORM, LARGE_TAU):
        assert near(table.loc[kind, "far, among those with τ ≥ 0.4"], far[large].mean())
    assert near(table.loc[UNIFORM, "τ < 0.4, among those not far"], (~large)[~far].mean())
    lowest = table.loc[(UNIFORM, "lowest τ among those not far"), "value"]
    assert lowest == pytest.approx(tau[~far].min())
    # The bootstrap behind the test is another sample of the same distribution, of 3,000.
    own, known = table.loc[RESAMPLED, "not far"], test.distribution
    expected = (
        sum(c for d, c in zip(known.distances, known.counts, strict=True) if known.p_value(d) > 0.2) / 3000
    )
    assert abs(own["value"] - expected) < 4 * math.sqrt(
        expected * (1 - expected) * (1 / 3000 + 1 / own["of"])
    )
    quantiles = {t.name: frame(t) for t in found.findings.tables}["quantiles"]
    assert set(quantiles["drawn"]) == set(KINDS)
