"""How scores were read: what was taken for topics, systems and scores, and which scores are better."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from truerank._support.plain import Written, WrittenAs


@dataclass(frozen=True)
class Reading(Written):
    """What decided how scores were read.

    Attributes:
        topics: where the topics are, such as ``column 'qid'`` or ``the rows``.
        systems: where the systems are.
        scores: where the scores are.
        direction: ``higher is better`` or ``lower is better``.
        doubts: what neither names nor options say, each with the option that decides it.
    """

    topics: str
    systems: str
    scores: str = "the cells"
    direction: str = "higher is better"
    doubts: Annotated[tuple[str, ...], WrittenAs("certain")] = ()

    @property
    def certain(self) -> bool:
        """Whether names or options say all of it; where they do not, a note of the result says so."""
        return not self.doubts

    @property
    def line(self) -> str:
        """All of it in one line."""
        told = f"topics are read from {self.topics}, systems from {self.systems}, scores from {self.scores}"
        # A doubt about the direction names it.
        known = [] if any(self.direction in doubt for doubt in self.doubts) else [self.direction]
        return "; ".join([told, *known, *self.doubts])
