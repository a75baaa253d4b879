"""Covariates of battles: how the two answers differ, from columns, or from the answers' own text."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truerank._support.arguments import setting
from truerank._support.notes import Note
from truerank._support.types import Vector
from truerank._support.wording import few, listed, some
from truerank.battles import Covariates
from truerank.errors import InputError
from truerank.readers.cell_values import TEXT, WORD
from truerank.readers.roles import NAMES, snake_case
from truerank.readers.sheets import Sheet

_TEXTS = NAMES["answer_of_battle"]

STYLE = "style"
"""The name that stands for all that is counted in texts."""

_BLOCK = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
_HEADING = re.compile(r"^#{1,6}\s", re.MULTILINE)
_ITEM = re.compile(r"^\s*(?:[-*+]|\d{1,3}[.)])\s", re.MULTILINE)
_BOLD = re.compile(r"\*\*[^*\n]+\*\*|__[^_\n]+__")


def _times(pattern: re.Pattern[str]) -> Callable[[str], int]:
    """How often it occurs outside blocks of code."""
    return lambda text: len(pattern.findall(_BLOCK.sub("", text)))


COUNTED: dict[str, Callable[[str], int]] = {
    "length": len,
    "headings": _times(_HEADING),
    "lists": _times(_ITEM),
    "bold": _times(_BOLD),
}
"""What is counted in an answer's text: characters, headings, items of lists and bold passages."""


@dataclass(frozen=True)
class _Found:
    """One covariate as it was read: N × 2 numbers of the two answers, or N differences; and from what."""

    name: str
    values: NDArray[np.float64]
    source: str

    @property
    def relative(self) -> bool:
        """Whether the difference is divided by the sum, as for amounts that are never negative."""
        return self.values.ndim == 2 and bool((self.values >= 0).all())

    @property
    def difference(self) -> NDArray[np.float64]:
        """N, ``(a − b)/(a + b)``, 0 where both are 0; or the plain difference."""
        if self.values.ndim == 1:
            return self.values
        a, b = self.values.T
        if not self.relative:
            return np.asarray(a - b)
        return np.divide(a - b, a + b, out=np.zeros(len(a)), where=a + b > 0)


def covariates_of(
    sheet: Sheet, pair: tuple[int, int], wanted: Sequence[str], rows: NDArray[np.intp]
) -> tuple[Covariates, list[Note]]:
    """The wanted covariates of the battles that stand in these rows; ``style`` is all that texts give."""
    sides = _sides(sheet, pair)
    if STYLE in wanted:
        _refuse_without_texts(sheet, sides)
    names = list(dict.fromkeys(one for name in wanted for one in (COUNTED if name == STYLE else [name])))
    alone = {name for name in wanted if name != STYLE}
    found = [_read(sheet, sides, name, rows) for name in names]
    flat = [one.name for one in found if not one.difference.any()]
    if asked := [name for name in flat if name in alone]:
        raise InputError(
            f"{sheet.place()}{listed([repr(name) for name in asked])} is the same in both answers of every "
            f"battle, so nothing shows what it is worth. Leave it out of {setting('covariates')}"
        )
    notes = []
    if flat:
        same = f"{listed(flat)}: the same in both answers of every battle, so left out"
        notes.append(Note("covariates-left-out", same))
    kept = [one for one in found if one.name not in flat]
    if not kept:
        raise InputError(
            f"{sheet.place()}no two answers differ in style, so nothing shows what it is worth. Leave "
            f"{setting('covariates', STYLE)} out"
        )
    sources = dict.fromkeys(one.source for one in kept)
    read = "; ".join(
        f"{listed([one.name for one in kept if one.source == source])} from {source}" for source in sources
    )
    notes.append(Note("covariates", f"strengths at equal style: {read}", "info"))
    values = np.stack([one.difference for one in kept], axis=1)
    return Covariates(values, tuple(one.name for one in kept), tuple(one.relative for one in kept)), notes


_NO_STYLE = {*NAMES["value"], *NAMES["score_by_meaning"], *NAMES["higher_is_better"], *NAMES["of_anything"]}
"""Words in the names of what judges an answer, or identifies it."""


