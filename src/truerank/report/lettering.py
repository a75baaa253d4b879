"""Names and sentences made to fit: short where they are alike, and still distinct."""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from truerank._support.escaping import printable
from truerank._support.tables import Table
from truerank._support.wording import shortened

ELLIPSIS = "…"

LOW, LOW_END = "\ue0d0", "\ue0d1"
"""Before and after an index that is to be set low in a chart: characters for private use."""

USUAL, CAPITAL, WIDE = 0.56, 0.75, 1.0
"""How wide a character is, relative to the size of the font: a letter, a capital, and a full-width one."""

LONGEST = 400
"""Characters of a name that are ever measured, half from either end: no chart or cell shows more."""

EVERY = 4  # letters of what all names begin or end with that must be there for it to be left out


@lru_cache(maxsize=1 << 14)  # every figure of a page measures the names of all systems
def text_width(text: str, font: float = 1.0) -> float:
    """About how wide a text is at most in a font of that size."""
    return round(font * sum(map(_width, text)), 4)


def _width(char: str) -> float:
    if unicodedata.combining(char) or char in LOW + LOW_END:
        return 0.0
    if char in "mMW@%" or unicodedata.east_asian_width(char) in "WF":
        return WIDE
    return CAPITAL if char.isupper() else USUAL


def fitted(names: Sequence[str], room: float, measure: Callable[[str], float] = text_width) -> dict[str, str]:
    """Names no wider than the room, by name, and distinct as the names are.

    A name that fits stays as it is. The others lose what all of them begin and end with, then their middle;
    those that come out alike even so end in a number.
    """
    whole = {name: shortened(name, LONGEST) for name in names}
    shown = {name: text for name, text in whole.items() if measure(text) <= room}
    taken = set(shown.values())
    number = 0
    for name, text in _without_ends({n: t for n, t in whole.items() if n not in shown}).items():
        short = _cut(text, room, measure)
        while short in taken:
            number += 1
            short = _cut(text, room, measure, f"{ELLIPSIS}({number})")
        shown[name] = short
        taken.add(short)
    return {name: shown[name] for name in names}


def _without_ends(names: Mapping[str, str]) -> dict[str, str]:
    """The names without what all of them begin and end with."""
    if len(names) < 2:
        return dict(names)
    texts = list(names.values())
    start = _to_a_word(_shared(texts))
    end = _to_a_word(_shared([text[start:][::-1] for text in texts]))
    return {
        name: (ELLIPSIS if start else "") + text[start : len(text) - end] + (ELLIPSIS if end else "")
        for name, text in names.items()
    }


def _shared(texts: Sequence[str]) -> str:
    first, last = min(texts), max(texts)
    length = next((i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))
    return first[:length]


def _to_a_word(shared: str) -> int:
    """How much of what is shared goes: up to the end of its last whole word, if that is worth it."""
    length = max((place for place, char in enumerate(shared, 1) if not char.isalnum()), default=0)
    return length if length >= EVERY else 0


def _cut(text: str, room: float, measure: Callable[[str], float], mark: str = "") -> str:
    """As much of a text as there is room for: its beginning and its end, or its beginning and a mark."""
    if not mark and measure(text) <= room:
        return text
    kept = bisect_right(range(1, len(text) + 1), room, key=lambda kept: measure(_parts(text, kept, mark)))
    return _parts(text, kept, mark)


def _parts(text: str, kept: int, mark: str) -> str:
    if mark:
        return text[:kept] + mark
    last = kept // 2
    return text[: kept - last] + ELLIPSIS + (text[-last:] if last else "")


def wrapped(text: str, room: float, measure: Callable[[str], float] = text_width) -> list[str]:
    """A text in lines no wider than the room; a word that is wider is shortened in the middle."""
    lines: list[str] = []
    for word in text.split(" "):
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and measure(longer) <= room:
            lines[-1] = longer
        else:
            whole = shortened(word, LONGEST)
            lines.append(word if measure(whole) <= room else _cut(whole, room, measure))
    return lines


LONGEST_IN_A_TABLE = 60  # characters of a name in a table for a pull request


def shortened_names(table: Table, longest: int = LONGEST_IN_A_TABLE) -> Table:
    places = table.names
    if not places:
        return table
    names = dict.fromkeys(printable(str(row[place])) for row in table.rows for place in places)
    short = fitted(list(names), longest, len)
    rows = [
        [
            short[printable(str(value))] if place in places and value is not None else value
            for place, value in enumerate(row)
        ]
        for row in table.rows
    ]
    return replace(table, rows=rows)
