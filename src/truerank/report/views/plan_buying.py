"""What to buy next of topics, runs and levels: the sentence of a plan’s answer, and a section."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from truerank._support.arguments import setting
from truerank._support.escaping import printable
from truerank._support.tables import Bounded, Column, Count, Number, Significant, Table, Text
from truerank._support.units import Unit
from truerank._support.wording import count, level_text, listed, number, rough, topics_text, two_digits
from truerank.planning import Plan
from truerank.planning.buying import RUN, TOPIC
from truerank.planning.plan_results import MoreRuns, OneMore, Spending
from truerank.report.sampled import in_words, levels_of
from truerank.report.view import Section


def a_run(plan: Plan) -> str:
    """What one run is, as prices and purchases count it."""
    found = plan.spending
    level = "" if found is None or not found.facets else f" at one level of {listed(found.facets)}"
    return f"all {plan.systems:,} systems once on one {plan.sampled.one}{level}"


def buy_next(plan: Plan) -> Iterator[str]:
    """What one more of brings most, the best number of runs, what a run is, and the best for the budget."""
    found = plan.spending
    assert found is not None
    said = _buy_next(plan, found)
    said = f"{said[:-1]}, a run being {a_run(plan)}." if "run" in said else said
    now = "" if found.assumed else f" What is there now costs {_sum(found.now)} at these prices."
    yield f"{said}{_with_best(plan, found)}{now}"
    if not math.isnan(found.budget):
        yield _for_the_budget(plan, found)


def levels_listed(levels: Mapping[str, int]) -> str:
    """How many levels there are of each facet: ``3 prompts and 1 judge``."""
    return listed([f"{n} {levels_of(name) if n > 1 else in_words(name)}" for name, n in levels.items()])


def _for_the_budget(plan: Plan, found: Spending) -> str:
    """The best of the designs that the budget pays for."""
    best = found.best
    levels = f" at {levels_listed(best.levels)}" if best.levels else ""
    unit = plan.sampled
    topics = Unit.of(f"new {unit.one}").count(best.topics)
    return (
        f"For a budget of {_sum(found.budget)}, {topics}{levels} with {count(best.runs, 'run')} each "
        f"are best, at an expected τ of {number(best.estimate, 2)}."
    )


def _with_best(plan: Plan, found: Spending) -> str:
    """Topics that reach the first target with the best number of runs, by eq. (11)."""
    first = next((one for one in plan.needed if one.what == "tau" and one.criterion == "expected"), None)
    if first is None or plan.runs is None or not math.isfinite(first.topics * found.best_runs):
        return ""
    runs = _best_runs(found)
    if abs(runs - plan.runs) < 0.5 or not math.isfinite(found.ratio):
        return ""
    topics = first.topics * (1 + found.ratio / runs) / (1 + found.ratio / plan.runs)
    each = "1 run" if runs == 1 else f"{runs:,} runs"
    return f" With {each} each, about {topics_text(topics)} {plan.sampled.many} reach τ = {first.target:g}."


def _best_runs(found: Spending) -> int:
    """The best number of runs: of what the budget pays, where there is one, as its table marks it."""
    return max(two_digits(found.best_runs), 1) if math.isnan(found.budget) else found.best.runs


def _buy_next(plan: Plan, found: Spending) -> str:
    names = _goods(plan, found)
    said = [names[one.what] for one in [*found.next[:1], *_as_good(found)]] or [names[TOPIC]]
    bought = f"buy more {' or '.join(said)} next"
    bought = f"If {_assumed(plan, found)}, {bought}" if found.assumed else bought[0].upper() + bought[1:]
    if found.facets:
        return f"{bought}{_second(plan, found)}."
    if math.isinf(found.best_runs):
        return f"{bought}: runs are free, so the more of them the better."
    best = _best_runs(found)
    low, high = (max(two_digits(runs), 1) for runs in (found.best_low, found.best_high))
    spread = (
        ""
        if low == high or not low <= best <= high
        else f" ({level_text(found.level)} interval {low:,} to {high:,})"
    )
    if best == 1:
        return f"{bought}: one run of each {plan.sampled.one} is best{spread}."
    return f"{bought}: about {best:,} runs of each {plan.sampled.one} are best{spread}."


def _goods(plan: Plan, found: Spending) -> dict[str, str]:
    """What can be bought, in the plural."""
    return {TOPIC: plan.sampled.many, RUN: "runs", **{name: levels_of(name) for name in found.facets}}


def _assumed(plan: Plan, found: Spending) -> str:
    """The prices that stand in for those that were not given."""
    free = f", and levels of {listed(found.facets)} nothing" if found.facets else ""
    return f"a {plan.sampled.one} costs as much as one run{free}"


def _second(plan: Plan, found: Spending) -> str:
    """The next best purchase, and how much less it brings for its price."""
    rest = [one for one in found.next[1:] if one not in _as_good(found)]
    if not rest or not math.isfinite(found.next[0].worth[0]):
        return ""
    times = rough(found.next[0].worth[0] / rest[0].worth[0])
    return f"; {_goods(plan, found)[rest[0].what]} come next, and bring {times} times less for their price"


def _as_good(found: Spending) -> list[OneMore]:
    """Purchases that may bring as much for their price as the first one."""
    if not found.next or math.isinf(found.next[0].worth[0]):
        return []
    return [one for one in found.next[1:] if one.worth[2] >= found.next[0].worth[1]]


def _sum(value: float) -> str:
    """A sum in any unit."""
    return f"{value:,.2f}".removesuffix(".00")


def spending_section(plan: Plan) -> Section | None:
    """Purchases, ways to spend the budget, and what other numbers of runs bring."""
    found = plan.spending
    if found is None:
        return None
    title = f"{plan.sampled.many.capitalize()}{', levels' if found.facets else ''} or runs"
    return Section("spending", title, tables=[_purchases(plan, found), _designs(plan, found)])


def more_runs_section(plan: Plan) -> Section | None:
    """What other numbers of runs bring."""
    if plan.spending is None or plan.spending.runs is None:
        return None
    table = _more_runs(plan, plan.spending.runs)
    return Section("runs", "Other numbers of runs", tables=[table], details=True)


def _purchases(plan: Plan, found: Spending) -> Table:
    unit = plan.sampled
    names = {TOPIC: unit.one, RUN: f"run of every {unit.one}"}
    names |= {name: in_words(name) for name in found.facets}
    most = max((one.per_price for one in found.next if math.isfinite(one.per_price)), default=math.nan)
    columns = (
        Column("One more", Text(), "what"),
        Column("Price in all", Number(digits=2), "price", "with all its runs"),
        Column(
            f"Noise removed ({level_text(found.level)} interval)",
            Bounded(digits=3, low="low", high="high"),
            "gain",
            "share of the variance of a difference",
        ),
        Column("Per price", Significant(), "worth", "noise removed for its price, best = 1"),
    )
    rows = []
    for one in found.next:
        ends = (None, None) if one.low == one.high else (one.low, one.high)
        rows.append([names[one.what], one.price, (one.gain, *ends), one.per_price / most])
    note = (
        f"A run: {a_run(plan)}. Price in all: of one more with all its runs. Noise removed: share of the "
        "variance of a difference between systems. Per price: for its price, best = 1."
    )
    note += _ratio(plan, found)
    if found.assumed:
        note += f" Prices are assumed: {_assumed(plan, found)}; {setting('cost')} takes yours."
    return Table("purchases", "What to buy next", columns, rows, note)


def _ratio(plan: Plan, found: Spending) -> str:
    """How many times as much the best purchase brings as the next, where their intervals are apart."""
    if len(found.next) < 2 or _as_good(found) or not math.isfinite(found.next[0].worth[0]):
        return ""
    names = _goods(plan, found)
    best, other = found.next[:2]
    times = rough(best.worth[0] / other.worth[0])
    return f" Money spent on {names[best.what]} does {times} times what it does on {names[other.what]}."


def _designs(plan: Plan, found: Spending) -> Table:
    unasked, best, units = math.isnan(found.budget), found.best, plan.sampled.many
    by_runs = not found.facets or len({one.runs for one in found.designs}) > 1
    columns = [
        (not unasked, Column(units.capitalize(), Count(), "topics")),
        *((True, Column(printable(name), Count(), f"level {name}")) for name in found.facets),
        (by_runs, Column("Runs of each", Count(), "runs")),
        (True, Column("τ (interval)", Bounded(digits=2, low="low", high="high"), "estimate")),
        (not found.assumed, Column("Cost", Number(digits=2), "cost")),
        (not unasked, Column("Best", Text(), "best")),
    ]
    shown = tuple(column for shows, column in columns if shows)
    cells = [
        {f"level {name}": levels for name, levels in one.levels.items()}
        | {**vars(one), "estimate": (one.estimate, one.low, one.high), "best": "best" if one is best else ""}
        for one in found.designs
    ]
    note = f"A run: {a_run(plan)}. Interval: where one such collection will lie."
    others = "levels" if found.facets else "runs"
    caption = f"Ways to spend {_sum(found.budget)} on a new collection from nothing"
    if unasked:
        caption = f"{plan.pilot_topics:,} new {units} with other numbers of {others}"
    return Table(
        "spending",
        caption,
        shown,
        [[cell[column.key] for column in shown] for cell in cells],
        note,
        strong=frozenset(place for place, one in enumerate(found.designs) if one is best and not unasked),
    )


def _more_runs(plan: Plan, found: Sequence[MoreRuns]) -> Table:
    unit = plan.sampled
    columns = (
        Column(f"Runs of each {unit.one}", Text(), "runs"),
        Column(f"τ, as many new {unit.many}", Number(digits=2), "new_topics"),
        Column(f"τ, the same {unit.many}", Number(digits=2), "same_topics", "with these runs in all"),
    )
    rows = [
        ["infinitely many" if one.runs is None else str(one.runs), one.new_topics, one.same_topics]
        for one in found
    ]
    return Table("runs", f"Other numbers of runs, on new {unit.many} and on these", columns, rows)
