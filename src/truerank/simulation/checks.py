"""Checks of a saved model before anything is built from it: the types, sizes and ranges of its parts."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from truerank.errors import InputError


def mapping(value: Any, what: str) -> Mapping[str, Any]:
    """A JSON object."""
    if not isinstance(value, dict):
        raise InputError(f"{what} must be an object")
    return value


def listed(value: Any, what: str, length: int | None = None) -> list[Any]:
    """A list, of that length if one is given."""
    if not isinstance(value, list) or (length is not None and len(value) != length):
        raise InputError(f"{what} must be a list" + ("" if length is None else f" of {length}"))
    return value


def whole(value: Any, what: str, least: int, most: int) -> int:
    """A whole number in a range."""
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise InputError(f"{what} must be a whole number from {least} to {most}")
    return value


def number(value: Any, what: str) -> float:
    """A finite number."""
    try:
        if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
            return float(value)
    except OverflowError:  # a whole number too large for a float
        pass
    raise InputError(f"{what} must be a finite number")


def columns(value: Any, systems: int, dimensions: int) -> tuple[int, ...]:
    """The column of the dependence that each system uses."""
    given = listed(value, "the dimensions", systems)
    return tuple(whole(d, "a dimension", 0, dimensions - 1) for d in given)


def common(model: Mapping[str, Any]) -> None:
    """Check what all models have: systems with unique names, a measure and an origin."""
    systems = listed(model["systems"], "the systems")
    if not systems or not all(isinstance(name, str) and name for name in systems):
        raise InputError("the systems must be one or more names")
    if len(set(systems)) < len(systems):
        raise InputError("the systems' names must be unique")
    origin = mapping(model["origin"], "the origin")
    if not isinstance(model["measure"], str) or not isinstance(origin["fingerprint"], str):
        raise InputError("the measure and the fingerprint must be text")
    for part in ("topics", "seed"):
        whole(origin[part], f"the origin's {part}", -(2**63), 2**64)
    mapping(origin["options"], "the origin's options")
    if not all(isinstance(change, str) for change in listed(origin["changes"], "the origin's changes")):
        raise InputError("the origin's changes must be text")
