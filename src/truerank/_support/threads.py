"""Threads: how many share the work on pairs of systems, and BLAS kept to one where matrices are small."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import Any

from truerank._support.machine import processors

_most: ContextVar[int | None] = ContextVar("most threads", default=None)


@contextmanager
def interrupts_held_back() -> Iterator[None]:
    """Within it Ctrl-C waits, in every thread: what it raises would be lost in a call from C."""
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or before in (None, signal.SIG_IGN):
        yield
        return
    heard: list[int] = []
    signal.signal(signal.SIGINT, lambda number, _: heard.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if heard:
            signal.raise_signal(signal.SIGINT)


@contextmanager
def at_most(threads: int) -> Iterator[None]:
    """Within it, :func:`in_threads` uses at most so many threads: for a process that shares its cores."""
    token = _most.set(threads)
    try:
        yield
    finally:
        _most.reset(token)


def in_threads(work: Callable[[int], None], parts: Sequence[int]) -> None:
    """Do the parts of a job on as many threads as there are processors; the parts must not share results."""
    threads = _most.get() or processors()
    if len(parts) < 2 or threads < 2:
        for part in parts:
            work(part)
    else:
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(work, parts))


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Within it, BLAS stays on one thread: for small matrices, others cost more than they bring."""
    with _controller().limit(limits=1, user_api="blas"):
        yield


@cache
def _controller() -> Any:
    from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped, unused-ignore]

    with interrupts_held_back():  # it looks for libraries by calls from C, in which Python loses an interrupt
        return ThreadpoolController()
