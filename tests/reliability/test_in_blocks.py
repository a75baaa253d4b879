"""Boards of thousands of systems are worked on block by block; what is found is that of one piece."""

from __future__ import annotations

import numpy as np
import pytest

from truerank.numerics import pairs
from truerank.reliability import standings
from truerank.reliability.estimators import eb
from truerank.reliability.leader import contrasts
from truerank.reliability.means import Means, means
from truerank.reliability.means.means import plain_means
from truerank.reliability.standings import rank_bands


@pytest.fixture
def in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of a few systems."""
    monkeypatch.setattr(pairs, "BLOCK_ROWS", 7)
    for module in (pairs, means):
        monkeypatch.setattr(module, "MANY", 2)
    for module in (eb, standings):
        monkeypatch.setattr(module, "BLOCK_VALUES", 100)


def board() -> Means:
    """Forty systems; two are equal, and two differ by the same on every topic."""
    rng = np.random.default_rng(1)
    values = rng.normal(np.linspace(0.6, 0.4, 40), 0.15, (25, 40)) + rng.normal(0, 0.2, (25, 1))
    values[:, 5], values[:, 11] = values[:, 9], values[:, 3] - 0.25
    return plain_means(values[:, np.argsort(-values.mean(axis=0), kind="stable")])


@pytest.fixture
def whole() -> tuple[eb.Posterior, np.ndarray, tuple]:
    """What is found in one piece."""
    known = board()
    found = eb.posterior(known)
    moved = contrasts(known)
    return found, found.probabilities(), (moved.shrunken, moved.spread, moved.gap)


def test_posteriors_and_contrasts(whole, request):
    request.getfixturevalue("in_blocks")
    known = board()
    found = eb.posterior(known)
    assert "_pairs" not in vars(known)
    assert np.isinf(found.statistics).sum() == 2
    np.testing.assert_allclose(found.statistics, whole[0].statistics, rtol=1e-11, atol=1e-13)
    np.testing.assert_allclose(found.prior.weights, whole[0].prior.weights, rtol=1e-9, atol=1e-14)
    for overwrite in (False, True):
        np.testing.assert_allclose(found.probabilities(overwrite), whole[1], rtol=1e-9, atol=1e-14)
    moved = contrasts(known)
    for one, other in zip((moved.shrunken, moved.spread, moved.gap), whole[2], strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12)


def test_rank_bands(monkeypatch):
    draws = np.argsort(np.random.default_rng(2).normal(np.arange(30) / 4, 1, (400, 30))).argsort() + 1
    expected = rank_bands(draws, 0.9, [[1, 2]])
    monkeypatch.setattr(standings, "BLOCK_VALUES", 100)
    for one, other in zip(
        vars(rank_bands(draws, 0.9, [[1, 2]])).values(), vars(expected).values(), strict=True
    ):
        np.testing.assert_array_equal(one, other)
