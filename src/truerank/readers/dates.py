"""When systems were submitted: a column of the scores, a file of two columns, or a mapping."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from typing import Any

from truerank._support.arguments import setting
from truerank._support.wording import few
from truerank.errors import InputError, reading
from truerank.readers.formats.source import Source
from truerank.readers.roles import find, snake_case
from truerank.readers.sheets import Sheet

_DATE = re.compile(r"(\d{4})(?:[-/.]?([01]\d)(?:[-/.]?([0-3]\d)(?:[T ].*)?)?)?")


def day(text: str) -> str | None:
    """A date as ``2024-03-01``, or as much of it as there is; ``None`` for what is not one.

    >>> day("20240301"), day("2024-03-01 12:30"), day("2024/03"), day("March 1")
    ('2024-03-01', '2024-03-01', '2024-03', None)
    """
    found = _DATE.fullmatch(text.strip())
    return "-".join(part for part in found.groups() if part) if found else None


def dates_of(given: Any) -> dict[str, str]:
    """The day of each system, from a mapping, a series, or a file of two columns."""
    if isinstance(given, str | os.PathLike):
        if not os.path.exists(given):
            raise InputError(f"no file is called {str(given)!r}; give a file of two columns, or a mapping")
        with reading(given):
            sheet = Source(str(given)).sheet
            if len(sheet.header) != 2:
                raise InputError(
                    f"{sheet.place()}{len(sheet.header)} columns; dates need two, system and date"
                )
            first = day(sheet.header[1])
            found = _by_system(sheet, 0, 1)
            return found if first is None else {sheet.header[0]: first, **found}
    if not hasattr(given, "to_dict") and not isinstance(given, Mapping):
        raise InputError("dates are a mapping of systems, a series, or a file of two columns")
    held = given if isinstance(given, Mapping) else given.to_dict()
    return {str(name): _checked(str(value), str(name), "") for name, value in held.items()}


def dates_in(sources: Sequence[str], column: str, system_column: str | None = None) -> dict[str, str]:
    """The day of each system, from a column of the tables of scores that names no more than one for each."""
    found = dict[str, str]()
    for source in sources:
        with reading(source):
            sheet = Source(source).sheet
            if column not in sheet.header:
                raise InputError(
                    f"{sheet.place()}there is no column {column!r}, nor a file of that name; the columns are "
                    f"{few(sheet.header, 12)}"
                )
            date = sheet.header.index(column)
            names = ["" if c == date else name for c, name in enumerate(snake_case(sheet.header))]
            system = find(names, "system") if system_column is None else sheet.header.index(system_column)
            first = next(c for c in range(len(names) + 1) if c != date)
            found |= _by_system(sheet, first if system is None else system, date)
    return found


def _by_system(sheet: Sheet, system: int, date: int) -> dict[str, str]:
    """The day of each system, which is the same in all its rows."""
    found = dict[str, str]()
    for row, (name, text) in enumerate(zip(sheet.names(system), sheet.names(date), strict=True)):
        value = _checked(text, name, sheet.place(row))
        if found.setdefault(name.strip(), value) != value:
            raise InputError(
                f"{sheet.place(row)}{name!r} has two dates, {found[name.strip()]} and {value}; keep one"
            )
    return found


def _checked(text: str, name: str, where: str) -> str:
    value = day(text)
    if value is None:
        raise InputError(f"{where}the date of {name!r} is {text!r}; write it as 2024-03-01")
    return value


def dates_for(dates: Mapping[str, str], systems: Sequence[str]) -> list[str]:
    """The days of these systems, in their order."""
    lacking = [name for name in systems if name not in dates]
    if lacking:
        raise InputError(f"{few(list(map(repr, lacking)), 4)} without a date; add it to {setting('date')}")
    return [dates[name] for name in systems]
