"""An executor as the engine uses it."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from typing import Any


class Backend:
    """An executor as the engine uses it; a cluster knows more of itself, and overrides the rest."""

    def __init__(self, executor: Executor, slots: int) -> None:
        self.executor = executor
        self._slots = slots

    @property
    def slots(self) -> int:
        """How many chunks it can work on at once, now: a cluster grows and shrinks."""
        return self._slots

    def share(self, packed: bytes) -> Any:
        """What to give each task for the packed job; a cluster is sent the bytes only once."""
        return packed

    def news(self) -> Sequence[str]:
        """Sentences on what happened to the workers since the last call."""
        return ()

    def idle(self) -> str:
        """A sentence that there are no workers, and what to do; empty while there are some."""
        return ""