def offered(
    sheet: Sheet, pair: tuple[int, int], used: Sequence[int], rows: NDArray[np.intp], outcomes: Vector
) -> list[Note]:
    """A note on the numbers of both answers that could be covariates: not scores, ids or facts of systems."""
    sides = _sides(sheet, pair)
    found: dict[tuple[int, int], str] = {}
    for name in _held(sheet, sides[:1], False):
        columns = _columns(sheet, sides, [name])
        other = {*name.split("_")} & _NO_STYLE or name in (*NAMES["counts"], *_TEXTS)
        if columns is None or other or {*columns} & {*pair, *used}:
            continue
        cells = [sheet.column(column) for column in columns]
        values = np.array([one.values(rows) for one in cells])
        if any(one.has(WORD) or one.has(TEXT) for one in cells) or not np.isfinite(values).all():
            continue
        systems = sheet.column(pair[0]).codes[rows]
        own = np.zeros(len(sheet.column(pair[0]).levels))
        own[systems] = values[0]
        agrees = np.sign(values[0] - values[1]) * (outcomes - 0.5)
        if (own[systems] != values[0]).any() and agrees.min() < 0 < agrees.max():
            found[columns] = name
    if not found:
        return []
    each = [
        f"{sheet.header[a]!r} and {sheet.header[b]!r} ({setting('covariates', name)})"
        for (a, b), name in found.items()
    ]
    return [Note("covariates-offered", f"strengths can allow for columns {some(each, 3)}", "info")]


def _sides(sheet: Sheet, pair: tuple[int, int]) -> tuple[str, str]:
    """What tells the columns of the first system from those of the second.

    ``model_a`` and ``model_b`` have the sides a and b, ``model1`` and ``model2`` 1 and 2.
    """
    words = [name.split("_") for name in snake_case([sheet.header[c] for c in pair])]
    first, second = next(
        ((a, b) for a, b in zip(*words, strict=False) if a != b), (words[0][-1], words[1][-1])
    )
    same = next((k for k, (a, b) in enumerate(zip(first, second, strict=False)) if a != b), 0)
    return first[same:], second[same:]


def _read(sheet: Sheet, sides: tuple[str, str], name: str, rows: NDArray[np.intp]) -> _Found:
    columns = _columns(sheet, sides, [name])
    if columns is not None:
        values = np.stack([_numbers(sheet, c, rows) for c in columns], axis=1)
        return _Found(name, values, " and ".join(repr(sheet.header[c]) for c in columns))
    if name in sheet.header:
        for one in _held(sheet, sides[:1], False) + _held(sheet, sides[1:], False):
            columns = _columns(sheet, sides, [one])
            if columns is not None and sheet.header.index(name) in columns:
                first, second = (sheet.header[c] for c in columns)
                raise InputError(
                    f"{sheet.place()}{name!r} is of one answer only. Use {setting('covariates', one)} for "
                    f"{first!r} and {second!r} together"
                )
        return _Found(name, _numbers(sheet, sheet.header.index(name), rows), f"{name!r}")
    texts = _columns(sheet, sides, _TEXTS)
    if name not in COUNTED or texts is None:
        a, b = sides
        missing = f"{sheet.place()}no columns hold the covariate {name!r}"
        halves = [one for one in (f"{name}_{a}", f"{name}_{b}") if one in sheet.header]
        if len(halves) == 1:
            (lacks,) = {f"{name}_{a}", f"{name}_{b}"} - set(halves)
            raise InputError(f"{sheet.place()}{halves[0]!r} has no partner {lacks!r}. Add that column")
        if near := get_close_matches(name.casefold(), _held(sheet, sides, texts is not None), n=1):
            raise InputError(f"{missing}; did you mean {near[0]!r}?")
        known = f" or the answers as response_{a} and response_{b}" if name in COUNTED else ""
        raise InputError(
            f"{missing}. Give {name}_{a} and {name}_{b}, one column {name} of differences{known}. The "
            f"columns are {few(sheet.header, 12)}"
        )
    values = np.stack([_count(sheet, c, COUNTED[name])[rows] for c in texts], axis=1)
    return _Found(name, values, "the texts " + " and ".join(repr(sheet.header[c]) for c in texts))


