"""A plan in sentences: one answer first, then what else was asked for."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from truerank._support.units import Unit
from truerank._support.wording import (
    a_chance,
    impractical,
    level_text,
    listed,
    number,
    percent,
    rough,
    topics_text,
    two_digits,
)
from truerank.numerics.error_spending import LooksCost
from truerank.planning import Plan
from truerank.planning.plan_results import Needed, PairPlan
from truerank.report.views.plan_buying import buy_next
from truerank.report.words import symbol

MOST = 5
"""Sentences of an answer."""

TARGETS = {
    "width": "width of the interval",
    "winner": "best system first",
    "pair": "power for the pair",
    "relative": "Eρ²",
    "absolute": "Φ",
}
"""Targets that are no coefficient, as tables name them."""


def unit(plan: Plan) -> Unit:
    """What is counted; tables name it with the data set that it is of."""
    return plan.sampled if plan.unit == "topic per data set" else plan.counted


def units(plan: Plan) -> str:
    """The same in the plural."""
    return unit(plan).many


def sentences(plan: Plan) -> Iterator[str]:
    """The answer for each target, then the pair's, and what the machine is worth."""
    pair = [] if plan.pair is None else [_pair(plan)]
    pair += [] if plan.looks is None else [_looks(plan, plan.looks)]
    pair += list(_arena(plan))
    pair += [] if plan.spending is None else list(buy_next(plan))
    targets = list(_targets(plan))
    room = MOST - len(pair)
    if sum(map(len, targets)) > room:  # the table has what is left out here
        targets = [said[:1] for said in targets]
    if len(targets) > room:
        targets = [*targets[: room - 1], [f"The table has {len(targets) - room + 1} more targets."]]
    for said in targets:
        yield from said
    yield from pair
    if not plan.needed and plan.now is not None:
        yield f"The pilot’s own ranking is expected at {symbol(plan.coefficient)} = {number(plan.now, 2)}."


def _targets(plan: Plan) -> Iterator[list[str]]:
    """What is said of each target, the number of topics first."""
    lows = {(one.what, one.target): one for one in plan.needed if one.criterion == "low"}
    for place, one in enumerate(one for one in plan.needed if one.criterion == "expected"):
        low = lows.get((one.what, one.target))
        assured = [] if low is None else [_assured(plan, low)]
        yield [_expected(plan, one, with_pilot=place == 0), *assured, *_without_machine(plan, one)]


def _expected(plan: Plan, one: Needed, with_pilot: bool) -> str:
    """``A new collection needs about 120 topics (95% interval 80 to 280) for an expected τ of 0.9; …``"""
    if math.isinf(one.topics):
        return f"{_capital(_goal(plan, one))} needs {impractical(units(plan))}."
    have = ""
    if with_pilot and plan.pilot_topics:
        more = max(two_digits(one.topics) - plan.pilot_topics, 0)
        have = f"; you have {plan.pilot_topics:,}"
        if plan.machine is not None and plan.now is not None:
            have += f", whose ranking is expected at {symbol(plan.coefficient)} = {number(plan.now, 2)}"
        have += f", and add {more:,}" if plan.extend else ""
    each = f" in each of {plan.data_sets} data sets" if plan.unit == "topic per data set" else ""
    beside = ""
    if plan.machine is not None and one.topics < plan.machine.machine_topics:
        beside = f" beside {plan.machine.machine_topics:,} judged by the machine"
    or_fewer = " or fewer" if one.topics == plan.settings.fewest and not plan.extend else ""
    new = with_pilot and plan.pilot_topics and not plan.extend and plan.unit in ("topic", "human topic")
    about = "A new collection needs about" if new else "It takes about"
    count = f"{about} {topics_text(one.topics)} {units(plan)}{each}{or_fewer}{beside}{_with_runs(plan)}"
    return f"{count}{_between(plan, one)} for {_goal(plan, one)}{have}."


def _with_runs(plan: Plan) -> str:
    """The runs that a number of topics rests on: those of the pilot."""
    if plan.runs is None or round(plan.runs, 1) == 1:
        return ""
    return f" with {number(plan.runs, 0 if round(plan.runs, 1) == round(plan.runs) else 1)} runs each"


def _goal(plan: Plan, one: Needed) -> str:
    """What is to be reached, as the object of a sentence."""
    if one.what == "width":
        return f"an interval of {symbol(plan.coefficient)} no wider than {one.target:g}"
    if one.what == "winner":
        return f"a probability of {one.target:g} that the truly best system comes first"
    if one.what in ("relative", "absolute"):
        of = "of differences between systems" if one.what == "relative" else "of the scores themselves"
        return f"{TARGETS[one.what]} = {one.target:g} {of} (generalizability theory)"
    return f"an expected {symbol(one.what)} of {one.target:g}"


