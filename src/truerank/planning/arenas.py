"""Arenas: more prompts, or more battles on each? By what battles, prompts and voters add to the noise."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from truerank._support.types import Fraction, OrNaN
from truerank.errors import InputError
from truerank.planning.beliefs import Beliefs
from truerank.planning.spending import named_prices
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
        cost: of prompts and battles; null where no costs were given.
        estimate: τ expected of as many prompts as the pilot has.
    """

    battles_each: int
    prompts: int | None
    battles: int | None
    voters: int | None
    cost: OrNaN
    estimate: float


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
    """

    battles_each: float
    share_prompts: Fraction
    enough: OrNaN
    cheapest: OrNaN
    designs: tuple[ArenaDesign, ...]


def arena_plan(
    beliefs: Beliefs, noise: ArenaNoise, each: float, needed: float, costs: Costs | None
) -> ArenaPlan:
    """What other numbers of battles a prompt would ask for.

    Args:
        beliefs: after the pilot.
        noise: of the pilot.
        each: effective prompts a prompt of the pilot's kind.
        needed: prompts of the pilot's kind for the first target; infinite where none are enough, or asked.
        costs: of prompts and battles.
    """
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
        battles = None if prompts is None else prompts * k
        voters = None
        if noise.votes is not None and battles is not None:
            voters = max(1, math.ceil(battles / noise.votes))
        cost = math.nan
        if costs is not None and prompts is not None and battles is not None:
            cost = costs.prompt * prompts + costs.battle * battles
        estimate = float(1 - 2 * beliefs.wrong(np.array([noise.prompts * each * worth]))[0])
        designs.append(ArenaDesign(k, prompts, battles, voters, cost, estimate))
    share = noise.by_prompt / now if now > 0 else 0.0
    return ArenaPlan(noise.battles_each, min(share, 1.0), noise.enough, cheapest, tuple(designs))
