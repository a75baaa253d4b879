"""What dataclasses are written as: their keys in JSON, each with its type and its meaning."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, fields
from functools import cache, cached_property
from typing import Annotated, Any, TypeVar, get_args, get_origin, get_type_hints

from truerank._support.docstrings import attributes
from truerank._support.markers import Absent, InFull, Inlined, WrittenAs
from truerank._support.tables import derived

M = TypeVar("M")


@dataclass(frozen=True)
class Key:
    """A key of a dataclass in JSON.

    Attributes:
        name: of the key.
        attribute: what holds its value.
        hint: the type of that, with its markers.
        meaning: what it holds, by the docstring.
    """

    name: str
    attribute: str
    hint: Any
    meaning: str

    @cached_property
    def left_out(self) -> bool:
        """Whether it is not there where the value is ``None``."""
        return marker(self.hint, Absent) is not None

    @cached_property
    def inlined(self) -> bool:
        """Whether the keys of the value stand in its place."""
        return marker(self.hint, Inlined) is not None

    @cached_property
    def in_full(self) -> bool:
        """Whether the value is a whole number, though a float."""
        return marker(self.hint, InFull) is not None


def marker(hint: Any, kind: type[M]) -> M | None:
    """What a type is marked with, of one kind; ``None`` where it is not."""
    marks = get_args(hint)[1:] if get_origin(hint) is Annotated else ()
    return next((one for one in marks if isinstance(one, kind)), None)


def keys(kind: type) -> tuple[Key, ...]:
    """The keys of a dataclass, in the order of its fields; derived columns last."""
    more = (Key(name, name, one.type, one.column.meaning) for name, one in derived(kind).items())
    return (*of_fields(kind), *more)


@cache
def of_fields(kind: type) -> tuple[Key, ...]:
    """The keys of a dataclass, but for derived columns."""
    hints = get_type_hints(kind, include_extras=True)
    found: list[Key] = []
    for one in fields(kind):
        instead = marker(hints[one.name], WrittenAs)
        written = {one.name: one.name} if instead is None else instead.keys
        found += [_key(kind, name, attribute, hints) for name, attribute in written.items()]
    return tuple(found)


def _key(kind: type, name: str, attribute: str, hints: dict[str, Any]) -> Key:
    if attribute in {one.name for one in fields(kind)}:
        return Key(name, attribute, hints[attribute], attributes(kind).get(attribute, ""))
    asked = getattr(kind, attribute)
    assert isinstance(asked, property | cached_property), (
        f"{kind.__name__}.{attribute}: neither field nor property"
    )
    getter = asked.func if isinstance(asked, cached_property) else asked.fget
    about = (inspect.getdoc(getter) or "").split("\n\n", 1)[0]
    return Key(name, attribute, get_type_hints(getter, include_extras=True)["return"], about)
