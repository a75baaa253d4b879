"""Topics, runs and levels for their prices: against closed forms and simulated collections."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import truerank
from truerank.errors import InputError
from truerank.planning.spending import Prices, Variances, best_runs
from truerank.reliability.means.facet_means import FacetParts
from truerank.repeats import Facet, Repeats
from truerank.scores import ScoreMatrix


def pilot(n: int = 30, m: int = 8, k: int = 3, ratio: float = 2.0, seed: int = 1) -> ScoreMatrix:
    rng = np.random.default_rng(seed)
    runs = (
        rng.normal(0, 1, (n, m, 1))
        + rng.normal(0, np.sqrt(ratio), (n, m, k))
        + np.linspace(0.8, 0, m)[:, None]
    )
    scores = ScoreMatrix.build(runs.mean(axis=2))
    counts = np.full((n, m), k)
    return replace(scores, repeats=Repeats(counts, runs.var(axis=2, ddof=1) / k, "trial"))


@pytest.mark.parametrize(("topic", "run", "ratio"), [(10, 1, 1.0), (1, 0.05, 4.0), (3, 1, 0.2)])
def test_best_number_of_runs_by_search(topic: float, run: float, ratio: float) -> None:
    """K* is the least variance for the money, found by trying all numbers."""
    prices = Prices(topic=topic, run=run)
    tried = np.linspace(0.2, 20, 4000)
    variance = (1 + ratio / tried) * (topic + run * tried)
    assert best_runs(prices, ratio) == pytest.approx(tried[variance.argmin()], abs=0.01)


def test_gains_are_what_one_more_takes_away() -> None:
    variances = Variances(level=0.3, topic=1.0, cell=0.7, run=2.0)
    n, f, k = 40, 4, 3
    now = variances.total(n, f, k)
    prices = Prices(topic=1, run=0.1, level=5)
    found = {one.what: one for one in variances.purchases(prices, n, f, k, facet=True)}
    more = {"topic": (n + 1, f, k), "run": (n, f, k + 1), "level": (n, f + 1, k)}
    for what, (topics, levels, runs) in more.items():
        price = prices.of(topics, runs, levels) - prices.of(n, k, f)
        assert found[what].price == pytest.approx(price)
        taken = (now - variances.total(topics, levels, runs)) / now / price
        assert found[what].gain == pytest.approx(taken)
    gains = [one.gain for one in variances.purchases(prices, n, f, k, facet=True)]
    assert gains == sorted(gains, reverse=True)


def test_parts_add_up_to_the_variance_of_the_pilot() -> None:
    rng = np.random.default_rng(2)
    values = rng.normal(size=(30, 4, 8)) + rng.normal(size=(1, 4, 8)) + rng.normal(size=(30, 1, 8))
    facet = Facet("prompt", tuple("abcd"), values, runs=3.0, run_variance=0.4)
    parts = FacetParts.of(values)
    assert Variances.of_facet(facet, parts).total(30, 4, 3.0) == pytest.approx(parts.variance)


def test_a_plan_from_runs() -> None:
    found = truerank.plan(pilot(), cost={"topic": 10, "run": 1}, budget=390, draws=64, seed=1)
    spending = found.spending
    assert spending is not None
    assert spending.best_low < spending.best_runs < spending.best_high
    assert all(one.cost <= 390 for one in spending.designs)
    (same,) = (one for one in spending.designs if one.runs == 3)
    assert (same.topics, same.cost) == (30, 390)
    # The pilot over again: the curve at its own size, and the table of runs, say the same.
    (now,) = (one for one in spending.runs or () if one.runs == 3)
    (point,) = (one for one in found.curve if one.topics == 30)
    assert same.estimate == pytest.approx(point.estimate, abs=1e-3)
    assert now.new_topics == pytest.approx(point.estimate, abs=1e-6)
    assert now.same_topics == pytest.approx(found.now or 0, abs=1e-6)
    best = spending.best.runs
    assert 0.4 < best / spending.best_runs < 2.5


def test_more_topics_where_runs_hardly_differ() -> None:
    spending = truerank.plan(pilot(ratio=0.05), cost={"topic": 1, "run": 1}, draws=64).spending
    assert spending is not None
    assert spending.best_runs <= 1
    assert spending.next[0].what == "topic"


def test_planned_agreement_on_new_collections() -> None:
    """τ at other numbers of topics and runs, beside that of simulated collections."""
    rng = np.random.default_rng(3)
    planned, actual = [], []
    for seed in range(12):
        m, ratio = 10, 3.0
        true = rng.normal(0, 0.35, m)
        runs = true[:, None] + rng.normal(0, 1, (40, m, 1)) + rng.normal(0, np.sqrt(ratio), (40, m, 2))
        scores = ScoreMatrix.build(runs.mean(axis=2))
        repeats = Repeats(np.full((40, m), 2), runs.var(axis=2, ddof=1) / 2)
        found = truerank.plan(replace(scores, repeats=repeats), draws=64, seed=seed).spending
        assert found is not None
        planned.append([next(o for o in found.runs or () if o.runs == k).new_topics for k in (1, 10)])
        each = []
        for k in (1, 10):
            new = true + rng.normal(0, np.sqrt((1 + ratio / k) / 40), (200, m))
            signs = np.sign(new[:, :, None] - new[:, None, :]) * np.sign(true[:, None] - true)
            each.append(signs[:, *np.triu_indices(m, 1)].mean())
        actual.append(each)
    np.testing.assert_allclose(np.mean(planned, axis=0), np.mean(actual, axis=0), atol=0.05)


def test_refused_prices() -> None:
    with pytest.raises(InputError, match="nothing here is called 'judge'"):
        truerank.plan(pilot(), cost={"judge": 2}, draws=64)
    with pytest.raises(InputError, match="a budget needs prices"):
        truerank.plan(pilot(), budget=100, draws=64)
    with pytest.raises(InputError, match="does not pay two topics"):
        truerank.plan(pilot(), cost={"topic": 100}, budget=150, draws=64)
    with pytest.raises(InputError, match="several runs"):
        truerank.plan(replace(pilot(), repeats=None), cost={"topic": 1}, draws=64)


def test_levels_are_bought_by_the_name_of_the_facet() -> None:
    rng = np.random.default_rng(4)
    values = rng.normal(size=(30, 5, 12)) + rng.normal(size=(1, 5, 12)) + np.linspace(3, 0, 12)
    scores = replace(ScoreMatrix.build(values.mean(axis=1)), facets=(Facet("judge", tuple("abcde"), values),))
    found = truerank.plan(scores, cost={"topic": 1, "judge": 2}, generalize_to="topics,judge", draws=64)
    assert found.spending is not None
    assert found.spending.facet == "judge"
    assert found.spending.next[0].what == "level"
    with pytest.raises(InputError, match="new topics and new levels"):
        truerank.plan(scores, generalize_to="topics,judge", extend=True, draws=64)
