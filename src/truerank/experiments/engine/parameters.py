"""Parameters of an experiment from text, from Python and from a manifest, always of their field's type."""

from __future__ import annotations

import dataclasses
import math
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any, get_args, get_origin, get_type_hints

from truerank.errors import InputError, unknown_name


def build(kind: type[Any], given: Mapping[str, Any]) -> Any:
    """The dataclass of parameters with the given values, text being read as the type of its field."""
    types = get_type_hints(kind)
    names = [f.name for f in dataclasses.fields(kind)]
    values = {}
    for written, value in given.items():
        name = written.replace("-", "_")
        if name not in names:
            raise unknown_name("parameter", written, [n.replace("_", "-") for n in names])
        try:
            values[name] = _convert(value, types[name])
        except (TypeError, ValueError, OverflowError):
            wanted = describe_type(types[name])
            raise InputError(f"{written.replace('_', '-')} takes {wanted}, not {value!r}") from None
    built = kind(**values)
    check(built)
    return built


def check(parameters: Any) -> None:
    """Refuse values that their fields don't take, and tuples that are empty or name a thing twice."""
    kind = type(parameters)
    for field in dataclasses.fields(parameters):
        value, name = getattr(parameters, field.name), field.name.replace("_", "-")
        values = value if isinstance(value, tuple) else (value,)
        if not values and field.default and not any(_said(kind, field.name, "empty")):
            raise InputError(f"{name}: name at least one")
        if len(set(values)) != len(values):
            raise InputError(f"{name} names something twice: {','.join(map(str, values))}")
        least = next((least for least in _said(kind, field.name, "least") if least is not None), -math.inf)
        if least > -math.inf and values and min(values) < least:
            raise InputError(f"{name} must be at least {least:g}, not {min(values):g}")
        if wrong := next(filter(None, _said(kind, field.name, "check")), None):
            wrong(value)


def each(check: Callable[[Any], object]) -> Callable[[tuple[Any, ...]], object]:
    """A check of every value of a tuple."""
    return lambda values: [check(value) for value in values]


def share(name: str) -> Callable[[float], None]:
    """A check that a number lies between 0 and 1."""

    def check(value: float) -> None:
        if not 0 < value < 1:
            raise InputError(f"{name} must be between 0 and 1, not {value:g}")

    return check


def _convert(value: Any, kind: Any) -> Any:
    if get_origin(kind) is tuple:
        item = get_args(kind)[0]
        if isinstance(value, str):
            value = [part.strip() for part in value.split(",") if part.strip()]
        elif isinstance(value, int | float):
            value = [value]
        return tuple(_convert(part, item) for part in value)
    if kind is int:
        whole = int(value)
        if (isinstance(value, float) and whole != value) or abs(whole) > sys.maxsize:
            raise ValueError(value)
        return whole
    if kind is float:
        number = float(value)
        if not math.isfinite(number):
            raise ValueError(value)
        return number
    if kind is str:
        return ("yes" if value else "no") if isinstance(value, bool) else str(value)
    raise TypeError(f"a parameter cannot be of type {kind}")


def describe_type(kind: Any) -> str:
    """A field's type in words."""
    if get_origin(kind) is tuple:
        return f"{_PLURAL[get_args(kind)[0]]} separated by commas"
    return {int: "a whole number", float: "a number", str: "text"}[kind]


_PLURAL = {int: "whole numbers", float: "numbers", str: "names"}


def as_text(value: Any) -> str:
    """A value as users type it."""
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)


def describe(kind: type[Any]) -> list[tuple[str, str, str]]:
    """For each parameter its name, default and help."""
    return [
        (f.name.replace("_", "-"), as_text(f.default), next(filter(None, _said(kind, f.name, "help")), ""))
        for f in dataclasses.fields(kind)
    ]


def growing(kind: type[Any]) -> list[str]:
    """Names of the parameters that may grow in a folder that exists."""
    return [f.name for f in dataclasses.fields(kind) if any(_said(kind, f.name, "grows"))]


def _said(kind: type[Any], name: str, what: str) -> Iterator[Any]:
    """What the field of that name says of itself in the class, then in those that it overrides."""
    for base in filter(dataclasses.is_dataclass, kind.__mro__):
        for field in dataclasses.fields(base):
            if field.name == name:
                yield field.metadata.get(what)
