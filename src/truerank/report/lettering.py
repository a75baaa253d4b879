"""How wide a text comes out, and names and titles made to fit: short in the middle, and still distinct.

Charts are laid out before they are drawn, by the widths of Helvetica, which Arial and Liberation Sans
share. Whoever looks at a page may have a wider face; :class:`truerank.report.charts.style.Size` says by
how much a chart allows for that.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
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
    """Names no wider than the room, by name: shortened where they are alike, and distinct as the names are.

    A name that fits stays as it is. Of the others go, one kind after the other, the words that most of them
    share, as long as no two names come out alike, and until all fit; then the middle, the beginning or the
    end; then all letters but those in which they differ. Where there is no room even for these,
    they end in a number in brackets (:func:`numbered`). Takes time in proportion to the number of names.

    Args:
        names: distinct ones.
        room: the widest that one may be.
        measure: how wide a text is.

    >>> names = ["sentence-transformers/mpnet", "sentence-transformers/minilm", "bm25"]
    >>> list(fitted(names, room=15, measure=len).values())
    ['sentence…mpnet', 'sentence…minilm', 'bm25']
    """
    shown = {name: _ends(name) for name in names if measure(_ends(name)) <= room}
    taken = set(shown.values())
    reduced = _without_shared_words([name for name in names if name not in shown], taken, room, measure)
    waiting = list(reduced)
    for how in (_as_it_is, _halves, _mostly_tail, _mostly_head, _difference, _where_they_differ):
        # What tells names apart was lost to a cut where the words that are left are cut again.
        made = how(reduced if how is not _where_they_differ else {n: n for n in waiting}, room, measure)
        counts: dict[str, int] = {}
        for text in made.values():
            counts[text] = counts.get(text, 0) + 1
        for name, text in made.items():
            if counts[text] == 1 and text not in taken:
                shown[name] = text
        taken |= {shown[name] for name in made if name in shown}
        waiting = [name for name in waiting if name not in shown]
        reduced = {name: reduced[name] for name in waiting}
    number = 0
    for name in waiting:
        while True:
            number += 1
            mark = f"{ELLIPSIS}({number})"
            text = _cut(name, room, measure, 0, mark)
            if text not in taken:
                break
        shown[name] = text
        taken.add(text)
    return {name: shown[name] for name in names}


def numbered(name: str, shown: str) -> bool:
    """Whether a name that :func:`fitted` shortened ends in a number that it does not have.

    >>> numbered("system-a-long-name", "sys…(2)"), numbered("system…(2)", "system…(2)")
    (True, False)
    """
    return name != shown and re.search(rf"{ELLIPSIS}\(\d+\)$", shown) is not None


NAME = 80
"""Characters to which tables in files shorten names."""


def tabled(names: Iterable[str]) -> dict[str, str]:
    """Names as tables in files have them, by name: fit to be shown, and short in the middle where too long.

    >>> [len(short) for short in tabled(["bm25", "x" * 30_000]).values()]
    [4, 80]
    """
    whole = list(dict.fromkeys(names))
    short = fitted(list(dict.fromkeys(map(printable, whole))), NAME, len)
    return {name: short[printable(name)] for name in whole}


def left_out(shown: Mapping[str, str]) -> str:
    """What a remark says of names that were shortened, as a sentence; empty where all stand as they are.

    >>> left_out({"bm25": "bm25"}), left_out({"long-name": "lo…me"})
    ('', 'In names “…” stands for what is left out.')
    """
    changed = [(printable(name), text) for name, text in shown.items() if printable(name) != text]
    if not changed:
        return ""
    invented = any(numbered(name, text) for name, text in changed)
    counted = ", and (1), (2) … number those that are too alike for it" if invented else ""
    return f"In names “{ELLIPSIS}” stands for what is left out{counted}."


_WORDS = re.compile(r"([^\W_]+(?:\.[^\W_]+)*)")


def _without_shared_words(
    names: Sequence[str], taken: set[str], room: float, measure: Callable[[str], float]
) -> dict[str, str]:
    """Each name without words that others have too, as few as are needed; distinct as the names are."""
    words = {name: _WORDS.split(_ends(name)) for name in names}
    holders: dict[str, list[str]] = {}
    for name, parts in words.items():
        for word in dict.fromkeys(parts[1::2]):
            holders.setdefault(word, []).append(name)
    gone: dict[str, set[str]] = {name: set() for name in names}
    made = {name: _ends(name) for name in names}
    counts = Counter([*made.values(), *taken])
    shared = [word for word, having in holders.items() if len(having) > 1 and len(word) > 1]
    for word in sorted(shared, key=lambda word: -len(word) * len(holders[word])):
        wide = [name for name in holders[word] if measure(made[name]) > room]
        shorter = {name: _left(words[name], gone[name] | {word}) for name in wide}
        counts.subtract(made[name] for name in wide)
        counts.update(shorter.values())
        if all(counts[text] == 1 for text in shorter.values()):
            made.update(shorter)
            for name in wide:
                gone[name].add(word)
        else:
            counts.subtract(shorter.values())
            counts.update(made[name] for name in wide)
    # Words come back where a name has room for them after all: the rarest first, for they say most.
    for name in names:
        for word in sorted(gone[name], key=lambda word: (len(holders[word]), word)):
            longer = _left(words[name], gone[name] - {word})
            if measure(longer) <= room and not counts[longer]:
                counts[made[name]] -= 1
                counts[longer] += 1
                made[name], gone[name] = longer, gone[name] - {word}
    return made


def _left(parts: Sequence[str], gone: set[str]) -> str:
    """Words and what is between them, without some of the words; an ellipsis stands for what is missing."""
    kept, missing = "", False
    for between, word in zip(parts[::2], [*parts[1::2], None], strict=True):
        if word in gone:
            missing = True
            continue
        kept += ELLIPSIS if missing else between
        kept += word or ""
        missing = False
    return kept


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


def _as_it_is(names: Shortened, room: float, measure: Callable[[str], float]) -> Shortened:
    return {name: text for name, text in names.items() if measure(text) <= room}


def _halves(names: Shortened, room: float, measure: Callable[[str], float]) -> Shortened:
    return {name: _cut(text, room, measure, 0.5) for name, text in names.items()}


def _mostly_tail(names: Shortened, room: float, measure: Callable[[str], float]) -> Shortened:
    return {name: _cut(text, room, measure, 0.8) for name, text in names.items()}


def _mostly_head(names: Shortened, room: float, measure: Callable[[str], float]) -> Shortened:
    return {name: _cut(text, room, measure, 0.2) for name, text in names.items()}


def _difference(names: Shortened, room: float, measure: Callable[[str], float]) -> Shortened:
    """A letter or two of the beginning, and the names from the first character on in which they differ."""
    if len(names) < 2:
        return _halves(names, room, measure)
    first, last = min(names.values()), max(names.values())  # these two share the shortest beginning
    common = next((i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))
    made = {}
    for name, text in names.items():
        rest = text[:2] + ELLIPSIS + text[common:] if common > 3 else text
        made[name] = rest if measure(_ends(rest)) <= room else _cut(rest, room, measure, 0)
    return made


def _where_they_differ(names: Shortened, room: float, measure: Callable[[str], float]) -> Shortened:
    """Of each name the letters that tell it from its neighbours in sorted order, and more where they fit."""
    ordered = sorted(names.values())
    kept: dict[str, set[int]] = {text: set() for text in ordered}
    for one, other in itertools.pairwise(ordered):
        place = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), len(one))
        # What starts alike up to there differs there, and every name between two of them does so earlier.
        kept[one].add(min(place, len(one) - 1))
        kept[other].add(place)
    made = {}
    for name, text in names.items():
        fits = ""
        for beside in range(6, -1, -1):
            places = {p + d for p in kept[text] for d in range(-beside, beside + 1)}
            fits = _only(text, places)
            if measure(fits) <= room:
                break
        else:
            continue
        made[name] = fits
    return made


def _only(text: str, places: set[int]) -> str:
    """The characters at these places, with an ellipsis for what is left out between and around them."""
    shown, last = "", -1
    for place in sorted(p for p in places if 0 <= p < len(text)):
        shown += (ELLIPSIS if place > last + 1 else "") + text[place]
        last = place
    return shown + (ELLIPSIS if last < len(text) - 1 else "")


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
