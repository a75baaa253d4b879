"""Kinds of scores: plain ones, those beside a machine judge's, and battles. What differs stands here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from truerank._support.units import Noun
from truerank.battles import Battles, Scale


class Table(Protocol):
    """The part of a score matrix that kinds use."""

    @property
    def values(self) -> NDArray[np.float64]:
        """n × m scores."""

    @property
    def noun(self) -> Noun:
        """What a topic is called."""

    @property
    def m(self) -> int:
        """How many systems there are."""


class Machine(Protocol):
    """The part of a machine's scores that kinds use."""

    @property
    def values(self) -> NDArray[np.float64]:
        """N × m scores."""

    @property
    def left_out(self) -> Mapping[str, str]:
        """Systems that only one of two judges judged, and who did not."""


@dataclass(frozen=True, eq=False)
class Plain:
    """Scores of systems on topics, by one judge.

    Attributes:
        scores: the table.
        by_cells: whether a system is scored by its cells of the table; those of battles only sum them up.
        refusal: why `{what}` does not take this kind, and what does.
    """

    scores: Table
    by_cells: ClassVar[bool] = True
    refusal: ClassVar[str] = ""

    @property
    def noun(self) -> str:
        """The unit that is counted."""
        return self.scores.noun

    @property
    def units(self) -> int:
        """How many topics there are, or prompts of battles before any were dealt to groups."""
        return len(self.scores.values)

    @property
    def counted(self) -> list[int | None]:
        """How many topics each system has; ``None`` where prompts were dealt to groups."""
        return [*np.count_nonzero(~np.isnan(self.scores.values), axis=0).tolist()]

    @property
    def columns(self) -> NDArray[np.float64]:
        """All scores of each system, one column per system: of both judges where a machine judged, too."""
        return self.scores.values

    @property
    def scale(self) -> Scale | None:
        """The scale of strengths; ``None`` where systems have means."""
        return None

    @property
    def pairs_alike(self) -> bool | None:
        """Whether every pair that met counts alike; ``None`` where none met."""
        return None

    @property
    def voters(self) -> NDArray[np.intp] | None:
        """The voter of each battle; ``None`` where no voters go together."""
        return None

    @property
    def left_out(self) -> Mapping[str, str]:
        """Systems that only one of two judges judged, and who did not."""
        return {}


@dataclass(frozen=True, eq=False)
class BesideMachine(Plain):
    """Scores that people gave, beside a machine's of more topics, which make the human means more exact."""

    machine: Machine
    refusal = "{what} takes no machine judgments; leave them out, or use {assess}"
    columns = property(lambda self: np.concatenate([self.scores.values, self.machine.values]))
    left_out = property(lambda self: self.machine.left_out)


@dataclass(frozen=True, eq=False)
class InBattles(Plain):
    """Battles of two systems each, which are ranked by strengths."""

    battles: Battles
    by_cells = False
    refusal = (
        "these are battles, and {what} takes scores of topics × systems. Rank the systems by their battles "
        "with {assess}, or compare two with a plain truerank gate"
    )
    noun = property(lambda self: self.battles.unit)
    units = property(lambda self: self.battles.units)
    scale = property(lambda self: self.battles.scale)
    pairs_alike = property(lambda self: self.battles.pairs_alike)
    voters = property(lambda self: self.battles.voters)

    @property
    def counted(self) -> list[int | None]:
        """A group's prompts cannot be counted for each system."""
        return [None] * self.scores.m if self.battles.dealt else super().counted
