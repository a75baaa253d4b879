"""A ranking by a machine alone, held against what people and it say together: against known truths."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from scipy.integrate import quad

import truerank
from truerank.coefficients import TAU, tau
from truerank.comparison import machine_alone
from truerank.comparison.machine_ranking import (
    _beside_people,
    _held_against,
    _turned,
    pooled_means,
    shrinkage,
)
from truerank.errors import InputError
from truerank.readers import with_machine
from truerank.readers.machine_scores import scale_factor
from truerank.reliability.estimators import TopicSample
from truerank.reliability.predictive import Predictive
from truerank.scores import ranking_order

M, N, TOTAL = 15, 25, 200


def judges(rng: np.random.Generator, spread: float, favourite: float = 0.0):
    """True means, human scores of 25 topics, and a machine's of 200 with biases of that spread."""
    true, bias = rng.normal(0, 0.05, M), rng.normal(0, spread, M)
    bias[rng.integers(M)] += favourite
    people = rng.normal(0.4, 0.15, (TOTAL, 1)) + true + rng.normal(0, 0.1, (TOTAL, M))
    return true, people[:N], people + bias + rng.normal(0, 0.06, (TOTAL, M))


@pytest.mark.usefixtures("chosen_at_random")
@pytest.mark.parametrize(("spread", "favourite"), [(0.0, 0.0), (0.02, 0.0), (0.06, 0.0), (0.0, 0.15)])
def test_the_machines_ranking_is_worth_what_is_said_of_it(spread, favourite):
    """Machines without a bias, with small and with large ones, and with a favourite: 12 collections each."""
    rng = np.random.default_rng(round(1000 * (spread + favourite)) + 1)
    misses, held = [], 0
    for seed in range(collections := 12):
        true, people, machine = judges(rng, spread, favourite)
        found = machine_alone(people, machine, draws=300, seed=seed)
        actual = tau(true, machine.mean(axis=0))
        misses.append(found.tau.estimate - actual)
        held += found.tau.low <= actual <= found.tau.high
    assert np.mean(misses) == pytest.approx(0, abs=0.04 + 3 * np.std(misses) / math.sqrt(collections))
    assert held / collections >= 0.95 - 3 * math.sqrt(0.95 * 0.05 / collections) - 0.05


@pytest.mark.usefixtures("chosen_at_random")
def test_of_a_biased_machine_the_claim_is_too_high_and_the_correction_is_not():
    rng = np.random.default_rng(9)
    claims, corrected = [], []
    for seed in range(12):
        true, people, machine = judges(rng, 0.06)
        found = machine_alone(people, machine, draws=100, seed=seed)
        claims.append(found.claimed.estimate - tau(true, machine.mean(axis=0)))
        theta = found.assessment.means.theta
        order = [int(name[3:]) - 1 for name in found.assessment.scores.systems]
        corrected.append(found.both.estimate - tau(true[order], theta))
    assert np.mean(claims) > 0.2
    assert abs(np.mean(corrected)) < 0.06


def test_turned_probabilities_are_those_of_the_other_order():
    rng = np.random.default_rng(1)
    probabilities = np.triu(rng.uniform(0, 0.5, (6, 6)), 1)
    order = rng.permutation(6)
    turned = _turned(probabilities, order)
    for a in range(6):
        for b in range(a + 1, 6):
            i, j = order[a], order[b]
            expected = probabilities[i, j] if i < j else 1 - probabilities[j, i]
            assert turned[a, b] == pytest.approx(expected)
    assert not np.tril(turned).any()
    assert _turned(probabilities, np.arange(6)) == pytest.approx(probabilities)


def test_joint_draws_of_a_ranking_and_of_its_reverse_are_opposite():
    """Every pair in the wrong order in one is in the right order in the other, in each draw."""
    rng = np.random.default_rng(2)
    values = rng.normal(size=(30, 8)) + np.linspace(1, 0, 8)
    sample = TopicSample(values[:, ranking_order(values.mean(axis=0))], seed=1)
    predictive = Predictive(sample, [TAU], 500)
    none = np.zeros((8, 8), dtype=bool)
    expected, drawn = _held_against(predictive, np.arange(8), none)
    assert drawn == pytest.approx(predictive.draws("eb").coefficient(TAU))
    backwards, reverse = _held_against(predictive, np.arange(8)[::-1], none)
    assert backwards == pytest.approx(-expected)
    assert reverse == pytest.approx(-drawn)


