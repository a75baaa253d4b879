"""Sentences for terminals of 60 columns and more, without colour where there is no terminal."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.measure import Measurement
from rich.text import Text

from truerank._support.escaping import terminal as printable
from truerank.report.lettering import wrapped

__all__ = ["NARROWEST", "UNBROKEN", "Sentence", "console", "longest_word", "printable", "unbroken"]

NARROWEST = 60
"""Columns that every table fits; a narrower terminal wraps lines, but no digit is cut off."""


def console() -> Console:
    """Standard output: 80 columns where it is no terminal, no markup, no guessing at numbers."""
    out = _Output(highlight=False, markup=False, emoji=False)
    out.width = max(out.width, NARROWEST)
    return out


class _Output(Console):
    """A console whose sentences never break inside a name, or between a number and its sign or unit."""

    def print(self, *objects: Any, **options: Any) -> None:
        if not options.get("soft_wrap"):
            texts = [Text(one) if isinstance(one, str) else one for one in objects]
            objects = tuple(Sentence(one) if isinstance(one, Text) else one for one in texts)
        super().print(*objects, **options)


@dataclass(frozen=True)
class Sentence:
    """A text in lines that end at spaces, but at none inside of a number with what belongs to it.

    Attributes:
        text: to be printed.
        whole: whether a word that is wider than a line goes on in the next one, as formulas do; else it is
            taken for a name, and shortened in the middle.
    """

    text: Text
    whole: bool = False

    def __str__(self) -> str:
        return self.text.plain

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for paragraph in unbroken(self.text.plain).split("\n"):
            if self.whole:
                lines = [line.plain for line in Text(paragraph).wrap(console, options.max_width)]
            else:
                lines = wrapped(paragraph, options.max_width, cell_len)
            for line in lines:
                yield Text(line.replace(UNBROKEN, " ").rstrip(), style=self.text.style)

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        return Measurement(longest_word(self.text.plain), cell_len(self.text.plain))


UNBROKEN = "\ue0d2"
"""Stands for a space at which no line ends: a character for private use, as wide as one."""

_COUNTED = (
    "topics?|systems?|pairs?|draws|data sets?|columns|(?:re)?samples|permutations|trials|comparisons|tiers?"
)

_TOGETHER = re.compile(
    r" (?=[=<>≤≥≈±×→](?: |[\d.−+∞]))|(?<= [=<>≤≥≈±×→]) (?=\S)"
    # The two ends of an interval, and degrees of freedom.
    r"|(?<=[\d%∞]) (?=to [−+]?[\d.∞])|(?<=[\d%∞] to) (?=[−+]?[\d.∞])|(?<=\d,) (?=[−-]?[\d.]+\))"
    r"|(?<=\d) (?=(?:mm|ms|s|min|h|kB|MB|GB|%)(?!\w))"
    rf"|(?<=\d) (?=(?:{_COUNTED})\b)|(?<=%) (?=interval)|(?<=[↑↓]) (?=\S)"
    r"|(?<=\b(?:rank|seed|tier)) (?=\d)|(?<=\blevel) (?=\d)|(?<=\bmargin) (?=\d)|(?<=\btruerank) (?=\d)"
)


def unbroken(text: str) -> str:
    """The text with spaces that no line may end at where one would tear a number from what it belongs to.

    >>> unbroken("mean τ = 0.95 (0.79 to 1.00) on 40 topics by 2 s").replace(UNBROKEN, "~")
    'mean τ~=~0.95 (0.79~to~1.00) on 40~topics by 2~s'
    """
    return _TOGETHER.sub(UNBROKEN, text)


def longest_word(text: str) -> int:
    """Columns of the longest part that no line ends in.

    >>> longest_word("can’t tell"), longest_word("τ = 0.95")
    (5, 8)
    """
    return max((cell_len(word) for word in re.split(r"[ \n]", unbroken(text))), default=0)
