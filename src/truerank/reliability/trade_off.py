"""The trade-off of an assessment: quality against a second criterion (docs/methods/trade-offs.md)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from truerank._support.arguments import setting
from truerank._support.seeds import stream
from truerank._support.types import Matrix, Vector
from truerank._support.wording import few
from truerank.errors import InputError, at
from truerank.readers.beside_scores import Criterion
from truerank.reliability.estimators import PairEstimator, TopicSample
from truerank.reliability.frontier import (
    LOG_SPAN,
    Bits,
    Order,
    Places,
    TradeOff,
    TradeOffRow,
    frontier,
    grouped,
    observed_frontier,
)
from truerank.reliability.means import AGGREGATES, means_of
from truerank.reliability.means.means_of import canonical_rows
from truerank.reliability.predictive import Predictive
from truerank.reliability.ranking import mean_interval
from truerank.reliability.results import RankedSystem
from truerank.reliability.standings import guarantee
from truerank.scores import ScoreMatrix, identical_systems, ranking_order


@dataclass(frozen=True, eq=False)
class _Costs:
    """The second criterion of systems in ranking order, as it is; `goodness` is higher where it is better.

    `order` is the order by draws or numbers, `sure` that of tests with such an error over all pairs.
    """

    values: Vector
    low: Vector | None
    high: Vector | None
    goodness: Vector
    order: Order
    sure: Callable[[float], Order]


def trade_off(
    criterion: Criterion,
    ranked: ScoreMatrix,
    ranking: Sequence[RankedSystem],
    predictive: Predictive,
    method: PairEstimator,
    level: float,
    dependence: str = "shrunk",
    p_values: Matrix | None = None,
) -> TradeOff:
    """The trade-off of systems in ranking order; with p-values of all pairs, surely dominated ones go."""
    m, known = ranked.m, criterion.table is None
    if known:
        costs = _known(criterion, ranked)
    else:
        costs = _scored(criterion, ranked, predictive, method, dependence, level)
    if np.ptp(costs.values) == 0:
        raise InputError(
            f"{criterion.measure} is {costs.values[0]:g} for every system, so the best system alone is on "
            "the frontier; leave the trade-off out"
        )
    observed = observed_frontier(predictive.sample.means.theta, -costs.goodness)
    same, draws = grouped(identical_systems(ranked), m), predictive.pair_draws(method, dependence)
    found = frontier(m, Order(draws.better_than, draws.ever_better, same), costs.order)
    if p_values is None:
        inside = found.may_be_optimal(level, observed)
    else:
        alpha = (1 - level) / (1 if known else 2)
        sure = frontier(m, surely(p_values, alpha, same), costs.sure(alpha))
        inside = sorted({*np.flatnonzero(sure.optimal[:, 0]).tolist(), *observed})
    probability = found.probability.tolist()

    def row(i: int, system: RankedSystem) -> TradeOffRow:
        dominated = found.share[i] > 0
        return TradeOffRow(
            system=system.system,
            mean=system.mean,
            mean_low=system.mean_low,
            mean_high=system.mean_high,
            value=float(costs.values[i]),
            low=None if costs.low is None else float(costs.low[i]),
            high=None if costs.high is None else float(costs.high[i]),
            probability=probability[i],
            in_set=i in inside,
            observed=i in observed,
            dominated_by=ranked.systems[found.dominated_by[i]] if dominated else None,
            dominated_probability=float(found.share[i]) if dominated else None,
        )

    return TradeOff(
        criterion.measure,
        criterion.lower_is_better,
        level,
        not known,
        tuple(ranked.systems[i] for i in observed),
        tuple(ranked.systems[i] for i in inside),
        tuple(row(i, system) for i, system in enumerate(ranking)),
    )


def surely(p_values: Matrix, alpha: float, group: Places) -> Order:
    """The order by tests of all pairs together."""
    above = np.triu(p_values <= alpha + 1e-12, 1)
    return Order(lambda i, rows: above[rows, i, None], lambda i: above[:, i], group)


def _scored(
    criterion: Criterion,
    ranked: ScoreMatrix,
    predictive: Predictive,
    method: PairEstimator,
    dependence: str,
    level: float,
) -> _Costs:
    """The second criterion from its scores on topics, whose draws are independent of those of quality."""
    table = criterion.table
    assert table is not None
    if _same(table, ranked):
        raise InputError(
            f"{criterion.measure!r} names no file and no other measure: it would be the scores themselves; "
            f"give {setting('pareto', 'FILE')} with a number of each system, or another measure"
        )
    if lost := [s for s in ranked.systems if s not in table.systems]:
        raise InputError(f"{criterion.measure} has no scores of the system {lost[0]!r}; add them")
    in_order = canonical_rows(table.select([table.systems.index(s) for s in ranked.systems]))
    best_first = in_order.select(ranking_order(means_of(in_order).theta))
    place = np.array([best_first.systems.index(s) for s in ranked.systems])
    seed = int(stream(predictive.sample.seed, "trade-off").integers(2**31))
    sample = TopicSample.of(means_of(best_first), None, seed)
    other = Predictive(sample, (), predictive.size)
    goodness = sample.means.theta[place]
    low, high = (end[place] for end in mean_interval(best_first, sample, level, AGGREGATES.find("mean")))
    numbers = (-goodness, -high, -low) if criterion.lower_is_better else (goodness, low, high)

    group = grouped(identical_systems(in_order), ranked.m)
    draws = other.pair_draws(method, dependence)

    def better(i: int, rows: Places) -> Bits:
        order = place[rows].argsort()
        bits = np.empty((len(rows), draws.values.shape[1]), dtype=bool)
        bits[order] = draws.better_than(int(place[i]), place[rows][order])
        return bits

    def sure(alpha: float) -> Order:
        tested = guarantee(sample.means, other.covariance(dependence), level, stream(seed, "guarantee"))
        return surely(tested.p_values[np.ix_(place, place)], alpha, group)

    order = Order(better, lambda i: draws.ever_better(int(place[i]))[place], group)
    return _Costs(*numbers, goodness, order, sure)


def _same(table: ScoreMatrix, ranked: ScoreMatrix) -> bool:
    """Whether a table has the scores that are ranked, with or without a minus sign: any name reads those."""
    if table.n != ranked.n or not {*ranked.systems} <= {*table.systems}:
        return False
    columns = [table.systems.index(name) for name in ranked.systems]
    means, others = (np.nanmean(values, axis=0) for values in (table.values[:, columns], ranked.values))
    return bool(np.allclose(np.abs(means), np.abs(others), rtol=1e-12, atol=0))


def _known(criterion: Criterion, ranked: ScoreMatrix) -> _Costs:
    """The second criterion where it is a known number of each system."""
    numbers, where = criterion.numbers or {}, at(criterion.source)
    if lost := [s for s in ranked.systems if s not in numbers]:
        if len(lost) == ranked.m:
            raise InputError(
                f"{where}no system of the scores has a number in {criterion.measure}, whose systems are "
                f"{few(list(numbers), 3)}; name them as in the scores, such as {lost[0]!r}"
            )
        raise InputError(f"{where}{criterion.measure} has no number for the system {lost[0]!r}; add it")
    values = np.array([float(numbers[s]) for s in ranked.systems])
    positive = values[values > 0]
    if (values < 0).any() and len(positive) and positive.max() > LOG_SPAN * positive.min():
        name = ranked.systems[int(values.argmin())]
        raise InputError(
            f"{criterion.measure} of {name!r} is {values.min():g}; numbers that span more than a factor of "
            f"{LOG_SPAN} are drawn on a log axis, so give a positive one"
        )
    goodness = -values if criterion.lower_is_better else values
    order = Order.known(goodness)
    return _Costs(values, None, None, goodness, order, lambda _: order)
