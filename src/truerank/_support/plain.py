"""Data that JSON can hold, and its checksum."""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import is_dataclass
from typing import Any


def plain(value: Any) -> Any:
    """Data that JSON can hold: ``None`` for NaN and infinities, lists for arrays, objects for dataclasses."""
    if type(value) is float:  # first, for matrices of millions
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if hasattr(value, "tolist"):  # NumPy's, which is not imported for it: commands start without
        return plain(value.tolist())
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


def checksum(document: Any) -> str:
    """SHA-256 of JSON data in one fixed spelling, for files that say whether they were changed."""
    text = json.dumps(document, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()
