"""No two places of the output contradict each other: sentence, letters, ranges, best set, map, JSON."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import truerank
from truerank.report.charts.pairs import doubts
from truerank.report.views import view
from truerank.scores import ScoreMatrix, identical_systems


def told_apart_by_letters(document) -> np.ndarray:
    """m × m, from the letters of the JSON."""
    texts = [row["letters"] for row in document["ranking"]]
    spaced = any(" " in text for text in texts)
    sets = [set(text.split()) if spaced else set(text) for text in texts]
    return np.array([[not (a & b) for b in sets] for a in sets])


def check(a: truerank.Assessment) -> None:
    """Every output of an assessment says the same."""
    document = json.loads(json.dumps(a.to_dict(), allow_nan=False))
    level, m, k = a.settings.levels[0], a.scores.m, a.settings.best
    ranking = document["ranking"]
    names = [row["system"] for row in ranking]
    swapped = np.array(document["swap_probabilities"][a.headline_estimator])
    same = np.eye(m, dtype=bool)
    for group in identical_systems(a.scores):
        same[np.ix_(group, group)] = True
    upper = np.triu(np.ones((m, m), dtype=bool), 1)
    probability = np.where(upper, 1 - swapped, swapped)
    sure = (probability >= level) & (probability > 0.5) & ~same
    above, low, high = (
        a.above,
        *(np.array([row[end] for row in ranking]) for end in ("rank_low", "rank_high")),
    )
    assert above is not None
    assert not (above & above.T).any()
    disjoint = high[:, None] < low
    if a.settings.guarantee:  # tests of all pairs together, from which the ranges follow
        assert (above <= sure).all()
        assert (low <= 1 + above.sum(axis=0)).all()
        assert (high >= m - above.sum(axis=1)).all()
    else:
        assert (above == disjoint).all()
    apart = above | above.T

    assert (told_apart_by_letters(document) == (apart & ~np.eye(m, dtype=bool))).all()
    unlikely = np.array(document["swap_probabilities"][a.headline_estimator]) < 0.05
    assert ((doubts(a) == 0) == (apart | unlikely | np.eye(m, dtype=bool))).all()

    (leader,) = (line for line in view(a).answer if line.startswith(names[0]) and "leads" in line)
    first = [row["system"] for row in ranking[1:] if row["rank_low"] == 1]
    assert ("no other system" in leader) == (not first)
    if 0 < len(first) < m - 1:  # three are named, and the others counted
        assert f" {len(first)} other system" in leader
        assert all(name in leader for name in first[: min(3, len(first))])
    best = document["best"]
    assert best["level"] == level
    assert best["k"] == k
    assert best["systems"] == [name for name, one in zip(names, low, strict=True) if one <= k]
    assert any("true top" in line for line in view(a).answer)
    for row in ranking:
        ranks = [row[f] for f in ("rank_low", "marginal_low", "rank", "marginal_high", "rank_high")]
        assert all(type(value) is int for value in ranks)
        assert 1 <= ranks[0] <= ranks[1] <= ranks[3] <= ranks[4] <= m

    b = names.index(document["baseline"]["system"])
    for d in document["baseline"]["differences"]:
        s = names.index(d["system"])
        low, high = (math.nan if d[end] is None else d[end] for end in ("low", "high"))
        assert not low > high
        if a.settings.guarantee:  # tests of all pairs together
            verdict = "better" if above[s, b] else "fail" if above[b, s] else "undecided"
            assert d["verdict"] == verdict
            assert (verdict == "undecided") or d["p_value"] <= 1 - level + 1e-12
        else:  # of one pair, by itself
            assert (d["verdict"] == "better") == (low > 1e-12)
            assert (d["verdict"] == "fail") == (high < -1e-12)
            assert d["p_value"] == 1 if same[s, b] else True
            if d["p_value"] is not None:
                assert (d["p_value"] <= 1 - level) == (d["verdict"] != "undecided")


@st.composite
def tables(draw) -> ScoreMatrix:
    """Scores with ties, copies, constant systems and systems far apart."""
    n, m = draw(st.sampled_from([3, 5, 12, 30])), draw(st.integers(3, 9))
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    spread = draw(st.sampled_from([0.0, 0.02, 0.2, 3.0]))
    values = rng.normal(0, 0.3, (n, 1)) + rng.normal(0, 0.2, (n, m)) - spread * np.arange(m)
    if draw(st.booleans()):
        values = np.round(values, 1)
    if draw(st.booleans()):
        values[:, rng.integers(m)] = values[:, 0]
    if draw(st.booleans()):
        values[:, m - 1] = values[:, 0] - 0.5  # the same difference on every topic
    return ScoreMatrix.build(values + 5)


@given(
    tables(),
    st.sampled_from(["eb", "ml", "msqd", "res", "kd"]),
    st.sampled_from([0.4, 0.5, 0.8, 0.95, 0.99]),
    st.booleans(),
    st.integers(1, 3),
    st.integers(0, 8),
)
def test_no_contradiction_on_random_scores(table, estimator, level, guarantee, k, b):
    if np.ptp(table.values, axis=1).max() <= 1e-9:
        return  # nothing to rank
    check(
        truerank.assess(
            table,
            [estimator],
            ["tau"],
            levels=level,
            baseline=table.systems[b % table.m],
            best=min(k, table.m),
            guarantee=guarantee,
            draws=300,
            resamples=200,
            seed=b,
        )
    )


@pytest.mark.parametrize(("name", "guarantee"), [("adhoc6_ap", True), ("web2010_p10", False)])
def test_no_contradiction_on_real_scores(data, name, guarantee):
    scores = truerank.read_scores(data / "trec" / f"{name}.csv")
    middle = scores.ranked().systems[scores.m // 3]
    check(
        truerank.assess(
            scores, ["eb"], ["tau"], baseline=middle, best=3, guarantee=guarantee, draws=2_000, seed=1
        )
    )
