"""Which topics decide: shares that add up, topics that were turned round, and topics that tell nothing."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import truerank
from truerank.reliability.means import means_of
from truerank.scores import ScoreMatrix


def sample(seed: int, topics: int = 20, systems: int = 8) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return (
        rng.normal(0.4, 0.15, (topics, 1))
        + np.linspace(0.1, 0, systems)
        + rng.normal(0, 0.05, (topics, systems))
    )


@given(seed=st.integers(0, 1000), sets=st.booleans())
def test_against_the_definitions(seed: int, sets: bool) -> None:
    """Separation, variance and correlations, computed again topic by topic."""
    values = sample(seed, 12, 5)
    names = list("aaaabbbbbbbb") if sets else None
    scores = ScoreMatrix.build(values, data_sets=names)
    found = truerank.topics(scores)
    means = means_of(scores)
    a = means.theta - means.theta.mean()
    rows = means.influences - means.influences.mean(axis=1, keepdims=True)
    shares = (rows**2).sum(axis=1) / (rows**2).sum()
    weights = np.array([0.5 / 4] * 4 + [0.5 / 8] * 8) if sets else np.full(12, 1 / 12)
    for t, one in enumerate(found.topics):
        assert one.variance_share == pytest.approx(shares[t])
        apart = np.sum((values[t] - values[t].mean()) * a) * weights[t] / np.sum(a**2)
        assert one.separation == pytest.approx(apart)
        rest = np.delete(weights, t) @ np.delete(values, t, axis=0)
        assert one.item_rest == pytest.approx(np.corrcoef(values[t], rest)[0, 1])
    assert sum(one.separation for one in found.topics) == pytest.approx(1)
    assert sum(one.variance_share for one in found.topics) == pytest.approx(1)
    order = np.argsort(-means.theta, kind="stable")
    assert found.topics[0].leader_margin == pytest.approx(values[0, order[0]] - values[0, order[1]])
    lowest = sorted(found.topics, key=lambda one: one.item_rest)[:5]
    assert list(found.read_first) == [
        f"{one.topic} ({one.data_set})" if sets else one.topic for one in lowest
    ]


@pytest.mark.parametrize("sets", [False, True])
def test_empty_cells_against_loops_over_the_cells_that_are_there(sets: bool) -> None:
    """Each sum is over the systems with a score on the topic; systems are compared by least squares."""
    values = sample(4, 12, 5)
    values[[0, 3, 5, 5, 8, 9, 11], [1, 4, 0, 2, 0, 3, 1]] = np.nan
    cuts = [slice(0, 5), slice(5, 12)] if sets else [slice(0, 12)]
    fits = [fitted(values[cut]) for cut in cuts]
    theta = np.mean(fits, axis=0)
    found = truerank.topics(
        ScoreMatrix.build(values, data_sets=["a"] * 5 + ["b"] * 7 if sets else None, holes=True)
    )
    assert [int(name[3:]) - 1 for name in found.systems] == np.argsort(-theta, kind="stable").tolist()
    separation, variance = [], []
    for t, one in enumerate(found.topics):
        here = np.flatnonzero(~np.isnan(values[t]))
        k, weight = next(
            (k, 1 / len(cuts) / (cut.stop - cut.start)) for k, cut in enumerate(cuts) if t < cut.stop
        )
        within = values[t, here] - values[t, here].mean()
        usual = fits[k][here] - fits[k][here].mean()
        separation.append(weight * sum(within * (theta[here] - theta.mean())))
        variance.append(weight**2 * sum((within - usual) ** 2))
        rest = [rest_of(values, theta, cuts, s, t) for s in here]
        assert one.item_rest == pytest.approx(np.corrcoef(values[t, here], rest)[0, 1])
        assert one.mean == pytest.approx(values[t, here].mean())
        first, second = (int(name[3:]) - 1 for name in found.systems[:2])
        assert one.leader_margin == pytest.approx(values[t, first] - values[t, second], nan_ok=True)
    assert [one.separation for one in found.topics] == pytest.approx(np.array(separation) / sum(separation))
    assert [one.variance_share for one in found.topics] == pytest.approx(np.array(variance) / sum(variance))


def fitted(values: np.ndarray) -> np.ndarray:
    """The systems' part of the additive model, by least squares with one column per topic and system."""
    n, m = values.shape
    t, s = np.nonzero(~np.isnan(values))
    design = np.hstack([np.eye(n)[t], np.eye(m)[s]])
    part = np.linalg.lstsq(design, values[t, s], rcond=None)[0][n:]
    return np.asarray(part - part.mean())


