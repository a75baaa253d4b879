"""What the report calls things: coefficients, scores, what they are of; and the templates that say so."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from truerank._support import words
from truerank._support.escaping import printable
from truerank._support.units import Noun
from truerank._support.wording import level_text, listed, plural
from truerank.coefficients import COEFFICIENTS
from truerank.reliability.means import AGGREGATES

if TYPE_CHECKING:
    from truerank.reliability.results import Assessment
    from truerank.reliability.settings import Settings
    from truerank.repeats import Facets


class Words:
    """The blocks of a template, `report/words/*.j2`, with facts that all of them share."""

    def __init__(self, file: str, **facts: Any) -> None:
        self.file, self.facts = f"{file}.j2", facts

    def all(self, block: str, **facts: Any) -> list[str]:
        """The sentences of a block; those that say nothing are left out."""
        _filters()
        return words.sentences(self.file, block, self.facts | facts)

    def __call__(self, block: str, **facts: Any) -> str:
        return " ".join(self.all(block, **facts))


@cache
def _filters() -> None:
    own = (symbol, levels_of, levels_counted, in_words, style_words, at_equal, money)
    words.environment().filters.update({item.__name__: item for item in own})


def style_words(names: Sequence[str]) -> str:
    """Covariates that strengths are freed of: ``length``, or ``style`` where they are many."""
    return listed(list(map(printable, names))) if len(names) < 3 else "style"


def at_equal(names: Sequence[str] | None) -> str:
    """At which equal style strengths are: `` at equal length``; empty without covariates."""
    return f" at equal {style_words(names)}" if names else ""


_SYMBOL = re.compile(r"(?<!\w)(τ|ρ|d)_(AP|rank|a|b|τ)(?!\w)|Eρ²")


def with_symbols(text: str, plain: Callable[[str], str], symbol: Callable[[str, str], str]) -> str:
    """A text with its symbols set by `symbol` (base and index), and what is between them by `plain`."""
    made, end = [], 0
    for match in _SYMBOL.finditer(text):
        made.append(plain(text[end : match.start()]))
        made.append(symbol(match[1] or match[0], match[2] or ""))
        end = match.end()
    return "".join([*made, plain(text[end:])])


def difference_interval(settings: Settings) -> str:
    """What the interval of a difference to the baseline is called: simultaneous with the guarantee."""
    together = "simultaneous " if settings.guarantee else ""
    return f"{level_text(settings.levels[0])} {together}interval"


def symbol(coefficient: str) -> str:
    match = COEFFICIENTS.get(coefficient)
    return match.label if match else printable(coefficient)


def one_score_each(assessment: Assessment) -> bool:
    """Whether each of several data sets has one score of each system: no topics to speak of."""
    return assessment.noun == "data set"


def levels_of(name: str) -> str:
    """What the levels of a facet are called, by its column: ``templates``, ``prompts`` for ``prompt_id``."""
    return plural(in_words(name))


def levels_counted(name: str, facets: Facets) -> str:
    levels = levels_of(name)
    return f"{len(facets.levels[facets.names.index(name)])} {levels}"


def money(value: float) -> str:
    return f"{value:,.2f}".removesuffix(".00")


def in_words(facet: str) -> str:
    """The column of a facet as a word of a sentence."""
    return printable(facet).removesuffix("_id").replace("_", " ")


def score_word(assessment: Assessment) -> str:
    """What a system's score is called: ``mean``, ``points``, ``win rate``."""
    scale = assessment.scores.kind.scale
    if scale is not None:
        return "Elo" if scale == "elo" else "strength"
    name = assessment.settings.aggregate
    return AGGREGATES[name].score if name in AGGREGATES else "mean"


def score_title(assessment: Assessment) -> str:
    """What an axis of scores is called: ``mean AP``, ``points``."""
    word = score_word(assessment)
    return word if word != "mean" else f"mean {printable(assessment.measure) or 'score'}"


OUTSIDE: dict[Noun, str] = {
    "topic": "another document collection, other relevance judgments or another measure",
    "question": "other kinds of questions, another judge or another measure",
    "data set": "other kinds of data sets or another measure",
    "prompt": "other kinds of prompts, other users or other matchmaking",
    "voter": "other kinds of users, other prompts or other matchmaking",
    "battle": "other kinds of prompts, other users or other matchmaking",
}
"""What numbers say nothing about, by what is sampled."""
