"""Covariates of battles: how the two answers differ, by the numbers in columns."""

from __future__ import annotations

import re
from collections.abc import Sequence
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from truerank._support.arguments import setting
from truerank._support.notes import Note
from truerank._support.wording import few, listed
from truerank.battles import POSITION, Covariates
from truerank.errors import InputError
from truerank.readers.roles import NAMES, snake_case
from truerank.readers.sheets import Sheet


def covariates_of(
    sheet: Sheet, pair: tuple[int, int], wanted: Sequence[str], rows: NDArray[np.intp]
) -> tuple[Covariates, Note]:
    """The wanted covariates of the battles that stand in these rows; position needs no column."""
    sides = _sides(sheet, pair)
    names = list(dict.fromkeys(wanted))
    columns = [_columns(sheet, sides, name) for name in names]
    found, relative = [], []
    for of in columns:
        values = np.stack([_numbers(sheet, c, rows) for c in of] or [np.ones(len(rows))])
        # Amounts, which are never negative, are compared by their share of both.
        relative.append(len(values) == 2 and bool((values >= 0).all()))
        difference = values[0] - values[1] if len(values) == 2 else values[0]
        total = values.sum(axis=0) if relative[-1] else np.ones(len(rows))
        found.append(np.divide(difference, total, out=np.zeros(len(rows)), where=total > 0))
    if flat := [repr(name) for name, values in zip(names, found, strict=True) if not values.any()]:
        raise InputError(
            f"{sheet.place()}{listed(flat)} is the same in both answers of every "
            f"battle, so nothing shows what it is worth. Leave it out of {setting('covariates')}"
        )
    sources = [
        " and ".join(repr(sheet.header[c]) for c in of) or "the order of the two columns" for of in columns
    ]
    read = [[[name], source] for name, source in zip(names, sources, strict=True)]
    note = Note("reading", {"case": "covariates", "read": read}, "info")
    return Covariates(np.stack(found, axis=1), tuple(names), tuple(relative)), note


def _sides(sheet: Sheet, pair: tuple[int, int]) -> tuple[str, str]:
    """What tells the columns of both systems apart: a and b for ``model_a`` and ``model_b``, else 1 and 2."""
    words = [name.split("_") for name in snake_case([sheet.header[c] for c in pair])]
    first, second = next(
        ((a, b) for a, b in zip(*words, strict=False) if a != b), (words[0][-1], words[1][-1])
    )
    same = next((k for k, (a, b) in enumerate(zip(first, second, strict=False)) if a != b), 0)
    return first[same:], second[same:]


def _of_sides(sheet: Sheet, sides: tuple[str, str]) -> dict[str, tuple[int, int]]:
    """Covariate → its columns of both sides: ``length_a``, ``a_length``, ``length_model_a`` …"""
    beside = f"(?:(?:{'|'.join(NAMES['beside_side'])})_?)?"
    of_side: list[dict[str, int]] = []
    for side in sides:
        pattern = re.compile(f"{beside}{re.escape(side)}_(.+)|(.+?)_?{beside}{re.escape(side)}")
        matches = enumerate(map(pattern.fullmatch, snake_case(sheet.header)))
        of_side.append({match[1] or match[2]: c for c, match in reversed([*matches]) if match})
    first, second = of_side
    return {name: (c, second[name]) for name, c in sorted(first.items(), key=itemgetter(1)) if name in second}


def _columns(sheet: Sheet, sides: tuple[str, str], name: str) -> tuple[int, ...]:
    """The columns of a covariate: two, one of differences, or none for the position."""
    pairs = _of_sides(sheet, sides)
    (plain,) = snake_case([name])
    if plain in pairs:
        return pairs[plain]
    if name in sheet.header:
        column = sheet.header.index(name)
        for one, both in pairs.items():
            if column in both:
                first, second = (sheet.header[c] for c in both)
                raise InputError(
                    f"{sheet.place()}{name!r} is of one answer only. Use {setting('covariates', one)} for "
                    f"{first!r} and {second!r} together"
                )
        return (column,)
    if name == POSITION:
        return ()
    a, b = sides
    raise InputError(
        f"{sheet.place()}no columns hold the covariate {name!r}. Give numbers as {name}_{a} and {name}_{b}, "
        f"or one column {name} of differences. The columns are {few(sheet.header, 12)}"
    )


def _numbers(sheet: Sheet, column: int, rows: NDArray[np.intp]) -> NDArray[np.float64]:
    found = sheet.numbers([column])[:, 0][rows]
    wrong = np.flatnonzero(np.isnan(found))
    if len(wrong):
        raise InputError(
            f"{sheet.place(int(rows[wrong[0]]))}column {sheet.header[column]!r} has no number; fill it, or "
            "leave the row out"
        )
    return found
