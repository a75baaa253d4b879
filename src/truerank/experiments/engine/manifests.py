"""What the manifest of a run must hold before anything is made of it: the kinds of its parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Manifest = dict[str, Any]


def misshapen(manifest: Mapping[str, Any]) -> str | None:
    """The first part that is not of the kind that a run writes; ``None`` where all are.

    >>> misshapen({"experiment": "estimators", "parameters": []})
    'parameters'
    """
    return next((part for part, fits in _PARTS.items() if not fits(manifest.get(part))), None)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_value(value: Any) -> bool:
    return isinstance(value, str | int | float | None)


def _are_parameters(value: Any) -> bool:
    return isinstance(value, dict) and all(
        _is_value(one) or (isinstance(one, list) and all(map(_is_value, one))) for one in value.values()
    )


def _are_texts(value: Any) -> bool:
    """Whether it is an object whose values are text."""
    return isinstance(value, dict) and all(map(_is_text, value.values()))


def _is_data(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and _is_text(value.get("name"))
        and _is_text(value.get("fingerprint"))
        and isinstance(value.get("source"), str | None)
        and isinstance(notes := value.get("notes", []), list)
        and all(map(_is_text, notes))
    )


_PARTS: Mapping[str, Callable[[Any], bool]] = {
    "experiment": _is_text,
    "parameters": _are_parameters,
    "seed": lambda value: _is_whole(value) and value >= 0,
    "chunk": lambda value: _is_whole(value) and value >= 1,
    "data": lambda value: isinstance(value, list) and all(map(_is_data, value)),
    "versions": _are_texts,
    "plugins": _are_texts,
}
