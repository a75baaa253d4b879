"""What the battles between two systems alone say, as a gate shows it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from truerank._support.tables import Bounded, Column, Count, Number
from truerank._support.types import Fraction, OrNaN

Scale = Literal["logit", "elo", "share"]
"""What differences are in: strengths, in logits or Elo points, or shares of direct battles won."""

BEYOND_CHANCE = 3.0
"""Standard errors from which the two disagree: on consistent battles 2 are reached in up to 10%."""


@dataclass(frozen=True)
class Direct:
    """What the battles between two systems alone say, beside the whole graph.

    Attributes:
        battles: how many there are.
        prompts: on how many prompts (voters).
        share: the candidate's share of wins in them, a tie as half a win; null without battles.
        low: what its true share is above at the gate's level (one-sided), this candidate by itself; null with
            fewer than three prompts.
        high: what it is below; null in the same cases.
        expected: the share that the strengths of the whole graph expect.
        disagreement: logit of the share less the difference of strengths, in standard errors; null with
            fewer than six battles, and where one of the two won all.
    """

    battles: Annotated[int, Column("Direct battles", Count())]
    prompts: Annotated[int, Column("Prompts", Count())]
    share: Annotated[OrNaN, Column("Won ({level})", Bounded(low="low", high="high", digits=3))]
    low: OrNaN
    high: OrNaN
    expected: Annotated[Fraction, Column("Expected", Number())]
    disagreement: Annotated[OrNaN, Column("Disagreement", Number(digits=1, sign=True))]

    @property
    def disagrees(self) -> bool:
        """Whether direct battles and the whole graph disagree beyond chance."""
        return abs(self.disagreement) > BEYOND_CHANCE
