"""Covariates of battles: how the two answers differ, by the numbers in columns."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
from numpy.typing import NDArray

from truerank._support.arguments import setting
from truerank._support.notes import Note
from truerank._support.wording import few, listed
from truerank.battles import POSITION, Covariates
from truerank.errors import InputError
from truerank.readers.roles import snake_case
from truerank.readers.sheets import Sheet


def covariates_of(sheet: Sheet, wanted: Sequence[str], rows: NDArray[np.intp]) -> tuple[Covariates, Note]:
    """The wanted covariates of the battles that stand in these rows; position needs no column."""
    names = list(dict.fromkeys(wanted))
    columns = [_columns(sheet, name) for name in names]
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


_SIDES = (("a", "b"), ("1", "2"))
_WAYS = ("{name}_{side}", "{side}_{name}", "model_{side}_{name}", "{name}_model_{side}")
"""How columns of both answers are called: ``length_a``, ``a_length`` …"""


def _columns(sheet: Sheet, name: str) -> tuple[int, ...]:
    """The columns of a covariate: two, one of differences, or none for the position."""
    names, (plain,) = snake_case(sheet.header), snake_case([name])
    for way, sides in product(_WAYS, _SIDES):
        first, second = (way.format(name=plain, side=side) for side in sides)
        if first in names and second in names:
            return names.index(first), names.index(second)
    if name in sheet.header:
        words = plain.split("_")
        for one, two in (*_SIDES, *(sides[::-1] for sides in _SIDES)):
            if (
                other := "_".join(two if word == one else word for word in words)
            ) != plain and other in names:
                both = "_".join(word for word in words if word not in (one, "model"))
                raise InputError(
                    f"{sheet.place()}{name!r} is of one answer only. Use {setting('covariates', both)} for "
                    f"{name!r} and {sheet.header[names.index(other)]!r} together"
                )
        return (sheet.header.index(name),)
    if name == POSITION:
        return ()
    raise InputError(
        f"{sheet.place()}no columns hold the covariate {name!r}. Give numbers as {name}_a and {name}_b, or "
        f"one column {name} of differences. The columns are {few(sheet.header, 12)}"
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
