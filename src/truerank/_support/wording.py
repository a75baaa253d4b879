"""The turns of phrase that notes, warnings and messages share."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence


def count(number: int, noun: str) -> str:
    """`1 topic`, `2 topics`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def plural(unit: str) -> str:
    """Several of what is counted.

    >>> plural("topic"), plural("data set"), plural("family of data sets"), plural("topic per data set")
    ('topics', 'data sets', 'families of data sets', 'topics per data set')
    """
    head, *rest = re.split(r"(?= of | per )", unit, maxsplit=1)
    several = f"{head[:-1]}ies" if head.endswith("y") else f"{head}s"
    return "".join([several, *rest])


MOST_TOPICS = 1_000_000
"""More topics than this are not practical: no number beyond it is computed, printed or written."""


def impractical(units: str = "topics") -> str:
    """What is said instead of a number of topics beyond :data:`MOST_TOPICS`.

    >>> impractical()
    'more than a million topics: this is not practical'
    """
    return f"more than a million {units}: this is not practical"


def topics_text(topics: float) -> str:
    """A number of topics where there is room for nothing else.

    >>> topics_text(1234), topics_text(math.inf)
    ('1,234', 'more than a million')
    """
    return f"{topics:,.0f}" if topics <= MOST_TOPICS else "more than a million"


def few(names: Sequence[str], most: int = 3) -> str:
    """The first names, on one line whatever is in them, and dots when there are more."""
    return ", ".join(" ".join(name.split()) for name in names[:most]) + (", …" if len(names) > most else "")


def some(names: Sequence[str], most: int = 5) -> str:
    """The first names, and how many more there are.

    >>> some(["a", "b", "c"], most=2)
    'a, b and 1 more'
    """
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def p_text(p: float, least: float = 0.001) -> str:
    """A p-value, the one way it is printed everywhere: no leading zero, never 0 where it may be more.

    Three digits; four where three would round it to the usual significance level.

    Args:
        p: in [0, 1]; NaN prints as a dash.
        least: what is less than this is printed so; one over the resamples behind a p-value, if more.

    >>> p_text(0.01234), p_text(1e-9), p_text(0.04961), p_text(1.0), p_text(0.0, least=1 / 200)
    ('.012', '<.001', '.0496', '1.000', '<.005')
    """
    if math.isnan(p):
        return "–"
    if p < least:
        return "<" + f"{least:.1g}".removeprefix("0")
    digits = 4 if f"{p:.3f}" == "0.050" and p != 0.05 else 3
    return f"{p:.{digits}f}".removeprefix("0")


def p_equation(p: float, least: float = 0.001) -> str:
    """A p-value in a sentence.

    >>> p_equation(0.01234), p_equation(1e-9)
    ('p = .012', 'p < .001')
    """
    text = p_text(p, least)
    return f"p < {text[1:]}" if text.startswith("<") else f"p = {text}"
