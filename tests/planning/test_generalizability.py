"""G-studies and D-studies against published figures, textbook sums and simulated components."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import truerank
from truerank.planning import VarianceComponents, mapped, variance_components
from truerank.planning.pilot import paired_t_power


def published(system: float, topic: float, residual: float, topics: int, systems: int) -> VarianceComponents:
    """From variances of systems, of topics, and of the rest."""
    squares = (residual + topics * system, residual + systems * topic, residual)
    return VarianceComponents(*squares, topics, systems, (topics - 1) * (systems - 1))


PUBLISHED = published(0.0028117, 0.028093, 0.010152, topics=50, systems=30)
"""Of a collection of 50 topics and 30 systems, as its components are published."""


def test_a_real_collection(data):
    g = variance_components(truerank.read_scores(data / "trec" / "adhoc6_ap.csv").values)
    assert g.relative(50) == pytest.approx(0.94795, abs=5e-6)
    assert [*g.relative_interval(50)] == pytest.approx([0.92948, 0.96355], abs=5e-6)
    assert g.absolute(50) == pytest.approx(0.91113, abs=5e-6)
    assert [*g.absolute_interval(50)] == pytest.approx([0.86980, 0.94054], abs=5e-6)
    assert g.topics_for(0.95) == (53, 36, 73)
    assert g.topics_for(0.95, absolute=True) == (93, 61, 143)
    assert [*g.relative_interval(50, 0.9)] == pytest.approx([0.93280, 0.96135], abs=5e-6)
    assert [*g.absolute_interval(50, 0.9)] == pytest.approx([0.87757, 0.93652], abs=5e-6)
    assert g.topics_for(0.95, level=0.9)[1:] == (39, 69)
    assert g.topics_for(0.95, absolute=True, level=0.9)[1:] == (65, 133)


def test_a_published_collection():
    g = PUBLISHED
    assert g.relative(50) == pytest.approx(0.93265, abs=5e-6)
    assert [*g.relative_interval(50)] == pytest.approx([0.89311, 0.96287], abs=1e-5)
    assert g.absolute(50) == pytest.approx(0.78613, abs=1e-5)
    assert [*g.absolute_interval(50)] == pytest.approx([0.66141, 0.88039], abs=1e-5)
    assert g.topics_for(0.95) == (69, 37, 114)
    assert g.topics_for(0.95, absolute=True) == (259, 130, 487)
    assert g.relative(100) == pytest.approx(0.96515, abs=5e-6)
    assert [*g.absolute_interval(200)] == pytest.approx([0.88654, 0.96715], abs=5e-6)


def test_the_published_map_of_tau():
    assert mapped(0.95, 0.9)["tau"] == pytest.approx(0.86412, abs=5e-6)
    assert set(mapped(1.0, 1.0).values()) == {0.0, 1.0}


def test_components_are_those_of_the_usual_analysis_of_variance():
    x = np.random.default_rng(1).normal(size=(12, 5)) + np.arange(5)
    g = variance_components(x)
    cells = x - x.mean(axis=0) - x.mean(axis=1, keepdims=True) + x.mean()
    assert g.residual == pytest.approx((cells**2).sum() / 44)
    assert g.system == pytest.approx(x.mean(axis=0).var(ddof=1) - g.residual / 12)
    assert g.topic == pytest.approx(max(0.0, x.mean(axis=1).var(ddof=1) - g.residual / 5))


def test_components_are_unbiased():
    rng = np.random.default_rng(3)
    found = []
    for _ in range(600):
        x = rng.normal(0, 1, 8) + rng.normal(0, 1.5, (15, 1)) + rng.normal(0, 2, (15, 8))
        g = variance_components(x)
        found.append([(g.ms_system - g.ms_residual) / g.topics, g.topic, g.residual])
    error = np.std(found, axis=0) / math.sqrt(len(found))
    assert np.all(np.abs(np.mean(found, axis=0) - [1, 2.25, 4]) < 4 * error)


def test_feldts_interval_holds_what_it_promises():
    rng = np.random.default_rng(4)
    true = 1 / (1 + 4 / 15)
    inside = []
    for _ in range(1500):
        x = rng.normal(0, 1, 8) + rng.normal(0, 1.5, (15, 1)) + rng.normal(0, 2, (15, 8))
        low, high = variance_components(x).relative_interval(15, 0.9)
        inside.append(low <= true <= high)
    assert abs(np.mean(inside) - 0.9) < 4 * math.sqrt(0.09 / 1500)


def test_degenerate_tables():
    alike = variance_components([[0.1, 0.1], [0.5, 0.5], [0.3, 0.3]])
    assert (alike.system, alike.residual, alike.relative(9), alike.absolute(9)) == (0, 0, 0, 0)
    assert alike.topics_for(0.9) == (math.inf, math.inf, math.inf)
    no_residual = variance_components([[0.1, 0.3], [0.5, 0.7]])
    assert no_residual.relative(1) == 1
    assert [*no_residual.relative_interval(1)] == [1, 1]
    assert no_residual.topics_for(0.99) == (1, 1, 1)
    nothing = variance_components([[0.5, 0.5], [0.5, 0.5]])
    assert nothing.relative(5) == nothing.absolute(5) == 0
    assert [*nothing.absolute_interval(5)] == [0, 0]
    worse = variance_components([[0.1, 0.9], [0.9, 0.1], [0.5, 0.5]])
    assert "system" in worse.negative
    assert worse.topics_for(0.5)[0] == math.inf
    assert published(0.01, 0, 0, 2, 2).absolute(1) == 1


@given(st.integers(0, 10_000), st.integers(2, 9), st.integers(2, 9), st.floats(0.5, 0.99))
def test_indices_and_intervals_fit_each_other(seed, n, m, target):
    g = variance_components(np.random.default_rng(seed).normal(size=(n, m)) + np.arange(m) / 3)
    for absolute, index, interval in (
        (False, g.relative, g.relative_interval),
        (True, g.absolute, g.absolute_interval),
    ):
        low, high = interval(n)
        assert 0 <= low <= high <= 1
        needed, fewest, most = g.topics_for(target, absolute)
        assert 1 <= fewest <= most
        if math.isfinite(needed):
            assert index(needed) >= target - 1e-9
            assert needed == 1 or index(needed - 1) < target + 1e-9
        if math.isfinite(most):
            assert interval(most).low >= target - 1e-9
    assert g.absolute(n) <= g.relative(n) + 1e-12


@pytest.mark.parametrize(("topics", "effect"), [(10, 0.5), (50, 0.3), (65, 0.0), (30, 2.0)])
def test_power_of_the_paired_t_test(topics, effect):
    """Both tails of the noncentral t, less the wrong one."""
    critical = stats.t.ppf(0.975, topics - 1)
    shift = effect * math.sqrt(topics)
    assert paired_t_power(topics, effect) == pytest.approx(
        stats.nct.sf(critical, topics - 1, shift), abs=1e-7
    )
