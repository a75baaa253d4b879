"""Ranges that hold for all systems together, where a handful of data sets is a sample of data sets."""

from __future__ import annotations

import json

import numpy as np
import pytest

import truerank
from truerank.scores import ScoreMatrix, ranking_order
from validation.ledger.statements import true_ranks

M = 20
TRUE = np.linspace(1, 0, M)


def board(rng, sets, spread, m=M):
    """A mean of each system on each data set: its true mean, and a normal effect of the data set on it."""
    values = TRUE[:m] + rng.normal(0, spread * rng.uniform(0.7, 1.4, m), (sets, m))
    return ScoreMatrix.build(values, data_sets=[f"d{k}" for k in range(sets)])


def test_with_five_data_sets_the_joint_range_holds_and_is_of_use():
    trials, held, joint, own = 40, 0, [], []
    for seed in range(trials):
        scores = board(np.random.default_rng(seed), 5, 0.08)
        ranked = truerank.assess(scores, "eb", draws=1_000, seed=seed).ranking
        best, worst = true_ranks(TRUE[ranking_order(scores.values.mean(axis=0))])
        low, high = (np.array([getattr(s, end) for s in ranked]) for end in ("rank_low", "rank_high"))
        held += bool(((low <= worst) & (high >= best)).all())
        joint.append((high - low + 1).mean())
        own.append(np.mean([s.marginal_high - s.marginal_low + 1 for s in ranked]))
    assert held / trials >= 0.90 - 3 * np.sqrt(0.9 * 0.1 / trials)
    assert 3 < np.mean(own) < 7
    assert np.mean(joint) < 1.85 * np.mean(own)  # with a scale of each system's own 2.2


@pytest.mark.parametrize("sets", [3, 4, 5])
def test_with_fewer_than_five_no_range_is_said_to_hold_together(sets):
    scores = board(np.random.default_rng(1), sets, 0.03)
    found = truerank.assess(scores, "eb", draws=1_000, seed=1)
    few = sets < 5
    said = [w for w in found.warnings if "no rank ranges and no best set are given" in w]
    assert len(said) == few
    for s in found.ranking:
        assert 1 <= s.marginal_low <= s.rank <= s.marginal_high <= M
        assert (s.rank_low is None) == (s.rank_high is None) == few
        assert (s.letters is None) == few
    assert (found.best is None) == (found.above is None) == few
    document = json.loads(json.dumps(found.to_dict()))
    assert (document["ranking"][0]["rank_low"] is None) == few
    for page in (found.to_html(), found._repr_html_()):
        assert "None" not in page
        assert ("Rank range" in page) != few


def test_unequal_weights_and_families_count_as_fewer_data_sets():
    values = board(np.random.default_rng(2), 6, 0.03).values
    sets = [f"d{k}" for k in range(6)]
    heavy = ScoreMatrix.build(values, data_sets=sets, weights={name: 1 + 9 * (name == "d0") for name in sets})
    related = ScoreMatrix.build(
        values, data_sets=sets, families={name: min(k, 3) for k, name in enumerate(sets)}
    )
    for scores in (heavy, related):
        found = truerank.assess(scores, "eb", draws=500, generalize_to="data_sets", seed=1)
        assert any("no rank ranges and no best set are given" in w for w in found.warnings)
        assert found.ranking[0].rank_low is None


def test_the_guarantee_holds_with_few_data_sets_too():
    scores = board(np.random.default_rng(1), 4, 0.03, m=5)
    found = truerank.assess(scores, "eb", draws=500, guarantee=True, seed=1)
    assert all(s.rank_low is not None for s in found.ranking)
