"""How wide a text comes out, and names and titles made to fit: short in the middle, and still distinct.

Charts are laid out before they are drawn, by the widths of Helvetica, which Arial and Liberation Sans
share. Whoever looks at a page may have a wider face; :class:`truerank.report.charts.style.Size` says by
how much a chart allows for that.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise, product, takewhile

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

    A name that fits stays as it is. Where the middle leaves several alike, the words that most names share
    are left out of all, so that what tells them apart stays; nothing is shown that is not part of the name.
    Only where no part of a name would be distinct in that room is it shown wider. Takes time in proportion
    to the number of names.

    Args:
        names: distinct ones.
        room: the widest that one may be.
        measure: how wide a text is.

    >>> names = ["sentence-transformers/mpnet", "sentence-transformers/minilm", "bm25"]
    >>> list(fitted(names, room=12, measure=len).values())
    ['sente…/mpnet', 'sente…minilm', 'bm25']
    >>> names = ["model-small-v1-run0", "model-large-v1-run0", "model-large-v2-run0"]
    >>> list(fitted(names, room=11, measure=len).values())
    ['m…small-v1…', 'm…large-v1…', 'm…large-v2…']
    """
    shown = {name: name for name in names if len(name) <= LONGEST and measure(name) <= room}
    long = [name for name in names if name not in shown]
    cut = {name: _cut(name, room, measure, 0.5) for name in long}
    if len({*shown.values(), *cut.values()}) < len(names):
        cut = _telling(names, long, room, measure)
    met = Counter([*shown.values(), *cut.values()])
    shown |= {name: text for name, text in cut.items() if met[text] == 1}
    taken = set(shown.values())
    waiting = [name for name in long if name not in shown]
    starts = _first_differences(waiting)
    for name in waiting:
        shown[name] = next(text for text in _parts_of(name, starts[name], room, measure) if text not in taken)
        taken.add(shown[name])
    return {name: shown[name] for name in names}


ROUNDS = 6
"""How often names that came out alike are shortened anew."""

_WORD = re.compile(r"([^\W_]+(?:\.[0-9]+)*)")


def _telling(
    names: Sequence[str], long: Sequence[str], room: float, measure: Callable[[str], float]
) -> dict[str, str]:
    """The long names without the words that most names have, as few of them as can be left out.

    What tells those apart that came out alike is kept in the next round.
    """
    words = {name: set(_WORD.findall(_ends(name))) for name in names}
    common = Counter(word for own in words.values() for word in own)
    kept: dict[str, set[str]] = {name: set() for name in long}
    made: dict[str, str] = {}
    changed: Sequence[str] = long
    for _ in range(ROUNDS):
        made |= {name: _reduced(name, common, kept[name], room, measure) for name in changed}
        alike: dict[str, list[str]] = {}
        for name, text in made.items():
            alike.setdefault(text, []).append(name)
        changed = []
        for group in alike.values():
            shared = Counter(word for name in group for word in words[name])
            for name in group if len(group) > 1 else ():
                telling = words[name] - kept[name]
                rarest = min((shared[word] for word in telling), default=len(group))
                if rarest < len(group):
                    kept[name].add(min(word for word in telling if shared[word] == rarest))
                    changed.append(name)
        if not changed:
            break
    return made


def _reduced(
    name: str, common: Mapping[str, int], kept: set[str], room: float, measure: Callable[[str], float]
) -> str:
    """A name without its most common words, those to be kept last."""
    # Words stand at odd places, what separates them at even ones.
    pieces = _WORD.split(_ends(name))
    order = sorted(
        range(1, len(pieces), 2), key=lambda at: (pieces[at] in kept, -common[pieces[at]], -len(pieces[at]))
    )
    left: set[int] = set()
    text = name
    for at in order[:-1]:
        left.add(at)
        text = _without(pieces, left)
        if measure(text) <= room:
            break
    if measure(_ends(text)) > room:
        return _cut(text, room, measure, 0.5)
    if text.startswith(ELLIPSIS):
        begun = (name[:letters] + text for letters in range(len(name)))
        text = list(takewhile(lambda longer: measure(longer) <= room, begun))[-1]
    return text


def _without(pieces: Sequence[str], left: set[int]) -> str:
    """The pieces with an ellipsis for every run of words left out, and for what separates these."""
    kept: list[str] = []
    for at, piece in enumerate(pieces):
        beside = at % 2 == 0 and (at - 1 in left or at + 1 in left)
        if at not in left and not beside:
            kept.append(piece)
        elif not kept or kept[-1] != ELLIPSIS:
            kept.append(ELLIPSIS)
    return "".join(kept)


def _first_differences(names: Sequence[str]) -> dict[str, int]:
    """Where each name begins to differ from all others; of sorted ones neighbours are the most alike."""
    ordered = sorted(names)
    shared = [_shared(*two) for two in pairwise(ordered)]
    return {name: max(two) for name, two in zip(ordered, pairwise([0, *shared, 0]), strict=False)}


def _shared(one: str, other: str) -> int:
    """How many characters two names have in common at the beginning."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (a, b) in pairs if a != b), min(len(one), len(other)))


def _parts_of(name: str, start: int, room: float, measure: Callable[[str], float]) -> Iterator[str]:
    """Parts of a name that may stand for it, the most telling one first, the whole name last."""
    rest = name[:2] + ELLIPSIS + name[start:] if start > 3 else name
    if measure(_ends(rest)) > room:
        yield _cut(rest, room, measure, 0)
    for share in (1.0, 0.8, 0.2, 0.0):
        yield _cut(name, room, measure, share)
    # Names of one letter repeated: any two parts around an ellipsis that are free.
    short = _ends(name)
    for head, tail in product(range(min(len(short), 24)), repeat=2):
        text = short[:head] + ELLIPSIS + (short[-tail:] if tail else "")
        if head + tail < len(short) and measure(text) <= room:
            yield text
    for most in range(1, len(name)):
        yield shortened_middle(name, most)
    yield name


def _ends(name: str) -> str:
    return shortened_middle(name, LONGEST)


def _cut(name: str, room: float, measure: Callable[[str], float], share: float) -> str:
    """As many characters of the name as the room has place for, that share of them from its end."""
    name = _ends(name)
    low, high = 0, len(name) - 1
    while low < high:
        kept = (low + high + 1) // 2
        low, high = (kept, high) if measure(_parts(name, kept, share)) <= room else (low, kept - 1)
    return _parts(name, low, share)


def _parts(name: str, kept: int, share: float) -> str:
    last = round(share * kept)
    return name[: kept - last] + ELLIPSIS + (name[-last:] if last else "")


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
