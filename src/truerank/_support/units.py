"""What a sentence calls the unit that is sampled: a topic, a question, a data set, an arena's prompt."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeVar

from truerank._support.wording import plural

Noun = Literal["topic", "question", "data set", "prompt", "voter", "battle"]


@dataclass(frozen=True)
class Unit:
    """What is counted, in words.

    Attributes:
        one: one of it.
        many: several of it.

    Example:
        >>> Unit.of("family of data sets").count(2), QUESTION.count(1)
        ('2 families of data sets', '1 question')
    """

    one: str
    many: str

    @classmethod
    def of(cls, one: str) -> Unit:
        """The unit of that name."""
        return cls(one, plural(one))

    def kind(self, name: str) -> Unit:
        """A kind of unit by its name, in which ``topic`` stands for this unit: ``human topic``, ``cluster`` …

        >>> QUESTION.kind("topic per data set").many, QUESTION.kind("cluster").many
        ('questions per data set', 'clusters')
        """
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
        """A declared text with these words and those for the unit in its braces; LaTeX keeps its own.

        >>> QUESTION.fill("{Topics} by {score}: $x_{ij}$", score="points")
        'Questions by points: $x_{ij}$'
        """
        for name, word in (self.words | words).items():
            text = text.replace(f"{{{name}}}", word)
        return text

    def count(self, number: int) -> str:
        """So many of it."""
        return f"{number:,} {self.one if number == 1 else self.many}"


TOPIC, QUESTION = Unit("topic", "topics"), Unit("question", "questions")


S = TypeVar("S", bound=str)

_NEVER = (
    r"</?[a-z][^<>]*>",  # tags
    r"TREC topics?",  # of which there are figures, whatever is assessed here
    r"--[\w-]+(?:[ =]\S+)?|\w+=\S+|truerank topics",  # options, arguments and commands
    r"[^\s<>]*/[^\s<>]*|[^\s<>]*[\w-][._]topics?[^\s<>]*|[^\s<>]*topics?[._]\w[^\s<>]*",  # paths
    r"(?<!\w)'[^']*'(?!\w)|\"[^\"]*\"",  # what is quoted
    r"(?:left out|not used)[^:.]*: .*",  # names that a reader lists
)
"""What keeps its topics: it is data, or something to type."""

_SAID = r"\b(?P<first>[Tt])opic(?P<several>s?)\b"


def held(names: Iterable[str]) -> set[str]:
    """Those of the names that say topic themselves: what :func:`in_units` has to spare.

    Example:
        >>> held(["q1", "topic 7"])
        {'topic 7'}
    """
    return {name for name in names if "opic" in name and re.search(_SAID, name)}


def in_units(text: S, noun: Noun, names: Iterable[str] = ()) -> S:
    """A sentence about topics, in the word for the unit that is sampled.

    Args:
        text: a sentence, a heading, or markup; its class is kept.
        noun: the unit, in the singular.
        names: names from the data, which stay as they are.

    Returns:
        The same sentence; options, paths, quotations and names in it are unchanged.

    Example:
        >>> in_units("Topics: 20 topics, of which 'topic 3' is hard; see --topics.", "question")
        "Questions: 20 questions, of which 'topic 3' is hard; see --topics."
        >>> in_units("No topic is like topic 3.", "question", ["topic 3"])
        'No question is like topic 3.'
    """
    if noun == "topic" or "opic" not in text:
        return text
    spared = sorted(held(names), key=len, reverse=True)
    kept = [*(rf"(?<!\w){re.escape(name)}(?!\w)" for name in spared), *_NEVER]

    def said(match: re.Match[str]) -> str:
        if match["first"] is None:
            return match[0]
        word = noun.capitalize() if match["first"] == "T" else noun
        return word + match["several"]

    return type(text)(re.sub("|".join([*kept, _SAID]), said, str(text)))
