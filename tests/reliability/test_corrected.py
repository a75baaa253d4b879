"""Human means corrected by a machine's judgments: against formulas written out, and what must not matter."""

import importlib
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import truerank
from truerank.errors import InputError
from truerank.reliability.means import means_of
from truerank.reliability.means.corrected import corrected
from truerank.reliability.means.means import plain_means
from truerank.scores import MachineScores, ScoreMatrix, identical_systems

MODULE = importlib.import_module("truerank.reliability.means.corrected")


def two_judges(seed: int, n: int = 12, total: int = 40, m: int = 5, noise: float = 0.1):
    """Human scores of all topics, a noisy machine with a bias a system, and which topics people judged."""
    rng = np.random.default_rng(seed)
    human = rng.uniform(size=(total, 1)) * 0.5 + rng.normal(0, 0.1, (total, m)) + np.linspace(0.1, 0, m)
    machine = human + rng.normal(0, noise, (total, m)) + rng.normal(0, 0.1, m)
    return human, machine, rng.permutation(total)[:n]


def test_estimates_scales_and_covariance_are_the_formulas_written_out():
    human, machine, matched = two_judges(1)
    found = corrected(human[matched], machine, matched)
    h, f = human[matched], machine[matched]
    rest = machine[[t for t in range(40) if t not in set(matched)]]

    def bare(x: np.ndarray) -> np.ndarray:
        return x - x.mean(0) - x.mean(1)[:, None] + x.mean()

    pooled = np.sum(bare(h) * bare(f)) / h.size / (np.sum(bare(machine) ** 2) / machine.size)
    assert found.scale == pytest.approx(28 / 40 * pooled, rel=1e-12)
    of_level = np.cov(h.mean(1), f.mean(1), ddof=0)[0, 1] / machine.mean(1).var()
    assert found.level_scale == pytest.approx(28 / 40 * of_level, rel=1e-12)
    assert 0.1 < found.scale < 0.7
    assert abs(found.level_scale - found.scale) > 0.01

    def explained(x: np.ndarray) -> np.ndarray:
        level = x.mean(1, keepdims=True)
        return found.level_scale * level + found.scale * (x - level)

    theta = (h - explained(f)).mean(0) + explained(rest).mean(0)
    assert found.means.theta == pytest.approx(theta, abs=1e-14)
    assert found.means.contrasts == pytest.approx(theta - theta.mean(), abs=1e-14)
    left = bare(h) - found.scale * bare(f)
    # One degree of freedom of the 11 is spent on λ, by the four differences together.
    covariance = left.T @ left / 12 / (11 - 1 / 4) + found.scale**2 * np.cov(bare(rest).T) / 28
    contrast = np.diag(covariance)[:, None] + np.diag(covariance)[None, :] - 2 * covariance
    assert found.means.deviations == pytest.approx(np.sqrt(np.maximum(contrast, 0)), abs=1e-9)
    assert found.means.stratum_degrees == pytest.approx([11 - 1 / 4, 27], rel=1e-12)
    of_mean = (h - explained(f)).mean(1)
    variance = of_mean.var(ddof=2) / 12 + explained(rest).mean(1).var(ddof=1) / 28
    rows = found.means.rows.mean(axis=1)
    assert np.sum(rows**2) == pytest.approx(variance, rel=1e-10)
    alone = plain_means(h)
    ratio = np.sum(alone.deviations**2) / np.sum(found.means.deviations**2)
    assert found.means.effective == pytest.approx(12 * ratio, rel=1e-9)


@pytest.mark.parametrize("machine", ["constant", "opposite"])
def test_a_machine_that_says_nothing_leaves_the_human_means_as_they_are(machine):
    human, _, matched = two_judges(3)
    scores = np.full_like(human, 0.3) if machine == "constant" else 1 - human
    found = corrected(human[matched], scores, matched)
    assert found.scale == 0
    assert found.means.theta == pytest.approx(human[matched].mean(0), rel=1e-12)
    assert found.means.effective == pytest.approx(12)
    assert found.means.deviations == pytest.approx(plain_means(human[matched]).deviations, rel=1e-12)
    assert found.means.degrees[np.triu_indices(5, 1)] == pytest.approx(np.full(10, 11.0))