def _assured(plan: Plan, low: Needed) -> str:
    chance = level_text(round((1 + plan.settings.level) / 2, 12))
    if math.isinf(low.topics):
        return f"Reaching it with {chance} probability needs {impractical(units(plan))}."
    return (
        f"Reaching it with {chance} probability takes about {topics_text(low.topics)}{_between(plan, low)}."
    )


def _between(plan: Plan, one: Needed) -> str:
    if one.low == one.high or math.isnan(one.low):
        return ""
    return f" ({level_text(plan.settings.level)} interval {topics_text(one.low)} to {topics_text(one.high)})"


def _without_machine(plan: Plan, one: Needed) -> Iterator[str]:
    """How many topics that takes without the machine; nothing where it adds nothing."""
    if plan.machine is None or math.isinf(one.topics) or one.what in ("relative", "absolute"):
        return
    if one.topics >= plan.machine.machine_topics:
        yield (
            f"The machine judges {plan.machine.machine_topics:,} {plan.sampled.many}, and adds nothing to "
            "that many; --machine-topics plans for more."
        )
        return
    alone = float(plan.machine.worth(np.array([one.topics]))[0])
    if round(alone) > one.topics:
        yield f"Without the machine it takes about {topics_text(alone)} human {plan.sampled.many}."


def _pair(plan: Plan) -> str:
    pair = plan.pair
    assert pair is not None
    if pair.by_gate:
        return _by_gate(plan, pair)
    counted = units(plan) if plan.machine is not None else plan.sampled.many
    what = f"a true difference of {pair.margin:g}" if pair.margin is not None else "the difference"
    kind = "paired t-test" if plan.arena is None else "t-test"
    test = f"a {kind} at {pair.alpha:g} to find {what} between {listed(pair.systems)}"
    power = f"with probability {pair.power:g}"
    if math.isinf(pair.needed.topics):
        return f"For {test} {power}: {impractical(counted)}."
    takes = f"{topics_text(pair.needed.topics)} {counted}{_between(plan, pair.needed)}"
    return f"It takes about {takes} for {test} {power}."


def _by_gate(plan: Plan, pair: PairPlan) -> str:
    """The topics that a gate names of the pair."""
    one, chance = (
        pair.needed,
        f"{a_chance(pair.power)} that truerank gate decides between {listed(pair.systems)}",
    )
    if math.isinf(one.topics):
        return f"For {chance}: {impractical(plan.sampled.many)}."
    if one.low == one.high:
        return f"These {plan.sampled.many} decide between {listed(pair.systems)}, as truerank gate says."
    ends = f"(10%: {topics_text(one.low)}; 90%: {topics_text(one.high)})"
    return f"It takes about {topics_text(one.topics)} {plan.sampled.many} in all for {chance} {ends}."


def _looks(plan: Plan, found: LooksCost) -> str:
    """What planned looks cost beside a single one."""
    looks = listed([f"{n:,}" for n in found.looks], 8)
    more = found.looks[-1] - found.one_look
    return (
        f"A gate that looks at {looks} {plan.sampled.many} is worth one look at {found.one_look:,.0f}: it "
        f"costs {more:,.0f} {plan.sampled.many} at most. It takes {found.expected:,.0f} on average where its "
        f"power is {found.power:g}."
    )


def _arena(plan: Plan) -> Iterator[str]:
    """Where more battles on the same prompts stop helping, and what costs least."""
    arena = plan.arena
    if arena is None:
        return
    if arena.best is not None and arena.best.reached is not None and arena.budget is not None:
        best, each = arena.best, arena.best.battles_each
        yield (
            f"For a budget of {arena.budget:,.0f}, {best.bought:,} {'more' if plan.extend else 'new'} "
            f"{units(plan)} with {each:,} {'battle' if each == 1 else 'battles'} each are best, at an "
            f"expected τ of {number(best.reached, 2)}."
        )
    if plan.unit == "battle" or math.isnan(arena.enough):
        return
    share = percent(arena.share_prompts)
    least = arena.least
    cheapest = "" if math.isnan(arena.cheapest) else f"; at these costs {rough(arena.cheapest)} are cheapest"
    if least is not None and least.prompts is not None:
        cheapest = (
            f"; at these costs {least.battles_each:,} each are cheapest: about {topics_text(least.prompts)} "
            f"{units(plan)} cost {least.cost:,.0f}"
        )
    yield (
        f"Beyond about {two_digits(arena.enough):,} battles per {plan.unit}, more battles bring less than "
        f"half of what more {units(plan)} bring{cheapest}."
    )
    yield f"However many battles are added on the same {units(plan)}, {share} of the noise remains."


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def target_text(one: Needed) -> str:
    """What is to be reached, as a cell of a table."""
    return f"{TARGETS.get(one.what) or symbol(one.what)} {'≤' if one.what == 'width' else '='} {one.target:g}"


def criterion_text(plan: Plan, one: Needed) -> str:
    """By what it is to be reached, as a cell of a table."""
    if one.criterion == "expected":
        return "the expectation"
    return f"{level_text(round((1 + plan.settings.level) / 2, 12))} probability"
