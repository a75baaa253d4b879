"""The plan in plain sentences, for terminal, page and JSON alike."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from truerank._support.wording import plural
from truerank.coefficients import COEFFICIENTS

if TYPE_CHECKING:
    from truerank.planning.plan_results import Needed, Plan

STOPPING = (
    "adding topics until something is significant is no plan: whoever looks often enough finds a "
    "difference that is not there; fix the number of topics first"
)
"""A warning that goes with every plan from a pilot."""


def sentences(plan: Plan) -> list[str]:
    """What the plan answers, a sentence or two for each target."""
    found = []
    for one in plan.needed:
        if one.criterion == "expected":
            low = next(
                (n for n in plan.needed if (n.what, n.target, n.criterion) == (one.what, one.target, "low")),
                None,
            )
            found.append(_reached(plan, one, low) + _worth(plan, one))
    if plan.pair is not None:
        found.append(pair_sentence(plan))
    if plan.now is not None:
        label = COEFFICIENTS[plan.coefficient].label
        on = f"{plan.pilot_topics:,} {_plural(plan)}"
        own = f"The pilot’s own ranking, on {on}, is expected at {label} = {plan.now:.2f}"
        new = (
            ""
            if plan.extend
            else (f", given the scores at hand; all else here is about {_plural(plan)} still to be drawn")
        )
        found.append(f"{own}{new}.")
    return found


def _reached(plan: Plan, one: Needed, low: Needed | None) -> str:
    if one.what in COEFFICIENTS:
        label = COEFFICIENTS[one.what].label
        goal = f"to reach {label} = {one.target:g} with the true ranking of {_systems(plan)}"
        goal_short = "to reach that"
    elif one.what == "width":
        label = COEFFICIENTS[plan.coefficient].label
        goal = f"to have {_percent(plan.settings.level)} intervals of {label} no wider than {one.target:g}"
        goal_short = ""
    elif one.what == "winner":
        goal = f"to put the truly best of {_systems(plan)} first with probability {one.target:g}"
        goal_short = ""
    else:
        name = "differences between systems (Eρ²)" if one.what == "relative" else "the scores themselves (Φ)"
        topics = f"{counted(one.topics, plan)}{_between(one, plan)}"
        return f"A stability of {one.target:g} of {name} takes {topics}, by generalizability theory."
    if math.isinf(one.topics):
        return f"No number of {_plural(plan)} up to {plan.settings.most:,} can be expected {goal}."
    size = counted(one.topics, plan)
    subject = "A new collection of"
    if plan.unit == "topic per data set":
        subject = "New topics,"
    elif plan.unit.endswith(("data set", "data sets")):
        subject = "A new sample of"
    if plan.extend:
        more = max(int(one.topics) - plan.pilot_topics, 0)
        subject, size = (
            "The pilot with",
            f"{more:,} more {plan.unit if more == 1 else plural(plan.unit)}, {one.topics:,.0f} in all",
        )
    if plan.machine is not None and one.topics < plan.machine.machine_topics:
        size += f" beside {plan.machine.machine_topics:,} by the machine"
    text = (
        f"{subject} {size}{_between(one, plan)} {'are' if subject == 'New topics,' else 'is'} expected {goal}"
    )
    if low is not None and goal_short:
        chance = _percent((1 + plan.settings.level) / 2)
        if math.isinf(low.topics):
            text += f"; no number up to {plan.settings.most:,} is sure {goal_short} with {chance} probability"
        else:
            topics = f"{counted(low.topics, plan)}{_between(low, plan)}"
            text += f"; {goal_short} with {chance} probability takes {topics}"
    return text + "."


def _worth(plan: Plan, one: Needed) -> str:
    """How many topics that takes without the machine; nothing where there is none, or it adds nothing."""
    if plan.machine is None or math.isinf(one.topics) or one.what in ("relative", "absolute"):
        return ""
    if one.topics >= plan.machine.machine_topics:
        judged = f"{plan.machine.machine_topics:,}"
        return f" The machine adds nothing to that many: it judges {judged}; --machine-topics plans for more."
    alone = float(plan.machine.worth(np.array([one.topics]))[0])
    if round(alone) <= one.topics:
        return ""
    number = f"{math.ceil(alone - 1e-9):,}"
    return f" Without the machine as much is expected of {number} human topics."


def pair_sentence(plan: Plan) -> str:
    """What the plan's pair takes."""
    pair = plan.pair
    assert pair is not None
    unit = plan.unit if plan.machine is not None else "topic"
    first, second = pair.systems
    needed = pair.needed
    what = (
        f"a true difference of {pair.margin:g} between {first} and {second}"
        if pair.margin is not None
        else f"the difference between {first} and {second}"
    )
    test = f"a paired t-test at {pair.alpha:g} finds {what} with probability {pair.power:g}"
    if math.isinf(needed.topics):
        reason = "" if pair.margin is not None else ": it may be too small, or the other way round"
        return f"No number of topics can be expected to be enough until {test}{reason}."
    return f"{_capital(test)} on {count(needed.topics, unit)}{_between(needed, plan)}."


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def count(topics: float, unit: str = "topic") -> str:
    """A number of topics in words."""
    if math.isinf(topics):
        return f"more {plural(unit)} than any"
    return f"{topics:,.0f} {unit if topics == 1 else plural(unit)}"


def counted(number: float, plan: Plan) -> str:
    """A number of what the plan counts, in words."""
    if math.isinf(number):
        return "more than any number"
    if plan.unit == "topic per data set":
        return f"{number:,.0f} in each of the {plan.data_sets} data sets"
    or_fewer = " or fewer" if number == plan.settings.fewest and not plan.extend else ""
    return f"{number:,.0f} {plan.unit if number == 1 else plural(plan.unit)}{or_fewer}"


def _between(one: Needed, plan: Plan) -> str:
    if one.low == one.high:
        return ""
    return f" ({_percent(plan.settings.level)} interval {span(one)})"


def span(one: Needed) -> str:
    """The ends of the interval of a number of topics."""
    ends = [f"{end:,.0f}" if math.isfinite(end) else "∞" for end in (one.low, one.high)]
    return f"{ends[0]} to {ends[1]}"


def _systems(plan: Plan) -> str:
    by = f" by {plan.measure}" if plan.measure else ""
    kind = {"pilot": f"these {plan.systems} systems", "model": f"the model’s {plan.systems} systems"}
    return kind.get(plan.settings.basis, f"{plan.systems} systems like those of most collections") + by


def _plural(plan: Plan) -> str:
    return "topics" if plan.unit == "topic per data set" else plural(plan.unit)


def _percent(level: float) -> str:
    return f"{100 * level:g}%"
