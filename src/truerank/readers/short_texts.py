"""Patterns of names and of cells, which take time with the square of a text's length, or its cube."""

from __future__ import annotations

import re

LONGEST = 200
"""Characters of the longest name or number that is looked at."""


class Short:
    """A pattern that no text of more characters fits.

    >>> pattern = Short(r"(.*\\ )?q\\d+")
    >>> bool(pattern.fullmatch("a q1")), bool(pattern.fullmatch(" " * 1000 + "q1"))
    (True, False)
    """

    def __init__(self, pattern: str, flags: int = 0) -> None:
        """Compile the pattern, as `re.compile` does."""
        self._pattern = re.compile(pattern, flags)

    def fullmatch(self, text: str) -> re.Match[str] | None:
        """As of a compiled pattern; None for a long text."""
        return self._pattern.fullmatch(text) if len(text) <= LONGEST else None

    def match(self, text: str) -> re.Match[str] | None:
        """As of a compiled pattern; None for a long text."""
        return self._pattern.match(text) if len(text) <= LONGEST else None

    def sub(self, new: str, text: str) -> str:
        """As of a compiled pattern; a long text is returned as it is."""
        return self._pattern.sub(new, text) if len(text) <= LONGEST else text
