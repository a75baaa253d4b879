"""A against B on human topics that a machine's correct: false verdicts, power, and one mean a system."""

from __future__ import annotations

import math

import numpy as np
import pytest

import truerank
from truerank.readers import with_machine
from truerank.reliability.means import corrected

TRIALS = 300

pytestmark = pytest.mark.usefixtures("chosen_at_random")


def judges(rng: np.random.Generator, difference: float, n: int = 20, total: int = 200):
    """Two systems, and a machine that favours the second by 0.1 and is nearly as noisy as topics differ."""
    people = rng.normal(0.4, 0.15, (total, 1)) + np.array([0.0, difference]) + rng.normal(0, 0.1, (total, 2))
    return people[:n], people + np.array([0.0, 0.1]) + rng.normal(0, 0.06, (total, 2))


def test_equal_systems_are_called_better_no_more_often_than_the_level_says():
    rng = np.random.default_rng(1)
    better = fail = 0
    for seed in range(TRIALS):
        people, machine = judges(rng, 0.0)
        verdict = truerank.gate(people, machine=machine, seed=seed).verdict
        better, fail = better + (verdict == "better"), fail + (verdict == "fail")
    for wrong in (better, fail):
        assert wrong / TRIALS <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / TRIALS)


def test_a_difference_is_found_more_often_than_by_people_alone():
    rng = np.random.default_rng(2)
    found = {"alone": 0, "both": 0}
    for seed in range(60):
        people, machine = judges(rng, 0.06)
        found["alone"] += truerank.gate(people, seed=seed).verdict == "better"
        found["both"] += truerank.gate(people, machine=machine, seed=seed).verdict == "better"
    assert found["both"] > found["alone"] + 10


def test_difference_and_p_value_are_those_of_the_corrected_means():
    people, machine = judges(np.random.default_rng(3), 0.03)
    decision = truerank.gate(people, machine=machine).decisions[0]
    means = corrected(people, machine, np.arange(20)).means
    assert decision.difference == pytest.approx(means.theta[1] - means.theta[0])
    assert decision.baseline_mean == pytest.approx(means.theta[0])
    t = means.differences[1, 0] / means.deviations[1, 0]
    from scipy.stats import t as student

    assert decision.p_two_sided == pytest.approx(2 * student.sf(abs(t), means.degrees[1, 0]))
    assert decision.p_randomization == pytest.approx(decision.p_two_sided, abs=0.08)
    assert (decision.topics, decision.units, decision.machine_topics) == (20, 20, 200)


def test_a_system_has_one_mean_whomever_it_is_compared_with():
    rng = np.random.default_rng(4)
    people = rng.random((100, 1)) + rng.normal(0, 0.1, (100, 4))
    both = with_machine(people[:15], people + rng.normal(0, 0.1, (100, 4)))
    found = truerank.gate(both, "sys1")
    assert len({one.baseline_mean for one in found.decisions}) == 1
    means = {one.system: one.mean for one in truerank.assess(both, "eb", draws=100).ranking}
    for one in found.decisions:
        assert one.candidate_mean == pytest.approx(means[one.candidate], abs=1e-12)
    assert found.decisions[0].to_dict()["machine_topics"] == 100


def test_a_pair_that_the_machine_does_not_help_is_decided_by_people_alone(data):
    """Effective topics below one left a standard error of 0: better, from +0.0271 to +0.0271."""
    cases = data / "cases"
    people, machine = cases / "gate_machine_people.csv", cases / "gate_machine_machine.csv"
    (one,) = truerank.gate(people, "s12", "s16", machine=machine)
    (alone,) = truerank.gate(people, "s12", "s16")
    assert one.verdict == "undecided"
    assert (one.difference, one.low, one.high, one.p_value) == (
        alone.difference,
        alone.low,
        alone.high,
        alone.p_value,
    )
    assert any("the topics that people judged decide alone" in warning for warning in one.warnings)
