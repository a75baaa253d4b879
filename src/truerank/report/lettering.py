"""How wide a text comes out, and names and titles made to fit: short in the middle, and still distinct.

Charts are laid out before they are drawn, by the widths of Helvetica, which Arial and Liberation Sans
share. Whoever looks at a page may have a wider face; :class:`truerank.report.charts.style.Size` says by
how much a chart allows for that.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from functools import lru_cache

from truerank.report.words import printable

ELLIPSIS = "…"

LOW, LOW_END = "\ue0d0", "\ue0d1"
"""Before and after an index that is to be set low in a chart: characters for private use."""

_WIDTHS = {
    **dict.fromkeys("ijl", 222),
    **dict.fromkeys(" !,./:;I[\\]ft", 278),
    **dict.fromkeys("()-r`", 333),
    **dict.fromkeys("Jckszvxy", 500),
    **dict.fromkeys("+<=>~", 584),
    **dict.fromkeys("ABEKPSVXY&", 667),
    **dict.fromkeys("CDHNRUw", 722),
    **dict.fromkeys("GOQ", 778),
    **dict.fromkeys("Mm", 833),
    **dict.fromkeys("FTZ", 611),
    **{"'": 191, "|": 260, '"': 355, "*": 389, "^": 469, "%": 889, "W": 944, "@": 1015, "…": 1000},
    **dict.fromkeys("{}", 334),
}
"""Widths of Helvetica's characters that are not 556 units wide, in thousandths of the font's size."""

_USUAL, _WIDE = 556, 1000

LONGEST = 400
"""Characters of a name that are ever measured, half from either end: no chart or cell shows more."""


@lru_cache(maxsize=4096)
def _character(char: str) -> int:
    found = _WIDTHS.get(char)
    if found is not None:
        return found
    if char.isascii():
        return _USUAL
    if unicodedata.combining(char) or char in LOW + LOW_END:
        return 0
    # Letters of other scripts are as wide as a capital, to be on the safe side.
    return _WIDE if unicodedata.east_asian_width(char) in "WF" else 667


def text_width(text: str, font: float = 1.0) -> float:
    """How wide a text is in Helvetica of that size.

    >>> text_width("tau", font=10), text_width("")
    (13.9, 0.0)
    """
    return round(sum(map(_character, text)) * font / 1000, 4)


def shortened_middle(text: str, most: int, tail: int | None = None) -> str:
    """A text of at most so many characters, shortened in the middle, where names differ least.

    Args:
        text: to be shortened.
        most: characters, the ellipsis among them; one at least.
        tail: how many of these are from the end; half of them by default.

    >>> shortened_middle("sentence-transformers/all-MiniLM-L6-v2", 20)
    'sentence-t…iLM-L6-v2'
    """
    if len(text) <= most:
        return text
    last = (most - 1) // 2 if tail is None else min(tail, most - 1)
    return text[: most - 1 - last] + ELLIPSIS + (text[-last:] if last else "")


def in_passing(name: str) -> str:
    """A name as a remark says it: fit to be shown, and not too long for one."""
    return shortened_middle(printable(name), 120)


def fitted(names: Sequence[str], room: float, measure: Callable[[str], float] = text_width) -> dict[str, str]:
    """Names no wider than the room, by name: shortened in the middle, and distinct as the names are.

    A name that fits stays as it is. Where several would come out alike, the part in which they differ
    is kept; where even that is too long they are numbered. Takes time in proportion to the number of names.

    Args:
        names: distinct ones.
        room: the widest that one may be.
        measure: how wide a text is.

    >>> names = ["sentence-transformers/mpnet", "sentence-transformers/minilm", "bm25"]
    >>> list(fitted(names, room=12, measure=len).values())
    ['sente…/mpnet', 'sente…minilm', 'bm25']
    """
    shown = {name: _ends(name) for name in names if measure(_ends(name)) <= room}
    long = [name for name in names if name not in shown]
    taken = set(shown.values())
    waiting = long
    for how in (_halves, _mostly_tail, _mostly_head, _difference):
        made = how(waiting, room, measure)
        counts: dict[str, int] = {}
        for text in made.values():
            counts[text] = counts.get(text, 0) + 1
        left = []
        for name, text in made.items():
            if counts[text] == 1 and text not in taken:
                shown[name] = text
            else:
                left.append(name)
        taken |= {shown[name] for name in made if name in shown}
        waiting = left
    number = 0
    for name in waiting:
        while True:
            number += 1
            mark = f"{ELLIPSIS}{number}"
            text = _cut(name, room, measure, 0, mark)
            if text not in taken:
                break
        shown[name] = text
        taken.add(text)
    return {name: shown[name] for name in names}


def _ends(name: str) -> str:
    return shortened_middle(name, LONGEST)


def _cut(name: str, room: float, measure: Callable[[str], float], share: float, mark: str = ELLIPSIS) -> str:
    """As many characters of the name as the room has place for, that share of them from its end."""
    name = _ends(name)
    low, high = 0, len(name) - 1
    while low < high:
        kept = (low + high + 1) // 2
        low, high = (kept, high) if measure(_parts(name, kept, share, mark)) <= room else (low, kept - 1)
    return _parts(name, low, share, mark)


def _parts(name: str, kept: int, share: float, mark: str) -> str:
    last = round(share * kept)
    return name[: kept - last] + mark + (name[-last:] if last else "")


Shortened = dict[str, str]


def _halves(names: Sequence[str], room: float, measure: Callable[[str], float]) -> Shortened:
    return {name: _cut(name, room, measure, 0.5) for name in names}


def _mostly_tail(names: Sequence[str], room: float, measure: Callable[[str], float]) -> Shortened:
    return {name: _cut(name, room, measure, 0.8) for name in names}


def _mostly_head(names: Sequence[str], room: float, measure: Callable[[str], float]) -> Shortened:
    return {name: _cut(name, room, measure, 0.2) for name in names}


def _difference(names: Sequence[str], room: float, measure: Callable[[str], float]) -> Shortened:
    """A letter or two of the beginning, and the names from the first character on in which they differ."""
    if len(names) < 2:
        return _halves(names, room, measure)
    first, last = min(names), max(names)  # of sorted texts these two share the shortest beginning
    common = next((i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))
    made = {}
    for name in names:
        rest = name[:2] + ELLIPSIS + name[common:] if common > 3 else name
        made[name] = rest if measure(_ends(rest)) <= room else _cut(rest, room, measure, 0)
    return made


def wrapped(text: str, room: float, measure: Callable[[str], float] = text_width) -> list[str]:
    """A text in lines no wider than the room; a word that is wider is shortened in the middle.

    >>> wrapped("mean nDCG@20, 95% interval", 8)
    ['mean nDCG@20,', '95% interval']
    """
    lines: list[str] = []
    for word in text.split(" "):
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and measure(longer) <= room:
            lines[-1] = longer
        else:
            lines.append(word if measure(_ends(word)) <= room else _cut(word, room, measure, 0.5))
    return lines