def _refuse_without_texts(sheet: Sheet, sides: tuple[str, str]) -> None:
    """Refuse ``style`` where neither texts nor columns hold all of it."""
    there = [name for name in COUNTED if _columns(sheet, sides, [name]) or name in sheet.header]
    if len(there) == len(COUNTED) or _columns(sheet, sides, _TEXTS):
        return
    or_else = f", or use {setting('covariates', there[0])}" if there else ""
    raise InputError(
        f"{sheet.place()}{setting('covariates', STYLE)} counts {listed(list(COUNTED))} in the answers' "
        f"texts, and no columns hold them. Give response_{sides[0]} and response_{sides[1]}{or_else}"
    )


def _held(sheet: Sheet, sides: tuple[str, ...], texts: bool) -> list[str]:
    """The names of covariates that may be meant: of columns of the first side, and of what texts give."""
    found = [STYLE, *COUNTED] if texts else []
    for header in snake_case(sheet.header):
        for marked in (*(f"{beside}_{sides[0]}" for beside in NAMES["beside_side"]), sides[0]):
            header = header.removesuffix(f"_{marked}").removeprefix(f"{marked}_")
        found.append(header)
    return found


def _columns(sheet: Sheet, sides: tuple[str, str], names: Sequence[str]) -> tuple[int, int] | None:
    """The columns of the first of these names that both sides have: ``length_a``, ``a_length`` …"""
    headers = snake_case(sheet.header)
    for name in snake_case(names):
        for beside in ("", *NAMES["beside_side"]):
            pair = [
                next((headers.index(one) for one in _called(name, side, beside) if one in headers), None)
                for side in sides
            ]
            if pair[0] is not None and pair[1] is not None:
                return pair[0], pair[1]
    return None


def _called(name: str, side: str, beside: str) -> Iterator[str]:
    """What the column of one side may be called, with a word such as ``model`` beside the side."""
    marked = [f"{beside}_{side}", f"{beside}{side}"] if beside else [side]
    for one in marked:
        yield f"{name}_{one}"
        yield f"{one}_{name}"
    if not beside:
        yield f"{name}{side}"


def _numbers(sheet: Sheet, column: int, rows: NDArray[np.intp]) -> NDArray[np.float64]:
    found = sheet.numbers([column])[:, 0][rows]
    wrong = np.flatnonzero(np.isnan(found))
    if len(wrong):
        raise InputError(
            f"{sheet.place(int(rows[wrong[0]]))}column {sheet.header[column]!r} has no number; fill it, or "
            "leave the row out"
        )
    return found


def _count(sheet: Sheet, column: int, counts: Callable[[str], int]) -> NDArray[np.float64]:
    """What is counted in each row's text; each different text once."""
    cells = sheet.column(column)
    return np.array([counts(_answer(text)) for text in cells.levels], dtype=np.float64)[cells.codes]


def _answer(cell: str) -> str:
    """The text of an answer: the cell itself, or all that the assistant says in a conversation.

    >>> _answer('[{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]')
    'Hello'
    """
    turns = conversation(cell)
    said = [one.get("content") for one in turns if one.get("role") != "user"]
    return "\n".join(text for one in said for text in _texts(one)) if turns else cell


def conversation(cell: str) -> list[dict[str, Any]]:
    """The turns of a conversation, a list of objects with a role and a content; none of any other text."""
    if not cell.lstrip().startswith("["):
        return []
    try:
        turns = json.loads(cell)
    except (ValueError, RecursionError):
        return []
    return turns if all(isinstance(one, dict) for one in turns) else []


def _texts(content: object) -> Iterator[str]:
    """The texts of a turn, which may have several parts."""
    if isinstance(content, str):
        yield content
    elif isinstance(content, list):
        for part in content:
            text = part.get("text") if isinstance(part, dict) else part
            if isinstance(text, str):
                yield text
