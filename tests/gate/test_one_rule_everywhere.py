"""`gate`, `assess --baseline` and `significance --baseline` give a pair one verdict and one p."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import truerank
from truerank.cli import run
from validation.checks import DATA

CANDIDATES = 6


def made(kind: str) -> np.ndarray:
    """Scores of eight systems: real ones, or answers of which few differ from the baseline's."""
    rng = np.random.default_rng(8)
    x = rng.beta(2, 3, (60, 1)) + rng.normal(0.0, 0.08, (60, 8)) + np.linspace(0, 0.06, 8)
    if kind == "scores":
        return x
    answers = np.repeat(rng.random((60, 1)) < 0.6, 8, axis=1)
    answers[:, 1:] ^= rng.random((60, 7)) < np.linspace(0.02, 0.5, 7)
    return answers.astype(float)


def agree(capsys: pytest.CaptureFixture[str], path: str, systems: list[str]) -> int:
    """Compare every candidate's verdict and p by the three commands; how many were by the exact bound."""

    def written(*arguments: str) -> dict:
        assert run([*arguments, "--json", "-"]) in (0, 1, 4)
        return json.loads(capsys.readouterr().out)

    baseline, *candidates = systems
    assessed = written("assess", path, "--baseline", baseline, "--estimator", "eb", "--draws", "50")
    tested = written("significance", path, "--baseline", baseline, "--correction", "none")
    rows = {row["system"]: row for row in assessed["baseline"]["differences"]}
    tests = {row["system"]: row for row in tested["against_baseline"]}
    exact = 0
    for name in candidates:
        gate = written("gate", path, "--baseline", baseline, "--candidate", name)
        row, test = rows[name], tests[name]
        assert row["verdict"] == gate["verdict"]
        for key in ("difference", "low", "high", "p_value"):
            assert row[key] == pytest.approx(gate[key], rel=1e-9, abs=1e-9)
        assert test["p"] == pytest.approx(gate["p_value"], rel=1e-9, abs=1e-9)
        significant = "undecided" if test["p"] >= 0.05 else "better" if test["difference"] > 0 else "fail"
        assert significant == gate["verdict"]
        assert (gate["rule"] == "exact") == ("p_t" in test)
        exact += gate["rule"] == "exact"
    return exact


@pytest.mark.parametrize("kind", ["scores", "answers"])
def test_one_verdict_and_one_p_of_made_tables(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    x = made(kind)
    systems = [f"s{k}" for k in range(8)]
    rows = [",".join(map(str, [f"t{t}", *row])) for t, row in enumerate(x.tolist())]
    path = tmp_path / "scores.csv"
    path.write_text("\n".join([",".join(["topic", *systems]), *rows]) + "\n", encoding="utf-8")
    exact = agree(capsys, str(path), systems)
    assert exact == 0 if kind == "scores" else 0 < exact < 7


@pytest.mark.parametrize("name", ["robust2003_ap", "web2011_p10"])
def test_one_verdict_and_one_p_of_real_tables(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = DATA / "trec" / f"{name}.csv"
    if not path.exists():
        pytest.skip("the tables are not here")
    ranked = truerank.read_scores(path).ranked()
    places = np.linspace(0, ranked.m - 1, CANDIDATES + 1).astype(int)
    systems = [ranked.systems[place] for place in places]
    agree(capsys, str(path), [systems[CANDIDATES // 2], *np.delete(systems, CANDIDATES // 2).tolist()])


def test_equal_systems_have_false_verdicts_as_seldom_as_the_level_says() -> None:
    """At most 5% within two standard errors, over 400 pairs of equal true means of skewed scores."""
    rng = np.random.default_rng(5)
    x = rng.gamma(2.0, 0.1, (30, 800))
    found = [truerank.gate(x[:, 2 * k : 2 * k + 2]) for k in range(400)]
    false = np.mean([one.verdict != "undecided" for one in found])
    assert false <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / 400)
