"""Processors, memory and threads under the limits of a cluster or container, and progress of work."""

from __future__ import annotations

import math
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

from truerank.errors import InputError

# Where Linux has the limits of a group of processes, in version 2.
CGROUP = Path("/sys/fs/cgroup")
MEMINFO = Path("/proc/meminfo")
OWN_GROUPS = Path("/proc/self/cgroup")


def processors() -> int:
    """How many processors this process may use, 1 at least.

    The least of those that it may run on, the quota of its control group and what SLURM gave it.
    """
    counts = [len(os.sched_getaffinity(0))] if hasattr(os, "sched_getaffinity") else [os.cpu_count() or 1]
    for group in _groups():
        quota, period, *_ = [*_lines(group / "cpu.max", " "), "", ""]
        if quota.isdigit() and period.isdigit() and int(period) > 0:
            counts.append(math.ceil(int(quota) / int(period)))
    given = os.environ.get("SLURM_CPUS_PER_TASK", "")
    if given.isdecimal():
        counts.append(int(given))
    return max(1, min(counts))


def available_memory() -> int | None:
    """Bytes that this process can still have, control groups considered; ``None`` where nothing says so."""
    free = {name: int(rest.split()[0]) for name, _, rest in _parts(MEMINFO, ":")}
    result = [1024 * free["MemAvailable"]] if "MemAvailable" in free else []
    for group in _groups():
        most, used, *_ = [*_lines(group / "memory.max"), *_lines(group / "memory.current"), "", ""]
        if most.isdigit() and used.isdigit():
            # Files in memory are what the kernel gives up first.
            held = {name: int(size) for name, _, size in _parts(group / "memory.stat", " ")}
            result.append(max(0, int(most) - int(used) + held.get("inactive_file", 0)))
    return min(result, default=None)


def need_memory(size: float, what: str, remedy: str) -> None:
    """Refuse work for which there is not enough memory, before it starts."""
    free = available_memory()
    if free is not None and size > free:
        raise InputError(
            f"{what} needs {size / 1e9:,.1f} GB of memory, {free / 1e9:,.1f} GB are available; {remedy}"
        )


def _groups() -> list[Path]:
    """The folders of this process's control group, and of those around it."""
    for number, _, path in (line.split(":", 2) for line in _lines(OWN_GROUPS)):
        if number == "0":
            # Inside a container the path may be that of the host, and the limits are at the root.
            here = CGROUP / path.lstrip("/")
            return [CGROUP, *(folder for folder in (here, *here.parents) if CGROUP in folder.parents)]
    return []


def _parts(path: Path, mark: str) -> list[tuple[str, str, str]]:
    return [line.partition(mark) for line in _lines(path)]


def _lines(path: Path, mark: str = "\n") -> list[str]:
    """The lines of a file of the kernel; none where it does not exist."""
    try:
        return [*filter(None, path.read_text(encoding="ascii", errors="replace").strip().split(mark))]
    except OSError:
        return []


_most: ContextVar[int | None] = ContextVar("most threads", default=None)


@contextmanager
def interrupts_held_back() -> Iterator[None]:
    """Hold Ctrl-C back in this block, because the exception would be lost in a call from C."""
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or before in (None, signal.SIG_IGN):
        yield
        return
    received: list[int] = []
    signal.signal(signal.SIGINT, lambda number, _: received.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if received:
            signal.raise_signal(signal.SIGINT)


@contextmanager
def at_most(threads: int) -> Iterator[None]:
    """In this block :func:`in_threads` uses at most `threads`, for a process that shares its cores."""
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
            contexts = [copy_context() for _ in parts]  # so that messages are worded as outside
            list(pool.map(lambda context, part: context.run(work, part), contexts, parts))


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Keep BLAS on one thread in this block: for small matrices more are slower."""
    with _controller().limit(limits=1, user_api="blas"):
        yield


@cache
def _controller() -> Any:
    from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped, unused-ignore]

    with interrupts_held_back():  # in its calls from C Python would lose an interrupt
        return ThreadpoolController()


Progress: TypeAlias = Callable[[int, int, str], None]  # called with (done, total, label) as work goes on
