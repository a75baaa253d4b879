"""How scores were read: the source, the columns of topics, systems and scores, and the direction."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

from truerank._support.plain import Written, WrittenAs
from truerank._support.wording import listed


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
        """Whether names or options decide all of it; otherwise a note of the result says what was assumed."""
        return not self.doubts

    @property
    def line(self) -> str:
        """All of it in one line."""
        told = f"topics are read from {self.topics}, systems from {self.systems}, scores from {self.scores}"
        # A doubt about the direction names it.
        known = [] if any(self.direction in doubt for doubt in self.doubts) else [self.direction]
        return "; ".join([told, *known, *self.doubts])

    def beside(self, others: Mapping[str, Reading]) -> Reading:
        """One reading of the scores by several measures, which says per measure what differs."""
        each = [one.direction for one in others.values()]
        scores = list(dict.fromkeys(one.scores for one in others.values()))
        if len({*each}) > 1:
            ways = {
                way: listed([name for name, one in others.items() if one.direction == way]) for way in each
            }
            told = "; ".join(f"{way} by {names}" for way, names in ways.items())
        else:
            told = self.direction
        return replace(self, scores=listed(scores), direction=told)


@dataclass(frozen=True)
class Origin:
    """Where scores stand in their file; known while they are read, and dropped afterwards.

    Attributes:
        where: where they come from, as the start of a message.
        place: where the score of topic t and system s is, or should be, as the start of a message; without
            it, `where`.
        lower_is_better: whether the format says so of the measure.
        weights: what each data set counts, by name; None where nothing says it.
        families: the family of each data set, by name; None where nothing says it.
        records: makes the records that the scores are of, of these topics and systems.
    """

    where: str
    place: Callable[[int, int], str] | None = None
    lower_is_better: bool = False
    weights: Mapping[str, float] | None = None
    families: Mapping[str, str] | None = None
    records: Callable[[], Any] | None = None

    def at(self, topic: int, system: int) -> str:
        """Where a score is."""
        return self.where if self.place is None else self.place(topic, system)

    def rows(self, topics: Sequence[int]) -> Origin:
        """Those of some topics, or in another order."""
        return replace(self, place=lambda t, s: self.at(topics[t], s), records=self._some(topics=topics))

    def columns(self, systems: Sequence[int]) -> Origin:
        """Those of some systems, or in another order."""
        return replace(self, place=lambda t, s: self.at(t, systems[s]), records=self._some(systems=systems))

    def _some(self, **kept: Sequence[int]) -> Callable[[], Any] | None:
        made = self.records
        return None if made is None else lambda: made().some(**kept)
