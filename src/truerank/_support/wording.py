"""The turns of phrase that notes, warnings and messages share."""

from __future__ import annotations

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
