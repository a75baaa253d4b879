"""Arenas: more prompts, or more battles on each? By what battles, prompts and voters add to the noise."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from truerank._support.types import Fraction, LeftOut, OrNaN
from truerank.errors import InputError
from truerank.planning.beliefs import Beliefs
from truerank.planning.spending import check_budget, named_prices
from truerank.reliability.arena import ArenaNoise

MULTIPLES = (0.25, 0.5, 1.0, 2.0, 4.0, 10.0)
"""Battles a prompt, over those of the pilot, that are looked at."""


@dataclass(frozen=True)
class Costs:
    """What prompts and battles cost, in one unit.

    Attributes:
        prompt: a new prompt.
        battle: a battle on it: two answers and a vote.
    """

    prompt: float = 0.0
    battle: float = 1.0

    @classmethod
    def of_names(cls, cost: Mapping[str, float], unit: str) -> Costs:
        """Prices by name: ``prompt`` (or ``topic``, or what the unit is called) and ``battle``."""
        known = dict.fromkeys(("prompt", unit, "topic"), "prompt") | {"battle": "battle"}
        return cls(**named_prices(cost, known))

    def __post_init__(self) -> None:
        if not (self.prompt >= 0 and self.battle > 0 and math.isfinite(self.prompt + self.battle)):
            raise InputError(
                f"costs must be 0 or more for a prompt and above 0 for a battle, not {self.prompt:g} and "
                f"{self.battle:g}"
            )


@dataclass(frozen=True)
class ArenaDesign:
    """Prompts, and battles on each, that reach the first target.

    Attributes:
        battles_each: battles a prompt.
        prompts: how many take that τ to the target; null where no number that was looked at is enough.
        battles: in all; null likewise.
        voters: voters who each vote as often as in the pilot; null without voters.
        cost: of the prompts and battles that are bought, without those that an extension has; null where no
            costs were given.
        estimate: τ expected of as many prompts as the pilot has.
        bought: prompts that the budget pays for; left out without one.
        reached: τ expected of these, beside the pilot's where it is extended; left out where it buys none.
    """

    battles_each: int
    prompts: int | None
    battles: int | None
    voters: int | None
    cost: OrNaN
    estimate: float
    bought: LeftOut[int] = None
    reached: LeftOut[float] = None


@dataclass(frozen=True)
class ArenaPlan:
    """Prompts against battles on each.

    Attributes:
        battles_each: battles a prompt of the pilot.
        share_prompts: part of the pilot's noise that more battles on the same prompts would leave.
        enough: battles a prompt beyond which more of them buy less than half of what more prompts do; null
            where prompts themselves add nothing.
        cheapest: battles a prompt that reach any target at the least cost; null without costs.
        designs: one per number of battles a prompt.
        budget: sum to spend on prompts and battles; left out without one.
    """

    battles_each: float
    share_prompts: Fraction
    enough: OrNaN
    cheapest: OrNaN
    designs: tuple[ArenaDesign, ...]
    budget: LeftOut[float] = None

    @property
    def least(self) -> ArenaDesign | None:
        """The design that reaches the target at the least cost; ``None`` where nothing has a cost."""
        priced = [one for one in self.designs if not math.isnan(one.cost)]
        return min(priced, key=lambda one: one.cost, default=None)

    @property
    def best(self) -> ArenaDesign | None:
        """The design with the greatest τ for the budget; ``None`` without a budget."""
        paid = [one for one in self.designs if one.reached is not None]
        return max(paid, key=lambda one: one.reached or -1.0, default=None)


def arena_plan(
    beliefs: Beliefs,
    noise: ArenaNoise,
    each: float,
    needed: float,
    costs: Costs | None,
    budget: float | None = None,
    extend: bool = False,
) -> ArenaPlan:
    """What other numbers of battles a prompt would ask for.

    Args:
        beliefs: after the pilot.
        noise: of the pilot.
        each: effective prompts a prompt of the pilot's kind.
        needed: prompts of the pilot's kind for the first target; infinite where none are enough, or asked.
        costs: of prompts and battles.
        budget: to spend at these costs.
        extend: whether the pilot's prompts are kept, so that only those that are added cost something.

    Raises:
        InputError: a budget that is none, or pays for no prompt.
    """
    check_budget(budget)
    if budget is not None and costs is not None and budget < costs.prompt + costs.battle:
        raise InputError(
            f"a budget of {budget:g} does not pay for one prompt with one battle, which cost "
            f"{costs.prompt + costs.battle:g}; give more"
        )
    now = noise.of_prompt(noise.battles_each)
    cheapest = math.nan
    if costs is not None and noise.by_prompt > 0:
        # The minimum over k of (C_t + C_b k)(A/k + B), docs/methods/preferences.md (11).
        cheapest = math.sqrt(costs.prompt * noise.by_battle / (costs.battle * noise.by_prompt))
        cheapest = max(cheapest, 1.0)
    sizes = {max(1, round(noise.battles_each * multiple)) for multiple in MULTIPLES}
    if not math.isnan(cheapest):
        sizes.add(round(cheapest))
    designs = []
    for k in sorted(sizes):
        worth = now / noise.of_prompt(k)
        prompts = math.ceil(needed / worth - 1e-9) if math.isfinite(needed) else None
        prompts = None if prompts is None else max(prompts, 1)
        if extend and prompts is not None:  # of which the pilot's are there
            prompts = max(math.ceil((needed - noise.prompts) / worth - 1e-9), 0) + noise.prompts
        added = None if prompts is None else prompts - noise.prompts if extend else prompts
        battles = None if added is None else added * k
        if battles is not None and extend:
            battles += round(noise.prompts * noise.battles_each)
        voters = None
        if noise.votes is not None and battles is not None:
            voters = max(1, math.ceil(battles / noise.votes))
        cost = math.nan
        if costs is not None and added is not None:
            cost = added * (costs.prompt + costs.battle * k)
        bought = reached = None
        if costs is not None and budget is not None:
            bought = int(budget / (costs.prompt + costs.battle * k) + 1e-9)
            if bought >= 1 or extend:
                more = bought * each * worth
                wrong = beliefs.wrong_by_extension([more]) if extend else beliefs.wrong(np.array([more]))
                reached = float(1 - 2 * wrong[0])
        estimate = float(1 - 2 * beliefs.wrong(np.array([noise.prompts * each * worth]))[0])
        designs.append(ArenaDesign(k, prompts, battles, voters, cost, estimate, bought, reached))
    return ArenaPlan(
        noise.battles_each, min(noise.share_prompts, 1.0), noise.enough, cheapest, tuple(designs), budget
    )
