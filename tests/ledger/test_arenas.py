"""Arenas with a known truth: the truth is the limit of the fit, under any matchmaking."""

from __future__ import annotations

import numpy as np
import pytest

from truerank.reliability.means.bradley_terry import strengths, win_table
from validation.ledger.arenas import KINDS, ArenaKind


@pytest.mark.parametrize("name", ["unequal", "circular", "mixed prompts"])
def test_the_truth_is_the_limit_of_the_fit(name: str) -> None:
    model = KINDS[name].model(6, np.random.default_rng(1))
    arena = model.sample(40_000, 10, seed=2)
    found = strengths(win_table(arena.scores.battles, 6))
    assert np.abs(found - arena.truth).max() < 0.03


def test_without_prompts_and_ties_the_truth_is_the_strengths() -> None:
    kind = ArenaKind("plain", interaction=(0.0,), ties=0.0, matchmaking="unequal")
    model = kind.model(7, np.random.default_rng(3))
    np.testing.assert_allclose(model.truth(), model.theta - model.theta.mean(), atol=1e-9)


def test_pairs_meet_as_often_as_the_model_says() -> None:
    model = KINDS["unequal"].model(6, np.random.default_rng(4))
    battles = model.sample(2_000, 20, seed=5).scores.battles
    met = win_table(battles, 6)
    met = (met + met.T)[np.triu_indices(6, 1)]
    expected = model.pairs[np.triu_indices(6, 1)]
    expected = expected / expected.sum() * met.sum()
    assert np.abs((met - expected) / np.sqrt(expected)).max() < 4
