"""Corrected means against ppi-python, against direct Monte Carlo, and against closed forms."""

from __future__ import annotations

import importlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from truerank.reliability.means.corrected import corrected

MODULE = importlib.import_module("truerank.reliability.means.corrected")

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


def scores():
    """Human scores of 12 topics and machine scores of 40, the same first, of three systems."""
    rng = np.random.default_rng(19)
    human = rng.beta(2, 3, (12, 3)).round(3)
    machine = np.clip(rng.beta(2, 3, (40, 3)), 0, 1).round(3)
    machine[:12] = np.clip(human + 0.1 * rng.standard_normal((12, 3)), 0, 1).round(3)
    return human, machine


@pytest.mark.parametrize("scale", PPI)
def test_single_means_are_those_of_ppi_python(scale, monkeypatch):
    monkeypatch.setattr(MODULE, "power_tuned", lambda *_: scale)
    human, machine = scores()
    assert corrected(human, machine, np.arange(12)).means.theta == pytest.approx(PPI[scale], abs=1e-12)


def test_the_same_where_ppi_python_is_installed_whatever_the_scale():
    ppi = pytest.importorskip("ppi_py")
    human, machine = scores()
    found = corrected(human, machine, np.arange(12))
    of_each = [
        float(ppi.ppi_mean_pointestimate(human[:, i], machine[:12, i], machine[12:, i], lam=found.scale)[0])
        for i in range(3)
    ]
    assert found.means.theta == pytest.approx(of_each, abs=1e-6)


def populations(rng, count, size, noise):
    """`count` collections of three systems: what people say of `size` topics, and a machine with noise."""
    human = 0.5 + rng.standard_normal((count, size, 1)) + 0.3 * rng.standard_normal((count, size, 3))
    return human, human + noise * rng.standard_normal(human.shape) + [0.0, 0.5, -0.2]


@pytest.mark.validation
@pytest.mark.parametrize("scale", [0.0, 0.4, 1.0])
def test_variance_of_a_difference_is_that_of_direct_monte_carlo(scale, monkeypatch):
    monkeypatch.setattr(MODULE, "power_tuned", lambda *_: scale)
    human, machine = populations(np.random.default_rng(1), 3000, 60, 0.2)
    found = [corrected(h[:15], f, np.arange(15)).means for h, f in zip(human, machine, strict=True)]
    differences = np.array([one.theta[0] - one.theta[1] for one in found])
    said = np.array([one.deviations[0, 1] ** 2 for one in found])
    known = 2 * ((0.3**2 * (1 - scale) ** 2 + scale**2 * 0.2**2) / 15 + scale**2 * (0.3**2 + 0.2**2) / 45)
    assert differences.var() == pytest.approx(known, rel=5 * np.sqrt(2 / 3000))
    assert said.mean() == pytest.approx(known, rel=5 * said.std() / said.mean() / np.sqrt(3000))
    assert differences.mean() == pytest.approx(0.0, abs=5 * np.sqrt(known / 3000))


@pytest.mark.validation
@pytest.mark.parametrize("noise", [0.1, 0.5])
def test_intervals_of_differences_hold_with_the_scale_that_was_tuned(noise):
    from scipy.special import stdtrit

    human, machine = populations(np.random.default_rng(2), 1500, 100, noise)
    upper = np.triu_indices(3, 1)
    held = []
    for h, f in zip(human, machine, strict=True):
        means = corrected(h[:20], f, np.arange(20)).means
        reach = stdtrit(means.degrees, 0.975) * means.deviations
        held.append(np.mean((np.abs(means.differences) <= reach)[upper]))
    error = np.std(held) / np.sqrt(len(held))
    # λ is tuned on the same topics; with three systems, the fewest, that costs a point at most.
    assert abs(np.mean(held) - 0.95) < 0.01 + 5 * error


def test_effective_topics_come_to_what_the_known_correlation_says():
    rng = np.random.default_rng(3)
    human, machine = populations(rng, 1, 40_000, 0.3)
    # ρ² = 0.3²/(0.3² + 0.3²) = ½, so that 200 and 2,000 topics count as 200/(1 − 0.45).
    found = []
    for start in range(0, 40_000, 2000):
        h, f = human[0, start : start + 2000], machine[0, start : start + 2000]
        found.append(corrected(h[:200], f, np.arange(200)).means.effective)
    error = np.std(found) / np.sqrt(len(found))
    assert np.mean(found) == pytest.approx(200 / 0.55, abs=5 * error)


@given(st.integers(0, 1000), st.integers(0, 2), st.floats(-2, 2))
def test_a_machine_that_is_too_kind_to_one_system_moves_its_bias_alone(seed, system, kindness):
    rng = np.random.default_rng(seed)
    human, machine = (x[0] for x in populations(rng, 1, 40, 0.4))
    kinder = machine.copy()
    kinder[:, system] += kindness
    one, two = (corrected(human[:10], f, np.arange(10)) for f in (machine, kinder))
    np.testing.assert_allclose(two.means.theta, one.means.theta, atol=1e-9)
    np.testing.assert_allclose(two.means.rows, one.means.rows, atol=1e-9)
    np.testing.assert_allclose(
        two.bias - one.bias, np.where(np.arange(3) == system, kindness, 0.0), atol=1e-12
    )


@given(st.integers(0, 1000))
def test_what_a_machine_says_of_whole_topics_does_not_matter_to_differences(seed):
    rng = np.random.default_rng(seed)
    human, machine = (x[0] for x in populations(rng, 1, 40, 0.4))
    moved = machine + rng.normal(0, 3, (40, 1))
    one, two = (corrected(human[:10], f, np.arange(10)).means for f in (machine, moved))
    np.testing.assert_allclose(two.differences, one.differences, atol=1e-9)
    np.testing.assert_allclose(two.deviations, one.deviations, atol=1e-7)