@given(st.integers(0, 1_000), st.floats(-1, 1), st.integers(0, 4))
def test_a_systems_bias_moves_nothing_but_the_bias(seed, extra, system):
    human, machine, matched = two_judges(seed)
    other = machine.copy()
    other[:, system] += extra
    one, two = corrected(human[matched], machine, matched), corrected(human[matched], other, matched)
    assert two.means.theta == pytest.approx(one.means.theta, abs=1e-10)
    assert two.means.deviations == pytest.approx(one.means.deviations, abs=1e-8)
    assert two.scale == pytest.approx(one.scale, abs=1e-8)
    assert two.bias[system] - one.bias[system] == pytest.approx(extra, abs=1e-10)


def test_scores_carry_their_machine():
    human, machine, matched = two_judges(5)
    scores = replace(
        ScoreMatrix.build(human[matched]), machine=MachineScores.build(machine, range(40), matched)
    )
    swapped = scores.select([4, 3, 2, 1, 0])
    assert means_of(swapped).theta[::-1] == pytest.approx(means_of(scores).theta, abs=1e-14)
    assert swapped.fingerprint() != scores.fingerprint()
    with pytest.raises(InputError, match="the plan takes no machine judgments"):
        scores.one_table("the plan")
    assert truerank.assess(scores, "eb", seed=1).means.effective > 12


def test_systems_that_only_the_machine_tells_apart_are_not_identical():
    human, machine, matched = two_judges(6)
    human[:, 1] = human[:, 0]
    scores = ScoreMatrix.build(human[matched])
    assert identical_systems(scores) == [[0, 1]]
    judged = replace(scores, machine=MachineScores.build(machine, range(40), matched))
    assert identical_systems(judged) == []


@pytest.mark.parametrize(("n", "total"), [(2, 10), (9, 10)])
def test_three_topics_by_people_and_two_more_are_the_least(n, total):
    human, machine, _ = two_judges(7)
    with pytest.raises(InputError, match=rf"{n} topic\(s\) judged by people and {total - n} more"):
        corrected(human[:n], machine[:total], np.arange(n))
    with pytest.raises(InputError, match="its own row"):
        MachineScores.build(machine, range(40), [0, 0, 1])


PPI = {
    0.0: (0.34791666666666665, 0.35683333333333334, 0.36591666666666667),
    0.35: (0.36283333333333334, 0.38795, 0.4078291666666667),
    0.7: (0.37775000000000003, 0.4190666666666666, 0.4497416666666666),
    1.0: (0.3905357142857143, 0.4457380952380952, 0.4856666666666667),
}
"""λ → `ppi_mean_pointestimate(Y, Yhat, Yhat_unlabeled, lam=λ)` of ppi-python 0.2.3, of each of three systems.

Y are a system's human scores, Yhat the machine's of the same topics; what it calls unlabelled is the rest of
the topics alone: `ppi_mean_pointestimate(human[:, i], machine[:12, i], machine[12:, i], lam=λ)[0]`.
"""


def published_example():
    """Human scores of 12 topics and machine scores of 40, the same first, of three systems."""
    rng = np.random.default_rng(19)
    human = rng.beta(2, 3, (12, 3)).round(3)
    machine = np.clip(rng.beta(2, 3, (40, 3)), 0, 1).round(3)
    machine[:12] = np.clip(human + 0.1 * rng.standard_normal((12, 3)), 0, 1).round(3)
    return human, machine


@pytest.mark.parametrize("scale", PPI)
def test_single_means_are_those_of_ppi_python(scale, monkeypatch):
    monkeypatch.setattr(MODULE, "power_tuned", lambda *_: scale)
    human, machine = published_example()
    assert corrected(human, machine, np.arange(12)).means.theta == pytest.approx(PPI[scale], abs=1e-12)


@given(st.integers(0, 1000))
def test_what_a_machine_says_of_whole_topics_does_not_matter_to_differences(seed):
    human, machine, matched = two_judges(seed, noise=0.4)
    moved = machine + np.random.default_rng(seed).normal(0, 3, (len(machine), 1))
    one, two = (corrected(human[matched], f, matched).means for f in (machine, moved))
    np.testing.assert_allclose(two.differences, one.differences, atol=1e-9)
    np.testing.assert_allclose(two.deviations, one.deviations, atol=1e-7)
