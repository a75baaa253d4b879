"""What quality is weighed against: a number of each system, or scores on topics."""

from __future__ import annotations

import csv
import json
import math
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from io import StringIO
from numbers import Real
from typing import Any

from truerank._support.files import read_text
from truerank.errors import InputError, at, reading
from truerank.readers.roles import lower_is_better
from truerank.scores import ScoreMatrix


@dataclass(frozen=True, eq=False)
class Criterion:
    """What quality is weighed against: a number of each system, or scores on topics.

    Attributes:
        measure: its name.
        lower_is_better: whether less of it is better.
        numbers: of each system, as they are; ``None`` where there are scores.
        table: scores on topics, higher is better: a cost has a minus sign; ``None`` where there are numbers.
    """

    measure: str
    lower_is_better: bool
    numbers: Mapping[str, float] | None = None
    table: ScoreMatrix | None = None

    @classmethod
    def of(
        cls,
        given: Any,
        read: Callable[[Any, str | None], ScoreMatrix],
        lower: Callable[[str], bool | None] = lambda _: None,
    ) -> Criterion:
        """The criterion that is given as numbers, a file, a table of scores, or a measure's name.

        Args:
            given: a mapping or series of numbers by system, a file of two columns, scores, or a name.
            read: reads scores on topics: those given, or, of ``None``, another measure of those assessed.
            lower: whether less of a measure is better, where the user says so; else its name tells, or it is.
        """
        if isinstance(given, cls):
            return given
        numbers: Mapping[str, Any] | None = None
        measure = "cost"
        if isinstance(given, str | os.PathLike):
            if not os.path.exists(given):
                return cls.scored(read(None, str(given)))
            with reading(given):
                measure, numbers = parse_numbers(read_text(given), str(given))
        elif isinstance(given, Mapping) and all(isinstance(value, Real) for value in given.values()):
            numbers = given
        elif getattr(given, "ndim", None) == 1 and hasattr(given, "to_dict"):  # a series
            measure, numbers = str(given.name or measure), given.to_dict()
        if numbers is None:
            return cls.scored(read(given, None))
        for name, value in numbers.items():
            if not isinstance(value, Real) or not math.isfinite(value):
                raise InputError(f"{measure} of {str(name)!r} is {value!r}; give a finite number")
        told = lower(measure)
        told = lower_is_better(measure) if told is None else told
        return cls(measure, told is not False, {str(name): float(value) for name, value in numbers.items()})

    @classmethod
    def scored(cls, table: ScoreMatrix) -> Criterion:
        """The criterion of scores on topics, which readers negate where less is better."""
        measure = table.measure or "the second criterion"
        return cls(measure.removeprefix("−"), measure.startswith("−"), table=table)


def parse_numbers(text: str, source: str | None = None) -> tuple[str, dict[str, float] | None]:
    """The name of a criterion and the number of each system, from lines of both or a JSON object.

    Args:
        text: the whole file: two columns by tab, semicolon or comma, with or without a heading.
        source: the file's name, for messages.

    Returns:
        The heading, ``cost`` without one, and system → number; ``None`` where the text has not two
        columns.

    Raises:
        InputError: a system twice, or a number that is none. The message has file and line.

    Example:
        >>> parse_numbers("system,price\\nA,2.5\\nB,0.4")
        ('price', {'A': 2.5, 'B': 0.4})
    """
    if text.lstrip().startswith("{"):
        try:
            data = json.loads(text)
        except json.JSONDecodeError as broken:
            raise InputError(f"{at(source, broken.lineno)}JSON breaks off or is wrong here") from None
        if any(not isinstance(value, Real) for value in data.values()):
            return "", None
        return "cost", {name: float(value) for name, value in data.items()}
    opening = next((line for line in text.splitlines() if line.strip()), "")
    mark = next((mark for mark in "\t;," if mark in opening), ",")
    measure, numbers = "cost", dict[str, float]()
    rows = csv.reader(StringIO(text.removeprefix("\ufeff")), delimiter=mark)
    for row in rows:
        if not any(cell.strip() for cell in row):
            continue
        if len(row) != 2:
            return "", None
        name, value = (cell.strip() for cell in row)
        where = at(source, rows.line_num)
        number = _number(value.replace(",", ".") if mark == ";" else value)
        if number is None and not numbers and measure == "cost":
            measure = value
            continue
        if number is None or not math.isfinite(number):
            raise InputError(f"{where}{measure} of {name!r} is {value!r}; give a finite number")
        if name in numbers:
            raise InputError(f"{where}the system {name!r} has a number already; list each once")
        numbers[name] = number
    return measure, numbers


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
