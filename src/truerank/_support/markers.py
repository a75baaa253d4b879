"""What the type of a field says of its JSON. NumPy is not imported for it: commands start without.

How a field is written follows from its type alone: words of docstrings only describe it
(:mod:`truerank._support.written`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Nullable:
    """On the type of a field: NaN or infinite where there is no value, and null in JSON."""


@dataclass(frozen=True)
class Absent:
    """On the type of a field: where it is ``None``, JSON does not have the key."""


@dataclass(frozen=True)
class Inlined:
    """On the type of a field: its keys stand in JSON beside those of its owner, not below a key."""


@dataclass(frozen=True)
class InFull:
    """On the type of a field: a whole number, although a float for the sake of infinity."""


@dataclass(frozen=True)
class Within:
    """On the type of a field: the range of a number; whether its ends are outside."""

    low: float | None = None
    high: float | None = None
    open: bool = False


@dataclass(frozen=True)
class Length:
    """On the type of a field: how many things are in a list."""

    items: int


class WrittenAs:
    """On the type of a field: the keys that JSON has in its place, none where it is not written.

    Args:
        *names: attributes of the owner that are keys.
        **renamed: key → attribute, where they differ.
    """

    def __init__(self, *names: str, **renamed: str) -> None:
        self.keys = dict(zip(names, names, strict=True)) | renamed


OrNaN = Annotated[float, Nullable()]
"""A number that is NaN, or infinite, where there is none: null in JSON."""

LeftOut = Annotated[T | None, Absent()]
"""A key that JSON has only where there is something: ``LeftOut[str]``."""

Unwritten = Annotated[T, WrittenAs()]
"""A field that JSON does not have."""

Whole = Annotated[int, Within(0)]
"""A whole number, 0 or more."""

WholeOrInfinite = Annotated[float, Nullable(), InFull(), Within(0)]
"""A whole number, 0 or more; infinite where none is enough, and null in JSON."""

Fraction = Annotated[float, Within(0, 1)]
"""A probability, or a share of a whole."""

Level = Annotated[float, Within(0, 1, open=True)]
"""A confidence level, or what else lies between 0 and 1."""

Correlation = Annotated[float, Within(-1, 1)]
"""A coefficient of two rankings."""
