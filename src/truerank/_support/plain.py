"""Data that JSON can hold, and what the types and docstrings of dataclasses say of theirs.

NumPy is not imported for it: commands start without. How a field is written follows from its type alone; its
docstring only describes it.
"""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, fields, is_dataclass
from functools import cache, cached_property
from typing import Annotated, Any, TypeVar, get_args, get_origin, get_type_hints


class Written:
    """A dataclass that can be written as JSON, as the types of its fields say."""

    def to_dict(self) -> dict[str, Any]:
        """All of it as JSON-ready data, with the documented keys; ``None`` for what has no value."""
        result: dict[str, Any] = plain(self)
        return result


_ARRAYS_KEPT: ContextVar[bool] = ContextVar("arrays_kept", default=False)


@contextmanager
def arrays_kept() -> Iterator[None]:
    """Within it :func:`plain` leaves arrays of numbers as they are, which :func:`encoded` writes directly."""
    token = _ARRAYS_KEPT.set(True)
    try:
        yield
    finally:
        _ARRAYS_KEPT.reset(token)


def encoded(document: Any) -> bytes:
    """JSON text of plain data and arrays, as UTF-8; NaN and infinite numbers are null.

    >>> encoded({"tau": 0.25, "p": float("nan")})
    b'{\\n  "tau": 0.25,\\n  "p": null\\n}'
    """
    import orjson

    return orjson.dumps(document, option=orjson.OPT_INDENT_2 | orjson.OPT_SERIALIZE_NUMPY)


# Version of the JSON that commands write; raised when a key is renamed, goes or changes its meaning.
SCHEMA_VERSION = 1


def versioned(data: Any) -> Any:
    """The document of a command, an object or a list of them, each with the version of its schema first."""
    if isinstance(data, list | tuple):
        return [versioned(item) for item in data]
    return {"schema_version": SCHEMA_VERSION} | data


def plain(value: Any) -> Any:
    """Data that JSON can hold: ``None`` for NaN and infinities, lists for arrays, objects for dataclasses."""
    if type(value) is float:
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if hasattr(value, "tolist"):  # NumPy's, which is not imported for it: commands start without
        kept = value.dtype.str[1:] in ("f8", "i8") and value.ndim and value.flags.c_contiguous
        if kept and _ARRAYS_KEPT.get():
            return value
        finite = value.dtype.kind in "fiu" and (abs(value) < math.inf).all()
        return value.tolist() if finite else plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if is_dataclass(value) and not isinstance(value, type):
        return _as_object(value)
    return value


def _as_object(value: Any) -> dict[str, Any]:
    result: dict[str, Any] = {}
    kind: Any = type(value)
    for key in keys(kind):
        item = plain(getattr(value, key.attribute))
        if key.left_out and item is None:
            continue
        if key.inlined:
            result |= item or {}
        else:
            result[key.name] = int(item) if item is not None and key.in_full else item
    return result


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


OrNaN = Annotated[float, Nullable()]  # a number that is NaN, or infinite, where there is none: null in JSON
LeftOut = Annotated[T | None, Absent()]  # a key that JSON has only where there is something: `LeftOut[str]`
Unwritten = Annotated[T, WrittenAs()]  # a field that JSON does not have
Whole = Annotated[int, Within(0)]  # a whole number, 0 or more

# A whole number, 0 or more; infinite where none is enough, and null in JSON.
WholeOrInfinite = Annotated[float, Nullable(), InFull(), Within(0)]

Fraction = Annotated[float, Within(0, 1)]  # a probability, or a share of a whole
Level = Annotated[float, Within(0, 1, open=True)]  # a confidence level, or what else lies between 0 and 1
Correlation = Annotated[float, Within(-1, 1)]  # a coefficient of two rankings


M = TypeVar("M")


@dataclass(frozen=True)
class Key:
    """A key of a dataclass in JSON."""

    name: str
    attribute: str  # of the dataclass, which holds the value
    hint: Any  # the type of that, with its markers
    meaning: str  # by the docstring

    @cached_property
    def left_out(self) -> bool:
        return marker(self.hint, Absent) is not None

    @cached_property
    def inlined(self) -> bool:
        return marker(self.hint, Inlined) is not None

    @cached_property
    def in_full(self) -> bool:
        return marker(self.hint, InFull) is not None


def marker(hint: Any, kind: type[M]) -> M | None:
    """The marker of one kind on a type; ``None`` if it has none."""
    marks = get_args(hint)[1:] if get_origin(hint) is Annotated else ()
    return next((item for item in marks if isinstance(item, kind)), None)


@cache
def keys(kind: type) -> tuple[Key, ...]:
    """The keys of a dataclass, in the order of its fields."""
    hints = get_type_hints(kind, include_extras=True)
    result: list[Key] = []
    for item in fields(kind):
        instead = marker(hints[item.name], WrittenAs)
        written = {item.name: item.name} if instead is None else instead.keys
        result += [_key(kind, name, attribute, hints) for name, attribute in written.items()]
    return tuple(result)


def _key(kind: type, name: str, attribute: str, hints: dict[str, Any]) -> Key:
    if attribute in {one.name for one in fields(kind)}:
        return Key(name, attribute, hints[attribute], attributes(kind).get(attribute, ""))
    owner = getattr(kind, attribute)
    assert isinstance(owner, property | cached_property), (
        f"{kind.__name__}.{attribute}: neither field nor property"
    )
    getter = owner.func if isinstance(owner, cached_property) else owner.fget
    about = (inspect.getdoc(getter) or "").split("\n\n", 1)[0]
    return Key(name, attribute, get_type_hints(getter, include_extras=True)["return"], about)


def unmarked(words: str) -> str:
    """Text of a docstring without the marks of reStructuredText, code in quotation marks."""
    text = re.sub(r"``([^`]+)``", r'"\1"', " ".join(words.split()))
    text = re.sub(r":\w+:`[~.]?([^`]+)`", r"\1", text)
    return text.replace("`", "").replace("\\|", "|")


@cache
def attributes(kind: type) -> dict[str, str]:
    """What the docstring of a dataclass, or of one that it extends, says of each of its attributes."""
    result: dict[str, str] = {}
    for base in reversed(kind.__mro__):
        text = inspect.cleandoc(base.__doc__ or "") if is_dataclass(base) else ""
        section = re.search(r"^Attributes:\n((?:    .*\n?|\n)+)", text, re.MULTILINE)
        if section is None:
            continue
        names = ""
        for line in section[1].splitlines():
            begun = re.match(r"    (\w+(?:, \w+)*): (.*)", line)
            if begun:
                names = begun[1]
                result |= dict.fromkeys(names.split(", "), begun[2])
            elif names and line.strip():
                result |= {name: f"{result[name]} {line.strip()}" for name in names.split(", ")}
    return result