def test_the_shrinkage_is_the_posterior_median_by_integration():
    biases = np.array([0.02, -0.01, 0.015, -0.02, 0.005, -0.01])
    errors = np.full(6, 0.007)
    spread = np.sum((biases - biases.mean()) ** 2) / 0.007**2

    def density(left: float) -> float:
        return left**2.5 * math.exp(-left * spread / 2)

    k = shrinkage(biases, errors)
    assert 0.5 < k < 0.9
    both = quad(density, 0, 1)[0]
    assert (density(1) + quad(density, 1 - k, 1)[0]) / (density(1) + both) == pytest.approx(0.5, abs=1e-3)
    assert shrinkage(10 * biases, errors) > 0.95
    assert shrinkage(biases / 2, errors) == 0
    outlier = np.append(biases, 0.5)
    assert shrinkage(outlier, np.full(7, 0.01)) < 0.9


@pytest.mark.usefixtures("chosen_at_random")
@pytest.mark.parametrize("n", [10, 25, 50])
def test_of_a_machine_without_bias_hardly_a_pair_is_named(n):
    """In 40 collections each; before, 13 to 61% of them had a pair that was in the right order."""
    rng = np.random.default_rng(n)
    named, kept = 0, []
    for seed in range(trials := 40):
        true = rng.normal(0, 0.05, M)
        people = rng.normal(0.4, 0.15, (TOTAL, 1)) + true + rng.normal(0, 0.1, (TOTAL, M))
        machine = people + rng.normal(0, 0.06, (TOTAL, M))
        ranked = with_machine(people[:n], machine)
        of_machine = machine.mean(axis=0)
        _, k, above, _ = _beside_people(ranked, of_machine, ranking_order(of_machine), 0.95, 50, seed)
        kept.append(k)
        wrong = above & (of_machine[:, None] < of_machine) & (true[:, None] < true)
        named += bool(wrong.any())
    assert named / trials <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / trials)
    assert np.median(kept) == 0


def test_below_25_human_topics_there_is_no_tau():
    _, people, machine = judges(np.random.default_rng(4), 0.04)
    few = machine_alone(people[:24], machine, draws=100)
    assert few.tau is None
    assert few.wrong_pairs.expected is None
    assert few.why_no_tau in few.summary()
    assert few.to_dict()["tau"] is None
    assert machine_alone(people, machine, draws=100).why_no_tau is None


def test_large_biases_are_taken_out_whole_and_a_perfect_machine_is_believed():
    rng = np.random.default_rng(3)
    _, people, machine = judges(rng, 0.5)
    means, kept = pooled_means(with_machine(people, machine))
    excess = machine[:N] - people
    beyond = excess.mean(axis=0) - excess.mean()
    assert kept > 0.99
    assert means.theta == pytest.approx(machine.mean(axis=0) - beyond, abs=0.01)
    truth = people + rng.normal(0, 1e-9, people.shape)
    perfect = np.concatenate([truth, machine[N:]])
    means, _ = pooled_means(with_machine(people, perfect))
    assert means.theta == pytest.approx(perfect.mean(axis=0), abs=1e-8)
    assert 4 * N < means.effective <= TOTAL


def test_what_is_said_agrees_with_assess_and_is_json():
    _, people, machine = judges(np.random.default_rng(4), 0.04)
    found = machine_alone(people, machine, draws=300, seed=3)
    assessed = truerank.assess(people, "eb", machine=machine, draws=300, seed=3)
    assert found.both.estimate == assessed.estimate("tau").estimate
    assert found.people.estimate == pytest.approx(truerank.assess(people, "eb").estimate("tau").estimate)
    assert found.claimed.estimate == pytest.approx(truerank.assess(machine, "eb").estimate("tau").estimate)
    assert found.wrong_pairs.expected == pytest.approx(found.pairs * (1 - found.tau.estimate) / 2)
    for pair in found.named:
        assert pair.probability >= 0.95
        assert found.ranking.index(pair.machine_above) < found.ranking.index(pair.truly_above)
    json.dumps(found.to_dict())
    assert found.to_dict() == machine_alone(people, machine, draws=300, seed=3).to_dict()