def rest_of(values: np.ndarray, theta: np.ndarray, cuts: list[slice], system: int, topic: int) -> float:
    """A system's mean over its other topics, less how easy each was for the systems that it had."""
    total = weights = 0.0
    for cut in cuts:
        for t in range(cut.start, cut.stop):
            if t == topic or np.isnan(values[t, system]):
                continue
            weight = 1 / (cut.stop - cut.start)
            total += weight * (values[t, system] - np.nanmean(values[t] - theta))
            weights += weight
    return total / weights


def test_a_topic_without_any_score_is_dead() -> None:
    values = sample(5, 6, 4)
    values[2] = np.nan
    found = truerank.topics(ScoreMatrix.build(values, holes=True))
    assert [one.dead for one in found.topics] == [t == 2 for t in range(6)]
    assert np.isnan(found.topics[2].mean)
    assert "3" not in found.read_first


def test_a_topic_turned_round_is_read_first() -> None:
    values = sample(1)
    values[6] = values[6].mean() - 3 * (values[6] - values[6].mean())
    found = truerank.topics(values)
    assert found.read_first[0] == "7"
    assert found.topics[6].separation < 0


def test_dead_topics_tell_nothing_and_are_not_read() -> None:
    """They separate nobody, have no correlation, and leave everyone else's place in the list alone."""
    values = sample(2)
    dead = np.full((3, 8), 0.7)
    before, found = truerank.topics(values), truerank.topics(np.vstack([values, dead]))
    assert [one.dead for one in found.topics] == [False] * 20 + [True] * 3
    assert all(
        np.isnan(one.item_rest) and one.separation == pytest.approx(0, abs=1e-12) for one in found.topics[20:]
    )
    assert found.read_first == before.read_first


CHECKED = {"68": -0.139019, "58": -0.136851, "9": -0.107037}
"""Rows of the lowest correlations in robust2003_ap, by a prototype of its own."""


def test_figures_of_a_prototype(data: Path) -> None:
    scores = truerank.read_scores(data / "trec" / "robust2003_ap.csv")
    found = truerank.topics(scores)
    rows = {str(t + 1): one.item_rest for t, one in enumerate(found.topics)}
    for row, value in CHECKED.items():
        assert rows[row] == pytest.approx(value, abs=1e-6)
    assert found.read_first[:3] == tuple(scores.topics[int(row) - 1] for row in CHECKED)


def test_chance_is_that_of_all_ways_to_deal_the_scores() -> None:
    """Three topics of three systems: all 6³ ways, by enumeration."""
    from itertools import permutations, product

    x = np.array([[0.1, 0.5, 0.9], [0.2, 0.3, 0.7], [0.0, 0.6, 0.5]])
    counts, shares = [], []
    for dealt in product(*(list(permutations(row)) for row in x)):
        rows = np.array(dealt) - np.mean(dealt, axis=1, keepdims=True)
        part = rows @ rows.sum(axis=0)
        counts.append(int((part < 0).sum()))
        shares.append(np.maximum(part, 0).max() / np.maximum(part, 0).sum())
    found = truerank.topics(x)
    assert found.against_by_chance == pytest.approx(np.mean(counts), abs=4 * np.std(counts) / np.sqrt(200))
    assert found.carried_by_chance == pytest.approx(np.mean(shares), abs=4 * np.std(shares) / np.sqrt(200))
