"""What to buy next of topics, runs and levels: the sentence of a plan’s answer, and a section."""

from __future__ import annotations

import math
from collections.abc import Sequence

from truerank._support.tables import Bounded, Column, Count, Number, Percent, Table, Text
from truerank._support.wording import count, listed, number, two_digits
from truerank.planning import Plan
from truerank.planning.spending import LEVEL, RUN, TOPIC, MoreRuns, Spending
from truerank.report.view import Figure, Section


def buy_next(found: Spending) -> str:
    """What one more of brings most, and the best number of runs."""
    what = {TOPIC: "topics", RUN: "runs", LEVEL: f"levels of {listed([found.facet or ''])}"}
    bought = f"Buy more {what[found.next[0].what]} next" if found.next else "Buy more topics next"
    if found.facet is not None:
        chosen = found.best
        each = f" with {chosen.runs} runs each" if chosen.runs > 1 else ""
        design = f"{chosen.topics:,} topics at {count(chosen.levels, 'level')}{each}"
        return f"{bought}; {design} are best for a budget of {number(found.budget, 2)}."
    if math.isinf(found.best_runs):
        return f"{bought}: runs are free, so the more of them the better."
    best, low, high = (
        max(two_digits(runs), 1) for runs in (found.best_runs, found.best_low, found.best_high)
    )
    spread = "" if low == high else f" (interval {low:,} to {high:,})"
    if best == 1:
        return f"{bought}: one run of each topic is best{spread}."
    return f"{bought}: about {best:,} runs of each topic are best{spread}."


def spending_section(plan: Plan) -> Section | None:
    """Purchases, ways to spend the budget, and what other numbers of runs bring."""
    from truerank.report.charts.spending import spending_chart

    found = plan.spending
    if found is None:
        return None
    figure = Figure(
        "spending",
        "Line: expected τ of what the same budget pays with that many runs of a topic."
        + (" Color: levels of the facet." if found.facet is not None else ""),
        "Expected τ by number of runs, for one budget. The table below has the same numbers.",
        lambda size: spending_chart(found, size, plan.noun),
    )
    tables = [_purchases(found), _designs(plan, found)]
    return Section("spending", "Topics or runs", figures=[figure], tables=tables)


def more_runs_section(plan: Plan) -> Section | None:
    """What other numbers of runs bring."""
    if plan.spending is None or plan.spending.runs is None:
        return None
    return Section("runs", "Other numbers of runs", tables=[_more_runs(plan.spending.runs)], details=True)


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


def _more_runs(found: Sequence[MoreRuns]) -> Table:
    columns = (
        Column("Runs of each topic", Text(), "runs"),
        Column("τ, as many new topics", Number(digits=2), "new_topics"),
        Column("τ, the same topics", Number(digits=2), "same_topics", "with these runs in all"),
    )
    rows = [
        ["infinitely many" if one.runs is None else str(one.runs), one.new_topics, one.same_topics]
        for one in found
    ]
    return Table("runs", "What other numbers of runs bring", columns, rows)
