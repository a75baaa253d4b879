"""The two turns of phrase that notes and messages share."""

from __future__ import annotations

from collections.abc import Sequence


def count(number: int, noun: str) -> str:
    """`1 topic`, `2 topics`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def few(names: Sequence[str], most: int = 3) -> str:
    """The first names, on one line whatever is in them, and dots when there are more."""
    return ", ".join(" ".join(name.split()) for name in names[:most]) + (", …" if len(names) > most else "")
