"""Betting, the normal mixture and planned looks, against published and independent numbers."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from truerank.comparison.sequential.mixture import (
    bounds_at,
    critical_z,
    log_mixture,
    running_moments,
    t_scores,
    z_scores,
)
from truerank.comparison.sequential.rules import STAKES, Betting, Mixture, Planned
from truerank.numerics.error_spending import check_looks, crossings, look_limits, looks_cost
from truerank.reliability.pair.contrast import plain_contrast

D = np.array([0.1, -0.05, 0.2, 0, 0.15, -0.1, 0.3, 0.05, 0, 0.25, -0.2, 0.1, 0.4, 0.05, -0.05, 0.15, 0, 0.2])
D = np.append(D, [0.1, -0.15])


@pytest.mark.parametrize(
    ("topics", "value", "evidence"),
    [(10, 0.0, 1.485334), (20, 0.0, 1.939571), (20, -0.05, 3.657162), (20, -0.1, 7.959974)],
)
def test_the_evidence_is_the_mean_of_plain_products(topics: int, value: float, evidence: float) -> None:
    plain = np.mean([math.prod(1 - k + k * (d + 1) / (value + 1) for d in D[:topics]) for k in STAKES])
    found = math.exp(Betting(1.0).log_evidence(D[:topics], value)[-1])
    assert found == pytest.approx(plain, rel=1e-12)
    assert found == pytest.approx(evidence, abs=5e-7)


@pytest.mark.parametrize(
    ("d", "low", "high"),
    [
        (D[:10], -0.307497, 0.423550),
        (D, -0.150010, 0.271231),
        (np.zeros(100), -0.044615, 0.044615),
        (np.zeros(1000), -0.004562, 0.004562),
        (np.r_[-np.ones(3), np.zeros(93), np.ones(4)], -0.078976, None),
    ],
)
def test_bounds_by_betting(d: np.ndarray, low: float, high: float | None) -> None:
    assert Betting(1.0).bound(d, 0.05) == pytest.approx(low, abs=5e-7)
    if high is not None:
        assert -Betting(1.0).bound(-d, 0.05) == pytest.approx(high, abs=5e-7)


def test_a_bound_is_the_largest_of_all_looks_and_moves_only_when_beaten() -> None:
    d = np.random.default_rng(1).choice([-1.0, 0.0, 1.0], 60)
    each = [Betting(1.0).bound(d[:n], 0.05) for n in range(1, 61)]
    assert each == sorted(each)
    beaten = [Betting(1.0).log_evidence(d[:n], each[n - 2])[-1] >= math.log(20) for n in range(2, 61)]
    moved = [b > a for a, b in itertools.pairwise(each)]
    assert all(not m or b for m, b in zip(moved, beaten, strict=True))


def test_betting_errs_at_most_at_its_level_whatever_the_population() -> None:
    """All sequences of 12 binary topics with a true difference of 0, by enumeration."""
    wrong = sum(
        math.prod(0.25 if d else 0.5 for d in one)
        for one in itertools.product((-1.0, 0.0, 1.0), repeat=9)
        if Betting(1.0).log_evidence(np.array(one), 0.0).max() >= math.log(5)
    )
    assert 0 < wrong <= 0.2


@pytest.mark.parametrize(
    ("value", "t", "z", "evidence"),
    [(0.0, 2.210365, 1.745592, 2.224139), (-0.05, 3.683942, 2.501136, 4.026031)],
)
def test_the_mixture_on_the_gates_score(value: float, t: float, z: float, evidence: float) -> None:
    found = running_moments(D)[-1:]
    assert t_scores(found, value)[0] == pytest.approx(t, abs=5e-7)
    assert z_scores(found, value)[0] == pytest.approx(z, abs=5e-7)
    assert math.exp(log_mixture(z_scores(found, value), 20)[0]) == pytest.approx(evidence, abs=5e-7)


def test_the_mixture_is_the_mean_likelihood_ratio_under_a_half_normal_effect() -> None:
    from scipy.integrate import quad

    z, n, rho = 1.7, 40, 0.15

    def density(effect: float) -> float:
        return 2 * math.exp(-((effect / rho) ** 2) / 2) / (rho * math.sqrt(2 * math.pi))

    def ratio(effect: float) -> float:
        return density(effect) * math.exp(effect * math.sqrt(n) * z - n * effect**2 / 2)

    assert math.exp(log_mixture(z, n)) == pytest.approx(quad(ratio, 0, 3)[0], rel=1e-9)


def test_what_the_mixture_needs() -> None:
    needed = critical_z([20, 50, 100, 200, 500, 1000], 0.05)
    assert needed.round(4).tolist() == [4.0148, 3.1877, 2.8944, 2.7797, 2.7841, 2.8483]


def test_moments_and_bounds_of_a_running_mixture_are_those_of_its_topics() -> None:
    rng = np.random.default_rng(2)
    d = 5 + np.where(rng.random(80) < 0.5, 0.0, rng.gamma(1.2, 1, 80))
    running = running_moments(d)
    for n in (10, 37, 80):
        one, found = plain_contrast(d[:n]), running[n - 1 : n]
        assert found.mean[0] == pytest.approx(one.estimate, rel=1e-12)
        assert found.error[0] == pytest.approx(one.error, rel=1e-10)
        assert found.skewness[0] == pytest.approx(one.skewness, rel=1e-8)
        z = critical_z(np.array([n]), 0.05)
        assert z_scores(found, bounds_at(found, z)[0]) == pytest.approx(z, abs=1e-9)


@pytest.mark.parametrize(
    ("spending", "alpha", "limits"),
    [
        ("obrien-fleming", 0.05, [4.2292, 2.8881, 2.2981, 1.9618, 1.7397]),
        ("pocock", 0.05, [2.1762, 2.1437, 2.1133, 2.0896, 2.0710]),
        ("obrien-fleming", 0.025, [4.8769, 3.3570, 2.6803, 2.2898, 2.0310]),
    ],
)
def test_planned_looks(spending: str, alpha: float, limits: list[float]) -> None:
    shares = (0.2, 0.4, 0.6, 0.8, 1.0)
    found = look_limits(shares, alpha, spending)  # type: ignore[arg-type]
    assert [round(one, 4) for one in found] == limits
    assert crossings(shares, found, 0.0).sum() == pytest.approx(alpha, abs=1e-9)


def test_the_cost_of_looks_is_that_of_simulated_paths() -> None:
    found = looks_cost([50, 100, 200], power=0.8)
    shares = np.array(found.looks) / found.looks[-1]
    drift = math.sqrt(found.largest) * (1.6448536 + 0.8416212)
    steps = np.diff(shares, prepend=0.0)
    paths = np.cumsum(np.random.default_rng(3).normal(drift * steps, np.sqrt(steps), (200_000, 3)), axis=1)
    over = paths / np.sqrt(shares) >= found.limits
    assert over.any(axis=1).mean() == pytest.approx(0.8, abs=0.004)
    stopped = np.where(over.any(axis=1), np.array(found.looks)[over.argmax(axis=1)], found.looks[-1])
    assert stopped.mean() == pytest.approx(found.expected, abs=0.6)
    assert found.one_look < found.expected_equal < 200


@pytest.mark.parametrize("looks", [[], [1, 5], [50, 50], [100, 50]])
def test_looks_that_are_none(looks: list[int]) -> None:
    with pytest.raises(ValueError, match="increasing numbers of topics"):
        check_looks(looks)


@pytest.mark.parametrize("rule", [Betting(1.0), Mixture(), Planned((20, 45, 90))])
def test_following_topic_by_topic_is_the_same_as_looking_back(rule: Betting | Mixture | Planned) -> None:
    signs, values = np.array([1.0, 1.0, -1.0]), np.array([0.0, -0.02, 0.02])
    for seed in range(12):
        rng = np.random.default_rng(seed)
        d = rng.normal(0.06 * (seed % 3 - 1), 0.15, 90).clip(-1, 1)
        follower = rule.follower(signs, values, 0.05)
        followed = np.array([follower.add(one).copy() for one in d])
        back = [rule.reached(s * d, v, 0.05) for s, v in zip(signs, values, strict=True)]
        assert (followed == np.maximum.accumulate(np.array(back), axis=1).T).all()
        for k, (s, v) in enumerate(zip(signs, values, strict=True)):
            bound = rule.bound(s * d, 0.05)
            assert (bound >= v - 1e-9) == bool(followed[-1, k]) or abs(bound - v) < 1e-9