@pytest.mark.parametrize("settings", [{"draws": 1}, {"level": 1.5}, {"named": -1}])
def test_settings_out_of_range(settings):
    with pytest.raises(InputError):
        machine_alone(*judges(np.random.default_rng(1), 0.1)[1:], **settings)
    with pytest.raises(InputError, match="no machine scores"):
        machine_alone(np.random.default_rng(1).random((5, 3)))


def test_a_tie_of_the_machine_counts_as_half_of_either_order():
    """Between the two orders of the tied pair, which a little more for one of them or the other gives."""
    _, people, machine = judges(np.random.default_rng(4), 0.03)
    machine = machine - machine.mean(axis=0) + np.linspace(0.5, 0.4, M)
    machine[:, 3] += 0.4 - machine[:, 3].mean()  # as the last
    taus, claims = {}, {}
    for more in (-1e-7, 0.0, 1e-7):
        found = machine_alone(people, machine + more * (np.arange(M) == 3), draws=200, seed=1)
        taus[more], claims[more] = found.tau.estimate, found.claimed.estimate
    either = [taus[more] for more in (-1e-7, 1e-7)]
    assert abs(either[0] - either[1]) > 1e-4
    assert taus[0.0] == pytest.approx(np.mean(either), abs=1e-6)
    assert claims[0.0] == pytest.approx(np.mean([claims[-1e-7], claims[1e-7]]), abs=1e-4)
    tied = machine_alone(people, machine, draws=200, seed=1)
    assert any("equal means for 1 pair of systems" in text for text in tied.assessment.warnings)


def test_of_rounded_means_the_claim_is_at_most_the_share_of_pairs_in_order():
    _, people, _ = judges(np.random.default_rng(4), 0.03)
    tiers = np.tile(np.repeat([0.6, 0.5, 0.4], 5), (TOTAL, 1))
    found = machine_alone(people, tiers, draws=200, seed=1)
    assert found.claimed.estimate == pytest.approx(75 / 105, abs=1e-12)
    place = {name: (int(name[3:]) - 1) // 5 for name in found.ranking}
    assert all(place[one.machine_above] < place[one.truly_above] for one in found.named)
    with pytest.raises(InputError, match="the same mean score for all systems, so it ranks none"):
        machine_alone(people, np.full((TOTAL, M), 0.5), draws=200)


@pytest.mark.parametrize(("factor", "met"), [(100, "refused"), (0.2, "refused"), (2, "warned"), (1, "said")])
def test_a_machine_on_another_scale_is_not_judged_by_it(factor, met):
    _, people, machine = judges(np.random.default_rng(5), 0.01)
    if met == "refused":
        with pytest.raises(InputError, match="on another scale the machine’s own ranking cannot be judged"):
            machine_alone(people, factor * machine, draws=100)
        return
    found = machine_alone(people, factor * machine, draws=100)
    assert any("If the scales differ" in text for text in found.assessment.warnings) == (met == "warned")


@pytest.mark.parametrize("n", [5, 20])
def test_machines_on_one_scale_are_never_taken_for_others(n):
    """Without a bias, with large ones, useless, and with a favourite."""
    rng = np.random.default_rng(6)
    for spread, favourite in [(0.0, 0.0), (0.06, 0.0), (0.15, 0.0), (0.0, 0.15)]:
        _, people, machine = judges(rng, spread, favourite)
        assert 1 / 1.5 < scale_factor(people[:n], machine[:n]) < 1.5
    noise = rng.normal(0.5, 0.1, (N, M))
    assert 1 / 1.5 < scale_factor(people, noise) < 1.5


def test_the_scale_factor_is_that_of_the_scale():
    _, people, _ = judges(np.random.default_rng(7), 0.0)
    assert scale_factor(people, 7 * people + 3) == pytest.approx(7)
    assert scale_factor(people, np.full_like(people, 0.3)) is None


def test_a_machine_that_is_always_right_is_said_to_do_as_well():
    _, people, machine = judges(np.random.default_rng(8), 0.0)
    machine[:N] = people
    found = machine_alone(people, machine, draws=200)
    assert found.kept == 0
    assert "The machine alone may do as well" in found.summary()
