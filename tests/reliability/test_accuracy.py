"""Notes on accuracy: they are silent on normal scores, quote no figure, and say once what follows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

import truerank
from truerank.reliability import diagnostics
from truerank.scores import ScoreMatrix


def told(x: np.ndarray, **options: Any) -> bool:
    """Whether an assessment warns of skewed differences."""
    found = truerank.assess(x, "eb", "tau", draws=20, seed=1, **options)
    return any(note.code == "skewed" for note in found.notes)


def test_normal_data_sets_raise_no_warning() -> None:
    fired = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(6, 13))
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
