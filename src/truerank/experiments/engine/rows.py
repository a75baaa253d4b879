"""What goes into a task and what comes out of it: the words that the whole engine speaks in."""

from __future__ import annotations

from typing import Any

Key = int | str
"""The value of one axis of a grid."""

Task = dict[str, Key]
"""One combination of the axes, by their names."""

Row = dict[str, Any]
"""Fields of a row by name: numbers, text or arrays of numbers."""

SOLE_TABLE = "rows"
"""Name of the only table of an experiment whose tasks return a list of rows."""
