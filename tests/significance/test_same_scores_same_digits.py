"""The same scores have the same digits, in whatever order a file has its topics and systems."""

from __future__ import annotations

import numpy as np
import pytest

import truerank
from truerank.comparison.significance import pairwise_tests
from truerank.scores import ScoreMatrix

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
