"""The frontier of quality and cost: an enumerated case, brute force over small sets, and known costs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import combinations

import numpy as np
import pytest

from truerank import assess
from truerank.errors import InputError
from truerank.reliability.frontier import (
    Frontier,
    Order,
    frontier,
    grouped,
    observed_frontier,
)
from truerank.scores import ScoreMatrix

SHARES = {(1, 1, 1): 45, (1, 0, 1): 40, (0, 1, 1): 5, (0, 0, 0): 5, (1, 0, 0): 5}
"""Of 100 draws, by whether B is better than A, C than B, and C than A; A costs least and C most."""


def drawn(better: Callable[[int], np.ndarray], groups: Sequence[Sequence[int]], m: int) -> Order:
    """The order by the bits of all systems."""
    return Order(
        lambda i, rows: better(i)[rows], lambda i: np.asarray(better(i).any(axis=1)), grouped(groups, m)
    )


def enumerated() -> Frontier:
    draws = np.array([bits for bits, count in SHARES.items() for _ in range(count)], dtype=bool).T
    b_a, c_b, c_a = draws
    better = {0: (None, b_a, c_a), 1: (~b_a, None, c_b), 2: (~c_a, ~c_b, None)}

    def is_better(i: int) -> np.ndarray:
        return np.array([np.zeros(100, bool) if bits is None else bits for bits in better[i]])

    return frontier(3, drawn(is_better, [], 3), Order.known(-np.arange(3.0)))


@pytest.mark.parametrize(("level", "systems"), [(0.95, [0, 1, 2]), (0.5, [0, 1]), (0.05, [0])])
def test_the_set_of_an_enumerated_case(level: float, systems: list[int]) -> None:
    found = enumerated()
    np.testing.assert_allclose(found.probability, [1, 0.9, 0.5], rtol=1e-12)
    assert (found.optimal[1] | found.optimal[2]).mean() == pytest.approx(0.95)
    assert found.may_be_optimal(level) == systems


@pytest.mark.parametrize("seed", range(5))
def test_the_set_leaves_out_no_more_than_the_level_allows(seed: int) -> None:
    rng = np.random.default_rng(seed)
    optimal = rng.random((6, 200)) < rng.random(6)[:, None]
    optimal[rng.integers(6, size=200), np.arange(200)] = True  # every draw has a frontier
    found = Frontier(optimal, np.arange(6), np.zeros(6))
    for level in (0.5, 0.8, 0.95):
        kept = found.may_be_optimal(level)
        out = [i for i in range(6) if i not in kept]
        assert optimal[out].any(axis=0).mean() <= 1 - level + 1e-12
        # No other system could be left out beside these.
        assert all(optimal[[*out, i]].any(axis=0).mean() > 1 - level for i in kept)
        smallest = min(
            size
            for size in range(7)
            for some in combinations(range(6), size)
            if optimal[[i for i in range(6) if i not in some]].any(axis=0).mean() <= 1 - level + 1e-12
        )
        assert (
            smallest <= len(kept) <= smallest + 1
        )  # one after the other is hardly worse than the best choice


@pytest.mark.parametrize("seed", range(2))
def test_blocks_of_systems_give_what_the_definition_does(seed: int) -> None:
    """100 systems, of which some never beat each other, beside a loop over all pairs and draws."""
    rng = np.random.default_rng(seed)
    m, k = 100, 40
    quality = np.round(rng.normal(np.linspace(4, 0, m)[:, None], 0.3, (m, k)), 1 + seed % 2)
    costs = [np.round(rng.random(m), 1), np.round(rng.normal(rng.random(m)[:, None], 0.2, (m, k)), 1)]
    for cost in costs:
        by_draw = np.broadcast_to(cost.reshape(m, -1), (m, k))

        def better(i: int, values: np.ndarray) -> np.ndarray:
            found: np.ndarray = values > values[i]
            return found

        order: Order = Order.known(-cost)
        if cost.ndim == 2:
            order = drawn(partial(better, values=-by_draw), [], m)
        found = frontier(m, drawn(lambda i: better(i, quality), [], m), order)
        strict = [(quality > quality[i]) & (by_draw < by_draw[i]) for i in range(m)]
        if cost.ndim == 1:
            strict = [(quality > quality[i]) & (by_draw <= by_draw[i]) for i in range(m)]
        assert (found.optimal == np.array([~one.any(axis=0) for one in strict])).all()
        shares = np.array([one.mean(axis=1) for one in strict])
        np.testing.assert_allclose(found.share, shares.max(axis=1), rtol=1e-12)
        assert (found.dominated_by == np.where(shares.max(axis=1) > 0, shares.argmax(axis=1), range(m))).all()


@pytest.mark.parametrize("seed", range(3))
def test_the_observed_frontier_is_that_of_the_definition(seed: int) -> None:
    rng = np.random.default_rng(seed)
    quality, cost = rng.integers(0, 6, 9) / 2, rng.integers(1, 6, 9) / 2

    def dominated(i: int) -> bool:
        return any(
            (quality[j] >= quality[i] and cost[j] < cost[i])
            or (quality[j] > quality[i] and cost[j] <= cost[i])
            for j in range(9)
        )

    assert sorted(observed_frontier(quality, cost)) == [i for i in range(9) if not dominated(i)]


def test_copies_dominate_each_other_by_cost_alone() -> None:
    """A copy is as good in every draw; it is better by nothing, whatever order the ranking gives it."""
    first_is_better = drawn(lambda i: (np.arange(3) < i)[:, None].repeat(10, axis=1), [[0, 1]], 3)
    same_cost = frontier(3, first_is_better, Order.known(np.array([-1.0, -1.0, -2.0])))
    assert same_cost.probability.tolist() == [1, 1, 0]
    second_costs_less = frontier(3, first_is_better, Order.known(np.array([-2.0, -1.0, -0.5])))
    assert second_costs_less.probability.tolist() == [0, 1, 1]
    assert (second_costs_less.dominated_by[0], second_costs_less.share[0]) == (1, 1)


@pytest.mark.parametrize("by_topic", [False, True])
def test_copies_of_one_price_have_the_same_chance(by_topic: bool) -> None:
    rng = np.random.default_rng(5)
    scores = rng.normal([0.3, 0.3, 0.32, 0.2], 0.1, (40, 4))
    scores[:, 1] = scores[:, 0]
    costs = np.abs(rng.normal([2.0, 2.0, 9.0, 1.0], 0.1, (40, 4)))
    costs[:, 1] = costs[:, 0]
    names = ["a", "copy", "b", "c"]
    table = ScoreMatrix.build(scores, systems=names)
    prices = ScoreMatrix.build(-costs, measure="−cost", systems=names)
    pareto = prices if by_topic else {"a": 2.0, "copy": 2.0, "b": 9.0, "c": 1.0}
    found = assess(table, draws=500, seed=1, pareto=pareto).pareto
    assert found is not None
    chance = {row.system: row.probability for row in found.rows}
    assert chance["a"] == chance["copy"] > 0.9
    assert {"a", "copy"} <= set(found.systems)
    less = assess(table, draws=500, seed=1, pareto={"a": 2.0, "copy": 1.5, "b": 9.0, "c": 1.0}).pareto
    assert less is not None
    assert "a" not in less.systems
    assert next(row for row in less.rows if row.system == "a").dominated_by == "copy"


def test_a_price_that_may_stand_for_none_is_asked_about():
    with pytest.raises(InputError, match=r"cost of 'b' is -1.*, which may stand for none"):
        assess([[0.1, 0.5, 0.3], [0.2, 0.4, 0.6], [0.3, 0.1, 0.9]], pareto={"1": 2, "b": -1, "c": 1})
