"""`assess --baseline B`, `significance --baseline B` and `gate --baseline B --candidate A` say the same."""

from __future__ import annotations

import math

import numpy as np
import pytest

import truerank
from truerank.readers import with_machine
from truerank.scores import ScoreMatrix

SYSTEMS = ("a", "b", "c", "d")


def values(n: int, seed: int = 1) -> np.ndarray:
    rng = np.random.default_rng(seed)
    x = (
        rng.beta(2, 3, (n, 1))
        + rng.normal([0, 0.02, -0.03, 0.01], 0.08, (n, 4))
        - rng.exponential(0.03, (n, 4))
    )
    return x.clip(0, 1)


def tables() -> dict[str, tuple[ScoreMatrix, dict[str, str]]]:
    x = values(60)
    ties = x.copy()
    ties[8:, 1:] = ties[8:, :1]
    holes = x.copy()
    holes[:7, 1] = holes[50:, 2] = np.nan
    sets = np.repeat(["p", "q", "r", "s", "t", "u"], 10)
    people = ScoreMatrix.build(x[:15], systems=SYSTEMS, measure="AP")
    judged = x + np.random.default_rng(2).normal(0, 0.05, x.shape)
    machine = ScoreMatrix.build(judged, systems=SYSTEMS, measure="AP")
    plain = {"systems": SYSTEMS, "measure": "AP"}
    return {
        "plain": (ScoreMatrix.build(x, **plain), {}),
        "few differ": (ScoreMatrix.build(ties, **plain), {}),
        "no range": (ScoreMatrix.build(ties, systems=SYSTEMS), {}),
        "clusters": (ScoreMatrix.build(x, clusters=np.arange(60) // 2, **plain), {}),
        "data sets": (ScoreMatrix.build(x, data_sets=sets, **plain), {}),
        "new data sets": (ScoreMatrix.build(x, data_sets=sets, **plain), {"generalize_to": "data_sets"}),
        "holes": (ScoreMatrix.build(holes, holes=True, **plain), {"missing": "model"}),
        "machine": (with_machine(people, machine), {}),
    }


@pytest.mark.parametrize("name", tables())
def test_rows_against_a_baseline_are_those_of_gates(name: str) -> None:
    table, options = tables()[name]
    found = truerank.assess(table, "eb", "tau", baseline="b", draws=200, **options)
    assert len(found.baseline) == 3
    for row in found.to_dict()["baseline"]["differences"]:
        (gate, *_) = truerank.gate(
            table, "b", row["system"], generalize_to=options.get("generalize_to"), missing="common"
        )
        assert row["difference"] == pytest.approx(gate.difference, abs=1e-12)
        for end in ("low", "high"):
            own = getattr(gate, end)
            if math.isfinite(own):
                assert row[end] == pytest.approx(own, abs=1e-9)
            else:
                assert row[end] is None
        assert row["p_value"] == pytest.approx(gate.p_value, abs=1e-9)
        assert row["verdict"] == gate.verdict
        assert set(row) == {"system", "difference", "low", "high", "p_value", "verdict"}


def test_the_guarantee_keeps_simultaneous_intervals() -> None:
    table = tables()["plain"][0]
    plain, sure = (
        truerank.assess(table, "eb", "tau", baseline="b", draws=200, guarantee=sure).baseline
        for sure in (False, True)
    )
    assert all(b.low < a.low and a.high < b.high for a, b in zip(plain, sure, strict=True))


def test_tests_of_answers_against_a_baseline_are_those_of_gates() -> None:
    """Few answers differ from the baseline's: some pairs are decided by the exact bound, and some by t."""
    rng = np.random.default_rng(8)
    answers = np.repeat(rng.random((60, 1)) < 0.6, 8, axis=1)
    answers[:, 1:] ^= rng.random((60, 7)) < np.linspace(0.02, 0.5, 7)
    table = ScoreMatrix.build(answers.astype(float))
    tests = truerank.significance.analyze(table, "t", "none", baseline="sys1").to_dict()["against_baseline"]
    exact = 0
    for test in tests:
        gate = truerank.gate(table, "sys1", test["system"])
        assert test["p"] == pytest.approx(gate.p_value, rel=1e-9, abs=1e-9)
        significant = "undecided" if test["p"] >= 0.05 else "better" if test["difference"] > 0 else "fail"
        assert significant == gate.verdict
        assert (gate.rule == "exact") == ("p_t" in test)
        exact += gate.rule == "exact"
    assert 0 < exact < 7


def test_equal_systems_have_false_verdicts_as_seldom_as_the_level_says() -> None:
    """At most 5% within two standard errors, over 400 pairs of equal true means of skewed scores."""
    x = np.random.default_rng(5).gamma(2.0, 0.1, (30, 800))
    found = [truerank.gate(x[:, 2 * k : 2 * k + 2]) for k in range(400)]
    false = np.mean([one.verdict != "undecided" for one in found])
    assert false <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / 400)
