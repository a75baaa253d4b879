"""Rank tests point to the system that their statistic favors; the same scores have the same digits."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import truerank
from truerank.cli import run
from truerank.comparison.significance import pairwise_tests
from truerank.scores import ScoreMatrix
from truerank.significance import analyze

RANK_TESTS = ("wilcoxon", "sign", "friedman", "nemenyi")


def wins_against_means(n: int = 30, losses: int = 4) -> ScoreMatrix:
    """B is a little better than A on most topics, and much worse on a few; so A has the higher mean."""
    rng = np.random.default_rng(1)
    a = rng.uniform(0.3, 0.5, n)
    b = a + rng.uniform(0.01, 0.02, n)
    b[:losses] = a[:losses] - rng.uniform(0.28, 0.3, losses)
    return ScoreMatrix.build(np.column_stack([a, b]), systems=["A", "B"])


@pytest.mark.parametrize("test", RANK_TESTS)
def test_the_direction_is_that_of_the_statistic(test: str) -> None:
    found = analyze(wins_against_means(), test, baseline="A")
    document = found.to_dict()
    assert found.scores.systems == ("A", "B")  # the ranking is by means
    assert {row["system"]: row["better_than"] for row in document["systems"]} == {"A": [], "B": ["A"]}
    (pair,), (row,) = document["pairs"], document["against_baseline"]
    assert (pair["above"], pair["below"]) == ("B", "A")
    assert pair["difference"] < 0
    assert (row["direction"], row["difference"] < 0) == (1, True)
    assert "Significantly better than the baseline A: B" in found.summary()
    (note,) = [
        note for note in document["notes"] if (note["code"], note["level"]) == ("tests-disagree", "alert")
    ]
    assert note["text"].startswith("by this test 'B' is better than 'A', though its mean is lower")


@pytest.mark.parametrize("test", ["t", "randomization", "f", "tukey"])
def test_tests_of_means_follow_the_means(test: str) -> None:
    found = analyze(wins_against_means(), test, baseline="A").to_dict()
    assert found["against_baseline"][0]["direction"] == -1
    assert found["pairs"][0]["above"] == "A"
    assert not [note for note in found["notes"] if note["code"] == "tests-disagree"]


@pytest.mark.parametrize("seed", range(2))
def test_directions_are_those_of_scipy(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 6, (25, 5)) / 5 + np.where(rng.random((25, 5)) < 0.1, -3, 0)
    table = ScoreMatrix.build(x)
    for i in range(5):
        for j in range(i + 1, 5):
            d = (x[:, i] - x[:, j]).round(12)
            greater = {
                "wilcoxon": stats.wilcoxon(d, alternative="greater", method="approx").statistic
                - stats.wilcoxon(-d, alternative="greater", method="approx").statistic,
                "sign": stats.binomtest(int((d > 0).sum()), int((d != 0).sum())).statistic - 0.5,
                "friedman": float(np.subtract(*stats.rankdata(x, axis=1).mean(axis=0)[[i, j]])),
            }
            for test, statistic in (greater | {"nemenyi": greater["friedman"]}).items():
                directions = truerank.significance.TESTS[test].directions(table)
                expected = 0.0 if abs(statistic) < 1e-9 else np.sign(statistic)
                assert directions[i, j] == expected == -directions[j, i], (test, i, j)


def test_the_command_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "s.csv"
    wins_against_means().to_frame().to_csv(path)
    assert run(["significance", str(path), "--test", "wilcoxon", "--baseline", "A", "--json", "-"]) == 0
    assert json.loads(capsys.readouterr().out)["against_baseline"][0]["direction"] == 1
    assert run(["significance", str(path), "--test", "sign"]) == 0
    assert "though its mean is lower" in " ".join(capsys.readouterr().out.split())


def test_the_reported_case(data: Path) -> None:
    path = data / "cases" / "reports" / "rank-test-against-means.csv"
    x = truerank.read_scores(path)
    for test in ("wilcoxon", "sign"):
        found = analyze(x, test)
        better = found.better_than(found.scores.systems.index("B"))
        assert found.scores.systems.index("A") in better


SYSTEMS = ("a", "b", "c", "d")


def tables(measures: tuple[str, str] = ("AP", "AP")) -> list[ScoreMatrix]:
    """One table, and the same with its topics and systems in another order."""
    rng = np.random.default_rng(3)
    values = rng.beta(2, 3, (40, 1)) * rng.uniform(0.5, 1, (40, 4)) + [0, 0.01, 0.02, 0.03]
    rows, columns = rng.permutation(40), [2, 0, 3, 1]
    systems = [SYSTEMS[k] for k in columns]
    return [
        ScoreMatrix.build(values, systems=SYSTEMS, measure=measures[0]),
        ScoreMatrix.build(values[rows][:, columns], systems=systems, measure=measures[1]),
    ]


@pytest.mark.parametrize(
    ("test", "correction"),
    [("randomization", "none"), ("randomization", "max-t"), ("t", "max-t"), ("randomized-tukey", "none")],
)
def test_p_values_of_all_pairs(test: str, correction: str) -> None:
    found = []
    for table in tables():
        at = [table.systems.index(name) for name in SYSTEMS]
        tests = pairwise_tests(table, test, correction, permutations=500, seed=1)
        found.append(tests.p_values[np.ix_(at, at)])
    np.testing.assert_array_equal(*found)


def test_the_gate_of_files_that_name_the_measure_otherwise() -> None:
    first, second = (
        {one.candidate: one for one in truerank.gate(table, "a", seed=1)} for table in tables(("AP", "map"))
    )
    for name in "bcd":
        assert first[name].p_randomization == second[name].p_randomization
        assert first[name].p_adjusted == pytest.approx(second[name].p_adjusted, abs=1e-12)
        assert first[name].low == pytest.approx(second[name].low, abs=1e-12)


def test_the_randomization_test_of_the_gate_knows_no_direction() -> None:
    table = tables()[0].select([0, 3])
    there, back = (truerank.gate(table, name, seed=1).decisions[0] for name in ("a", "d"))
    assert there.p_randomization == back.p_randomization
