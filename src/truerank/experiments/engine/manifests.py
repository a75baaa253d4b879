"""What the manifest of a run must hold before anything is made of it: the kinds of its parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Manifest = dict[str, Any]


def misshapen(manifest: Mapping[str, Any]) -> str | None:
    """The first part that is not of the kind that a run writes; ``None`` where all are."""
    return next((part for part, fits in _PARTS.items() if not fits(manifest.get(part))), None)


def _whole(value: Any, least: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def _parameter(value: Any) -> bool:
    values = value if isinstance(value, list) else [value]
    return all(isinstance(one, str | int | float | None) for one in values)


def _data(value: Any) -> bool:
    notes = value.get("notes", []) if isinstance(value, dict) else None
    return (
        isinstance(notes, list)
        and all(isinstance(text, str) for text in (value.get("name"), value.get("fingerprint"), *notes))
        and isinstance(value.get("source"), str | None)
    )


def _texts(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(text, str) for text in value.values())


_PARTS: Mapping[str, Callable[[Any], bool]] = {
    "experiment": lambda value: isinstance(value, str),
    "parameters": lambda value: isinstance(value, dict) and all(map(_parameter, value.values())),
    "seed": lambda value: _whole(value, 0),
    "chunk": lambda value: _whole(value, 1),
    "data": lambda value: isinstance(value, list) and all(map(_data, value)),
    "versions": _texts,
    "plugins": _texts,
}
