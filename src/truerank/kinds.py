"""Kinds of scores: plain ones, those beside a machine judge's, and battles. What differs stands here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from truerank.battles import Battles, Scale


@dataclass(frozen=True, eq=False)
class Plain:
    """Scores of systems on topics, by one judge."""

    values: NDArray[np.float64]  # n × m scores
    noun: str  # the unit that is counted
    # systems that only one of two judges judged, and who did not
    left_out: Mapping[str, str] = field(default_factory=dict)
    by_machine: NDArray[np.float64] | None = None  # N × m scores by a machine; None without one
    # whether a system is scored by its cells of the table; those of battles only sum them up
    by_cells: ClassVar[bool] = True
    refusal: ClassVar[str] = ""  # why `{what}` does not take this kind, and what does

    @property
    def units(self) -> int:
        """How many topics there are, or prompts of battles before any were dealt to groups."""
        return len(self.values)

    @property
    def counted(self) -> list[int | None]:
        """How many topics each system has; ``None`` where prompts were dealt to groups."""
        return [*np.count_nonzero(~np.isnan(self.values), axis=0).tolist()]

    @property
    def columns(self) -> NDArray[np.float64]:
        """All scores of each system, one column per system: of both judges where a machine judged, too."""
        return self.values if self.by_machine is None else np.concatenate([self.values, self.by_machine])

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


class BesideMachine(Plain):
    """Scores that people gave, beside a machine's of more topics, which make the human means more exact."""

    refusal = "{what} takes no machine judgments; leave them out, or use {assess}"


@dataclass(frozen=True, eq=False)
class InBattles(Plain):
    """Battles of two systems each, which are ranked by strengths."""

    battles: Battles = field(kw_only=True)
    by_cells = False
    refusal = (
        "these are battles, and {what} takes scores of topics × systems. Rank the systems by their battles "
        "with {assess}, or compare two with a plain truerank gate"
    )
    units = property(lambda self: self.battles.units)
    scale = property(lambda self: self.battles.scale)
    pairs_alike = property(lambda self: self.battles.pairs_alike)
    voters = property(lambda self: self.battles.voters)

    @property
    def counted(self) -> list[int | None]:
        """A group's prompts cannot be counted for each system."""
        return [None] * self.values.shape[1] if self.battles.dealt else super().counted
