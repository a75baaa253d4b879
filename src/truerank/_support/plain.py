"""Data that JSON can hold, its text, and its checksum."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator
from dataclasses import is_dataclass
from typing import Any


class Written:
    """What can be written as JSON: a dataclass whose types say how (:mod:`truerank._support.markers`)."""

    def to_dict(self) -> dict[str, Any]:
        """All of it as JSON-ready data, with the documented keys; ``None`` for what has no value."""
        found: dict[str, Any] = plain(self)
        return found


def plain(value: Any) -> Any:
    """Data that JSON can hold: ``None`` for NaN and infinities, lists for arrays, objects for dataclasses."""
    if type(value) is float:
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if hasattr(value, "tolist"):  # NumPy's, which is not imported for it: commands start without
        finite = value.dtype.kind in "fiu" and (abs(value) < math.inf).all()
        return value.tolist() if finite else plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if is_dataclass(value) and not isinstance(value, type):
        return _written(value)
    return value


def _written(value: Any) -> dict[str, Any]:
    """A dataclass as its type says (:mod:`truerank._support.markers`)."""
    from truerank._support.written import keys  # commands start without the tables behind it

    found: dict[str, Any] = {}
    kind: Any = type(value)
    for key in keys(kind):
        item = plain(getattr(value, key.attribute))
        if key.left_out and item is None:
            continue
        if key.inlined:
            found |= item or {}
        else:
            found[key.name] = int(item) if item is not None and key.in_full else item
    return found


def pieces(value: Any, ascii_only: bool = False, margin: str = "\n") -> Iterator[str]:
    """The text of ``json.dumps(value, indent=1)``, piece by piece: millions of numbers are never one string.

    Python's fast encoder cannot indent. Here it writes whatever holds neither lists nor objects, with the
    line breaks as separators.
    """
    inner = margin + " "
    encoder = json.JSONEncoder(ensure_ascii=ascii_only, allow_nan=False, separators=("," + inner, ": "))
    keyed = isinstance(value, dict)
    items = value.values() if keyed else value if isinstance(value, list | tuple) else ()
    if not any(issubclass(kind, dict | list | tuple) for kind in set(map(type, items))):
        text = encoder.encode(value)
        yield text[0] + inner + text[1:-1] + margin + text[-1] if items else text
        return
    opened = "{" if keyed else "["
    for key, item in value.items() if keyed else enumerate(value):
        yield opened + inner + (f"{encoder.encode(key)}: " if keyed else "")
        yield from pieces(item, ascii_only, inner)
        opened = ","
    yield margin + ("}" if keyed else "]")


def checksum(document: Any) -> str:
    """SHA-256 of JSON data in one fixed spelling, for files that say whether they were changed."""
    text = json.dumps(document, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()
