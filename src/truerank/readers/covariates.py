"""Covariates of battles: how the two answers differ, by the numbers in columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

import numpy as np
from numpy.typing import NDArray

from truerank._support.arguments import setting
from truerank._support.notes import Note
from truerank._support.types import Vector
from truerank._support.wording import few, listed
from truerank.battles import POSITION, Covariates
from truerank.errors import InputError
from truerank.readers.cell_values import TEXT, WORD
from truerank.readers.roles import NAMES, snake_case
from truerank.readers.sheets import Sheet


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
    """The wanted covariates of the battles that stand in these rows; position needs no column."""
    if POSITION in wanted and snake_case([sheet.header[pair[0]]])[0] == "winner":
        raise InputError(
            f"{sheet.place()}the winner stands first in every row, so nothing says whose answer was shown "
            f"first. Leave out {setting('covariates', POSITION)}"
        )
    sides = _sides(sheet, pair)
    found = [_read(sheet, sides, name, rows) for name in dict.fromkeys(wanted)]
    if flat := [one.name for one in found if not one.difference.any()]:
        raise InputError(
            f"{sheet.place()}{listed(list(map(repr, flat)))} is the same in both answers of every "
            f"battle, so nothing shows what it is worth. Leave it out of {setting('covariates')}"
        )
    sources = dict.fromkeys(one.source for one in found)
    read = [[[one.name for one in found if one.source == source], source] for source in sources]
    values = np.stack([one.difference for one in found], axis=1)
    names, relative = tuple(one.name for one in found), tuple(one.relative for one in found)
    return Covariates(values, names, relative), [
        Note("reading", {"case": "covariates", "read": read}, "info")
    ]


_NO_STYLE = {*NAMES["value"], *NAMES["score_by_meaning"], *NAMES["higher_is_better"], *NAMES["of_anything"]}
"""Words in the names of what judges an answer, or identifies it."""


def offered(
    sheet: Sheet, pair: tuple[int, int], used: Sequence[int], rows: NDArray[np.intp], outcomes: Vector
) -> list[Note]:
    """A note on the numbers of both answers that could be covariates: not scores, ids or facts of systems."""
    sides = _sides(sheet, pair)
    found: dict[tuple[int, int], str] = {}
    for name in _held(sheet, sides[:1]):
        columns = _columns(sheet, sides, [name])
        other = {*name.split("_")} & _NO_STYLE or name in (*NAMES["counts"], *NAMES["answer_of_battle"])
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
    shown = [[sheet.header[a], sheet.header[b], name] for (a, b), name in found.items()]
    return [Note("offered", {"case": "covariates", "columns": shown}, "info")]


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
        for one in _held(sheet, sides[:1]) + _held(sheet, sides[1:]):
            columns = _columns(sheet, sides, [one])
            if columns is not None and sheet.header.index(name) in columns:
                first, second = (sheet.header[c] for c in columns)
                raise InputError(
                    f"{sheet.place()}{name!r} is of one answer only. Use {setting('covariates', one)} for "
                    f"{first!r} and {second!r} together"
                )
        return _Found(name, _numbers(sheet, sheet.header.index(name), rows), f"{name!r}")
    if name == POSITION:
        return _Found(name, np.ones(len(rows)), "the order of the two columns")
    a, b = sides
    missing = f"{sheet.place()}no columns hold the covariate {name!r}"
    halves = [one for one in (f"{name}_{a}", f"{name}_{b}") if one in sheet.header]
    if len(halves) == 1:
        (lacks,) = {f"{name}_{a}", f"{name}_{b}"} - set(halves)
        raise InputError(f"{sheet.place()}{halves[0]!r} has no partner {lacks!r}. Add that column")
    if near := get_close_matches(name.casefold(), _held(sheet, sides), n=1):
        raise InputError(f"{missing}; did you mean {near[0]!r}?")
    raise InputError(
        f"{missing}. Give numbers as {name}_{a} and {name}_{b}, or one column {name} of differences. The "
        f"columns are {few(sheet.header, 12)}"
    )


def _held(sheet: Sheet, sides: tuple[str, ...]) -> list[str]:
    """The names of covariates that may be meant, by the columns of the first side."""
    found = []
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
