"""What a sentence calls the unit that is sampled: a topic, a question, a data set, an arena's prompt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from truerank._support.wording import plural

Noun = Literal["topic", "question", "data set", "prompt", "voter", "battle"]


@dataclass(frozen=True)
class Unit:
    """What is counted, in words: one of it, and several."""

    one: str
    many: str

    @classmethod
    def of(cls, one: str) -> Unit:
        return cls(one, plural(one))

    def kind(self, name: str) -> Unit:
        """A kind of unit by its name, in which ``topic`` stands for this unit, such as ``human topic``."""
        return Unit.of(name.replace("topic", self.one))

    @property
    def words(self) -> dict[str, str]:
        """What stands for ``{topic}``, ``{topics}``, ``{Topic}`` and ``{Topics}`` in declared texts."""
        return {
            "topic": self.one,
            "topics": self.many,
            "Topic": self.one.capitalize(),
            "Topics": self.many.capitalize(),
        }

    def fill(self, text: str, **words: str) -> str:
        """A declared text with these words and those for the unit in its braces; LaTeX keeps its own."""
        for name, word in (self.words | words).items():
            text = text.replace(f"{{{name}}}", word)
        return text

    def count(self, number: int) -> str:
        return f"{number:,} {self.one if number == 1 else self.many}"


TOPIC = Unit("topic", "topics")
