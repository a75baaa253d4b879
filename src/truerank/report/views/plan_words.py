"""A plan in sentences: one answer first, then what else was asked for."""

from __future__ import annotations

import math
from collections.abc import Iterator

from truerank._support.units import Unit
from truerank._support.wording import (
    a_chance,
    impractical,
    level_text,
    listed,
    number,
    percent,
    span,
    topics_text,
    two_digits,
)
from truerank.numerics.error_spending import LooksCost
from truerank.planning import Plan
from truerank.planning.plan_results import Needed, PairPlan
from truerank.report.views.plan_buying import buy_next, levels_listed
from truerank.report.words import symbol

MOST = 5
"""Sentences of an answer."""

DIGITS = 4
"""Of differences, as a gate has them."""

GOALS = {"first": "winner"}
"""Goals that are called otherwise among the targets."""

WIDE = 10
"""The largest interval, as a ratio, of which a number in the middle says something."""

_DIFFER = "depending on how much systems truly differ"
DEPENDS = {
    "tau": _DIFFER,
    "tau_ap": _DIFFER,
    "width": _DIFFER,
    "winner": "depending on how far the best one is truly ahead",
    "relative": _DIFFER,
    "absolute": _DIFFER,
}
"""What a number of topics depends on."""

TARGETS = {
    "width": "width of the interval",
    "winner": "best system first",
    "pair": "power for the pair",
    "relative": "Eρ²",
    "absolute": "Φ",
}
"""Targets that are not coefficients, as tables name them."""


def unit(plan: Plan) -> Unit:
    """What is counted; tables name it with the data set that it is of."""
    return plan.sampled if plan.unit == "topic per data set" else plan.counted


def units(plan: Plan) -> str:
    """The same in the plural."""
    return unit(plan).many


def sentences(plan: Plan) -> Iterator[str]:
    """The answer to each question, the one number for all that was asked, and what the machine is worth."""
    more = [] if plan.looks is None else [_looks(plan, plan.looks)]
    more += [] if plan.spending is None else list(buy_next(plan))
    targets = list(_targets(plan))
    room = MOST - len(more) - (len(targets) > 1 and plan.asked)
    if sum(map(len, targets)) > room:  # the table has what is left out here
        targets = [said[:1] for said in targets]
    if len(targets) > room:
        targets = [*targets[: room - 1], [f"The table has {len(targets) - room + 1} more targets."]]
    yield from dict.fromkeys(text for said in targets for text in said)
    yield from _together(plan)
    yield from more


def _targets(plan: Plan) -> Iterator[list[str]]:
    """What is said of each target, the number of topics first."""
    lows = {(one.what, one.target): one for one in plan.needed if one.criterion == "low" and plan.asked}
    for one in (one for one in plan.needed if one.criterion == "expected"):
        low = lows.get((one.what, one.target))
        assured = [] if low is None else [_assured(plan, low)]
        yield [_line(plan, one), *assured, *_without_machine(plan, one)]
    if plan.pair is not None:
        yield [_pair(plan, plan.pair)]


def _line(plan: Plan, one: Needed) -> str:
    """``Order as a whole (τ = 0.9): you need about 100 topics (95% interval 70 to 160); 50 put …``"""
    what, counted = _goal(plan, one), units(plan)
    if math.isinf(one.topics):
        out = f"{what}: out of reach with {at_levels(plan)}"
        if plan.ceiling is not None and one.what == plan.coefficient:
            digits = next((d for d in range(2, 9) if _up(plan.ceiling, d) < one.target), 2)
            most = f"{_up(plan.ceiling, digits):.{digits}f}"
            ends = span(*plan.ceiling_interval, 2) if plan.ceiling_interval is not None else ""
            level = level_text(plan.settings.level)
            out += f", where {symbol(one.what)} is expected at {most} at most ({level} interval {ends})"
        elif not plan.levels:
            return f"{what}: you need {impractical(counted)}."
        return f"{out}, however many {counted} there are."
    each = f" in each of {plan.data_sets} data sets" if plan.unit == "topic per data set" else ""
    beside = ""
    if plan.machine is not None and one.topics < plan.machine.machine_topics:
        beside = f" beside {plan.machine.machine_topics:,} judged by the machine"
    or_fewer = " or fewer" if one.topics == plan.settings.fewest and not plan.extend else ""
    by_ranking = one.what not in ("relative", "absolute") and plan.unit in ("topic", "human topic")
    new = "new " if plan.pilot_topics and not plan.extend and by_ranking else ""
    topics = f"{topics_text(one.topics)} {new}{counted}"
    count = f"{topics}{each}{or_fewer}{_with_pilots(plan)}"
    added = max(two_digits(one.topics) - plan.pilot_topics, 0)
    more = f", {added:,} more than you have" if plan.extend and added else ""
    needs = f"you need about {count}{_between(plan, one)}{beside}{more}"
    if one.high > WIDE * one.low:  # a number in the middle would say nothing
        rest = f"{new}{counted}{each}{_with_pilots(plan)}"
        ends = f"from {topics_text(one.low)} to {topics_text(one.high)} {rest}{beside}"
        level, middle = level_text(plan.settings.level), topics_text(one.topics)
        needs = f"you need {ends} ({level} interval, about {middle} in the middle), {DEPENDS[one.what]}"
    if _reached(plan, one):
        needs = f"your {count}{beside} already reach it{_between(plan, one)}"
    return f"{what}: {needs}{_because(plan, one, new)}."


