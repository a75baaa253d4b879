"""Random re-rankings against all rankings of few systems, listed, and all resamples of four topics."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from truerank.experiments import run
from truerank.experiments.studies.reorderings import LARGE_TAU, RESAMPLED, UNIFORM
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
