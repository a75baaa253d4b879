"""A cache of assessments for services that ask for the same boards again and again."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from dataclasses import fields, is_dataclass
from threading import Lock
from typing import Any

import numpy as np

from truerank._support.arguments import check_whole
from truerank.reliability.results import Assessment


class Cache:
    """Assessments in memory, by the digest of their scores and all arguments.

    A service makes one and hands it to every :func:`truerank.assess`. Threads may share it. Nothing is cached
    without one, but the tables of `eb`: these depend on degrees of freedom alone, and each process keeps the
    last 64. A board of a hundred systems with one more takes two thirds of the time of a first assessment.
    All who ask get the same assessment: copy its arrays before changing them.

    Args:
        size: how many assessments it holds; the least recently used go first. Each holds about
            8·m·(n + 4·m) bytes for n topics and m systems.

    Raises:
        InputError: a size below 1.

    Example:
        >>> import numpy as np, truerank
        >>> scores = np.random.default_rng(1).uniform(size=(20, 3)) + [0.3, 0.2, 0]
        >>> cache = truerank.Cache(size=10)
        >>> first = truerank.assess(scores, "eb", cache=cache)
        >>> truerank.assess(scores.copy(), "eb", cache=cache) is first
        True
        >>> len(cache)
        1
    """

    def __init__(self, size: int = 32) -> None:
        check_whole("size", size, 1)
        self.size = size
        self._kept: OrderedDict[Hashable, Assessment] = OrderedDict()
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._kept)

    def __repr__(self) -> str:
        return f"<Cache of {len(self)} assessments, at most {self.size}>"

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._kept.clear()

    def _found(self, key: Hashable, make: Callable[[], Assessment]) -> Assessment:
        """What is kept under a key, or what is made now; two threads at once may both make it."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        made = make()
        with self._lock:
            self._kept[key] = made
            self._kept.move_to_end(key)
            while len(self._kept) > self.size:
                self._kept.popitem(last=False)
        return made


def digest(*things: Any) -> bytes:
    """A digest of arrays, plain values and dataclasses of them, by what they hold."""
    state = hashlib.blake2b(digest_size=32)
    for thing in things:
        _add(state, thing)
    return state.digest()


def _add(state: Any, thing: Any) -> None:
    if isinstance(thing, np.ndarray):
        state.update(f"array {thing.dtype.str} {thing.shape};".encode())
        state.update(np.ascontiguousarray(thing).data)
    elif is_dataclass(thing) and not isinstance(thing, type):
        state.update(f"{type(thing).__qualname__} ".encode())
        for field in fields(thing):
            _add(state, getattr(thing, field.name))
    elif isinstance(thing, tuple | list | Mapping):
        parts = [part for pair in thing.items() for part in pair] if isinstance(thing, Mapping) else thing
        state.update(f"{type(thing).__name__} {len(parts)};".encode())
        for part in parts:
            _add(state, part)
    elif thing is None or isinstance(thing, str | bytes | bool | int | float | np.generic):
        text = repr(thing)
        state.update(f"{type(thing).__name__} {len(text)} {text};".encode("utf-8", "surrogatepass"))
    else:
        raise TypeError(f"no digest of {type(thing).__name__}")