def _up(value: float, digits: int) -> float:
    """Rounded up."""
    return round(math.ceil(round(value * 10**digits, 9)) / 10**digits, digits)


def _reached(plan: Plan, one: Needed) -> bool:
    """Whether a pilot that is extended is expected to reach it as it is."""
    return plan.extend and one.what not in ("relative", "absolute") and one.topics <= plan.pilot_topics


def at_levels(plan: Plan) -> str:
    """The levels of facets that numbers of topics rest on: those of the pilot."""
    return levels_listed(plan.levels or {})


def _with_pilots(plan: Plan) -> str:
    """The levels or the runs that a number of topics rests on: those of the pilot."""
    if plan.fixed_levels:
        return f" with these {levels_listed(plan.fixed_levels)}"
    if plan.levels:
        return f" with {at_levels(plan)}"
    if plan.runs is None or round(plan.runs, 1) == 1:
        return ""
    return f" with {number(plan.runs, 0 if round(plan.runs, 1) == round(plan.runs) else 1)} runs each"


def _goal(plan: Plan, one: Needed) -> str:
    """What is to be reached, as the heading of a sentence."""
    if one.what == "width":
        return f"Interval of {symbol(plan.coefficient)} no wider than {one.target:g}"
    if one.what == "winner":
        places = _places(plan)
        return "First place" if places == 1 else f"First {places} places in order"
    if one.what in ("relative", "absolute"):
        of = "differences between systems" if one.what == "relative" else "the scores themselves"
        return f"Generalizability theory, {of} ({TARGETS[one.what]} = {one.target:g})"
    what = "Order as a whole" if one.what == "tau" else "Order, the top weighing more"
    return f"{what} ({symbol(one.what)} = {one.target:g})"


def _places(plan: Plan) -> int:
    return next((one.places for one in plan.goals if one.places is not None), 1)


def _because(plan: Plan, one: Needed, new: str) -> str:
    """What as many topics as the pilot has reach; nothing of targets that need no reason."""
    goal = next((g for g in plan.goals if GOALS.get(g.goal, g.goal) == one.what), None)
    if goal is None:
        return ""
    now = "; they put" if _reached(plan, one) else f"; {plan.pilot_topics:,} {new and 'new ones '}put"
    if plan.unit == "topic per data set":  # their number in all would be another unit than the one needed
        now = "; as many new ones in each as now put"
    if one.what == "tau":
        wanted, does = f"{round(_in_order(one.target), 1):g}", "of 100 pairs in the right order"
        if goal.reached is None:
            return f"; they put {wanted} {does}"
        pairs = _in_order(goal.reached)
        near = abs(pairs - _in_order(one.target)) < 1  # whole numbers might not differ
        return f"{now} {number(pairs, int(near))} {does}, and τ = {one.target:g} takes {wanted}"
    if one.what == "winner":
        wanted = percent(one.target)
        does = "the best system first" if goal.places == 1 else f"the best {goal.places} first, in order,"
        if goal.reached is None:
            return f"; they put {does} with {wanted} probability"
        return f"{now} {does} with {percent(goal.reached)} probability, and the target is {wanted}"
    return "" if goal.reached is None else f"{now.removesuffix('put')}reach {number(goal.reached, 2)}"


def _in_order(tau: float) -> float:
    """Pairs in the right order, of a hundred."""
    return 50 * (1 + tau)


def _assured(plan: Plan, low: Needed) -> str:
    chance = level_text(round((1 + plan.settings.level) / 2, 12))
    if math.isinf(low.topics):
        return f"Reaching it with {chance} probability needs {impractical(units(plan))}."
    return (
        f"Reaching it with {chance} probability (one-sided) takes about "
        f"{topics_text(low.topics)}{_between(plan, low)}."
    )


