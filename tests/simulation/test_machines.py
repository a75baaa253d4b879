"""Machine judges whose faults are known: each does what it says, and nothing else."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from truerank.errors import InputError, UnknownNameError
from truerank.numerics.matrices import doubly_centered
from validation.studies.simulated_machines import MACHINES, NOISE


@pytest.fixture(scope="module")
def human():
    """Scores far from 0 and 1, so that keeping a machine's between them changes nothing."""
    rng = np.random.default_rng(7)
    return 0.5 + 0.03 * rng.standard_normal((4000, 6)) + np.linspace(0.03, -0.03, 6)


def scatter(human):
    return doubly_centered(human).std()


@pytest.mark.parametrize("strength", [None, 0.4])
def test_noise_is_as_large_as_it_says_and_favours_nobody(human, strength):
    error = MACHINES["noise"].scores(human, 1, strength) - human
    size = (1.0 if strength is None else strength) * scatter(human)
    assert error.std() == pytest.approx(size, rel=5 / np.sqrt(2 * error.size))
    assert np.abs(error.mean(axis=0)).max() < 5 * size / np.sqrt(len(human))


def test_a_systems_bias_is_the_same_on_all_topics(human):
    error = MACHINES["bias"].scores(human, 2, 3.0) - human
    size = NOISE * scatter(human)
    biases = error.mean(axis=0)
    assert biases.std() > 0.5 * human.mean(axis=0).std()
    halves = error[:2000].mean(axis=0) - error[2000:].mean(axis=0)
    assert np.abs(halves).max() < 5 * size * np.sqrt(2 / 2000)
    assert (error - biases).std() == pytest.approx(size, rel=5 / np.sqrt(2 * error.size))


def test_one_favourite_gets_the_share_of_what_it_lacks(human):
    error = (MACHINES["favoritism"].scores(human, 3, 0.4) - human).mean(axis=0)
    favourite = int(np.argmax(error))
    limit = 5 * NOISE * scatter(human) / np.sqrt(len(human))
    expected = np.where(np.arange(6) == favourite, 0.4 * (1 - human.mean(axis=0)), 0.0)
    np.testing.assert_allclose(error, expected, atol=limit)
    assert len({int(np.argmax(MACHINES["favoritism"].scores(human, s).mean(axis=0))) for s in range(40)}) > 3


def test_a_saturated_machine_is_generous_and_compresses_the_top():
    levels = np.repeat(np.linspace(0.1, 0.9, 9)[None, :], 3000, axis=0)
    found = MACHINES["saturation"].scores(levels, 4).mean(axis=0)
    noise = NOISE * scatter(levels)
    # E[1 − (1 − h − e)²] = 1 − (1 − h)² − Var e, where no score has to be kept within [0, 1].
    np.testing.assert_allclose(found, 1 - (1 - levels[0]) ** 2 - noise**2, atol=1e-12)
    assert np.all(np.diff(found, 2) < 0)


def test_a_useless_machine_gives_the_same_scores_to_the_wrong_topics_and_systems(human):
    found = MACHINES["useless"].scores(human, 5)
    assert np.sort(found.ravel()).tolist() == np.sort(human.ravel()).tolist()
    h, f = doubly_centered(human), doubly_centered(found)
    correlation = np.mean(h * f) / np.sqrt(np.mean(h**2) * np.mean(f**2))
    assert abs(correlation) < 5 / np.sqrt(len(human) * 5)


def test_perfect_and_anti_correlated(human):
    assert MACHINES["perfect"].scores(human, 6).tolist() == human.tolist()
    error = MACHINES["anti-correlated"].scores(human, 6) - (1 - human)
    assert error.std() == pytest.approx(NOISE * scatter(human), rel=5 / np.sqrt(2 * error.size))


@given(st.sampled_from(list(MACHINES)), st.integers(0, 100), st.floats(0, 3))
def test_scores_stay_within_0_and_1_and_a_seed_says_all(name, seed, strength):
    scores = np.random.default_rng(seed).beta(0.4, 0.6, (30, 4))
    machine = MACHINES[name]
    chosen = strength if machine.unit else None
    found = machine.scores(scores, seed, chosen)
    assert found.shape == scores.shape
    assert found.min() >= 0
    assert found.max() <= 1
    assert machine.scores(scores, seed, chosen).tolist() == found.tolist()


def test_no_strength_below_0_and_none_for_a_machine_without_one():
    scores = np.full((4, 3), 0.5)
    with pytest.raises(InputError, match="strength of a machine is 0 or more"):
        MACHINES["noise"].scores(scores, strength=-1)
    with pytest.raises(InputError, match="the machine useless has no strength"):
        MACHINES["useless"].scores(scores, strength=1)
    with pytest.raises(UnknownNameError):
        MACHINES.find("oracle")
