"""A against B on human topics that a machine's correct: false verdicts, power, and one mean a system."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from scipy.stats import t as student

import truerank
from truerank.readers import with_machine
from truerank.reliability.means.corrected import corrected
from truerank.reliability.pair.comparing import pair_scores, pairs_of
from truerank.reliability.pair.contrast import interval
from validation.checks import DATA

pytestmark = pytest.mark.usefixtures("chosen_at_random")


def judges(rng: np.random.Generator, difference: float, n: int = 20, total: int = 200):
    """Two systems, and a machine that favours the second by 0.1 and is nearly as noisy as topics differ."""
    people = rng.normal(0.4, 0.15, (total, 1)) + np.array([0.0, difference]) + rng.normal(0, 0.1, (total, 2))
    return people[:n], people + np.array([0.0, 0.1]) + rng.normal(0, 0.06, (total, 2))


def test_difference_and_p_value_are_those_of_the_corrected_means():
    people, machine = judges(np.random.default_rng(3), 0.03)
    decision = truerank.gate(people, machine=machine).decisions[0]
    means = corrected(people, machine, np.arange(20)).means
    assert decision.difference == pytest.approx(means.theta[1] - means.theta[0])
    assert decision.baseline_mean == pytest.approx(means.theta[0])
    assert means.degrees[1, 0] > 18  # but λ was learned from 20 topics, and they are all that shows the error
    t = means.differences[1, 0] / means.deviations[1, 0]
    assert decision.p_value == pytest.approx(2 * student.sf(abs(t), 18))
    assert decision.p_randomization == pytest.approx(decision.p_value, abs=0.08)
    assert (decision.topics, decision.units, decision.machine_topics) == (20, 20, 200)


def mostly_alike(seed: int, n: int = 10, total: int = 150, m: int = 12):
    """People who give nearly the same scores to some systems, and a machine as noisy for these as for all."""
    rng = np.random.default_rng(seed)
    spread = np.geomspace(0.002, 0.2, m)
    people = rng.uniform(0.2, 0.4, (total, 1)) + spread * rng.standard_normal((total, m))
    return with_machine(people[:n], people + 0.05 * rng.standard_normal((total, m)))


def contrasts(both):
    """Of every pair: the question with the machine, and by people alone."""
    people = replace(both, machine=None)
    for a, b in combinations(both.systems, 2):
        yield tuple(pairs_of(pair_scores(one, a, b), one)[0] for one in (both, people))


def widths_hold(both) -> int:
    """Check each pair's interval by what a machine can explain at best; how many people decide alone."""
    alone = 0
    for found, people in contrasts(both):
        one, other = found.contrast, people.contrast
        assert one.units >= one.degrees + 1 - 1e-9
        assert one.error > 0
        width, most = (float(np.diff(interval(c, 0.95))[0]) for c in (one, other))
        assert width <= most
        # Of no more degrees of freedom than people's topics have, and no smaller than the variance is.
        assert width >= 2 * student.ppf(0.975, other.degrees) * one.error * (1 - 1e-9)
        alone += found.seen is None
    return alone


def test_a_machine_makes_no_interval_wider_and_none_narrower_than_its_share():
    alone = [widths_hold(mostly_alike(seed)) for seed in range(2)]
    assert all(2 <= one <= 60 for one in alone)  # of 66 pairs: both happen


def test_a_machine_that_adds_nothing_to_a_pair_invents_no_certainty():
    both = mostly_alike(1)
    decision = truerank.gate(both, "sys1", "sys2").decisions[0]
    people = truerank.gate(replace(both, machine=None), "sys1", "sys2").decisions[0]
    assert decision.high > decision.low
    assert decision.difference == pytest.approx(people.difference, rel=1e-9)
    assert decision.p_value == pytest.approx(people.p_value, rel=1e-9)
    assert any("do not make their difference more certain" in text for text in decision.warnings)


def test_the_pair_that_was_decided_without_any_spread():
    folder = DATA / "cases"
    if not folder.exists():
        pytest.skip("the tables are not here")
    both = with_machine(folder / "gate_machine_people.csv", folder / "gate_machine_machine.csv")
    decision = truerank.gate(both, "s12", "s16").decisions[0]
    assert decision.verdict == "undecided"
    assert decision.low < 0 < decision.high
    assert decision.p_value > 0.4
    assert widths_hold(both) > 0