def _between(plan: Plan, one: Needed) -> str:
    if one.low == one.high or math.isnan(one.low):
        return ""
    low = topics_text(one.low)
    high = topics_text(one.high)
    return f" ({level_text(plan.settings.level)} interval {low} to {high})"


def _together(plan: Plan) -> Iterator[str]:
    """The largest of several numbers that were asked for, and what needs it."""
    one = plan.together
    if one is None:
        return
    if one.what == "pair" and plan.pair is not None:
        what = listed(plan.pair.systems)
    else:
        what = f"the {_goal(plan, one)[0].lower()}{_goal(plan, one)[1:]}"
    if math.isinf(one.topics):
        yield f"One number for all: {impractical(units(plan))} ({what})."
    else:
        yield f"One number for all: about {topics_text(one.topics)} {units(plan)}, for {what}."


def _without_machine(plan: Plan, one: Needed) -> Iterator[str]:
    """How many topics that takes without the machine: by all scores, or by people's where only these say."""
    if plan.machine is None or math.isinf(one.topics) or one.what in ("relative", "absolute"):
        return
    people, without = (
        next((other for other in found or () if (other.what, other.target, other.criterion) == key), None)
        for found in (plan.people_alone, plan.without_machine)
        for key in [(one.what, one.target, one.criterion)]
    )
    assert people is not None
    by_people = f"{topics_text(people.topics)}{_between(plan, people)} by people’s scores alone"
    if one.topics >= plan.machine.machine_topics:
        yield (
            f"The machine judges {plan.machine.machine_topics:,} {plan.sampled.many}, and adds nothing to "
            "that many; --machine-topics plans for more."
        )
        yield f"It takes about {by_people}."
    elif without is None:
        yield f"Without the machine it takes about {by_people}."
    else:
        or_fewer = " or fewer" if one.topics == plan.settings.fewest else ""
        yield (
            f"Without the machine it takes about {topics_text(without.topics)} new {plan.sampled.many}"
            f"{or_fewer}{_between(plan, without)}."
        )


def _pair(plan: Plan, pair: PairPlan) -> str:
    """The topics at which a gate decides between two, or a t-test finds a difference of a given size."""
    one, two = pair.needed, listed(pair.systems)
    counted = units(plan)
    who = two if plan.asked else f"The two best, {two}"
    if pair.margin is not None:
        kind = "t-test" if plan.settings.pairs_alike is not None else "paired t-test"
        test = f"a {kind} at {pair.alpha:g} to find a true difference of {pair.margin:g}"
        count = f"you need about {topics_text(one.topics)} {counted}{_between(plan, one)}"
        if math.isinf(one.topics):
            count = f"you need {impractical(counted)}"
        return f"{who}: {count} for {test} with probability {pair.power:g}."
    difference, deviation = (number(size, DIGITS) for size in (abs(pair.difference), pair.deviation))
    single = plan.sampled.one if plan.machine is not None else unit(plan).one
    spread = f"with a standard deviation of {deviation} from {single} to {single}."
    if pair.decided:
        better = pair.systems[0] if pair.difference > 0 else pair.systems[1]
        return (
            f"{who}: a gate on your {one.topics:,.0f} {counted} decides that {better} is better, by "
            f"{difference}, {spread}"
        )
    apart = f"they differ by {difference}, {spread}"
    if math.isinf(one.topics):
        return f"{who}: you need {impractical(counted)}; {apart}"
    chance = f"{a_chance(pair.power)} of a {level_text(1 - pair.alpha)} verdict"
    ends = f"10% with {topics_text(one.low)}, 90% with {topics_text(one.high)}"
    return f"{who}: you need about {topics_text(one.topics)} {counted} in all for {chance} ({ends}); {apart}"


def _looks(plan: Plan, found: LooksCost) -> str:
    """What planned looks cost beside a single one."""
    looks = listed([f"{n:,}" for n in found.looks], 8)
    more = found.looks[-1] - found.one_look
    return (
        f"A gate that looks at {looks} {plan.sampled.many} is worth one look at {found.one_look:,.0f}: it "
        f"costs {more:,.0f} {plan.sampled.many} at most. It takes {found.expected:,.0f} on average where its "
        f"power is {found.power:g}."
    )


def target_text(one: Needed) -> str:
    """What is to be reached, as a cell of a table."""
    return f"{TARGETS.get(one.what) or symbol(one.what)} {'≤' if one.what == 'width' else '='} {one.target:g}"


def criterion_text(plan: Plan, one: Needed) -> str:
    """By what it is to be reached, as a cell of a table."""
    if one.criterion == "expected":
        return "the expectation"
    return f"{level_text(round((1 + plan.settings.level) / 2, 12))} probability"
