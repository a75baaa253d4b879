"""The manifest of a run: what it must hold, and the versions of what can change digits."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Callable, Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

Manifest = dict[str, Any]


def misshapen(manifest: Mapping[str, Any]) -> str | None:
    """The first part that is not of the kind that a run writes; ``None`` where all are."""
    return next((part for part, fits in _PARTS.items() if not fits(manifest.get(part))), None)


def _whole(value: Any, least: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def _parameter(value: Any) -> bool:
    values = value if isinstance(value, list) else [value]
    return all(isinstance(item, str | int | float | None) for item in values)


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


PACKAGES = ("truerank", "numpy", "scipy", "pyvinecopulib")
"""Whose versions can change digits."""


def versions() -> dict[str, str]:
    """The versions here, by name; of what is installed."""
    result = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            result[package] = version(package)
        except PackageNotFoundError:
            continue
    return result


@cache
def code() -> str:
    """A digest of truerank's own files, which differ between two checkouts of one version."""
    import truerank

    folder = Path(truerank.__file__).parent
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.py"), key=lambda path: path.relative_to(folder).parts):
        digest.update(f"{path.relative_to(folder).as_posix()}\n".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()
