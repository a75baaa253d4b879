"""Notes on systems that are alike and on skewed scores: when they are given, and what they say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats
from scipy.special import ndtri

import truerank
from truerank.reliability import diagnostics
from truerank.reliability.diagnostics import alike_warnings
from truerank.reliability.estimators import ESTIMATORS, TopicSample
from truerank.reliability.means.means import plain_means
from truerank.scores import ScoreMatrix
from truerank.simulation import load_embedded

SYSTEMS, BEST = 30, 10


def warned(means: np.ndarray, topics: int, seed: int) -> list[str]:
    """What is said of a simulated board with these true means, and which it said it of."""
    scores = means + np.random.default_rng(seed).standard_normal((topics, len(means)))
    found = plain_means(scores[:, np.argsort(-scores.mean(axis=0))])
    return alike_warnings(found, ESTIMATORS["eb"].fit(TopicSample.of(found)))


def test_a_bunched_top_is_told_and_an_ordinary_one_is_not() -> None:
    ordinary = 0.5 * ndtri(1 - (np.arange(SYSTEMS) + 0.5) / SYSTEMS)
    bunched = np.where(np.arange(SYSTEMS) < BEST, ordinary[:BEST].mean(), ordinary)
    last = np.where(np.arange(SYSTEMS) >= SYSTEMS - BEST, ordinary[-BEST:].mean(), ordinary)
    told = {
        name: [bool(warned(means, 50, seed)) for seed in range(20)]
        for name, means in (("ordinary", ordinary), ("bunched", bunched), ("last", last))
    }
    assert np.mean(told["bunched"]) > 0.4
    assert np.mean(told["ordinary"]) < 0.05
    assert np.mean(told["last"]) < 0.05


def test_the_size_is_that_of_even_chances_among_the_best() -> None:
    means = np.linspace(0.5, -2, SYSTEMS)
    means[:BEST] = 0.5
    scores = next(
        scores
        for seed in range(20)
        for scores in [means + np.random.default_rng(seed).standard_normal((50, SYSTEMS))]
        if any("than equal ones" in said for said in truerank.assess(scores, "eb", draws=50).warnings)
    )
    result = truerank.assess(scores, "eb", draws=50)
    [said] = [text for text in result.warnings if "than equal ones" in text]
    p = result.swap_probabilities["eb"]
    ap = tau = 0.0
    for j in range(
        1, BEST
    ):  # τ_AP: the share of those above a system that belong there, averaged over systems
        ap += sum(2 * (0.5 - p[i, j]) / j for i in range(j)) / (SYSTEMS - 1)
        tau += sum(2 * (0.5 - p[i, j]) for i in range(j)) / (SYSTEMS * (SYSTEMS - 1) / 2)
    assert said == (
        "the best 10 of the 30 systems differ no more than equal ones would. If they are equal, τ_AP is "
        f"about {ap:.2f} too high, and τ {tau:.2f}"
    )
    without = truerank.assess(scores, "ml", draws=50).warnings  # it learns nothing from other pairs
    assert not any("equal ones" in text for text in without)


def test_a_board_like_trecs_is_not_warned_of() -> None:
    result = truerank.assess(load_embedded("web2010-ap").sample(60, 0), "eb", draws=50)
    assert not any("equal ones" in text for text in result.warnings)


def lower_by_chance(systems: int, same: int) -> list[float]:
    """How much lower τ and τ_AP are by the note on two neighbors in the ranking with the same scores."""
    values = np.random.default_rng(3).normal(np.linspace(1, 0, systems), 0.001, (6, systems))
    values[:, same + 1] = values[:, same]
    notes = truerank.assess(values, draws=20).notes
    return next(note.facts["lower"] for note in notes if note.code == "identical")


def test_copies_by_chance_count_more_at_the_top() -> None:
    assert lower_by_chance(4, 0) == pytest.approx([1 / 6, 1 / 3], abs=0.005)  # half of 2/6, half of 2/(3·1)
    assert lower_by_chance(4, 2) == pytest.approx([1 / 6, 1 / 9], abs=0.005)
    assert lower_by_chance(60, 48) == []


def told(x: np.ndarray, **options: Any) -> bool:
    """Whether an assessment warns of skewed differences."""
    found = truerank.assess(x, "eb", "tau", draws=20, seed=1, **options)
    return any(note.code == "skewed" for note in found.notes)


def test_normal_data_sets_raise_no_warning() -> None:
    fired = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        n = 6 + 3 * (seed % 3)
        x = rng.normal(0.5, 0.1, (n, 1)) + rng.normal(0, 0.05, (n, 8))
        fired.append(told(ScoreMatrix.build(x, data_sets=[f"d{k}" for k in range(n)])))
    assert np.mean(fired) <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / len(fired))


def test_one_skewed_system_is_enough() -> None:
    """The share of its pairs is 2/m; with lognormal noise it is told of in most tables."""
    fired = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        x = rng.normal(0, 0.3, (12, 8))
        x[:, 0] -= rng.lognormal(0, 1.6, 12)
        fired.append(told(x))
    assert np.mean(fired) > 0.8


def test_the_share_is_that_of_scipys_skewness() -> None:
    """Pairs whose |skewness| is above √n/5 and two standard errors of normal differences."""
    for seed in range(6):
        rng = np.random.default_rng(seed)
        n, m = int(rng.integers(5, 60)), 7
        x = rng.lognormal(0, 0.7, (n, m))
        i, j = np.triu_indices(m, 1)
        g = np.abs(stats.skew(x[:, i] - x[:, j]))
        error = np.sqrt(6 * (n - 2) / ((n + 1) * (n + 3)))
        expected = np.mean((g > np.sqrt(n) / 5) & (g > 2 * error))
        assert diagnostics.skewed_share(x) == pytest.approx(expected)
