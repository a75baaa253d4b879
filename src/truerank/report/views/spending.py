"""What to buy next of topics, runs and levels: the sentence of a plan’s answer, and a section."""

from __future__ import annotations

import math
from collections.abc import Iterator

from truerank._support.tables import Bounded, Column, Count, Number, Percent, Table, Text
from truerank._support.wording import listed, number
from truerank.planning import Plan
from truerank.planning.spending import LEVEL, RUN, TOPIC, Spending
from truerank.report.view import Figure, Section


def buy_next(found: Spending) -> str:
    """What one more of brings most, and the best number of runs."""
    what = {TOPIC: "topics", RUN: "runs", LEVEL: f"levels of {listed([found.facet or ''])}"}
    bought = f"Buy more {what[found.next[0].what]} next" if found.next else "Buy more topics next"
    if found.facet is not None:
        best = found.best
        levels, runs = best.levels, best.runs
        return f"{bought}; for this budget {levels} levels with {runs} run{'s' * (runs != 1)} each are best."
    best_runs, spread = found.best_runs, f"{_runs(found.best_low)} to {_runs(found.best_high)}"
    if best_runs <= 1:
        return f"{bought}: one run of each topic is best (K* = {_runs(best_runs)}, interval {spread})."
    return f"{bought}; the best number of runs of a topic is about {_runs(best_runs)} (interval {spread})."


def _runs(value: float) -> str:
    return "no limit" if math.isinf(value) else number(value, 1)


def spending_section(plan: Plan) -> Section | None:
    """Purchases, ways to spend the budget, and what other numbers of runs bring."""
    from truerank.report.charts.spending import spending_chart

    found = plan.spending
    if found is None:
        return None
    figure = Figure(
        "spending",
        "Line: expected τ of what the same budget pays with that many runs of a topic. Color: levels of the "
        "facet, if any.",
        "Expected τ by number of runs, for one budget. The table below has the same numbers.",
        lambda size: spending_chart(found, size, plan.noun),
    )
    tables = [_purchases(found), _designs(plan, found), *_more_runs(found)]
    return Section("spending", "Topics or runs", figures=[figure], tables=tables)


def _purchases(found: Spending) -> Table:
    names = {TOPIC: "topic", RUN: "run of all systems on all topics", LEVEL: f"level of {found.facet}"}
    columns = (
        Column("One more", Text(), "what"),
        Column("Price", Number(digits=2), "price"),
        Column("Gain per unit of price", Percent(digits=2), "gain", "of the variance of a difference"),
    )
    rows = [[names[one.what], one.price, one.gain] for one in found.next]
    note = "Gain: share of the variance of a difference that one more takes away, per unit of price."
    return Table("purchases", "What to buy next", columns, rows, note)


def _designs(plan: Plan, found: Spending) -> Table:
    columns = [
        Column("Topics", Count(), "topics"),
        Column("Levels", Count(), "levels"),
        Column("Runs of each", Count(), "runs"),
        Column("Cost", Number(digits=2), "cost"),
        Column("τ (interval)", Bounded(digits=2, low="low", high="high"), "estimate"),
    ]
    rows = [
        [one.topics, one.levels, one.runs, one.cost, (one.estimate, one.low, one.high)]
        for one in found.designs
    ]
    note = "Interval: where one such collection will lie. τ at other numbers of levels tends to be too high."
    if found.facet is None:
        columns, rows = [columns[0], *columns[2:]], [[row[0], *row[2:]] for row in rows]
        note = "Interval: where one such collection will lie."
    return Table("spending", f"Ways to spend {number(found.budget, 2)}", tuple(columns), rows, note)


def _more_runs(found: Spending) -> Iterator[Table]:
    if found.runs is None:
        return
    columns = (
        Column("Runs of each topic", Text(), "runs"),
        Column("τ, as many new topics", Number(digits=2), "new_topics"),
        Column("τ, the same topics", Number(digits=2), "same_topics", "with these runs in all"),
    )
    rows = [
        ["infinitely many" if one.runs is None else str(one.runs), one.new_topics, one.same_topics]
        for one in found.runs
    ]
    yield Table("runs", "What other numbers of runs bring", columns, rows)
